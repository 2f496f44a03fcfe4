// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "trammel/base/status.h"
#include "trammel/linalg/linear_solver_kind.h"
#include "trammel/linalg/pattern.h"

namespace trammel {

/// What an unknown is, as far as an elimination order is concerned.
enum class UnknownRole : std::uint8_t { coordinate, multiplier, other };

/// What a solver may know beyond the pattern; the lists are empty or have one entry per unknown. Solvers that pivot
/// ignore it; factorizations without pivoting eliminate a multiplier only after the coordinates it acts on.
struct OrderingHint {
  std::vector<UnknownRole> roles;
  std::vector<int> blocks;  ///< unknowns of one block (body, joint) belong together; −1: none
  std::vector<int> rows;    ///< the row in which each unknown has its pivot, a permutation; empty: row i for unknown i
  /// The row that gives an unknown by the others, −1: none; such rows have one such unknown each. For solvers that
  /// take these unknowns out before they factor (condensed_solver.h).
  std::vector<int> own_rows{};
};

/// The pivot most likely to name the culprit when a matrix is nearly singular.
struct Pivot {
  double value = 0;     ///< |u_kk|
  double relative = 0;  ///< see smallest_pivot()
  int unknown = -1;     ///< column of the matrix; −1 when nothing was factored, or the solver does not tell
};

struct LinearSolverCounters {
  long n_factor = 0;      ///< factorizations with a new choice of pivots
  long n_refactor = 0;    ///< factorizations that kept the pivots
  long n_solve = 0;       ///< right-hand sides, transposed ones included
  long n_iterations = 0;  ///< of iterative solvers, all solves together
  long nnz_factors = 0;   ///< numbers stored in the present factors
  /// Matrices that did not suit the solver that was named and were factored with row exchanges instead.
  long n_handed_over = 0;
};

/// Solves A x = b for a square sparse A whose pattern stays while its values change.
///
///   analyze(pattern)    once per pattern version: orderings, memory                       (allocates)
///   factor(values)      chooses pivots                                                    (may allocate)
///   refactor(values)    keeps the pivots where the method can; the growth of the factors is checked and a full factor
///                       replaces a refactorization that lost accuracy                     (no allocation if kept)
///   solve(b)            in place: x = A⁻¹ b;  solve_transposed: x = A⁻ᵀ b, not conjugated   (no allocation)
///
/// `values` has one number per slot of the pattern. The solver copies what it needs: neither pattern nor values must
/// outlive the call. S is double or std::complex<double>.
///
/// Numerical events are Status values:
///   Cause::singular_matrix   recoverable; row is the unknown (column) whose pivot vanished
///   Cause::vanished_pivot    the same from a solver that does not exchange rows: the matrix may well be regular
///   Cause::not_finite        recoverable; row is the matrix row, or entry of b, with NaN or infinity (of the solution,
///   if
///                            it overflowed)
/// A pivot counts as vanished when it is exactly zero or below singular_pivot in the equilibrated matrix; bad units or
/// tiny steps (rows like M/h² beside rows like G) are not mistaken for singularity. After a failed factor the solver
/// holds no factors: solve throws until a factor succeeds.
///
/// No scaling is applied to the numbers that are factored: scaling belongs to the formulation (its effect on pivots and
/// condition numbers is under test), so a badly scaled matrix is solved as it is.
template <class S>
class LinearSolver {
 public:
  using Vector = Eigen::Matrix<S, Eigen::Dynamic, 1>;

  /// Two digits of a double are left at 1e-14: enough for Newton to creep, but the culprit deserves to be named.
  static constexpr double singular_pivot = 1e-14;

  virtual ~LinearSolver() = default;
  LinearSolver() = default;
  LinearSolver(const LinearSolver&) = delete;
  LinearSolver& operator=(const LinearSolver&) = delete;

  Status analyze(const Pattern& pattern, const OrderingHint& hint = {});
  Status factor(std::span<const S> values);
  /// Before any successful factor this is factor.
  Status refactor(std::span<const S> values);
  Status solve(std::span<S> b);
  Status solve_transposed(std::span<S> b);
  Status solve(Eigen::Ref<Vector> b) { return solve(std::span<S>(b.data(), static_cast<std::size_t>(b.size()))); }
  Status solve_transposed(Eigen::Ref<Vector> b) {
    return solve_transposed(std::span<S>(b.data(), static_cast<std::size_t>(b.size())));
  }

  /// The smallest pivot of the last factorization, relative to the largest entry of its column; when that is below
  /// 1e-10 for any pivot, all are compared in the equilibrated matrix instead (rows and columns scaled to maximum 1),
  /// where small means nearly singular and not merely badly scaled. Also valid after a factor that reported
  /// singular_matrix.
  Pivot smallest_pivot() const { return smallest_pivot_; }
  const LinearSolverCounters& counters() const { return counters_; }
  bool factored() const { return factored_; }
  int n() const { return n_; }

  /// "dense", "sparse_lu", ...: the word users write.
  virtual std::string_view name() const = 0;

 protected:
  virtual Status do_analyze(const Pattern& pattern, const OrderingHint& hint) = 0;
  virtual Status do_factor(std::span<const S> values) = 0;
  /// Sets `kept` to whether the old pivots were used.
  virtual Status do_refactor(std::span<const S> values, bool& kept) = 0;
  /// Direct solvers succeed always; iterative ones may stop at Cause::too_many_iterations.
  virtual Status do_solve(std::span<S> b) = 0;
  virtual Status do_solve_transposed(std::span<S> b) = 0;

  /// Finds the smallest of n pivots |u_k| = abs_pivot[k] that stand in (row[k], col[k]) of the matrix, remembers it for
  /// smallest_pivot() and decides between success and singular_matrix.
  Status judge_pivots(std::span<const S> values, std::span<const double> abs_pivot, std::span<const int> row,
                      std::span<const int> col);
  /// What a vanished pivot means: a solver that could choose has found the matrix singular, one that could not has
  /// found that its order of elimination does not suit the matrix.
  virtual Cause pivot_cause() const { return Cause::singular_matrix; }
  /// Relative pivots below this have vanished.
  virtual double vanished_pivot() const { return singular_pivot; }
  /// max_i |a_ij| of the values being factored.
  std::span<const double> column_peaks() const { return column_max_; }
  /// An exactly zero pivot.
  Status report_zero_pivot(int unknown);
  void set_nnz_factors(long nnz) { counters_.nnz_factors = nnz; }
  void add_iterations(long n) { counters_.n_iterations += n; }
  void add_handed_over() { ++counters_.n_handed_over; }
  void set_handed_over(long n) { counters_.n_handed_over = n; }
  void set_smallest_pivot(const Pivot& pivot) { smallest_pivot_ = pivot; }

 private:
  void require_values(std::size_t size) const;
  Status scan_values(std::span<const S> values);
  void update_equilibration(std::span<const S> values);
  Status finish(Status status, std::span<S> x);
  void require_ready(std::size_t size) const;

  int n_ = 0;
  bool analyzed_ = false, factored_ = false;
  std::vector<int> start_, index_;             // the pattern
  std::vector<double> column_max_;             // max_i |a_ij| of the values being factored
  std::vector<double> row_scale_, col_scale_;  // equilibration, only filled on suspicion
  std::vector<double> row_peak_, col_peak_;    // scratch
  Pivot smallest_pivot_;
  LinearSolverCounters counters_;
};

extern template class LinearSolver<double>;
extern template class LinearSolver<std::complex<double>>;

template <class S = double>
std::unique_ptr<LinearSolver<S>> make_linear_solver(LinearSolverChoice choice, int n);

}  // namespace trammel
