// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

namespace trammel {

/// Told after each step; returning false stops the run (results are kept).
struct Progress {
  double t = 0.0, start = 0.0, end = 0.0, h = 0.0;
  long steps = 0;
};
using ProgressCallback = std::function<bool(const Progress&)>;

}  // namespace trammel
