// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <limits>

namespace trammel::detail {

/// What rounding does to the time of steps, the same for every integrator.
constexpr double epsilon = std::numeric_limits<double>::epsilon();

/// How far from a kink its sides are looked at: some rounding units of the time.
inline double kink_side(double t) { return 8.0 * epsilon * (1.0 + std::abs(t)); }

}  // namespace trammel::detail
