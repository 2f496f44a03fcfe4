// SPDX-License-Identifier: Apache-2.0
#include "stop_signal.h"

#include <time.h>

namespace trammel::apps {

namespace {

volatile sig_atomic_t noted_stop = 0, noted_flush = 0;

extern "C" void note_signal(int number) { noted_stop = number; }
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
