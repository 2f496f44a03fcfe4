// SPDX-License-Identifier: Apache-2.0
#include "unpivoted_solver.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <utility>

#include "magnitude.h"
#include "small_kernels.h"
#include "trammel/base/crew.h"
#include "trammel/base/error.h"

namespace trammel {

using detail::magnitude;

namespace {

/// Differences of this many rounding errors are no asymmetry: a_ij and a_ji are sums of some ten products each.
constexpr double symmetry_tol = 16 * std::numeric_limits<double>::epsilon();
/// A backward error of two rounding errors cannot be improved.
constexpr double refined = 2 * std::numeric_limits<double>::epsilon();

/// Pairs of entries that one thread compares at once: some twenty microseconds.
constexpr long shared_pairs = 10000;
/// Numbers that one thread copies at once.
constexpr long shared_copies = 50000;

}  // namespace

template <class S>
UnpivotedSolver<S>::UnpivotedSolver(const UnpivotedOptions& options, std::string_view name) : options_(options) {
  if (!(options.pivot_tol >= 0 && options.pivot_tol < 1))
    throw InputError(fmt::format("{}: pivot_tol = {} must lie in 0 ≤ pivot_tol < 1", name, options.pivot_tol));
  if (!(options.refine_above >= 0 && options.refine_above <= 1))
    throw InputError(fmt::format("{}: refine_above = {} must lie in 0 ≤ refine_above ≤ 1", name, options.refine_above));
  if (!(options.refuse_above > 0 && options.refuse_above <= 1))
    throw InputError(fmt::format("{}: refuse_above = {} must lie in 0 < refuse_above ≤ 1", name, options.refuse_above));
  if (options.max_refinements < 0 || options.max_refinements > 10)
    throw InputError(fmt::format("{}: max_refinements = {} must lie in 0 … 10", name, options.max_refinements));
}

template <class S>
Status UnpivotedSolver<S>::do_analyze(const Pattern& pattern, const OrderingHint& hint) {
  take_pattern(pattern, hint);
  this->predict(choose_order(pattern_, hint));
  complete_ = false;
  return Status::success();
}

// What only a factorization needs: whoever asks for predictions alone does not wait for it.
template <class S>
void UnpivotedSolver<S>::complete_analysis() {
  complete_ = true;
  const std::size_t n = static_cast<std::size_t>(pattern_.n_cols);
  pairs_.clear();
  column_.resize(pattern_.index.size());
  for (int j = 0; j < pattern_.n_cols; ++j)
    for (int k = pattern_.start[j]; k < pattern_.start[j + 1]; ++k) {
      const int i = pattern_.index[k], mirror = pattern_.slot(j, i);
      column_[k] = j;
      if (i < j || mirror < 0) pairs_.push_back({k, mirror});
    }
  order_.clear();
  complete_order(pattern_, order_);
  pivot_row_ = order_;
  if (!row_of_.empty())
    for (int& row : pivot_row_) row = row_of_[row];
  for (std::vector<S>* x : {&pivot_, &x_, &b_, &r_}) x->assign(n, S(0));
  permuted_.assign(n + static_cast<std::size_t>(n_more_places()), S(0));
  values_.assign(pattern_.index.size(), S(0));
  abs_pivot_.assign(n, 0.0);
  size_.assign(n, 0.0);
  peak_.assign(n, 0.0);
  n_corrections_ = -1;
}

// Rows in the order of the unknowns that have their pivots there, so that all pivots stand on the diagonal.
template <class S>
void UnpivotedSolver<S>::take_pattern(const Pattern& pattern, const OrderingHint& hint) {
  pattern_ = pattern;
  row_of_ = hint.rows;
  slot_of_.clear();
  if (row_of_.empty()) return;
  std::vector<int> place(row_of_.size(), -1);
  for (std::size_t j = 0; j < row_of_.size(); ++j) place[row_of_[j]] = static_cast<int>(j);
  std::vector<std::pair<int, int>> column;  // row and slot
  for (int j = 0; j < pattern.n_cols; ++j) {
    column.clear();
    for (int k = pattern.start[j]; k < pattern.start[j + 1]; ++k) column.emplace_back(place[pattern.index[k]], k);
    std::sort(column.begin(), column.end());
    for (std::size_t k = 0; k < column.size(); ++k) {
      pattern_.index[static_cast<std::size_t>(pattern.start[j]) + k] = column[k].first;
      slot_of_.push_back(column[k].second);
    }
  }
}

template <class S>
void UnpivotedSolver<S>::take_values(std::span<const S> values) {
  share(static_cast<long>(values_.size()), shared_copies, [&](long first, long last) {
    if (slot_of_.empty())
      std::copy(values.begin() + first, values.begin() + last, values_.begin() + first);
    else
      for (long k = first; k < last; ++k) values_[k] = values[slot_of_[k]];
  });
}

template <class S>
Status UnpivotedSolver<S>::do_factor(std::span<const S> values) {
  if (!complete_) complete_analysis();
  take_values(values);
  const bool symmetric = is_symmetric();
  const int step = eliminate(values_, symmetric, pivot_);
  this->set_nnz_factors(count_numbers(symmetric));
  if (step >= 0) return this->report_zero_pivot(order_[step]);
  for (std::size_t k = 0; k < pivot_.size(); ++k) abs_pivot_[k] = std::abs(pivot_[k]);
  n_corrections_ = options_.max_refinements > 0 && options_.refine_above < 1 ? -1 : 0;
  return this->judge_pivots(values, abs_pivot_, pivot_row_, order_);
}

template <class S>
Status UnpivotedSolver<S>::do_refactor(std::span<const S> values, bool& kept) {
  kept = true;
  return do_factor(values);
}

template <class S>
bool UnpivotedSolver<S>::is_symmetric() const {
  std::atomic<bool> symmetric = true;
  share(static_cast<long>(pairs_.size()), shared_pairs, [&](long first, long last) {
    for (long i = first; i < last && symmetric.load(std::memory_order_relaxed); ++i) {
      const S other = pairs_[i].mirror < 0 ? S(0) : values_[pairs_[i].mirror];
      if (values_[pairs_[i].slot] != other && !is_rounding(pairs_[i]))
        symmetric.store(false, std::memory_order_relaxed);
    }
  });
  return symmetric;
}

template <class S>
bool UnpivotedSolver<S>::is_rounding(const Pair& pair) const {
  const std::span<const double> peak = this->column_peaks();
  const S other = pair.mirror < 0 ? S(0) : values_[pair.mirror];
  const double limit = symmetry_tol * std::min(peak[pattern_.index[pair.slot]], peak[column_[pair.slot]]);
  return magnitude(values_[pair.slot] - other) <= limit;
}

template <class S>
void UnpivotedSolver<S>::solve_permuted(std::span<S> x, bool transposed) {
  for (std::size_t k = 0; k < order_.size(); ++k) permuted_[k] = x[order_[k]];
  if (transposed)
    substitute_transposed(permuted_);
  else
    substitute(permuted_);
  for (std::size_t k = 0; k < order_.size(); ++k) x[order_[k]] = permuted_[k];
}

template <class S>
void UnpivotedSolver<S>::update_residual(bool transposed) {
  std::copy(b_.begin(), b_.end(), r_.begin());
  if (transposed) {
    for (int j = 0; j < pattern_.n_cols; ++j)
      for (int k = pattern_.start[j]; k < pattern_.start[j + 1]; ++k)
        r_[j] -= product(values_[k], x_[pattern_.index[k]]);
  } else {
    for (int j = 0; j < pattern_.n_cols; ++j) {
      const S x = x_[j];
      for (int k = pattern_.start[j]; k < pattern_.start[j + 1]; ++k) r_[pattern_.index[k]] -= product(values_[k], x);
    }
  }
}

template <class S>
double UnpivotedSolver<S>::measure_error(bool transposed) {
  for (std::size_t i = 0; i < b_.size(); ++i) {
    r_[i] = b_[i];
    size_[i] = magnitude(b_[i]);
    peak_[i] = 0.0;
  }
  for (int j = 0; j < pattern_.n_cols; ++j)
    for (int k = pattern_.start[j]; k < pattern_.start[j + 1]; ++k) {
      const int row = transposed ? j : pattern_.index[k], col = transposed ? pattern_.index[k] : j;
      const S term = product(values_[k], x_[col]);
      r_[row] -= term;
      size_[row] += magnitude(term);
      peak_[row] = std::max(peak_[row], magnitude(values_[k]));
    }
  double residual = 0, size = 0;
  for (std::size_t i = 0; i < b_.size(); ++i) {
    residual = std::max(residual, magnitude(r_[i]) / peak_[i]);
    size = std::max(size, size_[i] / peak_[i]);
  }
  return residual > 0 ? residual / size : 0.0;
}

template <class S>
Status UnpivotedSolver<S>::solve_refined(std::span<S> b, bool transposed) {
  if (n_corrections_ == 0 && !transposed) {  // nearly always
    for (std::size_t k = 0; k < order_.size(); ++k) permuted_[k] = b[pivot_row_[k]];
    substitute(permuted_);
    for (std::size_t k = 0; k < order_.size(); ++k) b[order_[k]] = permuted_[k];
    return Status::success();
  }
  const auto gather = [&](const std::vector<int>& from) {
    for (std::size_t i = 0; i < b.size(); ++i) b_[i] = b[from[i]];
  };
  if (transposed || row_of_.empty())
    std::copy(b.begin(), b.end(), b_.begin());
  else
    gather(row_of_);
  std::copy(b_.begin(), b_.end(), x_.begin());
  solve_permuted(x_, transposed);
  const bool measured = n_corrections_ < 0;
  const Status status = measured ? find_corrections(transposed) : Status::success();
  for (int k = 0; k < n_corrections_ && !measured; ++k) {
    update_residual(transposed);
    correct(transposed);
  }
  if (transposed && !row_of_.empty())
    for (std::size_t i = 0; i < b.size(); ++i) b[row_of_[i]] = x_[i];
  else
    std::copy(x_.begin(), x_.end(), b.begin());
  return status;
}

// The first solution with new factors: its corrections are counted, those that follow get as many without being
// measured.
template <class S>
Status UnpivotedSolver<S>::find_corrections(bool transposed) {
  double error = measure_error(transposed);
  for (n_corrections_ = 0; n_corrections_ < options_.max_refinements; ++n_corrections_) {
    if (error <= std::max(refined, options_.refine_above)) break;
    correct(transposed);
    const double before = std::exchange(error, measure_error(transposed));
    if (!(error < 0.5 * before)) break;
  }
  const bool lost = !(error <= options_.refuse_above);
  const auto is_zero = [](const S& x) { return x == S(0); };
  if (lost || std::all_of(b_.begin(), b_.end(), is_zero)) n_corrections_ = -1;  // nothing learned: measure the next
  if (!lost) return Status::success();
  return Status::recoverable(this->pivot_cause(), this->smallest_pivot().unknown);
}

template <class S>
void UnpivotedSolver<S>::correct(bool transposed) {
  solve_permuted(r_, transposed);
  for (std::size_t i = 0; i < x_.size(); ++i) x_[i] += r_[i];
}

template class UnpivotedSolver<double>;
template class UnpivotedSolver<std::complex<double>>;

}  // namespace trammel
