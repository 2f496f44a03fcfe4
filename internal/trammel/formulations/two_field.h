// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "trammel/dae/iteration_operator.h"
#include "trammel/formulations/first_order.h"

namespace trammel {

/// Solves the linear systems of a first-order form without its velocities: two fields (q, λ) instead of three (q, v, λ)
/// [bottasso2007 section 4]. The corrector's formula has made every rate a multiple of the unknown, so the kinematic
/// rows give v at every order and step size:
///
///   (1)  A δw − c_y δv = −r₁                   kinematic rows; w: all unknowns but v, A = c_y′ I + … (μ and charts
///   too) (2)  B δw + V δv = −r₂                     all other rows (3)  (B + V A/c_y) δw = −(r₂ + V r₁/c_y) the
///   condensed system, (37) for index 3 (4)  δv = (A δw + r₁)/c_y                                      (34)
///
/// The integrator keeps v, its history and its residual: positions are never differenced, so nothing of the velocities'
/// digits is lost at small steps. Scaling: the factors of rows and columns that remain, left = (44),
/// left_right_velocity = (48)(49). Iterates are those of the three-field operator up to rounding; the matrix has nv
/// rows less, and more entries where M couples bodies.
///
/// The augmented term (AugmentedTerm) is added to the condensed system, in matrix and right-hand side; of the
/// stabilized forms, whose condensed rows of motion hold both multipliers, by Φ̇ for λ and by Φ for μ:
///
///   (5)  scaled rows of motion += w Ĉ·(scaled rows of constraints), Ĉ the scaled columns of the multipliers
///
/// The iterates do not change.
class TwoFieldOperator final : public IterationOperator {
 public:
  /// The form, and the scaling (none if null), must outlive the operator. `system`: the form itself, or what takes its
  /// derivatives by differences.
  TwoFieldOperator(const FirstOrderForm& form, const DaeSystem& system, LinearSolverChoice solver,
                   const RowColumnScaling* scaling = nullptr);

  Status setup(const Point& p, const State& state, const Coefficients& c, double h, Refresh refresh,
               Workspace& workspace) override;
  Status solve(const Point& p, const State& state, Vec x, Workspace& workspace) override;
  Status solve_transposed(Vec x) override;
  double condition() override;
  void calc_inverse_row_sums(Vec sums) override;
  std::span<const double> column_factors() const override { return column_; }
  bool ready() const override { return ready_; }
  void invalidate() override {
    ready_ = keeps_pivots_ = false;
    source_.forget();
  }
  const Coefficients& coefficients() const override { return c_; }
  const OperatorCounters& counters() const override { return counters_; }
  Planes& planes() override { return source_.planes(); }

  void follow_inputs() { source_.follow_inputs(); }  ///< see PlaneSource

  /// The scaled condensed matrix as factored.
  const Pattern& pattern() const { return condensed_; }
  std::span<const double> matrix() const { return values_; }
  const LinearSolver<double>& linear_solver() const { return *solver_; }
  /// The unknown of the form that is unknown i of the condensed system.
  int unknown(int i) const { return i < nv_ ? i : i + nv_; }

 private:
  struct Product {
    int target, factor_v, factor_a;  // condensed slot += V slot · A slot / c_y
  };
  bool is_velocity(int column) const { return column >= nv_ && column < 2 * nv_; }
  int condensed_row(int row) const { return row - nv_; }
  int condensed_column(int column) const { return column < nv_ ? column : column - nv_; }
  void analyze();
  void combine(double h);
  Status named(Status status) const;

  const FirstOrderForm& form_;
  const DaeSystem& system_;
  const RowColumnScaling* scaling_;
  std::unique_ptr<LinearSolver<double>> solver_;
  int n_, nv_;
  PlaneSource source_;
  Pattern condensed_;
  std::vector<double> full_;    // J of the three fields, unscaled
  std::vector<double> values_;  // of the condensed matrix, scaled
  std::vector<int> direct_;     // condensed slot of each slot of J outside v columns and kinematic rows, else −1
  std::vector<Product> products_;
  std::unique_ptr<AugmentedTerm> augmented_;    // null: none
  Pattern plain_pattern_;                       // with it: of the matrix without it,
  std::vector<double> plain_, weight_, gains_;  // that matrix, its weights and gains
  std::vector<double> row_, column_;
  Eigen::VectorXd x_, r1_;
  Coefficients c_;
  OperatorCounters counters_;
  bool ready_ = false, keeps_pivots_ = false;
};

}  // namespace trammel
