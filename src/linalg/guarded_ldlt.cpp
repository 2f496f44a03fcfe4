// SPDX-License-Identifier: Apache-2.0
#include "trammel/linalg/guarded_ldlt.h"

#include <algorithm>
#include <complex>
#include <limits>

#include "trammel/linalg/gmres.h"
#include "trammel/linalg/pivoting_solver.h"
#include "trammel/linalg/predicted_work.h"
#include "trammel/linalg/skyline_ldlt.h"
#include "trammel/linalg/sparse_ldlt.h"

namespace trammel {

namespace {

template <class S>
class GuardedLdlt final : public LinearSolver<S>, public WorkPrediction {
 public:
  /// `named`: it keeps the name of the first solver.
  GuardedLdlt(const GuardedOptions& options, bool named)
      : options_(options),
        named_(named),
        ldlt_(options.first == LinearSolverKind::skyline_ldlt
                  ? make_skyline_ldlt<S>()
                  : make_sparse_ldlt<S>({.dense_kernel = options.dense_kernel})) {}

  std::string_view name() const override { return named_ ? ldlt_->name() : active().name(); }
  std::string_view dense_kernel() const override { return dense_kernel_of(active()); }

 protected:
  Status do_analyze(const Pattern& pattern, const OrderingHint& hint) override {
    pattern_ = pattern;
    forget();
    right_side_.assign(static_cast<std::size_t>(pattern.n_cols), S(0));
    const Status status = ldlt_->analyze(pattern, hint);
    this->predict(predicted_work_of(*ldlt_));
    prepare_iterations(pattern, hint);
    return status;
  }

  /// What was found of other values is forgotten: factors of these depend on nothing before.
  Status do_factor(std::span<const S> values) override {
    values_.assign(values.begin(), values.end());
    forget();
    if (begin_iterations(false)) return Status::success();
    const Status status = ldlt_->factor(values_);
    bool kept = false;
    return status.cause == Cause::vanished_pivot ? fall_back(kept) : report(status);
  }

  Status do_refactor(std::span<const S> values, bool& kept) override {
    values_.assign(values.begin(), values.end());
    if (factored_at_once_ > 0)
      --factored_at_once_;
    else if (begin_iterations(kept = gmres_ && gmres_->factored()))
      return Status::success();
    return eliminate(kept);
  }

  Status do_solve(std::span<S> b) override { return solve_with(b, false); }
  Status do_solve_transposed(std::span<S> b) override { return solve_with(b, true); }

 private:
  static constexpr int patience = 20;
  // Of a factorization, that the iterations of one solution may cost; those of all solutions with a matrix: a whole.
  static constexpr double part_of_factors = 0.5;
  // An operation that waits for memory beside one that does not.
  static constexpr double per_moved_number = 10.0;

  LinearSolver<S>& active() const { return iterates_ ? *gmres_ : pivoted_ > 0 ? *lu_ : *ldlt_; }

  void forget() {
    measured_ = analyzed_lu_ = iterates_ = false;
    pivoted_ = factored_at_once_ = 0;
  }

  void prepare_iterations(const Pattern& pattern, const OrderingHint& hint) {
    gmres_ = nullptr;
    if (!(this->predicted_work().operations > options_.iterate_above)) return;
    // Products with A and with the factors of the preconditioner, which are no more, and with half of the vectors of a
    // cycle, twice.
    const GmresOptions usual;
    const double iteration = 4.0 * static_cast<double>(pattern.index.size()) + 2.0 * pattern.n_cols * usual.restart;
    const double whole = this->predicted_work().operations / (per_moved_number * iteration);
    max_iterations_ = static_cast<long>(whole);
    const double one = std::clamp(part_of_factors * whole, 1.0, static_cast<double>(usual.max_iterations));
    gmres_ = make_gmres<S>({.max_iterations = static_cast<int>(one), .dense_kernel = options_.dense_kernel});
    if (!gmres_->analyze(pattern, hint).ok()) gmres_ = nullptr;
  }

  /// False: the values are to be factored.
  bool begin_iterations(bool again) {
    iterates_ = gmres_ && (again ? gmres_->refactor(values_) : gmres_->factor(values_)).ok();
    if (!iterates_) return false;
    first_iteration_ = gmres_->counters().n_iterations;
    static_cast<void>(report(Status::success()));
    return true;
  }

  Status eliminate(bool& kept) {
    iterates_ = measured_ = false;
    if (pivoted_ > 0 && --pivoted_ > 0) return pivot(kept);
    kept = ldlt_->factored();
    const Status status = ldlt_->refactor(values_);
    if (status.cause == Cause::vanished_pivot) return fall_back(kept);
    return report(status);
  }

  Status solve_with(std::span<S> b, bool transposed) {
    const auto solve = [&] { return transposed ? active().solve_transposed(b) : active().solve(b); };
    if (!iterates_ && (measured_ || pivoted_ > 0)) return solve();
    std::copy(b.begin(), b.end(), right_side_.begin());
    if (iterates_) {
      const bool dear = gmres_->counters().n_iterations - first_iteration_ > max_iterations_;
      if (!dear && solve().ok()) return Status::success();
      if (!dear) factored_at_once_ = patience;
      bool kept = false;
      if (const Status factors = eliminate(kept); !factors.ok()) return factors;
      std::copy(right_side_.begin(), right_side_.end(), b.begin());
      if (pivoted_ > 0) return solve();
    }
    const Status status = solve();  // the first solution shows whether the factors are good
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
    this->add_handed_over();
    return report(lu_->refactor(values_));
  }

  Status report(const Status& status) {
    this->set_smallest_pivot(active().smallest_pivot());
    this->set_nnz_factors(active().counters().nnz_factors);
    return status;
  }

  GuardedOptions options_;
  bool named_;
  std::unique_ptr<LinearSolver<S>> gmres_;  // null: factors are cheap
  std::unique_ptr<LinearSolver<S>> ldlt_, lu_ = make_pivoting_solver<S>();
  Pattern pattern_;
  std::vector<S> values_, right_side_;
  bool analyzed_lu_ = false, measured_ = false, iterates_ = false;
  int pivoted_ = 0;           // factorizations with row exchanges that are still to come, this one included
  int factored_at_once_ = 0;  // matrices still to come with which iterations are not tried
  long first_iteration_ = 0, max_iterations_ = 0;
};

}  // namespace

template <class S>
std::unique_ptr<LinearSolver<S>> make_guarded_ldlt(const GuardedOptions& options) {
  return std::make_unique<GuardedLdlt<S>>(options, false);
}

template <class S>
std::unique_ptr<LinearSolver<S>> make_guarded_solver(LinearSolverChoice choice, int n) {
  switch (choice.kind) {
    case LinearSolverKind::skyline_ldlt:
    case LinearSolverKind::sparse_ldlt:
      return std::make_unique<GuardedLdlt<S>>(GuardedOptions{.first = choice.kind,
                                                             .dense_kernel = choice.dense_kernel,
                                                             .iterate_above = std::numeric_limits<double>::infinity()},
                                              true);
    default:
      return make_linear_solver<S>(choice, n);
  }
}

template std::unique_ptr<LinearSolver<double>> make_guarded_ldlt(const GuardedOptions&);
template std::unique_ptr<LinearSolver<std::complex<double>>> make_guarded_ldlt(const GuardedOptions&);
template std::unique_ptr<LinearSolver<double>> make_guarded_solver(LinearSolverChoice, int);
template std::unique_ptr<LinearSolver<std::complex<double>>> make_guarded_solver(LinearSolverChoice, int);

}  // namespace trammel
