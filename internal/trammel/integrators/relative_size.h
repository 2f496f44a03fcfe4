// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <numbers>

#include "trammel/dae/types.h"

/// What rtol is a part of. A machine far from the origin, or on a train, moves as one that stands here: neither its
/// place nor a steady travel is a size of anything. Springs feel what tolerances leave between bodies, whatever they
/// share.
namespace trammel {

/// Of a coordinate that would stand at `travelled` had it gone on as it began, q₀ + (t − t₀) v₀. What turns on and on
/// is where it is to within half a turn: of an angle at most that, of a position at most the extent of the machine [m]
/// and the way that was gone beside the steady travel.
inline double relative_size(Kind kind, double q, double travelled, double extent) {
  const double size = std::abs(q);
  return std::min(size, kind == Kind::rotation ? std::numbers::pi : extent + std::abs(q - travelled));
}

/// Of a steady velocity this part counts: it is known to more digits than one that comes and goes.
inline constexpr double steady_part = 0.1;

/// Of a velocity that has changed by `changed` at most since the run began.
inline double relative_speed(double v, double changed) {
  const double size = std::abs(v);
  return std::min(size, steady_part * size + changed);
}

}  // namespace trammel
