// SPDX-License-Identifier: Apache-2.0
#include "sweep_cases.h"

#include <fmt/format.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string_view>

#include "messages.h"
#include "trammel/base/threads.h"

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

/// A launcher of several processes (`mpirun -n 4 trammel sweep --case …`) means us, not the runs that we begin.
void forget_launcher() {
  std::vector<std::string> names;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    for (const std::string_view family : {"OMPI_", "PMIX_", "PMI_"})
      if (text.starts_with(family)) names.emplace_back(text.substr(0, text.find('=')));
  }
  for (const std::string& name : names) unsetenv(name.c_str());
}

/// Another process of this program. It is in a group of its own, so that Ctrl-C reaches it once, by us; if we are
/// killed it is told to end (SIGTERM) by the kernel. Returns a negative number if there cannot be one.
pid_t start(const CaseRun& run, const Case& one, const SweepSignals& signals) {
  const int threads = std::max(1, count_allowed_cores() / run.jobs);  // the cases share the cores
  std::vector<std::string> words{"trammel", "run", "--quiet", "--threads", std::to_string(threads)};
  if (one.resumes) {
    words.insert(words.end(), {"--resume", one.results.string()});
  } else {
    words.insert(words.end(), {run.model.string(), "--out", one.results.string()});
    for (const std::string& setting : one.settings) words.insert(words.end(), {"--set", setting});
  }
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  const pid_t us = getpid();
  const pid_t process = fork();
  if (process != 0) return process;
  sigprocmask(SIG_SETMASK, &signals.before(), nullptr);
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  forget_launcher();
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

class CaseRunner {
 public:
  CaseRunner(const CaseRun& run, std::vector<Case>& cases, CaseWatch& watch)
      : run_(run), cases_(cases), watch_(watch), next_(run.first) {}

  int run() {
    while (next_ < run_.last || !running_.empty()) {
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
    for (; next_ < run_.last && running_.size() < static_cast<std::size_t>(run_.jobs) && stopping_ == 0; ++next_) {
      Case& one = cases_[next_];
      if (!watch_.may_begin(one)) {
        if (one.code == Case::elsewhere && !run_.quiet)
          complain("[{}/{}] {}: another process is at work on it\n", next_ + 1, cases_.size(), describe_case(one));
        continue;
      }
      const pid_t process = start(run_, one, signals_);
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
    watch_.ended(one);
    if (run_.quiet) return;
    complain("[{}/{}] {}: {}\n", &one - cases_.data() + 1, cases_.size(), describe_case(one),
             code == 0       ? "done"
             : one.stopped() ? "stopped"
                             : fmt::format("failed (exit code {})", code));
  }

  const CaseRun& run_;
  std::vector<Case>& cases_;
  CaseWatch& watch_;
  SweepSignals signals_;
  std::size_t next_;
  std::map<pid_t, Case*> running_;
  int stopping_ = 0;
};

}  // namespace

int run_cases(const CaseRun& run, std::vector<Case>& cases, CaseWatch& watch) {
  return CaseRunner(run, cases, watch).run();
}

}  // namespace trammel::apps
