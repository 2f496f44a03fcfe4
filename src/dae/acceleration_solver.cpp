// SPDX-License-Identifier: Apache-2.0
#include "trammel/dae/acceleration_solver.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "trammel/dae/mass_unit.h"
#include "trammel/dae/row_correction.h"

namespace trammel {

namespace {

constexpr int max_acceleration_iterations = 30;
// Corrections below this fraction of the largest value are rounding, not progress.
constexpr double relative_tol = 1e-12;
// Points of an interpolation are near: quadratic convergence from there, or none.
constexpr int max_projections = 8;
constexpr double projected_tol = 1e-13;
// [m, rad] of a projection. Below the first M and G are those of before, to as many digits as accelerations have; below
// the second their factors serve: a correction leaves this part of itself, and the first one is small (below).
constexpr double same_matrix = 1e-11, near_matrix = 1e-7;
// Forces Gᵀδλ that exceed M δv̇ by this much are not those that a stiff force makes of errors in positions.
constexpr double unexplained = 10.0;
// Of a correction beside the values, that is not refined.
constexpr double small_correction = 1e-3;

constexpr PlaneSet needed_planes = PlaneSet::M | PlaneSet::G | PlaneSet::f_lam | PlaneSet::internal;

// (1) is linear in (v̇, λ, ż) unless forces depend on λ: the second correction is rounding, and the matrix what it was
// for the first unless states are algebraic.
bool is_linear(const MotionPlanes& planes) {
  return planes.f_lam.empty() && planes.g_lam.empty() && planes.linear_in_rates;
}

// Without M/h² + ρ GᵀG a massless coordinate leaves a zero on the diagonal of [M Gᵀ; G 0]: solvers that do not exchange
// rows are meant for steps only.
LinearSolverChoice with_row_exchanges(LinearSolverChoice choice) {
  if (!exchanges_rows(choice.kind)) choice.kind = LinearSolverKind::automatic;
  return choice;
}

std::vector<int> map_slots(const Pattern& plane, int row, int column, const Pattern& to) {
  std::vector<int> slots(plane.nnz());
  for (int c = 0; c < plane.n_cols; ++c)
    for (int k = plane.start[c]; k < plane.start[c + 1]; ++k) slots[k] = to.slot(row + plane.index[k], column + c);
  return slots;
}

}  // namespace

AccelerationSolver::AccelerationSolver(const SecondOrderDae& dae, LinearSolverChoice solver)
    : dae_(dae), solver_(make_linear_solver<double>(with_row_exchanges(solver), dae.nv() + dae.nz() + dae.nc())) {
  r_.setZero(dae.nv() + dae.nz() + dae.nc());
  bias_.setZero(dae.nc());
  phi_dot_.setZero(dae.nc());
  for (auto* x : {&delta_, &q_rate_}) x->setZero(dae.nv());
}

// M shares its pattern with D and K, but springs and contacts that couple bodies have no part in it: an entry counts
// from the first time on when it is not zero. Thousands of bodies in contact have block-diagonal M.
bool AccelerationSolver::note_inertia() {
  if (planes_.version != version_) has_inertia_.assign(planes_.M.size(), 0);
  bool grown = planes_.version != version_;
  for (std::size_t k = 0; k < planes_.M.size(); ++k)
    if (planes_.M[k] != 0.0 && !has_inertia_[k]) has_inertia_[k] = 1, grown = true;
  return grown;
}

void AccelerationSolver::rebuild() {
  version_ = planes_.version;
  const int nv = dae_.nv(), nz = dae_.nz(), n = nv + nz + dae_.nc();
  const TransposedPattern Gt = make_transposed(planes_.constraint);
  PatternBuilder builder(n, n);
  for (int c = 0; c < nv; ++c) {
    builder.add(c, c);
    for (int k = planes_.motion.start[c]; k < planes_.motion.start[c + 1]; ++k)
      if (has_inertia_[k]) builder.add(planes_.motion.index[k], c);
  }
  builder.add(planes_.constraint, nv + nz, 0);
  builder.add(Gt.pattern, 0, nv + nz);
  builder.add(planes_.reaction, 0, nv + nz);
  builder.add(planes_.state_force, 0, nv);
  builder.add(planes_.state_state, nv, nv);
  builder.add(planes_.state_lam, nv, nv + nz);
  pattern_ = builder.build(version_);
  values_.assign(pattern_.nnz(), 0.0);
  M_ = map_slots(planes_.motion, 0, 0, pattern_);
  G_ = map_slots(planes_.constraint, nv + nz, 0, pattern_);
  Gt_.resize(planes_.constraint.nnz());
  for (int c = 0; c < nv; ++c)
    for (int k = planes_.constraint.start[c]; k < planes_.constraint.start[c + 1]; ++k)
      Gt_[k] = pattern_.slot(c, nv + nz + planes_.constraint.index[k]);
  reaction_ = map_slots(planes_.reaction, 0, nv + nz, pattern_);
  state_force_ = map_slots(planes_.state_force, 0, nv, pattern_);
  state_state_ = map_slots(planes_.state_state, nv, nv, pattern_);
  state_lam_ = map_slots(planes_.state_lam, nv, nv + nz, pattern_);
  E_.resize(nz);
  for (int z = 0; z < nz; ++z) E_[z] = pattern_.slot(nv + z, nv + z);
  // A pattern that cannot be ordered is what factor() fails with.
  OrderingHint hint;
  hint.roles.assign(static_cast<std::size_t>(nv), UnknownRole::coordinate);
  hint.roles.insert(hint.roles.end(), nz, UnknownRole::other);
  hint.roles.insert(hint.roles.end(), dae_.nc(), UnknownRole::multiplier);
  static_cast<void>(solver_->analyze(pattern_, hint));
}

// r_ ← the rows of motion and states; bias_.
Status AccelerationSolver::calc_rows(const MotionVariables& x, const State& state, Workspace& workspace,
                                     bool knows_bias) {
  const int nv = dae_.nv(), nz = dae_.nz(), nc = dae_.nc();
  const MotionPoint p = x.point(inputs_.view());
  const Status status = dae_.residual(p, state, r_.head(nv), r_.segment(nv, nz), r_.tail(nc), workspace);
  if (load_.size() > 0) r_.head(nv) -= load_;
  return status.ok() && !knows_bias ? dae_.velocity_level(p, state, phi_dot_, bias_, workspace) : status;
}

// Planes and factors at the point.
Status AccelerationSolver::setup(const MotionVariables& x, const State& state, Workspace& workspace) {
  const std::span<const double> E = dae_.E();
  const Status status = dae_.linearize(x.point(inputs_.view()), state, needed_planes, planes_, workspace);
  if (!status.ok()) return status;
  if (note_inertia()) rebuild();
  unit_ = calc_mass_unit(planes_.M);
  std::fill(values_.begin(), values_.end(), 0.0);
  for (std::size_t k = 0; k < M_.size(); ++k)
    if (has_inertia_[k]) values_[M_[k]] += planes_.M[k] / unit_;
  for (std::size_t k = 0; k < G_.size(); ++k) {
    values_[G_[k]] += planes_.G[k];
    values_[Gt_[k]] += planes_.G[k];
  }
  for (std::size_t k = 0; k < reaction_.size(); ++k) values_[reaction_[k]] += planes_.f_lam[k];
  for (std::size_t k = 0; k < state_lam_.size(); ++k) values_[state_lam_[k]] += planes_.g_lam[k] * unit_;
  for (int z = 0; z < dae_.nz(); ++z) {
    values_[E_[z]] += E[z];
    if (E[z] != 0.0) continue;  // algebraic: its column is z itself
    for (int k = planes_.state_force.start[z]; k < planes_.state_force.start[z + 1]; ++k)
      values_[state_force_[k]] += planes_.f_z[k] / unit_;
    for (int k = planes_.state_state.start[z]; k < planes_.state_state.start[z + 1]; ++k)
      values_[state_state_[k]] += planes_.g_z[k];
  }
  return solver_->refactor(values_);
}

// (v̇, ż or z, λ) −= matrix⁻¹ r_ with G v̇ + bias as the last rows; r_ is the correction afterwards.
Status AccelerationSolver::correct(MotionVariables& x) {
  const int nv = dae_.nv(), nz = dae_.nz();
  auto constraint = r_.tail(dae_.nc());
  constraint = bias_;
  for (int c = 0; c < nv; ++c)
    for (int k = planes_.constraint.start[c]; k < planes_.constraint.start[c + 1]; ++k)
      constraint[planes_.constraint.index[k]] += planes_.G[k] * x.a[c];
  r_ = -r_;
  r_.head(nv) /= unit_;
  if (const Status status = solver_->solve(r_); !status.ok()) return status;
  constraint *= unit_;
  x.a += r_.head(nv);
  x.lam += r_.tail(dae_.nc());
  for (int z = 0; z < nz; ++z) (dae_.E()[z] != 0.0 ? x.zp[z] : x.z[z]) += r_[nv + z];
  return Status::success();
}

bool AccelerationSolver::is_rounding(const MotionVariables& x) const {
  const double size = 1.0 + std::max({x.a.size() ? x.a.lpNorm<Eigen::Infinity>() : 0.0,
                                      x.lam.size() ? x.lam.lpNorm<Eigen::Infinity>() : 0.0});
  return r_.lpNorm<Eigen::Infinity>() <= relative_tol * size;
}

bool AccelerationSolver::is_small(const MotionVariables& x) const {
  const auto size = [](const auto& a) { return a.size() > 0 ? a.template lpNorm<Eigen::Infinity>() : 0.0; };
  return size(r_.head(dae_.nv())) <= small_correction * size(x.a) &&
         size(r_.tail(dae_.nc())) <= small_correction * size(x.lam);
}

// The problem of accelerations: (1) for (v̇, ż or z, λ). Algebraic states move the matrix, forces that depend on λ the
// rows as well.
class AccelerationSolver::Iteration {
 public:
  /// `done`: corrections that were made already, by planes at hand.
  Iteration(AccelerationSolver& solver, int done, MotionVariables& x, const State& state, Workspace& workspace)
      : s_(solver), done_(done), x_(x), state_(state), workspace_(workspace) {
    const std::span<const double> E = s_.dae_.E();
    algebraic_ = std::find(E.begin(), E.end(), 0.0) != E.end();
  }

  Status prepare(int k) {
    const bool same = k + done_ > 0 && is_linear(s_.planes_) && !algebraic_;
    const Status status = s_.calc_rows(x_, state_, workspace_, same);
    return status.ok() && !same ? s_.setup(x_, state_, workspace_) : status;
  }

  Status solve(int) { return s_.correct(x_); }

  NewtonVerdict correct(int k) {
    const bool again = k + done_ > 0;
    const bool ends = s_.r_.size() == 0 || (again && (is_linear(s_.planes_) || s_.is_rounding(x_)));
    return ends ? NewtonVerdict::converged : NewtonVerdict::go_on;
  }

  Status give_up(Cause cause) { return Status::recoverable(cause); }

 private:
  AccelerationSolver& s_;
  const int done_;
  MotionVariables& x_;
  const State& state_;
  Workspace& workspace_;
  bool algebraic_ = false;
};

Status AccelerationSolver::solve(MotionVariables& x, const State& state, Workspace& workspace) {
  dae_.calc_inputs(x.t, inputs_);
  return solve_by_newton(Iteration(*this, 0, x, state, workspace), max_acceleration_iterations);
}

std::optional<double> AccelerationSolver::calc_power_left(const MotionVariables& x, double t_inputs, const State& state,
                                                          Workspace& workspace) {
  dae_.calc_inputs(t_inputs, inputs_);
  if (!calc_rows(x, state, workspace, true).ok()) return std::nullopt;
  return r_.head(dae_.nv()).dot(x.v);
}

// (2) and (3) with the factors at hand.
Status AccelerationSolver::project(bool velocities, double limit, MotionVariables& x, const State& state,
                                   Workspace& workspace, Projected& projected) {
  const int nv = dae_.nv(), nz = dae_.nz(), nc = dae_.nc();
  projected = {};
  const auto evaluate = [&](double& size) {
    const MotionPoint p = x.point(inputs_.view());
    const Status status = velocities ? dae_.velocity_level(p, state, phi_dot_, bias_, workspace)
                                     : dae_.residual(p, state, r_.head(nv), r_.segment(nv, nz), phi_dot_, workspace);
    if (!velocities)
      for (int r = 0; r < nc; ++r)
        if (!dae_.holonomic()[r]) phi_dot_[r] = 0.0;  // belongs to the velocities
    size = phi_dot_.lpNorm<Eigen::Infinity>();
    return status;
  };
  const auto correct = [&] {
    r_.setZero();
    r_.tail(nc) = -phi_dot_;
    return solver_->solve(r_);
  };
  const auto move = [&] {
    if (velocities) {
      x.v += r_.head(nv);
    } else {
      delta_ = r_.head(nv);
      dae_.calc_q_rate(x.q, delta_, q_rate_);  // increments are those of bodies: δq = T(q) δ
      x.q += q_rate_;
    }
    projected.way = std::max(projected.way, r_.head(nv).lpNorm<Eigen::Infinity>());
  };
  RowCorrection rows(limit, projected_tol, evaluate, correct, move);
  const Status status = solve_by_newton(rows, max_projections);
  projected.settled = status.ok() && !rows.is_exhausted();
  return status;
}

Status AccelerationSolver::settle(MotionVariables& x, double t_inputs, const SettleLimits& limits, const State& state,
                                  Workspace& workspace) {
  dae_.calc_inputs(t_inputs, inputs_);
  Status status = setup(x, state, workspace);
  if (!status.ok()) return status;
  Projected positions, velocities;
  if (dae_.nc() > 0) {
    if (std::isfinite(limits.position)) status = project(false, limits.position, x, state, workspace, positions);
    if (status.ok() && positions.way > same_matrix)
      status = positions.way > near_matrix
                   ? setup(x, state, workspace)
                   : dae_.linearize(x.point(inputs_.view()), state, needed_planes, planes_, workspace);
    if (status.ok() && std::isfinite(limits.velocity))
      status = project(true, limits.velocity, x, state, workspace, velocities);
    if (!status.ok()) return status;
  }
  // The last look at positions has left the rows of motion in r_, unless velocities moved since.
  if (!(positions.settled && velocities.way == 0.0))
    status = calc_rows(x, state, workspace, velocities.settled);
  else if (!velocities.settled)
    status = dae_.velocity_level(x.point(inputs_.view()), state, phi_dot_, bias_, workspace);
  if (!status.ok()) return status;
  own_ = r_;
  kept_ = x;
  status = correct(x);
  if (!status.ok()) return status;
  if (dae_.nv() > 0 && r_.head(dae_.nv()).lpNorm<Eigen::Infinity>() > limits.acceleration) {
    // The share of the motion's own rows in the change of v̇, beside that of G v̇ + bias.
    delta_ = r_.head(dae_.nv());
    r_ = own_;
    r_.head(dae_.nv() + dae_.nz()).setZero();
    status = correct(kept_);
    if (!status.ok()) return status;
    if ((r_.head(dae_.nv()) - delta_).lpNorm<Eigen::Infinity>() > limits.acceleration) {
      // Errors of stiff forces, δf, would be in v̇ and λ alike: M δv̇ + Gᵀδλ = δf. Where λ changes by far more than v̇ it
      // is the method's λ that errs, and not f.
      delta_.setZero();
      double of_multipliers = 0.0;
      for (int c = 0; c < dae_.nv(); ++c) {
        for (int k = planes_.motion.start[c]; k < planes_.motion.start[c + 1]; ++k)
          delta_[planes_.motion.index[k]] += planes_.M[k] * (x.a[c] - kept_.a[c]);
        double force = 0.0;
        for (int k = planes_.constraint.start[c]; k < planes_.constraint.start[c + 1]; ++k) {
          const int row = planes_.constraint.index[k];
          force += planes_.G[k] * (x.lam[row] - kept_.lam[row]);
        }
        of_multipliers = std::max(of_multipliers, std::abs(force));
      }
      if (of_multipliers > unexplained * delta_.lpNorm<Eigen::Infinity>()) kept_.lam = x.lam;
      x = kept_;
      return status;
    }
    r_.head(dae_.nv()) = delta_;
  }
  const bool linear = is_linear(planes_);
  // Values on entry are near: what rounding leaves of a small correction is nothing beside the values.
  if (linear && is_small(x)) return status;
  return solve_by_newton(Iteration(*this, 1, x, state, workspace), max_acceleration_iterations);
}

}  // namespace trammel
