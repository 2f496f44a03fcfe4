// SPDX-License-Identifier: Apache-2.0
#include "trammel/base/processor_time.h"

#include <time.h>

namespace trammel {

namespace {

bool read_clock(clockid_t clock, double& seconds) {
  timespec now{};
  if (clock_gettime(clock, &now) != 0) return false;
  seconds = static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
  return true;
}

}  // namespace

double processor_seconds() {
  double seconds = 0.0;
  read_clock(CLOCK_THREAD_CPUTIME_ID, seconds);
  return seconds;
}

std::function<double()> processor_seconds_of(pid_t process) {
  clockid_t clock{};
  if (process <= 0 || clock_getcpuclockid(process, &clock) != 0) return {};
  return [clock, last = 0.0]() mutable {
    read_clock(clock, last);
    return last;
  };
}

}  // namespace trammel
