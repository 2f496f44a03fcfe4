// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <map>
#include <span>

#include "messages.h"
#include "sweep_plan.h"
#include "sweep_slurm.h"
#include "sweep_table.h"
#include "trammel/base/threads.h"
#include "trammel/io/model_reader.h"
#include "trammel/io/output_kinds.h"
#include "trammel/io/source_file.h"
#include "trammel/io/text_file.h"

// Many runs of one model: here and now, or planned, run in parts wherever the folder is seen, and collected.

namespace trammel::apps {

namespace {

/// A sweep of its own works alone in its folder, parts of a planned one work together; the kernel forgets the lock with
/// the process.
class FolderLock {
 public:
  enum class With { nobody, others };
  FolderLock(const std::filesystem::path& folder, With with)
      : descriptor_(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
    if (descriptor_ < 0)
      throw IoError(fmt::format("cannot open the folder '{}': {}", folder.string(), strerror(errno)));
    const int kind = with == With::nobody ? LOCK_EX : LOCK_SH;
    if (flock(descriptor_, kind | LOCK_NB) == 0 || errno != EWOULDBLOCK) return;
    close(descriptor_);
    throw IoError(fmt::format("another sweep is at work in '{}'; wait for its end or choose another folder (--out)",
                              folder.string()));
  }
  ~FolderLock() { close(descriptor_); }
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

 private:
  int descriptor_;
};

std::vector<Case> make_cases(const CaseList& list, const std::filesystem::path& folder) {
  std::vector<Case> cases(list.values.size());
  for (std::size_t i = 0; i < cases.size(); ++i) {
    for (std::size_t k = 0; k < list.keys.size(); ++k)
      cases[i].settings.push_back(list.keys[k] + "=" + list.values[i][k]);
    cases[i].results = folder / fmt::format("case_{:04}.h5", i + 1);
  }
  return cases;
}

constexpr std::size_t most_pages = 200;  // of cases: each has a megabyte

/// The page of one case: written anew if its results are younger.
std::filesystem::path write_case_page(const Case& one) {
  const std::filesystem::path page = std::filesystem::path(one.results).replace_extension(".html");
  std::error_code none, error;
  const auto written = std::filesystem::last_write_time(page, none);
  if (none || written < std::filesystem::last_write_time(one.results, error))
    write_report(std::span(&one.results, 1), page);
  return page.filename();
}

std::string describe_cases(const std::vector<Case>& cases, const std::filesystem::path& table) {
  JsonWriter json;
  json.begin_object().key("table").text(table.string()).key("cases").begin_array();
  for (const Case& one : cases) {
    json.begin_object().key("results").text(one.results.string()).key("set").begin_object();
    for (const std::string& setting : one.settings)
      json.key(setting.substr(0, setting.find('='))).text(setting.substr(setting.find('=') + 1));
    json.end_object().key("exit_code");
    if (one.code < 0)
      json.raw("null");  // not run
    else
      json.number(one.code);
    json.end_object();
  }
  return json.end_array().end_object().str();
}

/// What came out of all cases: table, page, and words or an answer.
class Gathering {
 public:
  Gathering(const SweepCommand& command, const std::filesystem::path& folder)
      : command_(command), table_(folder / "cases.csv"), page_(folder / "cases.html") {
    OutputFile::check(table_, CaseTable::kind());
    if (!command.report) return;
    require_report_page();
    OutputFile::check(page_, page_kind());
  }

  /// Returns the exit code of what was found; `goes_on` says how the rest would be run.
  int gather(const std::vector<std::string>& keys, const std::vector<Case>& cases, const Study& study,
             const std::filesystem::path& model, const std::string& goes_on) {
    CaseResults results(model, study.text);  // files as they are after the runs
    CaseTable lines(keys, results);
    for (const Case& one : cases) lines.add(one);
    lines.write(table_);
    if (command_.report) write_page(lines, cases, study, model);
    std::vector<std::size_t> failed, open;
    for (std::size_t i = 0; i < cases.size(); ++i) {
      if (cases[i].code > 0 && !cases[i].stopped()) failed.push_back(i + 1);
      if (cases[i].code < 0 || cases[i].stopped()) open.push_back(i + 1);
    }
    if (command_.json != nullptr) {
      command_.json->result = describe_cases(cases, table_);
    } else if (!command_.quiet) {
      fmt::print(
          "{}: {} cases, {} failed{}{}\n", table_.string(), cases.size(), failed.size() + lines.n_unreadable(),
          name_cases(failed),
          open.empty() ? "" : fmt::format(", {} not run to the end{} ({})", open.size(), name_cases(open), goes_on));
      if (command_.report) fmt::print("Report: {}\n", page_.string());
    }
    n_open_ = open.size();
    return !failed.empty() || lines.n_unreadable() > 0 ? failed_run : success;
  }
  std::size_t n_open() const { return n_open_; }

 private:
  static std::string name_cases(const std::vector<std::size_t>& numbers) {
    constexpr std::size_t most_named = 12;
    if (numbers.empty()) return "";
    const std::span<const std::size_t> named(numbers.data(), std::min(numbers.size(), most_named));
    return fmt::format(": {}{}", fmt::join(named, ", "), numbers.size() > most_named ? ", …" : "");
  }

  void write_page(const CaseTable& lines, const std::vector<Case>& cases, const Study& study,
                  const std::filesystem::path& model) const {
    const bool few = cases.size() <= most_pages;
    SweepReport report =
        lines.to_report(cases, [&](const Case& one) { return few ? write_case_page(one) : std::filesystem::path(); });
    report.title = study.model.title.empty() ? model.stem().string() : study.model.title;
    report.model_file = model.filename().string();
    write_sweep_report(report, page_);
  }

  const SweepCommand& command_;
  std::filesystem::path table_, page_;
  std::size_t n_open_ = 0;
};

// ---- here and now --------------------------------------------------------------------------------------------------

int run_here(const SweepCommand& command, const CaseList& list) {
  const std::filesystem::path folder =
      command.out.empty() ? std::filesystem::path(command.model.stem().string() + "_sweep") : command.out;
  std::vector<Case> cases = make_cases(list, folder);
  const Study study = read_study(command.model, cases.front().settings);  // refuses a wrong key before anything runs
  make_folder(folder);
  std::error_code ignored;
  if (std::filesystem::exists(plan_file(folder), ignored))
    throw InputError(
        fmt::format("'{0}' is the folder of a plan: `trammel sweep --case 1-{1} {0}` runs its cases; choose "
                    "another folder (--out)",
                    folder.string(), read_plan(folder).cases.values.size()));
  const FolderLock lock(folder, FolderLock::With::nobody);
  Gathering gathering(command, folder);

  CaseResults results(command.model, study.text);
  std::size_t done = 0;
  for (Case& one : cases) {
    const CaseResults::State state = results.look_at(one);
    one.resumes = state == CaseResults::State::open;
    if (state == CaseResults::State::done) one.code = 0, ++done;
  }
  const int jobs = command.jobs > 0 ? command.jobs : count_allowed_cores();
  if (!command.quiet)
    complain("{} cases{}, {} at a time\n", cases.size(), done > 0 ? fmt::format(", {} of them done before", done) : "",
             jobs);
  CaseWatch watch;  // those that are done are left, those that were stopped go on
  const int stopped_by = run_cases({command.model, 0, cases.size(), jobs, command.quiet}, cases, watch);
  const int code = gathering.gather(list.keys, cases, study, command.model, "the same command goes on");
  return stopped_by != 0 ? 128 + stopped_by : code;
}

// ---- planned -------------------------------------------------------------------------------------------------------

int plan(const SweepCommand& command, CaseList list) {
  const std::vector<Case> cases = make_cases(list, command.plan);
  const SourceList sources;
  static_cast<void>(read_study(command.model, cases.front().settings));  // refuses a wrong key before anything runs
  const std::size_t n = cases.size();
  write_plan({command.model, describe_sources(sources.files(), command.model.parent_path()), std::move(list)},
             command.plan);
  if (!command.quiet)
    fmt::print(
        "{}: {} cases\n  trammel sweep --case 1-{} {}    runs them, or some of them, in any process that sees the "
        "folder\n  trammel sweep --collect {}      gathers what is there\n",
        plan_file(command.plan).string(), n, n, command.plan.string(), command.plan.string());
  return success;
}

/// A plan, its model as it is, and what lies in its folder.
struct PlannedSweep {
  explicit PlannedSweep(const std::filesystem::path& place)
      : folder(place),
        plan(read_plan(place)),
        cases(make_cases(plan.cases, place)),
        study(read_study(plan.model, cases.front().settings)),
        results(plan.model, study.text) {
    const std::vector<std::string> changed = PresentSources(plan.model).list_changed(plan.sources);
    if (!changed.empty())
      throw InputError(
          fmt::format("since the plan in '{}' was made this changed: {}; its cases would not be those of one "
                      "model: write another plan, in another folder",
                      folder.string(), fmt::join(changed, ", ")));
  }

  /// How a case that is at its end ended, by a file beside its results: others than itself cannot ask its process.
  std::filesystem::path exit_file(const Case& one) const {
    return std::filesystem::path(one.results).replace_extension(".exit");
  }
  void note_exit(const Case& one) const {
    const std::filesystem::path path = exit_file(one);
    std::error_code ignored;
    if (one.code == success || one.stopped()) {
      std::filesystem::remove(path, ignored);
      return;
    }
    TextFile file(path, text_kind("the exit code of a case", {"exit code "}));
    file.write(fmt::format("exit code {}\n", one.code));
    file.close();
  }
  /// Refused and failed runs would be refused and fail again: they are at their end, others are not.
  void recall(Case& one) {
    const CaseResults::State state = results.look_at(one);
    one.resumes = state == CaseResults::State::open;
    one.code = state == CaseResults::State::done ? success : Case::not_run;
    std::string text;
    if (one.code == success || !read_source(exit_file(one), text).empty()) return;
    const int code = text.starts_with("exit code ") ? std::atoi(text.c_str() + 10) : 0;
    if (code == wrong_input || code == failed_run) one.code = code;
  }

  std::filesystem::path folder;
  SweepPlan plan;
  std::vector<Case> cases;
  Study study;
  CaseResults results;
};

/// Cases of a plan: looked at again once they are ours, since others may have run them.
class PlannedCases final : public CaseWatch {
 public:
  explicit PlannedCases(PlannedSweep& sweep) : sweep_(sweep) {}

  bool may_begin(Case& one) override {
    if (claims_.contains(&one)) return true;
    CaseClaim claim(sweep_.folder, static_cast<std::size_t>(&one - sweep_.cases.data()) + 1);
    if (!claim.is_ours()) {
      one.code = Case::elsewhere;
      return false;
    }
    sweep_.recall(one);
    if (one.code >= 0) return false;
    claims_.emplace(&one, std::move(claim));
    return true;
  }
  void ended(const Case& one) override {
    sweep_.note_exit(one);
    claims_.erase(&one);
  }

 private:
  PlannedSweep& sweep_;
  std::map<const Case*, CaseClaim> claims_;
};

/// "7" or "7-12", of n.
std::pair<std::size_t, std::size_t> parse_range(const std::string& text, std::size_t n) {
  const auto number = [&](const std::string& part) {
    const bool is_one = !part.empty() && part.size() < 10 && part.find_first_not_of("0123456789") == std::string::npos;
    return is_one ? static_cast<std::size_t>(std::stoll(part)) : std::size_t{0};
  };
  const std::size_t dash = text.find('-');
  const std::size_t first = number(text.substr(0, dash));
  const std::size_t last = dash == std::string::npos ? first : number(text.substr(dash + 1));
  if (first < 1 || last < first || last > n)
    throw InputError(fmt::format("--case {}: a case or a range of cases is expected, from 1 to {}", text, n));
  return {first - 1, last};
}

int run_planned(const SweepCommand& command) {
  PlannedSweep sweep(command.model);
  const auto [first, last] = parse_range(command.cases, sweep.cases.size());
  const FolderLock lock(sweep.folder, FolderLock::With::others);
  const int jobs = command.jobs > 0 ? command.jobs : count_allowed_cores();
  PlannedCases watch(sweep);
  const int stopped_by = run_cases({sweep.plan.model, first, last, jobs, command.quiet}, sweep.cases, watch);
  std::size_t failed = 0, done = 0;
  for (std::size_t i = first; i < last; ++i) {
    failed += sweep.cases[i].code > 0 && !sweep.cases[i].stopped();
    done += sweep.cases[i].code == success;
  }
  if (!command.quiet) fmt::print("{} of {} cases done, {} failed\n", done, last - first, failed);
  if (stopped_by != 0) return 128 + stopped_by;
  return failed > 0 ? failed_run : success;
}

int collect(const SweepCommand& command) {
  PlannedSweep sweep(command.model);
  const FolderLock lock(sweep.folder, FolderLock::With::others);
  Gathering gathering(command, sweep.folder);
  for (std::size_t i = 0; i < sweep.cases.size(); ++i) {
    Case& one = sweep.cases[i];
    sweep.recall(one);
    if (one.code < 0 && !CaseClaim(sweep.folder, i + 1).is_ours())
      one.code = Case::elsewhere;
    else if (one.resumes)
      one.code = 128 + SIGTERM;  // whatever ended it: there are frames, and a way on
  }
  const int code = gathering.gather(sweep.plan.cases.keys, sweep.cases, sweep.study, sweep.plan.model,
                                    fmt::format("trammel sweep --case K {}", sweep.folder.string()));
  return code == success && gathering.n_open() > 0 ? failed_run : code;
}

}  // namespace

int sweep(const SweepCommand& command) {
  if (!command.cases.empty()) return run_planned(command);
  if (command.collect) return collect(command);
  if (!command.slurm.task.empty()) return use_slurm(command, read_plan(command.model).cases.values.size());
  require_file(command.model);
  CaseList list = make_case_list(command.choice);
  return command.plan.empty() ? run_here(command, list) : plan(command, std::move(list));
}

}  // namespace trammel::apps
