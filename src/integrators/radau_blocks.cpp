// SPDX-License-Identifier: Apache-2.0
#include "trammel/integrators/radau_blocks.h"

#include <algorithm>

#include "trammel/linalg/condition.h"

namespace trammel {

namespace {

template <class S>
double condition_of(const Pattern& pattern, const std::vector<S>& values, LinearSolver<S>& solver) {
  SparseMatrix<S> matrix(pattern);
  matrix.values = values;
  if (pattern.n_cols > condition_svd_limit) return estimate_condition(matrix, solver);
  return condition_number(matrix.to_dense());
}

}  // namespace

RadauBlocks::RadauBlocks(const DaeSystem& system, const RadauTableau& tableau, LinearSolverChoice solver,
                         const RowColumnScaling* scaling)
    : system_(system),
      tableau_(tableau),
      scaling_(scaling),
      real_(make_linear_solver<double>(solver, system.layout().n())),
      complex_(make_linear_solver<std::complex<double>>(solver, system.layout().n())) {
  w_.setZero(system.layout().n());
  w_complex_.setZero(system.layout().n());
}

Status RadauBlocks::setup(const Point& p, const State& state, double h, Refresh refresh, Workspace& workspace) {
  ready_ = false;
  const bool new_pattern = system_.update_pattern(state, planes_);
  if (new_pattern) analyze();
  if (refresh == Refresh::linearize || new_pattern || !has_planes_) {
    planes_.h = h;
    has_planes_ = false;
    const Status status = system_.linearize(p, state, planes_, workspace);
    if (!status.ok()) return status;
    planes_.t = p.t;
    planes_.y = p.y;
    planes_.yp = p.yp;
    has_planes_ = true;
  }
  h_ = h;
  if (scaling_) {
    std::fill(row_.begin(), row_.end(), 1.0);
    std::fill(column_.begin(), column_.end(), 1.0);
    scaling_->fill(h, {1.0, tableau_.gamma() / h}, planes_, row_, column_);
  }
  combine(tableau_.gamma() / h, values_);
  Status status = keeps_pivots_ ? real_->refactor(values_) : real_->factor(values_);
  if (status.ok() && tableau_.has_complex()) {
    combine(tableau_.mu() / h, complex_values_);
    status = keeps_pivots_ ? complex_->refactor(complex_values_) : complex_->factor(complex_values_);
  }
  ready_ = keeps_pivots_ = status.ok();
  return status;
}

void RadauBlocks::analyze() {
  keeps_pivots_ = false;
  OrderingHint hint;
  for (const Kind kind : system_.layout().kinds()) hint.roles.push_back(role_of(kind));
  hint.rows = system_.pivot_rows();
  // A pattern that cannot be ordered is what factor() fails with.
  static_cast<void>(real_->analyze(planes_.pattern, hint));
  if (tableau_.has_complex()) static_cast<void>(complex_->analyze(planes_.pattern, hint));
  values_.assign(planes_.pattern.index.size(), 0.0);
  complex_values_.assign(planes_.pattern.index.size(), 0.0);
  row_.assign(static_cast<std::size_t>(system_.layout().n()), 1.0);
  column_ = row_;
}

// diag(row) (F_y + factor F_y′) diag(column)
template <class S>
void RadauBlocks::combine(S factor, std::vector<S>& values) const {
  for (std::size_t k = 0; k < values.size(); ++k) values[k] = planes_.F_y()[k] + factor * planes_.F_yp()[k];
  for (std::size_t plane = 2; plane < planes_.values.size(); ++plane) {
    const S c = planes_.roles[plane] == PlaneRole::y ? S(1.0) : factor;
    for (std::size_t k = 0; k < values.size(); ++k) values[k] += c * planes_.values[plane][k];
  }
  if (!scaling_) return;
  const Pattern& pattern = planes_.pattern;
  for (int j = 0; j < pattern.n_cols; ++j)
    for (int k = pattern.start[j]; k < pattern.start[j + 1]; ++k) values[k] *= row_[pattern.index[k]] * column_[j];
}

Status RadauBlocks::solve_real(Vec x) {
  for (Eigen::Index i = 0; i < x.size(); ++i) x[i] *= -row_[i];
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
  if (tableau_.has_real()) result.real = condition_of(planes_.pattern, values_, *real_);
  if (tableau_.has_complex()) result.complex = condition_of(planes_.pattern, complex_values_, *complex_);
  return result;
}

}  // namespace trammel
