#pragma once

#include <algorithm>
#include <cmath>
#include <numbers>

#include "trammel/dae/types.h"

/// Step-size control of one-step methods on the equations of motion: the local error is O(h³).
namespace trammel::detail::one_step {

constexpr double safety = 0.7, max_growth = 1.5, min_shrink = 0.2;
constexpr double newton_shrink = 0.25;
/// Newton's tolerance of an error-controlled run as a fraction of the local error's: its remainder must not be seen in
/// the error estimate, a difference of accelerations.
constexpr double newton_fraction = 1e-3;
constexpr int max_attempts = 60;

/// What rtol is a part of, of a coordinate that began at `first`. What turns on and on is where it is to within half a
/// turn, and a machine far from the origin moves as one that stands there: of an angle it is at most half a turn, of a
/// position at most the extent of the machine [m] and the way that was gone.
inline double relative_size(Kind kind, double q, double first, double extent) {
  const double size = std::abs(q);
  return std::min(size, kind == Kind::rotation ? std::numbers::pi : extent + std::abs(q - first));
}

}  // namespace trammel::detail::one_step
