// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace trammel {

struct Tick {
  double at;
  std::string label;  ///< plain text; powers of ten as "10" with `exponent`
  std::string exponent{};
  bool major = true;
};

/// Marks at 1, 2 or 5 times a power of ten, about `wanted` of them, inside from … to.
std::vector<Tick> linear_ticks(double from, double to, int wanted);

/// Marks at powers of ten (thinned out when there are many) with minor ones between them; for less than one decade of
/// range linear marks.
std::vector<Tick> log_ticks(double from, double to, int wanted);

}  // namespace trammel
