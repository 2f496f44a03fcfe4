// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <signal.h>

#include <array>

namespace trammel::apps {

/// While it lives, the first Ctrl-C (or SIGTERM, or SIGHUP of a closed terminal) is noted in stop_signal(); the second
/// ends the program as usual. A SIGHUP that is ignored (nohup) stays so. SIGUSR1, by which queues of clusters announce
/// the end of a job's time, is noted for take_flush_signal(). Whoever read our output may go away (`trammel run … |
/// head`): the run goes on.
class StopOnSignal {
 public:
  StopOnSignal();
  ~StopOnSignal();
  StopOnSignal(const StopOnSignal&) = delete;
  StopOnSignal& operator=(const StopOnSignal&) = delete;

 private:
  static constexpr std::array<int, 3> numbers{SIGINT, SIGTERM, SIGHUP};
  std::array<struct sigaction, 3> before_{};
  struct sigaction flush_before_ {};
};

void ignore_stop_signals();
int stop_signal();         ///< 0: none came
bool take_flush_signal();  ///< was there one since the last call?
void wait_for_stop_signal();

}  // namespace trammel::apps
