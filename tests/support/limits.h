// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/resource.h>

namespace trammel::test_support {

#ifdef __SANITIZE_ADDRESS__
constexpr bool memory_can_be_limited = false;  // the sanitizer's map of all addresses takes terabytes of them
#else
constexpr bool memory_can_be_limited = true;
#endif

/// No more addresses than these for this process and those that it starts.
inline void limit_memory(const rlimit& bytes) {
  if (memory_can_be_limited) setrlimit(RLIMIT_AS, &bytes);
}

}  // namespace trammel::test_support
