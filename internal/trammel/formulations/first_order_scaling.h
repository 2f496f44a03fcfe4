// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "trammel/dae/iteration_operator.h"
#include "trammel/formulations/first_order.h"
#include "trammel/formulations/scaling.h"

namespace trammel {

/// Row and column factors for the first-order forms, y = (q, v, z, λ [, μ]); rows (kinematic, motion, state, constraint
/// [, velocity of the constraint]). With A = h J as in [bottasso2007 (4)]:
///
///   left                 D_L = (1, 1, 1/h)                                                            (16)
///   left_right           D_L = (1, h, 1/h),  D_R = (1, 1, h⁻²)                                        (23)(24)
///   left_right_velocity  D_L = (1, h, 1/h),  D_R = (1, h⁻¹, h⁻²): condition O(h⁰)                     (23)(29)
///   constraints          constraint rows × α = 1/(hβ)                                       [hastiff (1.16), (2.2)]
///   physical             rows (s h, h², s), columns (1, 1/h, s/h²), s = m_r + d_r h + k_r h² [bauchau2009 (6)]
///
/// Velocity rows of constraints get one more factor h than position rows, μ the factor of v. Scaling changes
/// conditioning and what a solver without pivoting can do, not the motion.
class FirstOrderScaling final : public RowColumnScaling {
 public:
  using Kind = ScalingKind;
  struct Options {
    Kind kind = Kind::physical;
    std::optional<double> m_ave, d_ave, k_ave;
    double l_ref = 1.0;
    double rho = 0.0;  ///< augmented term of the two fields (TwoFieldOperator), physical scaling only
    ScalingReference reference = ScalingReference::mean_diagonal;
  };
  FirstOrderScaling(const FirstOrderForm& form, const MechanicalSystem& system, const Options& options)
      : form_(form), system_(system), options_(options) {}

  void fill(double h, const Coefficients& c, const Planes& planes, std::span<double> row,
            std::span<double> column) const override;

  bool has_penalty() const override { return options_.kind == Kind::physical && options_.rho != 0.0; }
  double calc_penalty(double h, const Planes& planes) const override;

  struct References {
    double m, d, k, s;
  };
  References calc_references(double h, const Planes& planes) const;

 private:
  double calc_norm(const Pattern& pattern, const std::vector<double>& values, int first) const;

  const FirstOrderForm& form_;
  const MechanicalSystem& system_;
  Options options_;
  mutable std::vector<double> row_sum_;  // scratch
};

}  // namespace trammel
