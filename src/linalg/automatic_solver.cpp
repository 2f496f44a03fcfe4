// SPDX-License-Identifier: Apache-2.0
#include "trammel/linalg/automatic_solver.h"

#include <complex>

#include "trammel/linalg/guarded_ldlt.h"
#include "trammel/linalg/sparse_lu.h"

namespace trammel {

namespace {

// Below, KLU's search for pivots takes less than a millisecond, and its refactorizations about as long as the others'.
constexpr int few_unknowns = 400;

template <class S>
class AutomaticSolver final : public LinearSolver<S> {
 public:
  std::string_view name() const override { return chosen_->name(); }

 protected:
  Status do_analyze(const Pattern& pattern, const OrderingHint& hint) override {
    const bool ordered = !hint.roles.empty() && pattern.n_cols > few_unknowns;
    if (ordered != ordered_) chosen_ = ordered ? make_guarded_ldlt<S>() : make_sparse_lu<S>();
    ordered_ = ordered;
    return chosen_->analyze(pattern, hint);
  }
  Status do_factor(std::span<const S> values) override { return report(chosen_->factor(values)); }
  Status do_refactor(std::span<const S> values, bool& kept) override {
    const long before = chosen_->counters().n_refactor;
    const Status status = report(chosen_->refactor(values));
    kept = chosen_->counters().n_refactor > before;
    return status;
  }
  Status do_solve(std::span<S> b) override { return chosen_->solve(b); }
  Status do_solve_transposed(std::span<S> b) override { return chosen_->solve_transposed(b); }

 private:
  Status report(const Status& status) {
    this->set_smallest_pivot(chosen_->smallest_pivot());
    this->set_nnz_factors(chosen_->counters().nnz_factors);
    return status;
  }

  std::unique_ptr<LinearSolver<S>> chosen_ = make_sparse_lu<S>();
  bool ordered_ = false;
};

}  // namespace

template <class S>
std::unique_ptr<LinearSolver<S>> make_automatic_solver() {
  return std::make_unique<AutomaticSolver<S>>();
}

template std::unique_ptr<LinearSolver<double>> make_automatic_solver();
template std::unique_ptr<LinearSolver<std::complex<double>>> make_automatic_solver();

}  // namespace trammel
