// SPDX-License-Identifier: Apache-2.0
#include "trammel/dae/motion_operator.h"

#include <algorithm>
#include <cmath>

#include "trammel/base/crew.h"
#include "trammel/dae/iteration_operator.h"

namespace trammel {

namespace {

/// Numbers of a plane that one thread adds at once: some twenty microseconds.
constexpr long shared_numbers = 20000;

/// work(first, last) over pieces of the numbers of a plane; each has a slot of its own in the matrix.
template <class Work>
void share_plane(std::size_t n, const Work& work) {
  share(static_cast<long>(n), shared_numbers, work);
}

}  // namespace

MotionOperator::MotionOperator(const SecondOrderDae& dae, LinearSolverChoice solver, const MotionScaling& scaling)
    : dae_(dae), scaling_(scaling), solver_(make_linear_solver<double>(solver, dae.nv() + dae.nz() + dae.nc())) {
  axes_.reset(dae.turning());
}

Status MotionOperator::setup(const MotionPoint& p, const State& state, const MotionCoefficients& coefficients, double h,
                             Refresh refresh, Workspace& workspace) {
  ready_ = false;
  const bool linearizes = refresh == Refresh::linearize || linearizations_ == 0;
  const Status status = linearizes ? linearize(p, nullptr, state, workspace) : renew(p, state, workspace);
  return status.ok() ? factor(coefficients, h) : status;
}

Status MotionOperator::setup(const MotionPoint& p, const MotionPoint& end, const State& state,
                             const MotionCoefficients& coefficients, double h, Refresh refresh, Workspace& workspace) {
  ready_ = false;
  const bool linearizes = refresh == Refresh::linearize || linearizations_ == 0;
  const Status status = linearizes ? linearize(p, &end, state, workspace) : renew(p, state, workspace);
  return status.ok() ? factor(coefficients, h) : status;
}

Status MotionOperator::linearize(const MotionPoint& p, const MotionPoint* end, const State& state,
                                 Workspace& workspace) {
  const std::uint64_t before = planes_.version;
  Status status = take_planes(p, end, state, workspace);
  if (!status.ok()) return status;
  ++linearizations_;
  turns_ = will_turn_;
  if (turns_) axes_.take(dae_.turning(), end ? end->q : p.q, state);
  if (planes_.version != version_) rebuild();
  if (!follows_inputs_) return status;
  if (planes_.version != before || !keeps_pivots_) has_input_derivatives_ = false;  // anew behind invalidate(), too
  return take_input_derivatives(p, end, state, workspace);
}

Status MotionOperator::take_planes(const MotionPoint& p, const MotionPoint* end, const State& state,
                                   Workspace& workspace) {
  Status status = dae_.linearize(p, state, PlaneSet::all, planes_, workspace);
  if (!status.ok()) return status;
  dae_.to_chart(p.q, planes_, end ? G_scratch_ : G_chart_);
  G_rows_ = &planes_.G;
  if (end) {
    status = dae_.linearize(*end, state, PlaneSet::G | PlaneSet::Gv_q | PlaneSet::internal, end_planes_, workspace);
    if (!status.ok()) return status;
    dae_.to_chart(end->q, end_planes_, G_chart_);
    take_rows_of_end();
  }
  return Status::success();
}

Status MotionOperator::factor(const MotionCoefficients& coefficients, double h) {
  coefficients_ = coefficients;
  combine(h);
  const Status status = keeps_pivots_ ? solver_->refactor(values_) : solver_->factor(values_);
  ready_ = keeps_pivots_ = status.ok();
  return status;
}

// G acts on velocities in Gᵀλ where motion is taken; rows of constraints and of algebraic states come from the end.
void MotionOperator::take_rows_of_end() {
  G_rows_ = &end_planes_.G;
  planes_.Gv_q = end_planes_.Gv_q;
  const auto take = [this](const Pattern& pattern, const std::vector<double>& from, std::vector<double>& to) {
    for (std::size_t k = 0; k < from.size(); ++k)
      if (dae_.E()[pattern.index[k]] == 0.0) to[k] = from[k];
  };
  take(planes_.state_rate, end_planes_.g_q, planes_.g_q);
  take(planes_.state_rate, end_planes_.g_v, planes_.g_v);
  take(planes_.state_state, end_planes_.g_z, planes_.g_z);
  take(planes_.state_lam, end_planes_.g_lam, planes_.g_lam);
}

void MotionOperator::rebuild() {
  version_ = planes_.version;
  keeps_pivots_ = false;
  const int nv = dae_.nv(), nz = dae_.nz(), nc = dae_.nc(), n = nv + nz + nc;
  const TransposedPattern Gt = make_transposed(planes_.constraint);

  // G by rows: the columns of row r and the slots of their values.
  row_start_ = Gt.pattern.start;
  row_column_ = Gt.pattern.index;
  row_slot_ = Gt.from;

  PatternBuilder builder(n, n);
  builder.add(planes_.motion);
  builder.add(planes_.state_force, 0, nv);
  builder.add(planes_.state_rate, nv, 0);
  builder.add(planes_.state_state, nv, nv);
  builder.add(planes_.state_lam, nv, nv + nz);
  builder.add(planes_.reaction, 0, nv + nz);
  builder.add(planes_.constraint, nv + nz, 0);
  builder.add(Gt.pattern, 0, nv + nz);
  if (scaling_.has_penalty()) {
    for (int r = 0; r < nc; ++r)
      for (int i = row_start_[r]; i < row_start_[r + 1]; ++i)
        for (int j = row_start_[r]; j < row_start_[r + 1]; ++j) builder.add(row_column_[i], row_column_[j]);
  }
  pattern_ = builder.build(version_);

  const auto map = [&](const Pattern& plane, int row, int column, Map& to) {
    to.slot.resize(plane.nnz());
    for (int c = 0; c < plane.n_cols; ++c)
      for (int k = plane.start[c]; k < plane.start[c + 1]; ++k)
        to.slot[k] = pattern_.slot(row + plane.index[k], column + c);
  };
  map(planes_.motion, 0, 0, motion_);
  map(planes_.state_force, 0, nv, state_force_);
  map(planes_.state_rate, nv, 0, state_rate_);
  map(planes_.state_state, nv, nv, state_state_);
  map(planes_.state_lam, nv, nv + nz, state_lam_);
  map(planes_.reaction, 0, nv + nz, reaction_);
  map(planes_.constraint, nv + nz, 0, constraint_);
  constraint_transposed_.slot.resize(planes_.constraint.nnz());
  for (int c = 0; c < nv; ++c)
    for (int k = planes_.constraint.start[c]; k < planes_.constraint.start[c + 1]; ++k)
      constraint_transposed_.slot[k] = pattern_.slot(c, nv + nz + planes_.constraint.index[k]);
  E_slot_.resize(nz);
  for (int z = 0; z < nz; ++z) E_slot_[z] = pattern_.slot(nv + z, nv + z);

  pair_start_.clear(), pair_slot_.clear();
  if (scaling_.has_penalty()) {
    for (int r = 0; r < nc; ++r) {
      pair_start_.push_back(static_cast<int>(pair_slot_.size()));
      for (int i = row_start_[r]; i < row_start_[r + 1]; ++i)
        for (int j = row_start_[r]; j < row_start_[r + 1]; ++j)
          pair_slot_.push_back(pattern_.slot(row_column_[i], row_column_[j]));
    }
  }
  values_.assign(pattern_.nnz(), 0.0);
  constraint_values_.assign(planes_.constraint.nnz(), 0.0);
  row_.assign(n, 1.0);
  column_.assign(n, 1.0);

  // A pattern that cannot be ordered is what factor() fails with.
  static_cast<void>(solver_->analyze(pattern_, make_hint()));
}

OrderingHint MotionOperator::make_hint() const {
  OrderingHint hint;
  hint.roles.insert(hint.roles.end(), dae_.nv(), UnknownRole::coordinate);
  hint.roles.insert(hint.roles.end(), dae_.nz(), UnknownRole::other);
  hint.roles.insert(hint.roles.end(), dae_.nc(), UnknownRole::multiplier);
  return hint;
}

void MotionOperator::combine(double h) {
  const int nv = dae_.nv(), nz = dae_.nz(), nc = dae_.nc();
  factors_ = scaling_.calc(h, coefficients_, planes_);
  const double ca = coefficients_.a, cv = coefficients_.v, cq = coefficients_.q, cv_end = coefficients_.v_end;
  share_plane(values_.size(),
              [&](long first, long last) { std::fill(values_.begin() + first, values_.begin() + last, 0.0); });
  share_plane(planes_.M.size(), [&](long first, long last) {
    for (long k = first; k < last; ++k)
      values_[motion_.slot[k]] += ca * planes_.M[k] + cv * planes_.D[k] + cq * (planes_.K[k] + planes_.K_lam[k]);
  });
  const auto add = [&](const Map& map, const std::vector<double>& plane, double factor) {
    share_plane(plane.size(), [&](long first, long last) {
      for (long k = first; k < last; ++k) values_[map.slot[k]] += factor * plane[k];
    });
  };
  // Rows of states: differential ones where motion is taken, algebraic ones at the end.
  const auto add_states = [&](const Pattern& pattern, const Map& map, const std::vector<double>& plane, double c,
                              double c_end) {
    for (std::size_t k = 0; k < plane.size(); ++k)
      values_[map.slot[k]] += (dae_.E()[pattern.index[k]] != 0.0 ? c : c_end) * plane[k];
  };
  add(state_force_, planes_.f_z, coefficients_.z);
  add_states(planes_.state_rate, state_rate_, planes_.g_q, cq, 1.0);
  add_states(planes_.state_rate, state_rate_, planes_.g_v, cv, cv_end);
  add_states(planes_.state_state, state_state_, planes_.g_z, coefficients_.z, 1.0);
  add(state_lam_, planes_.g_lam, 1.0);
  for (int z = 0; z < nz; ++z) values_[E_slot_[z]] += coefficients_.zp * dae_.E()[z];
  add(reaction_, planes_.f_lam, 1.0);
  add(constraint_transposed_, planes_.G, 1.0);
  share_plane(constraint_values_.size(), [&](long first, long last) {
    for (long k = first; k < last; ++k) {
      const bool holonomic = dae_.holonomic()[planes_.constraint.index[k]];
      constraint_values_[k] = holonomic ? G_chart_[k] : cv_end * (*G_rows_)[k] + planes_.Gv_q[k];
    }
  });
  add(constraint_, constraint_values_, 1.0);
  if (scaling_.has_penalty()) apply_penalty();

  std::fill(row_.begin(), row_.begin() + nv, factors_.motion);
  // Motion in displacements (h²) goes with rates of states in increments (h): neither grows as h falls.
  for (int z = 0; z < nz; ++z) row_[nv + z] = dae_.E()[z] != 0.0 ? std::sqrt(factors_.motion) : 1.0;
  for (int r = 0; r < nc; ++r) {
    row_[nv + nz + r] = dae_.holonomic()[r] ? factors_.holonomic : factors_.nonholonomic;
    column_[nv + nz + r] = factors_.multiplier;
  }
  share(pattern_.n_cols, shared_numbers / 10, [&](long first, long last) {
    for (long c = first; c < last; ++c)
      for (int k = pattern_.start[c]; k < pattern_.start[c + 1]; ++k)
        values_[k] *= row_[pattern_.index[k]] * column_[c];
  });
}

// A nonholonomic row enters as the displacement within a step, as in its own row factor.
double MotionOperator::penalty(int r) const {
  return dae_.holonomic()[r] ? factors_.penalty : factors_.penalty * factors_.nonholonomic / factors_.holonomic;
}

// motion rows += penalty Gᵀ (constraint rows): the constraint rows have entries in the columns of q only. A column of
// the matrix gets what the rows with an entry in it give, in their order.
void MotionOperator::apply_penalty() {
  const Pattern& rows = planes_.constraint;
  share(rows.n_cols, shared_numbers / 100, [&](long first_column, long last_column) {
    for (long c = first_column; c < last_column; ++c)
      for (int k = rows.start[c]; k < rows.start[c + 1]; ++k) {
        const int r = rows.index[k], first = row_start_[r], n = row_start_[r + 1] - first;
        const auto begin = row_column_.begin() + first;
        const auto j = std::lower_bound(begin, begin + n, static_cast<int>(c)) - begin;
        const double weight = penalty(r);
        const int* slot = pair_slot_.data() + pair_start_[r] + j;
        for (int i = 0; i < n; ++i, slot += n)
          values_[*slot] += weight * planes_.G[row_slot_[first + i]] * constraint_values_[k];
      }
  });
}

Status MotionOperator::solve(Vec x) {
  const int nv = dae_.nv(), nz = dae_.nz();
  if (scaling_.has_penalty()) {
    for (int r = 0; r < dae_.nc(); ++r) {
      const double force = penalty(r) * x[nv + nz + r];
      for (int k = row_start_[r]; k < row_start_[r + 1]; ++k) x[row_column_[k]] += planes_.G[row_slot_[k]] * force;
    }
  }
  x.head(nv) *= -factors_.motion;
  for (Eigen::Index i = nv; i < x.size(); ++i) x[i] *= -row_[i];
  const Status status = solver_->solve(x);
  x.tail(dae_.nc()) *= factors_.multiplier;  // the columns of all other unknowns are not scaled
  return status;
}

void MotionOperator::update_axes(ConstVec q, const State& state) {
  if (turns_) axes_.update(dae_.turning(), q, state);
}

void MotionOperator::turn(TurningAxes::To to, Vec x) const {
  if (!turns_) return;
  axes_.turn_coordinates(dae_.turning(), to, x.head(dae_.nv()));
  axes_.turn_rows(dae_.turning(), to, x.tail(dae_.nc()));
}

double MotionOperator::condition() { return matrix_condition(pattern_, values_, *solver_); }

}  // namespace trammel
