// SPDX-License-Identifier: Apache-2.0
#include "trammel/linalg/linear_solver.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>

#include "magnitude.h"
#include "small_kernels.h"
#include "trammel/base/crew.h"
#include "trammel/base/error.h"
#include "trammel/base/text.h"
#include "trammel/linalg/automatic_solver.h"
#include "trammel/linalg/dense_lu.h"
#include "trammel/linalg/gmres.h"
#include "trammel/linalg/mumps.h"
#include "trammel/linalg/petsc.h"
#include "trammel/linalg/skyline_ldlt.h"
#include "trammel/linalg/sparse_ldlt.h"
#include "trammel/linalg/sparse_lu.h"
#include "trammel/linalg/umfpack.h"

namespace trammel {

using detail::magnitude;

namespace {

/// A pivot this small beside its own column is either a singular matrix or a badly scaled one; only then the
/// equilibration (about ten sweeps over the values) is worth its cost.
constexpr double suspicious_pivot = 1e-10;

/// Each sweep halves the exponent of what is left: 8 sweeps bring a spread of 1e40 to below a factor 2.
constexpr int n_equilibration_sweeps = 8;

/// Measured on chains of rigid bodies (11 unknowns per link), times in µs, KLU with refactor as in almost every step:
///   n        11    22    33    44    66    110
///   dense   0.5   2.1   6.5    11    28    104
///   KLU     0.8   2.4   4.2   6.1   9.7     17     (a full factor: 2.1, 5.3, 9.0, 13, 20, 34)
constexpr int automatic_dense_limit = 24;

/// Columns that one thread looks through at once: some twenty microseconds.
constexpr long shared_columns = 2000;
/// Numbers, the same.
constexpr long shared_values = 50000;

bool is_finite(double x) { return std::isfinite(x); }
bool is_finite(const std::complex<double>& x) { return std::isfinite(x.real()) && std::isfinite(x.imag()); }

/// True when every number is finite. 0·x is 0 for finite x and NaN otherwise, so running sums tell without branches.
bool all_finite(std::span<const double> x) {
  Two even{0.0, 0.0}, odd{0.0, 0.0};
  std::size_t i = 0;
  for (; i + 4 <= x.size(); i += 4) {
    even += 0.0 * load_two(x.data() + i);
    odd += 0.0 * load_two(x.data() + i + 2);
  }
  double sum = 0.0;
  for (; i < x.size(); ++i) sum += 0.0 * x[i];
  even += odd;
  return even[0] + even[1] + sum == 0.0;
}
bool all_finite(std::span<const std::complex<double>> x) {
  return all_finite(std::span<const double>(reinterpret_cast<const double*>(x.data()), 2 * x.size()));
}

template <class S>
int first_not_finite(std::span<const S> x) {
  std::atomic<bool> finite = true;
  share(static_cast<long>(x.size()), shared_values, [&](long first, long last) {
    if (!all_finite(x.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(last - first))))
      finite.store(false, std::memory_order_relaxed);
  });
  if (finite.load(std::memory_order_relaxed)) return -1;
  for (std::size_t i = 0; i < x.size(); ++i)
    if (!is_finite(x[i])) return static_cast<int>(i);
  return -1;
}

}  // namespace

template <class S>
Status LinearSolver<S>::analyze(const Pattern& pattern, const OrderingHint& hint) {
  if (pattern.n_rows != pattern.n_cols)
    throw Error(fmt::format("linear solver '{}': the matrix must be square, it has {} rows and {} columns", name(),
                            pattern.n_rows, pattern.n_cols));
  const std::size_t n = static_cast<std::size_t>(pattern.n_cols);
  for (const std::size_t size : {hint.roles.size(), hint.blocks.size(), hint.rows.size(), hint.own_rows.size()})
    if (size != 0 && size != n)
      throw Error(fmt::format("linear solver '{}': the ordering hint has {} entries for {} unknowns", name(), size, n));
  n_ = pattern.n_cols;
  start_ = pattern.start;
  index_ = pattern.index;
  column_max_.assign(n, 0.0);
  row_scale_.assign(n, 1.0);
  col_scale_.assign(n, 1.0);
  row_peak_.assign(n, 0.0);
  col_peak_.assign(n, 0.0);
  smallest_pivot_ = {};
  factored_ = false;
  const Status status = do_analyze(pattern, hint);
  analyzed_ = status.ok();
  return status;
}

template <class S>
Status LinearSolver<S>::factor(std::span<const S> values) {
  factored_ = false;
  if (n_ > 0 && !analyzed_) return Status::fatal(Cause::singular_matrix);  // of structure: analyze() found no order
  if (const Status status = scan_values(values); !status.ok()) return status;
  ++counters_.n_factor;
  const Status status = do_factor(values);
  factored_ = status.ok();
  return status;
}

template <class S>
Status LinearSolver<S>::refactor(std::span<const S> values) {
  if (!factored_) return factor(values);
  if (const Status status = scan_values(values); !status.ok()) return status;
  bool kept = false;
  const Status status = do_refactor(values, kept);
  ++(kept ? counters_.n_refactor : counters_.n_factor);
  factored_ = status.ok();
  return status;
}

template <class S>
Status LinearSolver<S>::solve(std::span<S> b) {
  require_ready(b.size());
  if (const int row = first_not_finite(std::span<const S>(b)); row >= 0)
    return Status::recoverable(Cause::not_finite, row);
  return finish(do_solve(b), b);
}

template <class S>
Status LinearSolver<S>::solve_transposed(std::span<S> b) {
  require_ready(b.size());
  if (const int row = first_not_finite(std::span<const S>(b)); row >= 0)
    return Status::recoverable(Cause::not_finite, row);
  return finish(do_solve_transposed(b), b);
}

template <class S>
Status LinearSolver<S>::finish(Status status, std::span<S> x) {
  ++counters_.n_solve;
  if (!status.ok()) return status;
  const int row = first_not_finite(std::span<const S>(x));
  return row < 0 ? Status::success() : Status::recoverable(Cause::not_finite, row);
}

template <class S>
void LinearSolver<S>::require_ready(std::size_t size) const {
  if (!factored_) throw Error(fmt::format("linear solver '{}': solve needs a successful factor before it", name()));
  if (size != static_cast<std::size_t>(n_))
    throw Error(fmt::format("linear solver '{}': a right-hand side of {} numbers for {} unknowns", name(), size, n_));
}

template <class S>
void LinearSolver<S>::require_values(std::size_t size) const {
  if (!analyzed_) throw Error(fmt::format("linear solver '{}': factor needs analyze before it", name()));
  if (size != index_.size())
    throw Error(fmt::format("linear solver '{}': {} values for a pattern of {} entries", name(), size, index_.size()));
}

template <class S>
Status LinearSolver<S>::scan_values(std::span<const S> values) {
  require_values(values.size());
  if (const int slot = first_not_finite(values); slot >= 0) {
    factored_ = false;
    return Status::recoverable(Cause::not_finite, index_[slot]);
  }
  share(n_, shared_columns,
        [x = values.data(), start = start_.data(), peak = column_max_.data()](long first, long last) {
          for (long j = first; j < last; ++j) {
            // Two running maxima, because each comparison waits for the one before.
            double even = 0, odd = 0;
            int k = start[j];
            for (; k + 2 <= start[j + 1]; k += 2) {
              even = std::max(even, magnitude(x[k]));
              odd = std::max(odd, magnitude(x[k + 1]));
            }
            if (k < start[j + 1]) even = std::max(even, magnitude(x[k]));
            peak[j] = std::max(even, odd);
          }
        });
  return Status::success();
}

/// Ruiz' iteration: divide every row and column by the root of its largest entry, repeatedly; the limit has all
/// maxima 1. The product row_scale · |u| · col_scale is the pivot that the same elimination has in the equilibrated
/// matrix.
template <class S>
void LinearSolver<S>::update_equilibration(std::span<const S> values) {
  std::fill(row_scale_.begin(), row_scale_.end(), 1.0);
  std::fill(col_scale_.begin(), col_scale_.end(), 1.0);
  for (int sweep = 0; sweep < n_equilibration_sweeps; ++sweep) {
    std::fill(row_peak_.begin(), row_peak_.end(), 0.0);
    for (int j = 0; j < n_; ++j) {
      double col_peak = 0;
      for (int k = start_[j]; k < start_[j + 1]; ++k) {
        const double size = row_scale_[index_[k]] * magnitude(values[k]) * col_scale_[j];
        row_peak_[index_[k]] = std::max(row_peak_[index_[k]], size);
        col_peak = std::max(col_peak, size);
      }
      col_peak_[j] = col_peak;
    }
    for (int i = 0; i < n_; ++i) {
      if (row_peak_[i] > 0) row_scale_[i] /= std::sqrt(row_peak_[i]);
      if (col_peak_[i] > 0) col_scale_[i] /= std::sqrt(col_peak_[i]);
    }
  }
}

template <class S>
Status LinearSolver<S>::judge_pivots(std::span<const S> values, std::span<const double> abs_pivot,
                                     std::span<const int> row, std::span<const int> col) {
  smallest_pivot_ = {};
  if (n_ == 0) return Status::success();
  const auto smallest = [&](auto&& measure) {
    Pivot best{abs_pivot[0], measure(0), col[0]};
    for (int k = 1; k < n_; ++k)
      if (const double relative = measure(k); relative < best.relative) best = {abs_pivot[k], relative, col[k]};
    return best;
  };
  smallest_pivot_ = smallest([&](int k) { return abs_pivot[k] / column_max_[col[k]]; });
  if (smallest_pivot_.relative >= std::max(suspicious_pivot, vanished_pivot())) return Status::success();
  update_equilibration(values);
  smallest_pivot_ = smallest([&](int k) { return row_scale_[row[k]] * abs_pivot[k] * col_scale_[col[k]]; });
  return smallest_pivot_.relative < vanished_pivot() ? Status::recoverable(pivot_cause(), smallest_pivot_.unknown)
                                                     : Status::success();
}

template <class S>
Status LinearSolver<S>::report_zero_pivot(int unknown) {
  smallest_pivot_ = {0.0, 0.0, unknown};
  return Status::recoverable(pivot_cause(), unknown);
}

template class LinearSolver<double>;
template class LinearSolver<std::complex<double>>;

const std::vector<std::string>& linear_solver_kind_names() {
  static const std::vector<std::string> names{"auto",  "dense",   "sparse_lu", "skyline_ldlt", "sparse_ldlt",
                                              "gmres", "umfpack", "mumps",     "petsc"};
  return names;
}

std::string_view to_text(LinearSolverKind kind) { return linear_solver_kind_names()[static_cast<std::size_t>(kind)]; }

bool exchanges_rows(LinearSolverKind kind) {
  return kind == LinearSolverKind::dense || kind == LinearSolverKind::sparse_lu || kind == LinearSolverKind::umfpack ||
         kind == LinearSolverKind::mumps;
}

std::string find_obstacle(LinearSolverKind kind) {
  if (kind == LinearSolverKind::mumps) return find_mumps_obstacle();
  return kind == LinearSolverKind::petsc ? find_petsc_obstacle() : std::string();
}

LinearSolverKind parse_linear_solver_kind(std::string_view text) {
  const std::vector<std::string>& names = linear_solver_kind_names();
  for (std::size_t i = 0; i < names.size(); ++i)
    if (names[i] == text) return static_cast<LinearSolverKind>(i);
  throw InputError(
      fmt::format("unknown linear solver '{}'; allowed are {}{}", text, join_quoted(names), did_you_mean(text, names)));
}

template <class S>
std::unique_ptr<LinearSolver<S>> make_linear_solver(LinearSolverChoice choice, int n) {
  switch (choice.kind) {
    case LinearSolverKind::automatic:
      return n <= automatic_dense_limit ? make_dense_lu<S>() : make_automatic_solver<S>(n, choice.dense_kernel);
    case LinearSolverKind::dense:
      return make_dense_lu<S>();
    case LinearSolverKind::sparse_lu:
      return make_sparse_lu<S>();
    case LinearSolverKind::skyline_ldlt:
      return make_skyline_ldlt<S>();
    case LinearSolverKind::sparse_ldlt:
      return make_sparse_ldlt<S>({.dense_kernel = choice.dense_kernel});
    case LinearSolverKind::gmres:
      return make_gmres<S>({.dense_kernel = choice.dense_kernel, .guarded = true});
    case LinearSolverKind::umfpack:
      return make_umfpack<S>();
    case LinearSolverKind::mumps:
      return make_mumps<S>();
    case LinearSolverKind::petsc:
      return make_petsc<S>({choice.krylov, choice.preconditioner});
  }
  throw Error("there is no such linear solver");
}

template std::unique_ptr<LinearSolver<double>> make_linear_solver(LinearSolverChoice, int);
template std::unique_ptr<LinearSolver<std::complex<double>>> make_linear_solver(LinearSolverChoice, int);

}  // namespace trammel
