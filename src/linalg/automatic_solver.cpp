// SPDX-License-Identifier: Apache-2.0
#include "trammel/linalg/automatic_solver.h"

#include <complex>

#include "trammel/linalg/guarded_ldlt.h"
#include "trammel/linalg/pivoting_solver.h"
#include "trammel/linalg/predicted_work.h"
#include "trammel/linalg/sparse_lu.h"

namespace trammel {

namespace {

// Below, KLU's search for pivots takes less than a millisecond, and its refactorizations about as long as the others'.
constexpr int few_unknowns = 400;

template <class S>
class AutomaticSolver final : public LinearSolver<S>, public WorkPrediction {
 public:
  explicit AutomaticSolver(DenseKernel dense_kernel) : dense_kernel_(dense_kernel) {}
  std::string_view name() const override { return chosen_->name(); }
  std::string_view dense_kernel() const override { return dense_kernel_of(*chosen_); }

 protected:
  Status do_analyze(const Pattern& pattern, const OrderingHint& hint) override {
    const Way way = pattern.n_cols <= few_unknowns ? Way::few : hint.roles.empty() ? Way::pivoting : Way::ordered;
    if (way != way_)
      chosen_ = way == Way::few        ? make_sparse_lu<S>()
                : way == Way::pivoting ? make_pivoting_solver<S>()
                                       : make_guarded_ldlt<S>({.dense_kernel = dense_kernel_});
    way_ = way;
    const Status status = chosen_->analyze(pattern, hint);
    this->predict(predicted_work_of(*chosen_));
    return status;
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
  enum class Way { few, pivoting, ordered };

  Status report(const Status& status) {
    this->set_smallest_pivot(chosen_->smallest_pivot());
    this->set_nnz_factors(chosen_->counters().nnz_factors);
    return status;
  }

  std::unique_ptr<LinearSolver<S>> chosen_ = make_sparse_lu<S>();
  DenseKernel dense_kernel_;
  Way way_ = Way::few;
};

}  // namespace

template <class S>
std::unique_ptr<LinearSolver<S>> make_automatic_solver(int n, DenseKernel dense_kernel) {
  if (n <= few_unknowns) return make_sparse_lu<S>();
  return std::make_unique<AutomaticSolver<S>>(dense_kernel);
}

template std::unique_ptr<LinearSolver<double>> make_automatic_solver(int, DenseKernel);
template std::unique_ptr<LinearSolver<std::complex<double>>> make_automatic_solver(int, DenseKernel);

}  // namespace trammel
