// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <span>

#include "trammel/dae/second_order_dae.h"

namespace trammel {

/// Rows and columns of G have units: a row in metres has 1 at positions and levers at rotations. What is compared with
/// rounding, or with what a machine may be off by, is counted in a length of the machine itself,
///
///   (1) G_rc ℓ_c/s_r,   ℓ_c = ℓ for positions, 1 for rotations,   s_r = max_c |G_rc| ℓ_c       the size of a row
///
/// so that one number fits machines of micrometres and of kilometres. ℓ is the largest lever of all rows, as a power of
/// two; of particles, which have none, the largest coordinate, if that is short. Levers of ordinary machines, 0.1 to 10
/// m, have ℓ = 1 and s = 1: nothing is changed.
class LengthUnit {
 public:
  LengthUnit() = default;
  /// From planes that hold G, at q; `kinds` of q at least.
  LengthUnit(const MotionPlanes& planes, std::span<const Kind> kinds, ConstVec q);

  double length() const { return length_; }
  double of_column(int c) const { return columns_.size() > 0 ? columns_[c] : 1.0; }
  double of_row(int r) const { return rows_.size() > 0 ? rows_[r] : 1.0; }
  /// max |x_c|/ℓ_c of coordinates or velocities.
  double largest(ConstVec x) const;

 private:
  double length_ = 1.0;
  Eigen::VectorXd columns_, rows_;
};

}  // namespace trammel
