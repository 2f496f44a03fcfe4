// SPDX-License-Identifier: Apache-2.0
#include "trammel/dae/iteration_operator.h"

#include <algorithm>
#include <bit>
#include <cstdint>

#include "trammel/linalg/condensed_solver.h"
#include "trammel/linalg/condition.h"
#include "trammel/linalg/guarded_ldlt.h"

namespace trammel {

namespace {

// A pattern that is enlarged more often than this keeps every entry: each enlargement costs a new ordering.
constexpr int max_enlargements = 8;
// Inputs are moved by this, relative to 1 or their size, for second derivatives: F_y by differences carries a noise of
// 1e-8, which then is 1e-4 of an entry.
constexpr double input_step = 1e-4;
// Second derivatives below this part of F_y's entry (per unit of the input) are noise of differences.
constexpr double input_noise = 1e-3;

void store(const Inputs& in, std::vector<double>& w) {
  w.assign(in.u.begin(), in.u.end());
  w.insert(w.end(), in.ud.begin(), in.ud.end());
  w.insert(w.end(), in.udd.begin(), in.udd.end());
}

// A system that names the row of every unknown can be factored without a search for pivots.
std::unique_ptr<LinearSolver<double>> make_solver(const DaeSystem& system, LinearSolverChoice choice) {
  auto solver = make_linear_solver<double>(choice, system.layout().n());
  const bool chooses = choice.kind == LinearSolverKind::automatic && solver->name() != "dense";
  if (!chooses || system.pivot_rows().empty()) return solver;
  return make_condensed_solver<double>(make_guarded_ldlt<double>({.dense_kernel = choice.dense_kernel}));
}

}  // namespace

MatrixOperator::MatrixOperator(const DaeSystem& system, LinearSolverChoice solver, const RowColumnScaling* scaling)
    : system_(system), scaling_(scaling), solver_(make_solver(system, solver)) {}

Status MatrixOperator::setup(const Point& p, const State& state, const Coefficients& c, double h, Refresh refresh,
                             Workspace& workspace) {
  ready_ = false;
  const bool new_pattern = system_.update_pattern(state, planes_);
  if (new_pattern) has_entries_ = false, enlargements_ = 0;
  if (refresh == Refresh::linearize || new_pattern || !has_planes_) {
    planes_.h = h;
    has_planes_ = false;
    const Status status = system_.linearize(p, state, planes_, workspace);
    if (!status.ok()) return status;
    planes_.t = p.t;
    planes_.y = p.y;
    planes_.yp = p.yp;
    planes_.anew = false;
    store(p.in, planes_.inputs);
    has_planes_ = true;
    ++counters_.linearizations;
    std::fill(followed_.begin(), followed_.end(), 0.0);
    if (new_pattern) has_input_derivatives_ = false;
    if (follows_inputs_ && !has_input_derivatives_) {
      const Status taken = take_input_derivatives(p, state, workspace);
      if (!taken.ok()) return taken;
    }
    if (find_new_entries()) analyze();
  } else {
    if (system_.has_exact_rates() && !system_.has_constant_rates()) {
      const Status status = system_.update_rates(p, state, planes_, workspace);
      if (!status.ok()) return status;
      if (find_new_entries()) analyze();
    }
    follow(p.in);
  }
  c_ = c;
  combine(h);
  ++counters_.factorizations;
  const Status status = keeps_pivots_ ? solver_->refactor(values_) : solver_->factor(values_);
  ready_ = keeps_pivots_ = status.ok();
  return status;
}

Status MatrixOperator::take_input_derivatives(const Point& p, const State& state, Workspace& workspace) {
  input_derivatives_.clear();
  const std::size_t n = p.in.u.size();
  std::vector<double> w = planes_.inputs;
  Planes moved = planes_;
  moved.suspect = false;
  for (std::size_t i = 0; i < w.size(); ++i) {
    if (i % n == 0) continue;  // time
    const double delta = input_step * std::max(1.0, std::abs(w[i]));
    w[i] += delta;
    const Inputs in{{w.data(), n}, {w.data() + n, n}, {w.data() + 2 * n, n}};
    const Status status = system_.linearize({p.t, in, p.y, p.yp}, state, moved, workspace);
    w[i] = planes_.inputs[i];
    ++counters_.input_derivatives;
    if (!status.ok()) return status;
    InputDerivative d{i, {}, {}};
    for (std::size_t k = 0; k < planes_.pattern.index.size(); ++k) {
      double change = 0.0, size = 0.0;
      for (std::size_t plane = 0; plane < planes_.values.size(); ++plane) {
        if (planes_.roles[plane] != PlaneRole::y) continue;
        change += (moved.values[plane][k] - planes_.values[plane][k]) / delta;
        size += std::abs(planes_.values[plane][k]);
      }
      if (std::abs(change) <= input_noise * size || change == 0.0) continue;
      d.slot.push_back(static_cast<int>(k));
      d.value.push_back(change);
    }
    if (!d.slot.empty()) input_derivatives_.push_back(std::move(d));
  }
  followed_.assign(planes_.pattern.index.size(), 0.0);
  has_input_derivatives_ = true;
  return Status::success();
}

void MatrixOperator::follow(const Inputs& in) {
  if (input_derivatives_.empty()) return;
  std::fill(followed_.begin(), followed_.end(), 0.0);
  const std::size_t n = in.u.size();
  for (const InputDerivative& d : input_derivatives_) {
    const std::span<const double> values = d.input < n ? in.u : d.input < 2 * n ? in.ud : in.udd;
    const double change = values[d.input % n] - planes_.inputs[d.input];
    for (std::size_t k = 0; k < d.slot.size(); ++k) followed_[d.slot[k]] += d.value[k] * change;
  }
}

// The slots of the planes that are not zero, added to those of before. True: there are new ones.
bool MatrixOperator::find_new_entries() {
  const std::size_t n_slots = planes_.pattern.index.size();
  const bool keeps_all = solver_->name() == "dense" || enlargements_ >= max_enlargements;
  if (!has_entries_) {
    unused_.resize(n_slots);
    for (std::size_t k = 0; k < n_slots; ++k) unused_[k] = static_cast<int>(k);
  }
  const auto is_entry = [&](int slot) {
    for (const std::vector<double>& plane : planes_.values)
      if (plane[slot] != 0.0) return true;
    for (const InputDerivative& d : input_derivatives_)
      if (std::binary_search(d.slot.begin(), d.slot.end(), slot)) return true;
    return false;
  };
  if (has_entries_) {
    std::uint64_t bits = 0;  // without branches: this is asked after every linearization
    for (const std::vector<double>& plane : planes_.values)
      for (const int slot : unused_) bits |= std::bit_cast<std::uint64_t>(plane[slot]);
    if (bits << 1 == 0) return false;  // the sign of a zero is no entry
  }
  const auto end = keeps_all ? unused_.begin() : std::remove_if(unused_.begin(), unused_.end(), is_entry);
  unused_.erase(end, unused_.end());
  if (has_entries_) ++enlargements_;
  has_entries_ = true;
  return true;
}

void MatrixOperator::analyze() {
  keeps_pivots_ = false;
  const Pattern& all = planes_.pattern;
  pattern_ = {all.n_rows, all.n_cols, {0}, {}, pattern_.version + 1};
  slot_.clear();
  auto unused = unused_.begin();
  for (int j = 0; j < all.n_cols; ++j) {
    for (int k = all.start[j]; k < all.start[j + 1]; ++k) {
      if (unused != unused_.end() && *unused == k) {
        ++unused;
        continue;
      }
      slot_.push_back(k);
      pattern_.index.push_back(all.index[k]);
    }
    pattern_.start.push_back(static_cast<int>(slot_.size()));
  }
  const std::span<const Kind> kinds = system_.layout().kinds();
  OrderingHint hint;
  for (const Kind kind : kinds) hint.roles.push_back(role_of(kind));
  hint.rows = system_.pivot_rows();
  hint.own_rows = system_.own_rows();
  // A pattern that cannot be ordered is what factor() fails with.
  static_cast<void>(solver_->analyze(pattern_, hint));
  values_.assign(slot_.size(), 0.0);
  row_.assign(kinds.size(), 1.0);
  column_.assign(kinds.size(), 1.0);
}

void MatrixOperator::combine(double h) {
  const std::vector<double>&F_y = planes_.F_y(), &F_yp = planes_.F_yp();
  for (std::size_t k = 0; k < values_.size(); ++k) values_[k] = c_.y * F_y[slot_[k]] + c_.yp * F_yp[slot_[k]];
  if (!input_derivatives_.empty())
    for (std::size_t k = 0; k < values_.size(); ++k) values_[k] += c_.y * followed_[slot_[k]];
  for (std::size_t plane = 2; plane < planes_.values.size(); ++plane) {
    const double c = c_.of(planes_.roles[plane]);
    for (std::size_t k = 0; k < values_.size(); ++k) values_[k] += c * planes_.values[plane][slot_[k]];
  }
  if (!scaling_) return;
  std::fill(row_.begin(), row_.end(), 1.0);
  std::fill(column_.begin(), column_.end(), 1.0);
  scaling_->fill(h, c_, planes_, row_, column_);
  for (int j = 0; j < pattern_.n_cols; ++j)
    for (int k = pattern_.start[j]; k < pattern_.start[j + 1]; ++k) values_[k] *= row_[pattern_.index[k]] * column_[j];
}

Status MatrixOperator::solve(const Point& p, const State& state, Vec x, Workspace& workspace) {
  ++counters_.solves;
  system_.to_matrix_rows(p, state, x, workspace);
  for (Eigen::Index i = 0; i < x.size(); ++i) x[i] *= -row_[i];
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
