#include "unpivoted_solver.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "small_kernels.h"
#include "trammel/base/error.h"

namespace trammel {

namespace {

/// Differences of this many rounding errors are no asymmetry: a_ij and a_ji are sums of some ten products each.
constexpr double symmetry_tol = 16 * std::numeric_limits<double>::epsilon();
/// A backward error of two rounding errors cannot be improved.
constexpr double refined = 2 * std::numeric_limits<double>::epsilon();

double magnitude(double x) { return std::abs(x); }
double magnitude(const std::complex<double>& x) { return std::max(std::abs(x.real()), std::abs(x.imag())); }

}  // namespace

template <class S>
UnpivotedSolver<S>::UnpivotedSolver(const UnpivotedOptions& options, std::string_view name) : options_(options) {
  if (!(options.pivot_tol >= 0 && options.pivot_tol < 1))
    throw InputError(fmt::format("{}: pivot_tol = {} must lie in 0 ≤ pivot_tol < 1", name, options.pivot_tol));
  if (!(options.refine_below >= 0 && options.refine_below <= 1))
    throw InputError(fmt::format("{}: refine_below = {} must lie in 0 ≤ refine_below ≤ 1", name, options.refine_below));
  if (options.max_refinements < 0 || options.max_refinements > 10)
    throw InputError(fmt::format("{}: max_refinements = {} must lie in 0 … 10", name, options.max_refinements));
}

template <class S>
Status UnpivotedSolver<S>::do_analyze(const Pattern& pattern, const OrderingHint& hint) {
  pattern_ = pattern;
  const std::size_t n = static_cast<std::size_t>(pattern.n_cols);
  pairs_.clear();
  column_.resize(pattern.index.size());
  for (int j = 0; j < pattern.n_cols; ++j)
    for (int k = pattern.start[j]; k < pattern.start[j + 1]; ++k) {
      const int i = pattern.index[k], mirror = pattern.slot(j, i);
      column_[k] = j;
      if (i < j || mirror < 0) pairs_.push_back({k, mirror});
    }
  order_.clear();
  analyze_order(pattern, hint, order_);
  pivot_.assign(n, S(0));
  permuted_.assign(n, S(0));
  b_.assign(n, S(0));
  r_.assign(n, S(0));
  values_.assign(pattern.index.size(), S(0));
  abs_pivot_.assign(n, 0.0);
  size_.assign(n, 0.0);
  refines_ = false;
  return Status::success();
}

template <class S>
Status UnpivotedSolver<S>::do_factor(std::span<const S> values) {
  const bool symmetric = is_symmetric(values);
  const int step = eliminate(values, symmetric, pivot_);
  this->set_nnz_factors(count_numbers(symmetric));
  if (step >= 0) return this->report_zero_pivot(order_[step]);
  for (std::size_t k = 0; k < pivot_.size(); ++k) abs_pivot_[k] = std::abs(pivot_[k]);
  const Status status = this->judge_pivots(values, abs_pivot_, order_, order_);
  refines_ = options_.max_refinements > 0 && this->smallest_pivot().relative < options_.refine_below;
  if (refines_) std::copy(values.begin(), values.end(), values_.begin());
  return status;
}

template <class S>
Status UnpivotedSolver<S>::do_refactor(std::span<const S> values, bool& kept) {
  kept = true;
  return do_factor(values);
}

template <class S>
bool UnpivotedSolver<S>::is_symmetric(std::span<const S> values) const {
  for (const Pair& pair : pairs_) {
    const S other = pair.mirror < 0 ? S(0) : values[pair.mirror];
    if (values[pair.slot] != other && !is_rounding(values, pair)) return false;
  }
  return true;
}

template <class S>
bool UnpivotedSolver<S>::is_rounding(std::span<const S> values, const Pair& pair) const {
  const std::span<const double> peak = this->column_peaks();
  const S other = pair.mirror < 0 ? S(0) : values[pair.mirror];
  const double limit = symmetry_tol * std::min(peak[pattern_.index[pair.slot]], peak[column_[pair.slot]]);
  return magnitude(values[pair.slot] - other) <= limit;
}

template <class S>
void UnpivotedSolver<S>::solve_permuted(std::span<S> b, bool transposed) {
  for (std::size_t k = 0; k < order_.size(); ++k) permuted_[k] = b[order_[k]];
  if (transposed)
    substitute_transposed(permuted_);
  else
    substitute(permuted_);
  for (std::size_t k = 0; k < order_.size(); ++k) b[order_[k]] = permuted_[k];
}

template <class S>
double UnpivotedSolver<S>::update_residual(std::span<const S> b, std::span<const S> x, bool transposed) {
  for (std::size_t i = 0; i < b.size(); ++i) {
    r_[i] = b[i];
    size_[i] = magnitude(b[i]);
  }
  for (int j = 0; j < pattern_.n_cols; ++j)
    for (int k = pattern_.start[j]; k < pattern_.start[j + 1]; ++k) {
      const int row = transposed ? j : pattern_.index[k], col = transposed ? pattern_.index[k] : j;
      const S term = product(values_[k], x[col]);
      r_[row] -= term;
      size_[row] += magnitude(term);
    }
  double error = 0;
  for (std::size_t i = 0; i < b.size(); ++i)
    if (const double size = magnitude(r_[i]); size > 0) error = std::max(error, size / size_[i]);
  return error;
}

template <class S>
void UnpivotedSolver<S>::solve_refined(std::span<S> b, bool transposed) {
  if (!refines_) return solve_permuted(b, transposed);
  std::copy(b.begin(), b.end(), b_.begin());
  solve_permuted(b, transposed);
  double error = update_residual(b_, b, transposed);
  for (int k = 0; k < options_.max_refinements && error > refined; ++k) {
    solve_permuted(r_, transposed);
    for (std::size_t i = 0; i < b.size(); ++i) b[i] += r_[i];
    const double before = std::exchange(error, update_residual(b_, b, transposed));
    if (!(error < 0.5 * before)) break;
  }
}

template class UnpivotedSolver<double>;
template class UnpivotedSolver<std::complex<double>>;

}  // namespace trammel
