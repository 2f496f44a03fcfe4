// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <functional>

namespace trammel {

/// What this thread has taken of the processor so far [s].
double processor_seconds();

/// What a process, all its threads together, has taken of the processor so far [s]; the last number once it is gone.
/// Empty: there is no such process.
std::function<double()> processor_seconds_of(pid_t process);

}  // namespace trammel
