// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <span>
#include <stdexcept>
#include <vector>

namespace trammel::detail {

/// `restore` takes what `save` of the same method gave, started on the same machine; `own` is what it would save now.
inline void check_memory(std::span<const double> given, const std::vector<double>& own) {
  if (given.size() == own.size()) return;
  throw std::invalid_argument(fmt::format(
      "the memory of this integrator has {} numbers, and {} are given: they were saved by another method, on "
      "another machine, or this one was not started",
      own.size(), given.size()));
}

}  // namespace trammel::detail
