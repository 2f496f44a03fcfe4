// SPDX-License-Identifier: Apache-2.0
#include "trammel/linalg/pivoting_solver.h"

#include <complex>

#include "trammel/linalg/predicted_work.h"
#include "trammel/linalg/sparse_lu.h"
#include "trammel/linalg/umfpack.h"

namespace trammel {

namespace {

// Operations that KLU predicts, in all and per unknown, beyond which its factors are better made in dense fronts. Below
// the first its factors take milliseconds at worst; below the second (chains, beams) it refactors faster.
constexpr double many_operations = 1e6, many_per_unknown = 600;

template <class S>
class PivotingSolver final : public LinearSolver<S>, public WorkPrediction {
 public:
  std::string_view name() const override { return chosen().name(); }

 protected:
  Status do_analyze(const Pattern& pattern, const OrderingHint&) override {
    const Status status = klu_->analyze(pattern);
    this->predict(predicted_work_of(*klu_));
    const double operations = this->predicted_work().operations;
    in_fronts_ = operations > many_operations && operations > many_per_unknown * pattern.n_cols;
    return status.ok() && in_fronts_ ? umfpack_->analyze(pattern) : status;
  }
  Status do_factor(std::span<const S> values) override { return report(chosen().factor(values)); }
  Status do_refactor(std::span<const S> values, bool& kept) override {
    const long before = chosen().counters().n_refactor;
    const Status status = report(chosen().refactor(values));
    kept = chosen().counters().n_refactor > before;
    return status;
  }
  Status do_solve(std::span<S> b) override { return chosen().solve(b); }
  Status do_solve_transposed(std::span<S> b) override { return chosen().solve_transposed(b); }

 private:
  LinearSolver<S>& chosen() const { return in_fronts_ ? *umfpack_ : *klu_; }
  Status report(const Status& status) {
    this->set_smallest_pivot(chosen().smallest_pivot());
    this->set_nnz_factors(chosen().counters().nnz_factors);
    return status;
  }

  std::unique_ptr<LinearSolver<S>> klu_ = make_sparse_lu<S>(), umfpack_ = make_umfpack<S>();
  bool in_fronts_ = false;
};

}  // namespace

template <class S>
std::unique_ptr<LinearSolver<S>> make_pivoting_solver() {
  return std::make_unique<PivotingSolver<S>>();
}

template std::unique_ptr<LinearSolver<double>> make_pivoting_solver();
template std::unique_ptr<LinearSolver<std::complex<double>>> make_pivoting_solver();

}  // namespace trammel
