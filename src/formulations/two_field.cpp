// SPDX-License-Identifier: Apache-2.0
#include "trammel/formulations/two_field.h"

#include <algorithm>
#include <limits>

#include "trammel/linalg/guarded_ldlt.h"

namespace trammel {

TwoFieldOperator::TwoFieldOperator(const FirstOrderForm& form, const DaeSystem& system, LinearSolverChoice solver,
                                   const RowColumnScaling* scaling)
    : form_(form),
      system_(system),
      scaling_(scaling),
      solver_(make_guarded_solver<double>(solver, form.layout().n() - form.v0())),
      n_(form.layout().n()),
      nv_(form.v0()),
      source_(system) {
  if (scaling && scaling->has_penalty()) augmented_ = std::make_unique<AugmentedTerm>();
  row_.assign(n_, 1.0);
  column_.assign(n_, 1.0);
  x_.setZero(n_ - nv_);
  r1_.setZero(nv_);
}

Status TwoFieldOperator::setup(const Point& p, const State& state, const Coefficients& c, double h, Refresh refresh,
                               Workspace& workspace) {
  ready_ = false;
  PlaneSource::Renewed renewed;
  const Status renewing = source_.renew(p, state, h, refresh, workspace, renewed);
  if (renewed.pattern) analyze();
  counters_.linearizations = source_.linearizations();
  counters_.input_derivatives = source_.input_derivatives();
  if (!renewing.ok()) return renewing;
  c_ = c;
  combine(h);
  ++counters_.factorizations;
  const Status status = keeps_pivots_ ? solver_->refactor(values_) : solver_->factor(values_);
  ready_ = keeps_pivots_ = status.ok();
  return named(status);
}

// Entries of B keep their place; V A adds one for every pair V(r, j), A(j, c).
void TwoFieldOperator::analyze() {
  keeps_pivots_ = false;
  const Pattern& J = source_.planes().pattern;
  std::vector<std::vector<std::pair<int, int>>> kinematic(nv_);  // column and slot of A's entries, by row
  for (int c = 0; c < n_; ++c)
    for (int k = J.start[c]; k < J.start[c + 1] && J.index[k] < nv_; ++k)
      if (!is_velocity(c)) kinematic[J.index[k]].emplace_back(c, k);

  PatternBuilder builder(n_ - nv_, n_ - nv_);
  for (int c = 0; c < n_; ++c)
    for (int k = J.start[c]; k < J.start[c + 1]; ++k) {
      if (J.index[k] < nv_) continue;
      const int row = condensed_row(J.index[k]);
      if (!is_velocity(c))
        builder.add(row, condensed_column(c));
      else
        for (const auto& [column, slot] : kinematic[c - nv_]) builder.add(row, condensed_column(column));
    }
  condensed_ = builder.build(J.version);

  direct_.assign(J.index.size(), -1);
  products_.clear();
  for (int c = 0; c < n_; ++c)
    for (int k = J.start[c]; k < J.start[c + 1]; ++k) {
      if (J.index[k] < nv_) continue;
      const int row = condensed_row(J.index[k]);
      if (!is_velocity(c))
        direct_[k] = condensed_.slot(row, condensed_column(c));
      else
        for (const auto& [column, slot] : kinematic[c - nv_])
          products_.push_back({condensed_.slot(row, condensed_column(column)), k, slot});
    }

  OrderingHint hint;
  for (int i = 0; i < n_ - nv_; ++i) hint.roles.push_back(role_of(form_.layout().kinds()[unknown(i)]));
  if (const std::vector<int> rows = form_.pivot_rows(); !rows.empty()) {
    for (int i = 0; i < nv_; ++i) hint.rows.push_back(i);  // rows of motion for q
    for (int i = nv_; i < n_ - nv_; ++i) hint.rows.push_back(condensed_row(rows[unknown(i)]));
  }
  full_.assign(J.index.size(), 0.0);
  values_.assign(condensed_.index.size(), 0.0);
  if (augmented_) {
    plain_pattern_ = condensed_;
    condensed_ = augmented_->analyze(plain_pattern_, hint);
    plain_ = values_;
  }
  // A pattern that cannot be ordered is what factor() fails with.
  static_cast<void>(solver_->analyze(condensed_, hint));
}

// (3), scaled
void TwoFieldOperator::combine(double h) {
  const Planes& planes = source_.planes();
  for (std::size_t k = 0; k < full_.size(); ++k) full_[k] = c_.y * planes.F_y()[k] + c_.yp * planes.F_yp()[k];
  source_.add_followed(c_.y, c_.yp, {}, full_);
  for (std::size_t plane = 2; plane < planes.values.size(); ++plane) {
    const double c = c_.of(planes.roles[plane]);
    for (std::size_t k = 0; k < full_.size(); ++k) full_[k] += c * planes.values[plane][k];
  }
  std::vector<double>& values = augmented_ ? plain_ : values_;
  std::fill(values.begin(), values.end(), 0.0);
  for (std::size_t k = 0; k < full_.size(); ++k)
    if (direct_[k] >= 0) values[direct_[k]] += full_[k];
  for (const Product& p : products_) values[p.target] += full_[p.factor_v] * full_[p.factor_a] / c_.y;

  std::fill(row_.begin(), row_.end(), 1.0);
  std::fill(column_.begin(), column_.end(), 1.0);
  if (scaling_) {
    scaling_->fill(h, c_, planes, row_, column_);
    const Pattern& pattern = augmented_ ? plain_pattern_ : condensed_;
    for (int j = 0; j < pattern.n_cols; ++j)
      for (int k = pattern.start[j]; k < pattern.start[j + 1]; ++k)
        values[k] *= row_[nv_ + pattern.index[k]] * column_[unknown(j)];
  }
  if (augmented_) {  // (5)
    weight_.assign(static_cast<std::size_t>(n_), 0.0);
    scaling_->fill_penalties(h, c_, planes, row_, column_, weight_);
    for (int i = 0; i < n_ - nv_; ++i) weight_[i] = weight_[unknown(i)];
    augmented_->make(weight_, plain_, values_, gains_);
  }
  std::fill_n(column_.begin() + nv_, nv_, std::numeric_limits<double>::infinity());
}

Status TwoFieldOperator::solve(const Point& p, const State& state, Vec x, Workspace& workspace) {
  ++counters_.solves;
  system_.to_matrix_rows(p, state, x, workspace);
  const Pattern& J = source_.planes().pattern;
  r1_ = x.head(nv_);
  x_ = x.tail(n_ - nv_);
  for (int j = 0; j < nv_; ++j)  // r₂ + V r₁/c_y
    for (int k = J.start[nv_ + j]; k < J.start[nv_ + j + 1]; ++k)
      if (J.index[k] >= nv_) x_[condensed_row(J.index[k])] += full_[k] * r1_[j] / c_.y;
  for (int i = 0; i < n_ - nv_; ++i) x_[i] *= -row_[nv_ + i];
  if (augmented_) augmented_->multiply(gains_, x_);
  const Status status = solver_->solve(x_);
  if (!status.ok()) return named(status);
  for (int i = 0; i < n_ - nv_; ++i) x[unknown(i)] = x_[i] * column_[unknown(i)];
  for (int c = 0; c < n_; ++c) {  // (4)
    if (is_velocity(c)) continue;
    for (int k = J.start[c]; k < J.start[c + 1] && J.index[k] < nv_; ++k) r1_[J.index[k]] += full_[k] * x[c];
  }
  x.segment(nv_, nv_) = r1_ / c_.y;
  system_.from_matrix_columns(p, state, x, workspace);
  return status;
}

// Jᵀ (y₁, y₂) = −x:  (B + V A/c_y)ᵀ y₂ = −(x_w + Aᵀ x_v/c_y),  y₁ = (Vᵀ y₂ + x_v)/c_y
Status TwoFieldOperator::solve_transposed(Vec x) {
  const Pattern& J = source_.planes().pattern;
  r1_ = x.segment(nv_, nv_) / c_.y;
  for (int i = 0; i < n_ - nv_; ++i) {
    const int c = unknown(i);
    double sum = x[c];
    for (int k = J.start[c]; k < J.start[c + 1] && J.index[k] < nv_; ++k) sum += full_[k] * r1_[J.index[k]];
    x_[i] = -column_[c] * sum;
  }
  const Status status = solver_->solve_transposed(x_);
  if (augmented_) augmented_->multiply_transposed(gains_, x_);
  for (int i = 0; i < n_ - nv_; ++i) x_[i] *= row_[nv_ + i];
  for (int j = 0; j < nv_; ++j)
    for (int k = J.start[nv_ + j]; k < J.start[nv_ + j + 1]; ++k)
      if (J.index[k] >= nv_) r1_[j] += full_[k] * x_[condensed_row(J.index[k])] / c_.y;
  x.head(nv_) = r1_;
  x.tail(n_ - nv_) = x_;
  return named(status);
}

double TwoFieldOperator::condition() { return matrix_condition(condensed_, values_, *solver_); }

void TwoFieldOperator::calc_inverse_row_sums(Vec sums) {
  matrix_inverse_row_sums(condensed_, values_, *solver_, x_);
  sums.setZero();
  for (int i = 0; i < n_ - nv_; ++i) sums[unknown(i)] = x_[i];
}

// Rows and unknowns of the condensed system -> those of the form.
Status TwoFieldOperator::named(Status status) const {
  if (status.row >= 0) status.row = status.cause == Cause::not_finite ? status.row + nv_ : unknown(status.row);
  return status;
}

}  // namespace trammel
