// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <complex>
#include <span>
#include <vector>

#include "trammel/linalg/linear_solver.h"
#include "trammel/linalg/predicted_work.h"
#include "trammel/linalg/sparse_ldlt.h"

namespace trammel {

/// The part of solvers with pivots on the diagonal that does not depend on how factors are stored: the search for
/// symmetry, the test of pivots, refinement.
template <class S>
class UnpivotedSolver : public LinearSolver<S>, public WorkPrediction {
 public:
  explicit UnpivotedSolver(const UnpivotedOptions& options, std::string_view name);

 protected:
  /// Chooses an order of elimination, as cheaply as its work can be told.
  virtual PredictedWork choose_order(const Pattern& pattern, const OrderingHint& hint) = 0;
  /// The rest of the analysis, before the first factorization with a pattern: reserves memory. `order` is filled with
  /// the unknown of each step of elimination.
  virtual void complete_order(const Pattern& pattern, std::vector<int>& order) = 0;
  /// Fills pivot[k] of every step k; returns the step whose pivot is zero or not a number, or −1. `symmetric`: read the
  /// lower triangle (of the permuted matrix) only.
  virtual int eliminate(std::span<const S> values, bool symmetric, std::span<S> pivot) = 0;
  /// x = A⁻¹x and x = A⁻ᵀx in the order of elimination; behind the unknowns x has n_more_places() for sums on the way.
  virtual void substitute(std::span<S> x) = 0;
  virtual void substitute_transposed(std::span<S> x) = 0;
  virtual int n_more_places() const { return 0; }
  virtual long count_numbers(bool symmetric) const = 0;

  Cause pivot_cause() const final { return Cause::vanished_pivot; }
  double vanished_pivot() const final { return options_.pivot_tol; }

  Status do_analyze(const Pattern& pattern, const OrderingHint& hint) final;
  Status do_factor(std::span<const S> values) final;
  Status do_refactor(std::span<const S> values, bool& kept) final;
  Status do_solve(std::span<S> b) final { return solve_refined(b, false); }
  Status do_solve_transposed(std::span<S> b) final { return solve_refined(b, true); }

 private:
  struct Pair {
    int slot, mirror;  // (i, j) with i < j, and (j, i); −1: not in the pattern
  };
  void take_pattern(const Pattern& pattern, const OrderingHint& hint);
  void complete_analysis();
  void take_values(std::span<const S> values);
  bool is_symmetric() const;
  bool is_rounding(const Pair& pair) const;
  Status solve_refined(std::span<S> b, bool transposed);
  Status find_corrections(bool transposed);
  void correct(bool transposed);  // x ← x + A⁻¹r
  void solve_permuted(std::span<S> x, bool transposed);
  void update_residual(bool transposed);  // r = b − A x (or Aᵀ x)
  /// Updates r and returns the backward error of x, max_i |r_i|/p_i over max_i (|A||x| + |b|)_i/p_i with p_i the
  /// largest entry of row i: ‖r‖/(‖A x‖ + ‖b‖) after the rows have been scaled alike [Rigal, Gaches 1967].
  double measure_error(bool transposed);

  UnpivotedOptions options_;
  Pattern pattern_;           // with rows in the order of their unknowns (OrderingHint::rows)
  std::vector<int> row_of_;   // the matrix row of each row of pattern_; empty: the same
  std::vector<int> slot_of_;  // the matrix slot of each slot of pattern_; empty: the same
  std::vector<int> column_;   // of each slot
  std::vector<Pair> pairs_;
  std::vector<int> order_, pivot_row_;  // unknown and matrix row of each step
  std::vector<S> values_;
  std::vector<S> pivot_, permuted_, x_, b_, r_;
  std::vector<double> abs_pivot_, size_, peak_;
  bool complete_ = false;   // the analysis
  int n_corrections_ = -1;  // that solutions with the present factors need; −1: not measured yet
};

extern template class UnpivotedSolver<double>;
extern template class UnpivotedSolver<std::complex<double>>;

}  // namespace trammel
