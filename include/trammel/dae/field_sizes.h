// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "trammel/dae/types.h"

namespace trammel {

/// The largest entries of a vector by kind of unknown, and its 2-norm over all of them.
struct FieldSizes {
  double position = 0.0;    ///< positions and rotations
  double velocity = 0.0;    ///< 0 where velocities are eliminated
  double multiplier = 0.0;  ///< multipliers and their integrals ψ, χ
  double norm = 0.0;
};

/// Sizes of x_i/column_i: of a correction in the scaled unknowns ẑ = D_R⁻¹ z [bottasso2007 (22b)].
FieldSizes calc_field_sizes(std::span<const Kind> kinds, ConstVec x, std::span<const double> column);

}  // namespace trammel
