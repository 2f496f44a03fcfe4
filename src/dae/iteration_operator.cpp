// SPDX-License-Identifier: Apache-2.0
#include "trammel/dae/iteration_operator.h"

#include <algorithm>

#include "trammel/linalg/condensed_solver.h"
#include "trammel/linalg/condition.h"
#include "trammel/linalg/guarded_ldlt.h"

namespace trammel {

namespace {

// A system that names the row of every unknown can be factored without a search for pivots.
std::unique_ptr<LinearSolver<double>> make_solver(const DaeSystem& system, LinearSolverChoice choice) {
  auto solver = make_guarded_solver<double>(choice, system.layout().n());
  if (wants_condensed(choice.kind)) return make_condensed_solver<double>(std::move(solver));
  const bool chooses = choice.kind == LinearSolverKind::automatic && solver->name() != "dense";
  if (!chooses || system.pivot_rows().empty()) return solver;
  return make_condensed_solver<double>(make_guarded_ldlt<double>({.dense_kernel = choice.dense_kernel}));
}

}  // namespace

MatrixOperator::MatrixOperator(const DaeSystem& system, LinearSolverChoice solver, const RowColumnScaling* scaling)
    : system_(system), scaling_(scaling), solver_(make_solver(system, solver)), source_(system) {
  if (scaling && scaling->has_penalty()) augmented_ = std::make_unique<AugmentedTerm>();
}

Status MatrixOperator::setup(const Point& p, const State& state, const Coefficients& c, double h, Refresh refresh,
                             Workspace& workspace) {
  ready_ = false;
  PlaneSource::Renewed renewed;
  const Status status = source_.renew(p, state, h, refresh, workspace, renewed);
  if (renewed.pattern) used_.forget();
  counters_.linearizations = source_.linearizations();
  counters_.input_derivatives = source_.input_derivatives();
  if (!status.ok()) return status;
  if (renewed.values && used_.update(source_, solver_->name() == "dense")) analyze();
  c_ = c;
  combine(h);
  ++counters_.factorizations;
  const Status factored = keeps_pivots_ ? solver_->refactor(values_) : solver_->factor(values_);
  ready_ = keeps_pivots_ = factored.ok();
  return factored;
}

void MatrixOperator::analyze() {
  keeps_pivots_ = false;
  pattern_ = used_.make_pattern(source_.planes().pattern, pattern_.version + 1);
  const std::span<const Kind> kinds = system_.layout().kinds();
  OrderingHint hint = make_hint(system_);
  hint.own_rows = system_.own_rows();  // where penalties couple these rows nothing is taken out
  values_.assign(pattern_.index.size(), 0.0);
  if (augmented_) {
    plain_pattern_ = pattern_;
    pattern_ = augmented_->analyze(plain_pattern_, hint);
    plain_ = values_;
    weight_.assign(kinds.size(), 0.0);
  }
  // A pattern that cannot be ordered is what factor() fails with.
  static_cast<void>(solver_->analyze(pattern_, hint));
  row_.assign(kinds.size(), 1.0);
  column_.assign(kinds.size(), 1.0);
}

void MatrixOperator::combine(double h) {
  const Planes& planes = source_.planes();
  std::vector<double>& values = augmented_ ? plain_ : values_;
  const std::vector<int>& slot = used_.slots();
  const std::vector<double>&F_y = planes.F_y(), &F_yp = planes.F_yp();
  for (std::size_t k = 0; k < values.size(); ++k) values[k] = c_.y * F_y[slot[k]] + c_.yp * F_yp[slot[k]];
  source_.add_followed(c_.y, c_.yp, slot, values);
  for (std::size_t plane = 2; plane < planes.values.size(); ++plane) {
    const double c = c_.of(planes.roles[plane]);
    for (std::size_t k = 0; k < values.size(); ++k) values[k] += c * planes.values[plane][slot[k]];
  }
  if (!scaling_) return;
  std::fill(row_.begin(), row_.end(), 1.0);
  std::fill(column_.begin(), column_.end(), 1.0);
  scaling_->fill(h, c_, planes, row_, column_);
  const Pattern& pattern = augmented_ ? plain_pattern_ : pattern_;
  for (int j = 0; j < pattern.n_cols; ++j)
    for (int k = pattern.start[j]; k < pattern.start[j + 1]; ++k) values[k] *= row_[pattern.index[k]] * column_[j];
  if (!augmented_) return;
  scaling_->fill_penalties(h, c_, planes, row_, column_, weight_);
  augmented_->make(weight_, plain_, values_, gains_);
}

Status MatrixOperator::solve(const Point& p, const State& state, Vec x, Workspace& workspace) {
  ++counters_.solves;
  system_.to_matrix_rows(p, state, x, workspace);
  for (Eigen::Index i = 0; i < x.size(); ++i) x[i] *= -row_[i];
  if (augmented_) augmented_->multiply(gains_, x);
  const Status status = solver_->solve(x);
  if (!status.ok()) return status;
  if (scaling_)
    for (Eigen::Index i = 0; i < x.size(); ++i) x[i] *= column_[i];
  system_.from_matrix_columns(p, state, x, workspace);
  return status;
}

Status MatrixOperator::solve_transposed(Vec x) {
  for (Eigen::Index i = 0; i < x.size(); ++i) x[i] *= -column_[i];
  const Status status = solver_->solve_transposed(x);
  if (augmented_) augmented_->multiply_transposed(gains_, x);
  for (Eigen::Index i = 0; i < x.size(); ++i) x[i] *= row_[i];
  return status;
}

double MatrixOperator::condition() { return matrix_condition(pattern_, values_, *solver_); }

void MatrixOperator::calc_inverse_row_sums(Vec sums) { matrix_inverse_row_sums(pattern_, values_, *solver_, sums); }

double matrix_condition(const Pattern& pattern, std::span<const double> values, LinearSolver<double>& solver) {
  SparseMatrix<double> J(pattern);
  J.values.assign(values.begin(), values.end());
  if (pattern.n_cols > condition_svd_limit) return estimate_condition(J, solver);
  const Eigen::MatrixXd dense = J.to_dense();
  const double kappa = condition_number(dense);
  const double trusted = 1e12;  // beyond, the smallest singular value of doubles is rounding noise
  return kappa > trusted && dense.cols() <= condition_extended_limit ? condition_number(dense, SvdPrecision::extended)
                                                                     : kappa;
}

void matrix_inverse_row_sums(const Pattern& pattern, std::span<const double> values, LinearSolver<double>& solver,
                             Vec sums) {
  if (pattern.n_cols <= condition_extended_limit) {
    SparseMatrix<double> J(pattern);
    J.values.assign(values.begin(), values.end());
    sums = extended_inverse(J.to_dense()).cwiseAbs().rowwise().sum();
    return;
  }
  sums.setZero();
  Eigen::VectorXd column(pattern.n_cols);
  for (int j = 0; j < pattern.n_cols; ++j) {
    column.setZero();
    column[j] = 1.0;
    if (solver.solve(column).ok()) sums += column.cwiseAbs();
  }
}

OrderingHint make_hint(const DaeSystem& system) {
  OrderingHint hint;
  for (const Kind kind : system.layout().kinds()) hint.roles.push_back(role_of(kind));
  hint.rows = system.pivot_rows();
  return hint;
}

UnknownRole role_of(Kind kind) {
  switch (kind) {
    case Kind::multiplier:
    case Kind::multiplier_rate:
      return UnknownRole::multiplier;
    case Kind::position:
    case Kind::rotation:
    case Kind::velocity:
      return UnknownRole::coordinate;
    default:
      return UnknownRole::other;
  }
}

}  // namespace trammel
