#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <thread>

#include "commands.h"
#include "messages.h"
#include "sweep_cases.h"
#include "trammel/io/model_reader.h"
#include "trammel/io/results_reader.h"
#include "trammel/io/text_file.h"

namespace trammel::apps {

namespace {

/// While it lives: ends of children and signals that end a program wait until wait() asks for them, so that none is
/// missed between two looks. Ends of children are told whatever whoever started us thought of them (with SIGCHLD
/// ignored nobody can wait for a child); a SIGHUP that is ignored (nohup) stays so.
class SweepSignals {
 public:
  SweepSignals() {
    sigemptyset(&waiting_);
    for (const int number : {SIGINT, SIGTERM, SIGCHLD}) sigaddset(&waiting_, number);
    struct sigaction hang_up {};
    if (sigaction(SIGHUP, nullptr, &hang_up) == 0 && hang_up.sa_handler != SIG_IGN) sigaddset(&waiting_, SIGHUP);
    struct sigaction usual {};
    usual.sa_handler = SIG_DFL;
    sigaction(SIGCHLD, &usual, &child_);
    if (sigprocmask(SIG_BLOCK, &waiting_, &before_) == 0) return;
    const int reason = errno;  // without it the end of a run would be missed, and waited for
    sigaction(SIGCHLD, &child_, nullptr);
    throw IoError(fmt::format("cannot wait for runs: {}", std::strerror(reason)));
  }
  ~SweepSignals() {
    sigprocmask(SIG_SETMASK, &before_, nullptr);
    sigaction(SIGCHLD, &child_, nullptr);
  }
  SweepSignals(const SweepSignals&) = delete;
  SweepSignals& operator=(const SweepSignals&) = delete;

  int wait() const { return sigwaitinfo(&waiting_, nullptr); }  ///< the next one; negative: look again
  const sigset_t& before() const { return before_; }

 private:
  sigset_t waiting_{}, before_{};
  struct sigaction child_ {};
};

/// Another process of this program. It is in a group of its own, so that Ctrl-C reaches it once, by us; if we are
/// killed it is told to end (SIGTERM) by the kernel. Returns a negative number if there cannot be one.
pid_t start(const SweepCommand& command, const Case& one, const SweepSignals& signals) {
  std::vector<std::string> words{"trammel", "run", command.model.string(), "--quiet", "--out", one.results.string()};
  for (const std::string& setting : one.settings) words.insert(words.end(), {"--set", setting});
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  const pid_t us = getpid();
  const pid_t process = fork();
  if (process != 0) return process;
  sigprocmask(SIG_SETMASK, &signals.before(), nullptr);
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (getppid() == us) {
    execv("/proc/self/exe", arguments.data());
    complain("trammel: error: cannot start a run: {}\n", std::strerror(errno));
  }
  _exit(io_trouble);
}

std::string describe_case(const Case& one) {
  std::string text;
  for (const std::string& setting : one.settings) text += (text.empty() ? "" : " ") + setting;
  return text;
}

/// Runs the cases that are not done, `jobs` at a time. A signal that ends us ends the runs as well, with their results
/// kept; no further ones are started.
class CaseRunner {
 public:
  CaseRunner(const SweepCommand& command, std::vector<Case>& cases, int jobs)
      : command_(command), cases_(cases), jobs_(static_cast<std::size_t>(jobs)) {}

  /// Returns the signal that stopped it; 0: none.
  int run() {
    while (next_ < cases_.size() || !running_.empty()) {
      start_some();
      if (running_.empty() && stopping_ != 0) break;
      if (running_.empty() || reap()) continue;
      const int number = signals_.wait();
      if (number <= 0 || number == SIGCHLD) continue;
      stopping_ = number;
      for (const auto& [process, one] : running_) kill(process, number);
    }
    return stopping_;
  }

 private:
  void start_some() {
    for (; next_ < cases_.size() && running_.size() < jobs_ && stopping_ == 0; ++next_) {
      Case& one = cases_[next_];
      if (one.code == 0) continue;
      const pid_t process = start(command_, one, signals_);
      if (process < 0 && !running_.empty()) return;  // too many processes just now: some will end
      if (process < 0) {
        complain("trammel: error: cannot start a process: {}\n", std::strerror(errno));
        finish(one, io_trouble);
      } else {
        running_[process] = &one;
      }
    }
  }

  /// One that has ended, if there is one.
  bool reap() {
    int status = 0;
    const pid_t ended = waitpid(-1, &status, WNOHANG);
    if (ended < 0 && errno == EINTR) return true;  // its signal may be taken already: look again, do not wait
    if (ended < 0 && errno == ECHILD) {            // somebody else took them: how they ended is not known
      if (!running_.empty()) complain("trammel: error: cannot tell how runs ended: {}\n", std::strerror(ECHILD));
      for (const auto& [process, one] : running_) finish(*one, unexpected);
      running_.clear();
      return true;
    }
    const auto it = running_.find(ended);
    if (ended <= 0 || it == running_.end()) return ended > 0;
    finish(*it->second, WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
    running_.erase(it);
    return true;
  }

  void finish(Case& one, int code) {
    one.code = code;
    if (command_.quiet) return;
    complain("[{}/{}] {}: {}\n", &one - cases_.data() + 1, cases_.size(), describe_case(one),
             code == 0       ? "done"
             : one.stopped() ? "stopped"
                             : fmt::format("failed (exit code {})", code));
  }

  const SweepCommand& command_;
  std::vector<Case>& cases_;
  std::size_t jobs_;
  SweepSignals signals_;
  std::size_t next_ = 0;
  std::map<pid_t, Case*> running_;
  int stopping_ = 0;
};

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

OutputKind table_kind() { return text_kind("a table of a sweep of Trammel", {"case,", "case\n"}); }

/// One line per case: its settings, how it ended, what it cost, and end, smallest and largest value of each measure.
/// Only results of the case itself have numbers: older ones may lie under its name when it was refused or recorded
/// nothing.
class CaseTable {
 public:
  CaseTable(const std::vector<Axis>& axes, const std::string& model, PresentSources& sources)
      : model_(model), sources_(sources) {
    for (const Axis& axis : axes) head_ += "," + csv_cell(axis.key);
    for (const std::string& cost : costs_) head_ += "," + cost;
  }

  void add(std::size_t number, const Case& one) {
    body_ += fmt::format("{}", number);
    for (const std::string& setting : one.settings) body_ += "," + csv_cell(setting.substr(setting.find('=') + 1));
    std::string line;
    try {
      line = one.code < 0 ? ",not run" : numbers_of(one);
    } catch (const Error& error) {
      complain("trammel: error: case {}: {}\n", number, error.what());
      line = "," + csv_cell(fmt::format("unreadable: {}", error.what()));
      if (one.code == success) ++n_unreadable_;
    }
    body_ += line + "\n";
  }

  int n_unreadable() const { return n_unreadable_; }  ///< though their runs did not fail

  void write(const std::filesystem::path& path) const {
    TextFile file(path, table_kind());
    file.write(head_ + "\n" + body_);
    file.close();
  }

 private:
  std::string numbers_of(const Case& one) {
    const std::string nothing = one.code == wrong_input ? ",refused"
                                : one.stopped()         ? ",stopped before the first frame"
                                                        : ",failed before the first frame";
    std::error_code error;
    const auto found = std::filesystem::status(one.results, error).type();
    if (one.code == wrong_input || (one.code != success && found == std::filesystem::file_type::not_found))
      return nothing;
    const ResultsReader reader(one.results);
    const bool own = are_of(reader, one, model_, sources_);
    if (!own && one.code == success) throw IoError("its model changed while it ran");
    if (!own) return nothing;
    std::string line;
    for (const std::string& cost : costs_) {
      const auto it = reader.summary().find(cost);
      line += "," + (it == reader.summary().end() ? "" : csv_cell(it->second));
    }
    for (const RecordGroup& group : reader.schema().frames) {
      if (group.quantity() != "measure") continue;
      for (const std::string& name : group.names) {
        if (!measures_named_) head_ += fmt::format(",{0} end,{0} min,{0} max", csv_cell(name));
        const Series series = reader.read("measures." + name);
        if (series.values.rows() > 0)
          line += fmt::format(",{},{},{}", series.values(series.values.rows() - 1, 0), series.values.minCoeff(),
                              series.values.maxCoeff());
      }
      measures_named_ = true;
    }
    return line;
  }

  const std::vector<std::string> costs_{"stop", "steps", "iterations", "wall_time", "energy_drift", "position_drift"};
  const std::string& model_;
  PresentSources& sources_;
  std::string head_ = "case", body_;
  bool measures_named_ = false;
  int n_unreadable_ = 0;
};

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
  OutputFile::check(table, table_kind());

  PresentSources sources(command.model);
  std::size_t done = 0;
  for (Case& one : cases)
    if (is_done(one, study.text, sources)) one.code = 0, ++done;
  const int jobs = command.jobs > 0 ? command.jobs : count_allowed_cores();
  if (!command.quiet)
    complain("{} cases{}, {} at a time\n", cases.size(), done > 0 ? fmt::format(", {} of them done before", done) : "",
             jobs);
  const int stopped_by = CaseRunner(command, cases, jobs).run();
  PresentSources sources_now(command.model);  // as they are after the runs
  CaseTable lines(axes, study.text, sources_now);
  for (std::size_t i = 0; i < cases.size(); ++i) lines.add(i + 1, cases[i]);
  lines.write(table);

  const auto n_failed = lines.n_unreadable() + std::count_if(cases.begin(), cases.end(), [](const Case& one) {
                          return one.code > 0 && !one.stopped();
                        });
  const auto n_open =
      std::count_if(cases.begin(), cases.end(), [](const Case& one) { return one.code < 0 || one.stopped(); });
  if (!command.quiet)
    fmt::print("{}: {} cases, {} failed{}\n", table.string(), cases.size(), n_failed,
               n_open > 0 ? fmt::format(", {} not run to the end (the same command goes on)", n_open) : "");
  if (stopped_by != 0) return 128 + stopped_by;
  return n_failed > 0 ? failed_run : success;
}

}  // namespace trammel::apps
