// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <span>

#include "trammel/dae/second_order_dae.h"

namespace trammel {

/// Equilibria do not depend on units, but what counts as balanced and as a small move does. Both are counted in a
/// length ℓ and an energy e of the machine itself:
///
///   (1)  q = s q̂,  s = ℓ for positions, 1 for rotations
///   (2)  r̂ = s r/e          work per q̂: forces in e/ℓ, moments in e
///   (3)  K̂ = s K s/e,  M̂ = s M s/e [s²]
///   (4)  φ̂ = φ/ρ,  Ĝ = G s/ρ,  λ̂ = ρ λ/e      ρ = ℓ for rows in metres, 1 for angles: max Ĝ is about 1
///   (5)  e = min(1 N ℓ, max(s K s, s r))       at the drawn position
///
/// (1) makes levers of order one, so that a matrix of a machine of micrometres has the pivots of one of metres. The
/// energy does not vanish where all forces do, unless nothing is stiff there and nothing is pushed. Forces of which
/// stiff ones leave rounding have a limit of their own (`Equilibrium`). ℓ and e are powers of two, and 1 for machines
/// from 0.1 m and from 1 N m on: nothing is changed. Internal states keep their units.
class StaticUnits {
 public:
  StaticUnits() = default;
  /// From all planes and the motion rows r at rest, in SI.
  StaticUnits(double length, const MotionPlanes& planes, std::span<const Kind> kinds, ConstVec motion);

  bool are_si() const { return s_.size() == 0; }
  double length() const { return length_; }
  double of_coordinate(Eigen::Index i) const { return are_si() ? 1.0 : s_[i]; }
  double of_motion_row(Eigen::Index i) const { return are_si() ? 1.0 : energy_ / s_[i]; }
  double of_multiplier(Eigen::Index r) const { return are_si() ? 1.0 : energy_ / rho_[r]; }

  void scale(MotionPlanes& planes) const;
  void scale_rows(Vec motion, Vec constraint) const;
  /// q̂ of q, or of velocities and accelerations.
  Eigen::VectorXd scaled(ConstVec q) const { return are_si() ? Eigen::VectorXd(q) : q.cwiseQuotient(s_); }
  Eigen::VectorXd unscaled(ConstVec q) const { return are_si() ? Eigen::VectorXd(q) : q.cwiseProduct(s_); }

 private:
  double length_ = 1.0, energy_ = 1.0;
  Eigen::VectorXd s_, rho_;  // empty: SI
};

}  // namespace trammel
