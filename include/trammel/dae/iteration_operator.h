// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "trammel/dae/augmented_term.h"
#include "trammel/dae/plane_source.h"
#include "trammel/dae/used_entries.h"
#include "trammel/linalg/linear_solver.h"

namespace trammel {

/// Row and column factors of the iteration matrix: J̄ = diag(row) J diag(column). The one place where h, 1/(hβ) and
/// scaled multipliers enter.
class RowColumnScaling {
 public:
  virtual ~RowColumnScaling() = default;
  /// Both spans are 1 on entry. α = c_y′/c_y.
  virtual void fill(double h, const Coefficients& c, const Planes& planes, std::span<double> row,
                    std::span<double> column) const = 0;
  /// Whether there is an augmented term: it decides the pattern, before any h is known.
  virtual bool has_penalty() const { return false; }
  /// Its weights w_c of AugmentedTerm (1) for every multiplier, beside the factors of fill(). Zeros on entry.
  virtual void fill_penalties(double /*h*/, const Coefficients&, const Planes&, std::span<const double> /*row*/,
                              std::span<const double> /*column*/, std::span<double> /*weight*/) const {}
};

struct OperatorCounters {
  long linearizations = 0;
  long factorizations = 0;
  long solves = 0;
  long input_derivatives = 0;  ///< linearizations for ∂²F/∂w∂y
};

/// Solves the linear systems of a corrector: setup (dear, seldom), then many solves. The assembled matrix is one
/// implementation; condensed, split or blocked systems are others, with the same integrator and history.
class IterationOperator {
 public:
  virtual ~IterationOperator() = default;

  virtual Status setup(const Point& p, const State& state, const Coefficients& c, double h, Refresh refresh,
                       Workspace& workspace) = 0;
  /// Overwrites the residual x = F(p) with −J⁻¹ x; unscaled in, unscaled out. The point is the current iterate.
  virtual Status solve(const Point& p, const State& state, Vec x, Workspace& workspace) = 0;
  /// x ← −J⁻ᵀ x in matrix rows and columns.
  virtual Status solve_transposed(Vec x) = 0;
  /// Condition number of the scaled matrix as factored: singular values for small systems, else an estimate of κ₁.
  virtual double condition() = 0;
  /// Σ_j |(J̄⁻¹)_ij| of the scaled matrix J̄ for every unknown i: how much rounding can move it [bottasso2007 (6)]. 0 for
  /// unknowns that the operator eliminates; nothing but zeros where an operator does not offer it.
  virtual void calc_inverse_row_sums(Vec sums) { sums.setZero(); }
  /// One factor per unknown: the linear system is solved for δ_i/column_i. Infinite for unknowns that are eliminated.
  virtual std::span<const double> column_factors() const = 0;

  /// False before the first setup, after a failed one and after invalidate.
  virtual bool ready() const = 0;
  /// Forgets planes, matrix and pivots: what follows depends on nothing before.
  virtual void invalidate() = 0;
  virtual const Coefficients& coefficients() const = 0;
  virtual const OperatorCounters& counters() const = 0;
  /// The planes of the last linearization; `typical` is for the integrator to set.
  virtual Planes& planes() = 0;
};

/// κ of a matrix as factored: singular values in double, beyond what they can tell with the inverse in long double, and
/// for large systems an estimate of κ₁.
double matrix_condition(const Pattern& pattern, std::span<const double> values, LinearSolver<double>& solver);
/// Σ_j |(A⁻¹)_ij|: from the inverse in long double for small systems, else column by column from the factors.
void matrix_inverse_row_sums(const Pattern& pattern, std::span<const double> values, LinearSolver<double>& solver,
                             Vec sums);
/// What an unknown is to an elimination order.
UnknownRole role_of(Kind kind);
/// What solvers without row exchanges, and the augmented term, are told about the unknowns of a system.
OrderingHint make_hint(const DaeSystem& system);

/// J = diag(row) (c_y Σ F_y-planes + c_y′ Σ F_y′-planes) diag(column), assembled and factored by a LinearSolver.
///
/// A sparse J holds the entries of the planes that are used (UsedEntries): on a chain of hinged bodies this halves the
/// factors. A linearization with a new entry enlarges the matrix.
class MatrixOperator final : public IterationOperator {
 public:
  /// The scaling (none if null) must outlive the operator.
  MatrixOperator(const DaeSystem& system, LinearSolverChoice solver, const RowColumnScaling* scaling = nullptr);

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
    used_.forget();
    source_.forget();
  }
  const Coefficients& coefficients() const override { return c_; }
  const OperatorCounters& counters() const override { return counters_; }
  Planes& planes() override { return source_.planes(); }

  void follow_inputs() { source_.follow_inputs(); }  ///< see PlaneSource

  /// Of the matrix: part of that of the planes.
  const Pattern& pattern() const { return pattern_; }
  /// The scaled matrix as factored.
  std::span<const double> matrix() const { return values_; }
  const LinearSolver<double>& linear_solver() const { return *solver_; }

 private:
  void analyze();
  void combine(double h);

  const DaeSystem& system_;
  const RowColumnScaling* scaling_;
  std::unique_ptr<LinearSolver<double>> solver_;
  PlaneSource source_;
  Pattern pattern_;
  UsedEntries used_;
  std::vector<double> values_, row_, column_;
  std::unique_ptr<AugmentedTerm> augmented_;    // null: none
  Pattern plain_pattern_;                       // with it: of the matrix without it,
  std::vector<double> plain_, weight_, gains_;  // that matrix, its weights and gains
  Coefficients c_;
  OperatorCounters counters_;
  bool ready_ = false, keeps_pivots_ = false;
};

}  // namespace trammel
