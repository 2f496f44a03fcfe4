// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "trammel/dae/motion_operator.h"
#include "trammel/formulations/kinds.h"

namespace trammel {

/// The equations as they are; an augmented term with the penalty ρ·1 may still be added.
class NoScaling final : public MotionScaling {
 public:
  explicit NoScaling(double rho = 0.0) : rho_(rho) {}
  ScalingFactors calc(double h, const MotionCoefficients& c, const MotionPlanes& planes) const override;
  bool has_penalty() const override { return rho_ != 0.0; }

 private:
  double rho_;
};

/// Physical scaling [bauchau2009 section 2]: time in units of h, lengths in units of ℓ_r, and
///
///   (1) s = m_r + d_r h + k_r h²,   h² λ = s λ̂                                              [bauchau2009 (6)]
///   (2) rows: motion × h², Φ × s/ℓ_r, A v + a × s h/ℓ_r (the nondimensional velocity);  columns: λ × s/(h² ℓ_r)
///   (3) augmented term: motion rows += ρ s/(h² ℓ_r²) Gᵀ·(constraint rows), so that ρ s Gᵀ G stands in the scaled
///   matrix
///
/// m_r, d_r, k_r are the mean diagonals or ∞-norms of M, D and K unless given. A mean counts coordinates without mass,
/// the norm does not see them and follows the heaviest body instead; both are of the right order. The scaled matrix is
/// O(h⁰). Scaling changes conditioning, the norm in which convergence is judged and what a solver without pivoting can
/// do; the motion is the same to rounding.
class PhysicalScaling final : public MotionScaling {
 public:
  struct Options {
    std::optional<double> m_ave, d_ave, k_ave;
    double l_ref = 1.0, rho = 1.0;
    ScalingReference reference = ScalingReference::mean_diagonal;
  };
  explicit PhysicalScaling(const Options& options) : options_(options) {}
  ScalingFactors calc(double h, const MotionCoefficients& c, const MotionPlanes& planes) const override;
  bool has_penalty() const override { return options_.rho != 0.0; }

  struct References {
    double m, d, k;
  };
  References calc_references(const MotionPlanes& planes) const;

 private:
  double calc_reference(const Pattern& pattern, const std::vector<double>& values) const;

  Options options_;
  mutable std::vector<double> row_sum_;  // scratch
};

/// The scalings that know the step alone, as on two fields: velocities are eliminated from these systems.
///
///   left                             Φ × 1/h                                            [bottasso2007 (44)]
///   left_right, left_right_velocity  motion × h, Φ × 1/h, λ = s/(h² ℓ_r) λ̂               [bottasso2007 (48)(49)(28)]
///   constraints                      Φ and A v + a × α, δv = α δq at the end of the step [hastiff (1.16)]
///
/// with s = m_r + d_r h + k_r h² of what is given, else 1; A v + a has one more factor h than Φ. Augmented term: that
/// of PhysicalScaling where there is an s, else ρ·1.
class StepScaling final : public MotionScaling {
 public:
  struct Options {
    ScalingKind kind = ScalingKind::left_right;
    double m_ave = 1.0, d_ave = 0.0, k_ave = 0.0;
    double l_ref = 1.0, rho = 0.0;
  };
  explicit StepScaling(const Options& options) : options_(options) {}
  ScalingFactors calc(double h, const MotionCoefficients& c, const MotionPlanes& planes) const override;
  bool has_penalty() const override { return options_.rho != 0.0; }

 private:
  Options options_;
};

}  // namespace trammel
