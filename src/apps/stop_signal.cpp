// SPDX-License-Identifier: Apache-2.0
#include "stop_signal.h"

#include <time.h>
#include <unistd.h>

#include <string_view>

#include "trammel/simulation/run_ranks.h"

namespace trammel::apps {

namespace {

volatile sig_atomic_t noted_stop = 0, noted_flush = 0;

// A launcher that lost a process tells the others to end, and ends them soon after: nobody would hear of it otherwise.
extern "C" void note_signal(int number) {
  noted_stop = number;
  constexpr std::string_view text =
      "trammel: told to end while all processes are at work on one matrix. If one of them was lost the run ends here; "
      "what it has written stays, and `trammel run --resume FILE.h5` goes on from its last checkpoint.\n";
  if (RunRanks::are_at_work() && write(STDERR_FILENO, text.data(), text.size()) < 0) return;
}
extern "C" void note_flush(int /*number*/) { noted_flush = 1; }

}  // namespace

StopOnSignal::StopOnSignal() {
  struct sigaction flush {};
  flush.sa_handler = note_flush;
  flush.sa_flags = static_cast<int>(SA_RESTART);
  sigaction(SIGUSR1, &flush, &flush_before_);
  struct sigaction action {};
  action.sa_handler = note_signal;
  action.sa_flags = static_cast<int>(SA_RESETHAND | SA_RESTART);
  for (std::size_t i = 0; i < numbers.size(); ++i) sigaction(numbers[i], &action, &before_[i]);
  if (before_[2].sa_handler == SIG_IGN) sigaction(SIGHUP, &before_[2], nullptr);
}

StopOnSignal::~StopOnSignal() {
  for (std::size_t i = 0; i < numbers.size(); ++i) sigaction(numbers[i], &before_[i], nullptr);
  sigaction(SIGUSR1, &flush_before_, nullptr);
}

void ignore_stop_signals() {
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) signal(number, SIG_IGN);
}

int stop_signal() { return noted_stop; }

bool take_flush_signal() {
  const bool noted = noted_flush != 0;
  noted_flush = 0;
  return noted;
}

void wait_for_stop_signal() {
  const timespec moment{0, 50000000};
  while (noted_stop == 0) nanosleep(&moment, nullptr);
}

}  // namespace trammel::apps
