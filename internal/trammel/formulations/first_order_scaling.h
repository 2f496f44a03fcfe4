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
///   left_right           D_L = (1, h, 1/h),  D_R = (1, 1, s/h²)                                       (23)(24)(28)
///   left_right_velocity  D_L = (1, h, 1/h),  D_R = (1, h⁻¹, s/h²): condition O(h⁰)                    (23)(28)(29)
///   constraints          constraint rows × α = 1/(hβ)                                       [hastiff (1.16), (2.2)]
///   physical             rows (s h, h², s), columns (1, 1/h, s/h²)                          [bauchau2009 (6)]
///
/// s = m_r + d_r h + k_r h² (h² times that of [bottasso2007 (28)]): of `physical` from the matrix unless given, of the
/// others 1 unless given. Multipliers are counted in s/(h² ℓ_r). Each derivative of a constraint's row gives it one
/// more factor h, μ has the factor of v. Scaling changes conditioning and what a solver without pivoting can do, not
/// the motion.
///
/// The augmented term (AugmentedTerm) is the same with every kind that has an s, ρ s/(h² ℓ_r²) GᵀG beside K (index 3),
/// and with those that have none ρ GᵀG in the units of the equations.
class FirstOrderScaling final : public RowColumnScaling {
 public:
  using Kind = ScalingKind;
  struct Options {
    Kind kind = Kind::physical;
    std::optional<double> m_ave, d_ave, k_ave;
    double l_ref = 1.0;
    double rho = 0.0;  ///< weight of the augmented term
    ScalingReference reference = ScalingReference::mean_diagonal;
  };
  FirstOrderScaling(const FirstOrderForm& form, const MechanicalSystem& system, const Options& options);

  void fill(double h, const Coefficients& c, const Planes& planes, std::span<double> row,
            std::span<double> column) const override;

  bool has_penalty() const override { return options_.rho != 0.0; }
  void fill_penalties(double h, const Coefficients& c, const Planes& planes, std::span<const double> row,
                      std::span<const double> column, std::span<double> weight) const override;

  /// Whether the kind has an s.
  bool has_reference() const { return trammel::has_reference(options_.kind); }
  struct References {
    double m = 0.0, d = 0.0, k = 0.0, s = 0.0;
  };
  /// Of the matrix that was scaled last; zeros before the first, and of kinds without an s.
  const References& references() const { return references_; }

 private:
  References calc_references(double h, const Planes& planes) const;
  /// Of blocks of rows and columns.
  struct Factors {
    double kinematic = 1.0, motion = 1.0, constraint = 1.0;  // rows; constraint: of Φ
    double velocity = 1.0, multiplier = 1.0;                 // columns
  };
  Factors calc_factors(Kind kind, double h, double s) const;
  void spread(const Factors& factors, double h, std::span<double> row, std::span<double> column) const;
  double calc_norm(const Pattern& pattern, const std::vector<double>& values, int first) const;

  const FirstOrderForm& form_;
  const MechanicalSystem& system_;
  Options options_;
  mutable References references_;
  std::vector<int> pivot_rows_;                                           // of the form, for the augmented term
  mutable std::vector<double> row_sum_, physical_row_, physical_column_;  // scratch
};

}  // namespace trammel
