// SPDX-License-Identifier: Apache-2.0
#include "trammel/linalg/guarded_ldlt.h"

#include <algorithm>
#include <complex>

#include "trammel/linalg/sparse_ldlt.h"
#include "trammel/linalg/sparse_lu.h"

namespace trammel {

namespace {

template <class S>
class GuardedLdlt final : public LinearSolver<S> {
 public:
  std::string_view name() const override { return active().name(); }

 protected:
  Status do_analyze(const Pattern& pattern, const OrderingHint& hint) override {
    pattern_ = pattern;
    analyzed_lu_ = false;
    pivoted_ = 0;
    right_side_.assign(static_cast<std::size_t>(pattern.n_cols), S(0));
    return ldlt_->analyze(pattern, hint);
  }

  /// What was found of other values is forgotten: factors of these depend on nothing before.
  Status do_factor(std::span<const S> values) override {
    values_.assign(values.begin(), values.end());
    measured_ = analyzed_lu_ = false;
    pivoted_ = 0;
    const Status status = ldlt_->factor(values_);
    bool kept = false;
    return status.cause == Cause::vanished_pivot ? fall_back(kept) : report(status);
  }

  Status do_refactor(std::span<const S> values, bool& kept) override {
    values_.assign(values.begin(), values.end());
    measured_ = false;
    if (pivoted_ > 0 && --pivoted_ > 0) return pivot(kept);
    kept = ldlt_->factored();
    const Status status = ldlt_->refactor(values_);
    if (status.cause == Cause::vanished_pivot) return fall_back(kept);
    return report(status);
  }

  Status do_solve(std::span<S> b) override { return solve_with(b, false); }
  Status do_solve_transposed(std::span<S> b) override { return solve_with(b, true); }

 private:
  static constexpr int patience = 20;

  LinearSolver<S>& active() const { return pivoted_ > 0 ? *lu_ : *ldlt_; }

  Status solve_with(std::span<S> b, bool transposed) {
    const auto solve = [&] { return transposed ? active().solve_transposed(b) : active().solve(b); };
    if (measured_ || pivoted_ > 0) return solve();
    std::copy(b.begin(), b.end(), right_side_.begin());  // the first solution shows whether the factors are good
    const Status status = solve();
    measured_ = status.ok();
    if (status.cause != Cause::vanished_pivot) return status;
    bool kept = false;
    if (const Status pivots = fall_back(kept); !pivots.ok()) return pivots;
    std::copy(right_side_.begin(), right_side_.end(), b.begin());
    return solve();
  }

  Status fall_back(bool& kept) {
    pivoted_ = patience;
    if (!analyzed_lu_) {
      if (const Status status = lu_->analyze(pattern_); !status.ok()) return status;
      analyzed_lu_ = true;
    }
    return pivot(kept);
  }

  Status pivot(bool& kept) {
    kept = lu_->factored();
    return report(lu_->refactor(values_));
  }

  Status report(const Status& status) {
    this->set_smallest_pivot(active().smallest_pivot());
    this->set_nnz_factors(active().counters().nnz_factors);
    return status;
  }

  std::unique_ptr<LinearSolver<S>> ldlt_ = make_sparse_ldlt<S>(), lu_ = make_sparse_lu<S>();
  Pattern pattern_;
  std::vector<S> values_, right_side_;
  bool analyzed_lu_ = false, measured_ = false;
  int pivoted_ = 0;  // factorizations with row exchanges that are still to come, this one included
};

}  // namespace

template <class S>
std::unique_ptr<LinearSolver<S>> make_guarded_ldlt() {
  return std::make_unique<GuardedLdlt<S>>();
}

template std::unique_ptr<LinearSolver<double>> make_guarded_ldlt();
template std::unique_ptr<LinearSolver<std::complex<double>>> make_guarded_ldlt();

}  // namespace trammel
