// SPDX-License-Identifier: Apache-2.0
#include "trammel/linalg/dense_lu.h"
#include "trammel/linalg/predicted_work.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace trammel {

namespace {

/// Columns per panel: the panel of an n = 400 matrix (100 kB) stays in the second-level cache while the trailing
/// columns stream past it.
constexpr int panel_width = 32;

template <class S>
class DenseLu final : public LinearSolver<S>, public WorkPrediction {
  using Matrix = Eigen::Matrix<S, Eigen::Dynamic, Eigen::Dynamic>;

 public:
  std::string_view name() const override { return "dense"; }

 protected:
  Status do_analyze(const Pattern& pattern, const OrderingHint&) override {
    const int n = pattern.n_cols;
    this->predict({1.0 * n * n, 2.0 / 3.0 * n * n * n});
    start_ = pattern.start;
    index_ = pattern.index;
    LU_.resize(n, n);
    exchange_.assign(static_cast<std::size_t>(n), 0);
    pivot_row_.assign(static_cast<std::size_t>(n), 0);
    pivot_col_.assign(static_cast<std::size_t>(n), 0);
    std::iota(pivot_col_.begin(), pivot_col_.end(), 0);
    abs_pivot_.assign(static_cast<std::size_t>(n), 0.0);
    this->set_nnz_factors(static_cast<long>(n) * n);
    return Status::success();
  }

  Status do_factor(std::span<const S> values) override {
    const int n = this->n();
    LU_.setZero();
    for (int j = 0; j < n; ++j)
      for (int k = start_[j]; k < start_[j + 1]; ++k) LU_(index_[k], j) = values[k];
    std::iota(pivot_row_.begin(), pivot_row_.end(), 0);
    for (int first = 0; first < n; first += panel_width) {
      const int last = std::min(first + panel_width, n);
      for (int k = first; k < last; ++k)
        if (!eliminate_in_panel(k, last)) return this->report_zero_pivot(k);
      for (int j = 0; j < first; ++j) exchange_rows(j, first, last);
      for (int j = last; j < n; ++j) update_trailing_column(j, first, last);
    }
    for (int k = 0; k < n; ++k) abs_pivot_[k] = std::abs(LU_(k, k));
    return this->judge_pivots(values, abs_pivot_, pivot_row_, pivot_col_);
  }

  Status do_refactor(std::span<const S> values, bool& kept) override {
    kept = false;
    return do_factor(values);
  }

  Status do_solve(std::span<S> b) override {
    const int n = this->n();
    Eigen::Map<Eigen::Matrix<S, Eigen::Dynamic, 1>> x(b.data(), n);
    for (int k = 0; k < n; ++k) std::swap(x[k], x[exchange_[k]]);
    for (int k = 0; k < n; ++k) x.tail(n - k - 1) -= x[k] * LU_.col(k).tail(n - k - 1);
    for (int k = n - 1; k >= 0; --k) {
      x[k] /= LU_(k, k);
      x.head(k) -= x[k] * LU_.col(k).head(k);
    }
    return Status::success();
  }

  Status do_solve_transposed(std::span<S> b) override {
    const int n = this->n();
    Eigen::Map<Eigen::Matrix<S, Eigen::Dynamic, 1>> x(b.data(), n);
    for (int k = 0; k < n; ++k) x[k] = (x[k] - LU_.col(k).head(k).cwiseProduct(x.head(k)).sum()) / LU_(k, k);
    for (int k = n - 1; k >= 0; --k) x[k] -= LU_.col(k).tail(n - k - 1).cwiseProduct(x.tail(n - k - 1)).sum();
    for (int k = n - 1; k >= 0; --k) std::swap(x[k], x[exchange_[k]]);
    return Status::success();
  }

 private:
  /// Chooses the pivot of column k, exchanges rows inside the panel and updates the panel's columns right of k.
  bool eliminate_in_panel(int k, int last) {
    const int n = this->n();
    int best = k;
    for (int i = k + 1; i < n; ++i)
      if (std::abs(LU_(i, k)) > std::abs(LU_(best, k))) best = i;
    if (LU_(best, k) == S(0)) return false;
    exchange_[k] = best;
    std::swap(pivot_row_[k], pivot_row_[best]);
    const int first = k - k % panel_width;
    for (int j = first; j < last; ++j) std::swap(LU_(k, j), LU_(best, j));
    const int below = n - k - 1;
    LU_.col(k).tail(below) /= LU_(k, k);
    for (int j = k + 1; j < last; ++j) LU_.col(j).tail(below) -= LU_(k, j) * LU_.col(k).tail(below);
    return true;
  }

  void exchange_rows(int j, int first, int last) {
    for (int k = first; k < last; ++k) std::swap(LU_(k, j), LU_(exchange_[k], j));
  }

  /// Column j right of the panel: its rows of U by forward substitution, then below −= L₂₁ u.
  void update_trailing_column(int j, int first, int last) {
    exchange_rows(j, first, last);
    for (int k = first; k < last; ++k)
      LU_.col(j).segment(k + 1, last - k - 1) -= LU_(k, j) * LU_.col(k).segment(k + 1, last - k - 1);
    const int below = this->n() - last;
    if (below == 0) return;
    LU_.col(j).tail(below).noalias() -=
        LU_.block(last, first, below, last - first) * LU_.col(j).segment(first, last - first);
  }

  std::vector<int> start_, index_;
  Matrix LU_;
  std::vector<int> exchange_;               // row exchanged with row k at step k
  std::vector<int> pivot_row_, pivot_col_;  // where pivot k stands in A
  std::vector<double> abs_pivot_;
};

}  // namespace

template <class S>
std::unique_ptr<LinearSolver<S>> make_dense_lu() {
  return std::make_unique<DenseLu<S>>();
}

template std::unique_ptr<LinearSolver<double>> make_dense_lu();
template std::unique_ptr<LinearSolver<std::complex<double>>> make_dense_lu();

}  // namespace trammel
