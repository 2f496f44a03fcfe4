// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <span>
#include <sstream>
#include <thread>

#include "messages.h"
#include "sweep_cases.h"
#include "trammel/base/sha256.h"
#include "trammel/io/model_reader.h"
#include "trammel/io/output_kinds.h"
#include "trammel/io/report.h"
#include "trammel/io/results_reader.h"
#include "trammel/io/source_file.h"
#include "trammel/io/text_file.h"

namespace trammel::apps {

namespace {

/// A setting with all its values, as texts: "parameters.L" with "0.1", "0.2", …
struct Axis {
  std::string key;
  std::vector<std::string> values;
};

bool parse_number(const std::string& text, double& value) {
  char* end = nullptr;
  value = std::strtod(text.c_str(), &end);
  return !text.empty() && *end == '\0' && std::isfinite(value);
}

std::vector<std::string> split(const std::string& text, char mark) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, mark);) parts.push_back(part);
  return parts;
}

/// "key=a:b:n": n values from a to b; "key=v1,v2,v3": these; anything else is one value.
Axis parse_axis(const std::string& setting, double most) {
  const std::size_t equal = setting.find('=');
  if (equal == std::string::npos || equal == 0)
    throw InputError(fmt::format("'{}' is not of the form key=a:b:n, key=v1,v2 or key=value", setting));
  Axis axis{setting.substr(0, equal), {}};
  const std::string value = setting.substr(equal + 1);
  const bool structured = !value.empty() && (value[0] == '[' || value[0] == '{' || value[0] == '"');
  const std::vector<std::string> range = split(value, ':');
  double from = 0.0, to = 0.0, n = 0.0;
  if (!structured && range.size() == 3 && parse_number(range[0], from) && parse_number(range[1], to) &&
      parse_number(range[2], n)) {
    if (n < 1.0 || n > most || n != std::round(n))
      throw InputError(fmt::format("'{}': the number of values is {}; it must be whole, from 1 to {:.0f} (--max-cases)",
                                   setting, range[2], most));
    const int count = static_cast<int>(n);
    for (int i = 0; i < count; ++i)
      axis.values.push_back(fmt::format("{:.12g}", count == 1 ? from : from + (to - from) * i / (count - 1)));
  } else if (!structured && value.find(',') != std::string::npos) {
    axis.values = split(value, ',');
  } else {
    axis.values = {value};
  }
  return axis;
}

/// How many there are is asked before they are made: 10¹² of them fit on a command line, but nowhere else.
void require_few(const std::vector<Axis>& axes, double most) {
  double n = 1.0;
  std::string product;
  for (const Axis& axis : axes) {
    n *= static_cast<double>(axis.values.size());
    if (axis.values.size() > 1)
      product += fmt::format("{}{} ({})", product.empty() ? "" : " x ", axis.values.size(), axis.key);
  }
  if (n > most)
    throw InputError(fmt::format("these are {:.6g} cases: {}; at most {:.6g} are run unless --max-cases says otherwise",
                                 n, product, most));
}

std::vector<Case> make_cases(const std::vector<Axis>& axes, const std::filesystem::path& folder) {
  std::vector<Case> cases(1);
  for (const Axis& axis : axes) {
    std::vector<Case> next;
    for (const Case& before : cases)
      for (const std::string& value : axis.values) {
        next.push_back(before);
        next.back().settings.push_back(axis.key + "=" + value);
      }
    cases = std::move(next);
  }
  for (std::size_t i = 0; i < cases.size(); ++i) cases[i].results = folder / fmt::format("case_{:04}.h5", i + 1);
  return cases;
}

/// The files that results were made of, as they are now.
class PresentSources {
 public:
  explicit PresentSources(const std::filesystem::path& model) : folder_(model.parent_path()) {}

  /// `recorded` is the text of describe_sources(): nothing changed since.
  bool are(const std::string& recorded) {
    for (const std::string& line : split(recorded, '\n')) {
      const std::size_t gap = line.find("  ");
      if (gap == std::string::npos || digest(line.substr(gap + 2)) != line.substr(0, gap)) return false;
    }
    return !recorded.empty();
  }

 private:
  const std::string& digest(const std::string& name) {
    const auto [it, is_new] = digests_.try_emplace(name);
    if (!is_new) return it->second;
    std::string text;
    const std::string trouble = read_source(folder_ / name, text);
    std::error_code ignored;
    if (!trouble.empty() && std::filesystem::exists(folder_ / name, ignored)) {
      digests_.erase(it);
      throw IoError(fmt::format("cannot read '{}': {}", (folder_ / name).string(), trouble));
    }
    if (trouble.empty()) it->second = sha256(text);
    return it->second;
  }

  std::filesystem::path folder_;
  std::map<std::string, std::string> digests_;
};

/// Results of this very case: the same settings of a model of which no file has changed since.
bool are_of(const ResultsReader& reader, const Case& one, const std::string& model, PresentSources& sources) {
  const auto& attributes = reader.schema().attributes;
  const auto given = attributes.find("set"), files = attributes.find("sources"), text = attributes.find("model");
  return given != attributes.end() && given->second == join_lines(one.settings) && text != attributes.end() &&
         text->second == model && files != attributes.end() && sources.are(files->second);
}

bool is_done(const Case& one, const std::string& model, PresentSources& sources) {
  std::error_code ignored;
  if (!std::filesystem::exists(one.results, ignored)) return false;
  try {
    const ResultsReader reader(one.results);
    const auto completed = reader.summary().find("completed");
    return reader.state() == ResultsState::closed && completed != reader.summary().end() &&
           completed->second == SummaryValue(true) && are_of(reader, one, model, sources);
  } catch (const Error&) {
    return false;  // whatever it is, it is written anew
  }
}

/// One sweep at a time works in a folder; the kernel forgets the lock with the process.
class FolderLock {
 public:
  explicit FolderLock(const std::filesystem::path& folder)
      : descriptor_(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
    if (descriptor_ < 0)
      throw IoError(fmt::format("cannot open the folder '{}': {}", folder.string(), strerror(errno)));
    if (flock(descriptor_, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) return;
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

/// Those that we may use (taskset, containers), not those that the machine has.
int count_allowed_cores() {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  if (sched_getaffinity(0, sizeof allowed, &allowed) == 0) return std::max(1, CPU_COUNT(&allowed));
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));  // more than 1024 of them
}

std::string csv_cell(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c == '\n' ? ' ' : c);
  return quoted + "\"";
}

/// One line per case: its settings, how it ended, what it cost, and end, smallest and largest value of each measure.
/// Only results of the case itself have numbers: older ones may lie under its name when it was refused or recorded
/// nothing.
class CaseTable {
 public:
  static OutputKind kind() { return text_kind("a table of a sweep of Trammel", {"case,", "case\n"}); }

  CaseTable(const std::vector<Axis>& axes, const std::string& model, PresentSources& sources)
      : model_(model), sources_(sources) {
    for (const Axis& axis : axes) head_.push_back(axis.key);
    head_.insert(head_.end(), costs_.begin(), costs_.end());
  }

  void add(const Case& one) {
    Line line;
    for (const std::string& setting : one.settings) line.cells.push_back(setting.substr(setting.find('=') + 1));
    const std::size_t before = line.cells.size();
    try {
      if (one.code < 0)
        line.cells.emplace_back("not run");
      else
        add_numbers(one, line);
    } catch (const Error& error) {
      complain("trammel: error: case {}: {}\n", lines_.size() + 1, error.what());
      line.cells.resize(before);
      line.cells.push_back(fmt::format("unreadable: {}", error.what()));
      line.own = false;
      if (one.code == success) ++n_unreadable_;
    }
    lines_.push_back(std::move(line));
  }

  int n_unreadable() const { return n_unreadable_; }  ///< though their runs did not fail

  void write(const std::filesystem::path& path) const {
    TextFile file(path, kind());
    const auto put = [&](const std::string& first, const std::vector<std::string>& cells) {
      file.write(first);
      for (const std::string& cell : cells) file.write("," + csv_cell(cell));
      file.write("\n");
    };
    put("case", head_);
    for (std::size_t i = 0; i < lines_.size(); ++i) put(fmt::format("{}", i + 1), lines_[i].cells);
    file.close();
  }

  /// The same for a page. `page_of` gives the page of a case with results of its own; empty: it has none.
  SweepReport to_report(const std::vector<Case>& cases,
                        const std::function<std::filesystem::path(const Case&)>& page_of) const {
    SweepReport report;
    report.columns = head_;
    report.n_settings = static_cast<int>(head_.size() - costs_.size()) - n_measured_;
    for (std::size_t i = 0; i < cases.size(); ++i) {
      SweepReport::Case one{lines_[i].cells, {}, {}, cases[i].code == success};
      if (lines_[i].own) one.results = cases[i].results.filename(), one.page = page_of(cases[i]);
      report.cases.push_back(std::move(one));
    }
    return report;
  }

 private:
  struct Line {
    std::vector<std::string> cells;
    bool own = false;  // there are results of this case
  };

  void add_numbers(const Case& one, Line& line) {
    const char* nothing = one.code == wrong_input ? "refused"
                          : one.stopped()         ? "stopped before the first frame"
                                                  : "failed before the first frame";
    std::error_code error;
    const auto found = std::filesystem::status(one.results, error).type();
    if (one.code == wrong_input || (one.code != success && found == std::filesystem::file_type::not_found))
      return line.cells.emplace_back(nothing), void();
    const ResultsReader reader(one.results);
    line.own = are_of(reader, one, model_, sources_);
    if (!line.own && one.code == success) throw IoError("its model changed while it ran");
    if (!line.own) return line.cells.emplace_back(nothing), void();
    for (const std::string& cost : costs_) {
      const auto it = reader.summary().find(cost);
      line.cells.push_back(it == reader.summary().end() ? "" : text_of(it->second));
    }
    const std::size_t before = head_.size();
    for (const RecordGroup& group : reader.schema().frames) {
      if (group.quantity() != "measure") continue;
      for (const std::string& name : group.names) {
        if (n_measured_ == 0)
          for (const char* which : {"end", "min", "max"}) head_.push_back(fmt::format("{} {}", name, which));
        const Series series = reader.read("measures." + name);
        if (series.values.rows() == 0) continue;
        for (const double x :
             {series.values(series.values.rows() - 1, 0), series.values.minCoeff(), series.values.maxCoeff()})
          line.cells.push_back(fmt::format("{}", x));
      }
    }
    if (n_measured_ == 0) n_measured_ = static_cast<int>(head_.size() - before);
  }

  const std::vector<std::string> costs_{"stop", "steps", "iterations", "wall_time", "energy_drift", "position_drift"};
  const std::string& model_;
  PresentSources& sources_;
  std::vector<std::string> head_;
  std::vector<Line> lines_;
  int n_measured_ = 0;  // columns of measures
  int n_unreadable_ = 0;
};

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

}  // namespace

int sweep(const SweepCommand& command) {
  require_file(command.model);
  std::vector<Axis> axes;
  for (const std::string& setting : command.settings) axes.push_back(parse_axis(setting, command.max_cases));
  const std::filesystem::path folder =
      command.out.empty() ? std::filesystem::path(command.model.stem().string() + "_sweep") : command.out;
  require_few(axes, command.max_cases);
  std::vector<Case> cases = make_cases(axes, folder);
  const Study study = read_study(command.model, cases.front().settings);  // refuses a wrong key before anything runs
  make_folder(folder);
  const FolderLock lock(folder);
  const std::filesystem::path table = folder / "cases.csv";
  const std::filesystem::path page = folder / "cases.html";
  OutputFile::check(table, CaseTable::kind());
  if (command.report) {
    require_report_page();
    OutputFile::check(page, page_kind());
  }

  PresentSources sources(command.model);
  std::size_t done = 0;
  for (Case& one : cases)
    if (is_done(one, study.text, sources)) one.code = 0, ++done;
  const int jobs = command.jobs > 0 ? command.jobs : count_allowed_cores();
  if (!command.quiet)
    complain("{} cases{}, {} at a time\n", cases.size(), done > 0 ? fmt::format(", {} of them done before", done) : "",
             jobs);
  const int stopped_by = run_cases(command, cases, jobs);
  PresentSources sources_now(command.model);  // as they are after the runs
  CaseTable lines(axes, study.text, sources_now);
  for (const Case& one : cases) lines.add(one);
  lines.write(table);
  if (command.report) {
    const bool few = cases.size() <= most_pages;
    SweepReport report =
        lines.to_report(cases, [&](const Case& one) { return few ? write_case_page(one) : std::filesystem::path(); });
    report.title = study.model.title.empty() ? command.model.stem().string() : study.model.title;
    report.model_file = command.model.filename().string();
    write_sweep_report(report, page);
  }

  const auto n_failed = lines.n_unreadable() + std::count_if(cases.begin(), cases.end(), [](const Case& one) {
                          return one.code > 0 && !one.stopped();
                        });
  const auto n_open =
      std::count_if(cases.begin(), cases.end(), [](const Case& one) { return one.code < 0 || one.stopped(); });
  if (command.json != nullptr)
    command.json->result = describe_cases(cases, table);
  else if (!command.quiet)
    fmt::print("{}: {} cases, {} failed{}\n", table.string(), cases.size(), n_failed,
               n_open > 0 ? fmt::format(", {} not run to the end (the same command goes on)", n_open) : "");
  if (command.report && command.json == nullptr && !command.quiet) fmt::print("Report: {}\n", page.string());
  if (stopped_by != 0) return 128 + stopped_by;
  return n_failed > 0 ? failed_run : success;
}

}  // namespace trammel::apps
