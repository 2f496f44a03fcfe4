// SPDX-License-Identifier: Apache-2.0
#include "trammel/integrators/radau_blocks.h"

#include <algorithm>

#include "trammel/linalg/condensed_solver.h"
#include "trammel/linalg/condition.h"
#include "trammel/linalg/guarded_ldlt.h"

namespace trammel {

namespace {

template <class S>
double condition_of(const Pattern& pattern, const std::vector<S>& values, LinearSolver<S>& solver) {
  SparseMatrix<S> matrix(pattern);
  matrix.values = values;
  if (pattern.n_cols > condition_svd_limit) return estimate_condition(matrix, solver);
  return condition_number(matrix.to_dense());
}

// As of MatrixOperator.
template <class S>
std::unique_ptr<LinearSolver<S>> make_solver(const DaeSystem& system, LinearSolverChoice choice) {
  auto solver = make_guarded_solver<S>(choice, system.layout().n());
  if (wants_condensed(choice.kind)) return make_condensed_solver<S>(std::move(solver));
  return solver;
}

}  // namespace

RadauBlocks::RadauBlocks(const DaeSystem& system, const RadauTableau& tableau, LinearSolverChoice solver,
                         const RowColumnScaling* scaling)
    : system_(system),
      tableau_(tableau),
      scaling_(scaling),
      real_(make_solver<double>(system, solver)),
      complex_(make_solver<std::complex<double>>(system, solver)),
      source_(system),
      condenses_(wants_condensed(solver.kind)) {
  if (scaling && scaling->has_penalty()) augmented_ = std::make_unique<AugmentedTerm>();
  w_.setZero(system.layout().n());
  w_complex_.setZero(system.layout().n());
}

Status RadauBlocks::setup(const Point& p, const State& state, double h, Refresh refresh, Workspace& workspace) {
  ready_ = false;
  PlaneSource::Renewed renewed;
  const Status renewing = source_.renew(p, state, h, refresh, workspace, renewed);
  if (renewed.pattern) used_.forget();
  if (!renewing.ok()) return renewing;
  if (renewed.values && used_.update(source_, !condenses_)) analyze();
  h_ = h;
  const Coefficients c{1.0, tableau_.gamma() / h};
  if (scaling_) {
    std::fill(row_.begin(), row_.end(), 1.0);
    std::fill(column_.begin(), column_.end(), 1.0);
    scaling_->fill(h, c, source_.planes(), row_, column_);
    if (augmented_) scaling_->fill_penalties(h, c, source_.planes(), row_, column_, weight_);
  }
  combine(tableau_.gamma() / h, real_block_);
  Status status = keeps_pivots_ ? real_->refactor(real_block_.values) : real_->factor(real_block_.values);
  if (status.ok() && tableau_.has_complex()) {
    combine(tableau_.mu() / h, complex_block_);
    status = keeps_pivots_ ? complex_->refactor(complex_block_.values) : complex_->factor(complex_block_.values);
  }
  ready_ = keeps_pivots_ = status.ok();
  return status;
}

void RadauBlocks::analyze() {
  keeps_pivots_ = false;
  OrderingHint hint = make_hint(system_);
  hint.own_rows = system_.own_rows();
  const Pattern& all = source_.planes().pattern;
  plain_pattern_ = condenses_ ? used_.make_pattern(all, plain_pattern_.version + 1) : all;
  pattern_ = augmented_ ? augmented_->analyze(plain_pattern_, hint) : plain_pattern_;
  // A pattern that cannot be ordered is what factor() fails with.
  static_cast<void>(real_->analyze(pattern_, hint));
  if (tableau_.has_complex()) static_cast<void>(complex_->analyze(pattern_, hint));
  const auto resize = [&](auto& block) {
    (augmented_ ? block.plain : block.values).assign(plain_pattern_.index.size(), 0.0);
  };
  resize(real_block_), resize(complex_block_);
  row_.assign(static_cast<std::size_t>(system_.layout().n()), 1.0);
  column_ = row_;
  weight_.assign(row_.size(), 0.0);
}

// diag(row) (F_y + factor F_y′) diag(column)
template <class S>
void RadauBlocks::combine(S factor, Block<S>& block) const {
  const Planes& planes = source_.planes();
  std::vector<S>& values = augmented_ ? block.plain : block.values;
  const std::vector<int>& slot = used_.slots();
  const auto at = [all = slot.empty(), &slot](std::size_t k) { return all ? k : static_cast<std::size_t>(slot[k]); };
  for (std::size_t k = 0; k < values.size(); ++k) values[k] = planes.F_y()[at(k)] + factor * planes.F_yp()[at(k)];
  source_.add_followed(S(1.0), factor, slot, values);
  for (std::size_t plane = 2; plane < planes.values.size(); ++plane) {
    const S c = planes.roles[plane] == PlaneRole::y ? S(1.0) : factor;
    for (std::size_t k = 0; k < values.size(); ++k) values[k] += c * planes.values[plane][at(k)];
  }
  if (!scaling_) return;
  const Pattern& pattern = plain_pattern_;
  for (int j = 0; j < pattern.n_cols; ++j)
    for (int k = pattern.start[j]; k < pattern.start[j + 1]; ++k) values[k] *= row_[pattern.index[k]] * column_[j];
  if (augmented_) augmented_->make(weight_, block.plain, block.values, block.gains);
}

Status RadauBlocks::solve_real(Vec x) {
  for (Eigen::Index i = 0; i < x.size(); ++i) x[i] *= -row_[i];
  if (augmented_) augmented_->multiply(real_block_.gains, x);
  const Status status = real_->solve(x);
  for (Eigen::Index i = 0; i < x.size(); ++i) x[i] *= column_[i];
  return status;
}

Status RadauBlocks::solve(Eigen::Ref<Eigen::MatrixXd> R) {
  const int s = tableau_.stages();
  const Eigen::Index n = R.rows();
  w_.setZero();
  w_complex_.setZero();
  for (int i = 0; i < s; ++i) {
    const double left = tableau_.left(i);
    const std::complex<double> left_complex = tableau_.left_complex(i);
    for (Eigen::Index k = 0; k < n; ++k) {
      const double r = -row_[k] * R(k, i);
      w_[k] += left * r;
      w_complex_[k] += left_complex * r;
    }
  }
  if (augmented_) {
    augmented_->multiply(real_block_.gains, w_);
    if (tableau_.has_complex()) augmented_->multiply(complex_block_.gains, w_complex_);
  }
  Status status = Status::success();
  if (tableau_.has_real()) status = real_->solve(w_);
  if (status.ok() && tableau_.has_complex()) status = complex_->solve(Eigen::Ref<Eigen::VectorXcd>(w_complex_));
  if (!status.ok()) return status;
  for (int i = 0; i < s; ++i) {
    const double right = tableau_.right(i);
    const std::complex<double> twice = 2.0 * tableau_.right_complex(i);
    for (Eigen::Index k = 0; k < n; ++k)
      R(k, i) =
          column_[k] * (right * w_[k] + twice.real() * w_complex_[k].real() - twice.imag() * w_complex_[k].imag());
  }
  return status;
}

RadauBlocks::Conditions RadauBlocks::conditions() {
  Conditions result;
  if (!ready_) return result;
  if (tableau_.has_real()) result.real = condition_of(pattern_, real_block_.values, *real_);
  if (tableau_.has_complex()) result.complex = condition_of(pattern_, complex_block_.values, *complex_);
  return result;
}

}  // namespace trammel
