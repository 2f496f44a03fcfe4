// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "trammel/dae/second_order_dae.h"
#include "trammel/linalg/linear_solver.h"

namespace trammel {

class Memory;

/// The smallest change that satisfies linearised constraints:
///
///   minimise ½ δᵀ W δ  subject to  G δ + r = 0:     | W  Gᵀ |  | δ |     | 0  |
///                                                   | G  −ε |  | μ |  =  | −r |
///
/// W is the diagonal of the mass matrix (heavy bodies move less; metres and radians weigh as in the kinetic energy),
/// multiplied for firm coordinates. ε, small against G W⁻¹ Gᵀ, lets redundant rows pass: repeated corrections converge
/// all the same.
class Projection {
 public:
  /// Rows that agree to rounding.
  static constexpr double redundant_rows = 1e-9;
  /// Independent rows that come near to a position in which they are not: σ of G down to 1e-6 still counts.
  static constexpr double nearly_singular = 1e-13;

  /// `regularization` is ε as part of the mean of G W⁻¹ Gᵀ.
  Projection(const SecondOrderDae& dae, LinearSolverChoice solver, std::vector<char> firm,
             double regularization = redundant_rows);

  /// Linearises G at the point.
  Status setup(const MotionPoint& p, const State& state, Workspace& workspace);
  /// δ of (1) for the residual r.
  Status solve(ConstVec r, Vec delta);

  /// How far the rows at the point of setup() are from being dependent: the smallest singular values σ of G, rising,
  /// columns in the metric W and rows divided by the largest length that they have had (a row may vanish in a singular
  /// position, which dividing by its own length would hide), by inverse iteration. The columns of `rows`, as many as
  /// values are wanted, are their left singular vectors, the share of each row in the dependence: guesses on entry
  /// (linearly independent), improved on return. They fall to √regularization and no further.
  Status calc_smallest_singular_values(Eigen::Ref<Eigen::MatrixXd> rows, Vec sigma);

  const MotionPlanes& planes() const { return planes_; }
  /// Pivots are forgotten on both sides.
  void remember(Memory& memory);

 private:
  const SecondOrderDae& dae_;
  std::vector<char> firm_;
  double regularization_;
  std::unique_ptr<LinearSolver<double>> solver_;
  MotionPlanes planes_;
  std::uint64_t version_ = 0;
  Pattern pattern_;
  std::vector<double> values_, W_;
  double mass_unit_ = 0.0;               // of W and of multipliers; 0: not known yet
  std::vector<double> square_, length_;  // of the rows in the metric W⁻¹: here, and the largest so far
  Eigen::VectorXd x_;
  Eigen::MatrixXd image_, H_;
};

}  // namespace trammel
