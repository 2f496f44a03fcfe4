// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "trammel/dae/equilibrium.h"
#include "trammel/nonlinear/newton.h"

// Equilibria under a load that grows: in steps of the load, or of the way that the machine goes with it.

namespace trammel {

namespace {

constexpr int newton_iterations = 20;  // per load step
constexpr double smallest_load_step = 1e-6;
constexpr int few_iterations = 4;  // of a step along the path after which the next one may be longer
constexpr double longest = 4.0;    // step along the path beside the first one

}  // namespace

// Newton's iteration at the present load, by the stiffness alone.
class Equilibrium::Balance {
 public:
  Balance(Equilibrium& equilibrium, MotionVariables& x, State& state, Workspace& workspace)
      : e_(equilibrium), x_(x), state_(state), workspace_(workspace) {}

  Status prepare(int) { return Status::success(); }
  Status solve(int) { return e_.correct(0.0, x_, state_, workspace_); }

  NewtonVerdict correct(int k) {
    const double change = e_.report_.last_change, last = last_;
    last_ = change;
    if (k == 0) first_ = change;
    if (change <= e_.options_.tol) return NewtonVerdict::converged;
    if (!std::isfinite(change)) return NewtonVerdict::not_finite;
    if (k > 2 && change > 10.0 * first_) return NewtonVerdict::diverging;
    const bool rounding = k > 2 && change >= 0.5 * last && change < 1e-8;
    return rounding && e_.is_settled() ? NewtonVerdict::converged : NewtonVerdict::go_on;
  }

  Status give_up(Cause cause) { return Status::recoverable(cause); }

 private:
  Equilibrium& e_;
  MotionVariables& x_;
  State& state_;
  Workspace& workspace_;
  double first_ = 0.0, last_ = 0.0;
};

bool Equilibrium::balance(MotionVariables& x, State& state, Workspace& workspace) {
  refused_ = calc_residual(x, state, workspace);
  if (!refused_.ok()) return false;
  const int left = options_.max_iterations - report_.iterations;
  refused_ = solve_by_newton(Balance(*this, x, state, workspace), std::min(newton_iterations, left));
  return refused_.ok();
}

// A beam element that cannot turn further says more than the step that became small before it.
Status Equilibrium::too_small() const {
  return refused_.cause == Cause::element_turned ? refused_ : Status::recoverable(Cause::step_too_small);
}

// The part of the load that is there at first is none.
Status Equilibrium::start_loading(MotionVariables& x, const State& state, Workspace& workspace, const Watch& watch) {
  missing_ = 0.0;
  x.lam.setZero();
  const Status status = calc_residual(x, state, workspace);
  r0_ = r_;
  if (status.ok() && watch) watch(report_, x, state);
  return status;
}

Status Equilibrium::load(MotionVariables& x, State& state, Workspace& workspace, const Watch& watch) {
  const Status status = start_loading(x, state, workspace, watch);
  if (!status.ok()) return status;
  const double step = 1.0 / options_.load_steps;
  double part = step;
  while (report_.load < 1.0) {
    const double target = std::min(1.0, report_.load + part);
    const MotionVariables x_before = x;
    const State state_before = state;
    missing_ = 1.0 - target;
    way_.setZero();
    if (balance(x, state, workspace)) {
      report_.load = target < 1.0 - 1e-12 ? target : 1.0;
      report_.path += way_.norm() * units_.length();
      ++report_.load_steps;
      part = std::min(step, 2.0 * part);
      if (watch) watch(report_, x, state);
      continue;
    }
    x = x_before;
    state = state_before;
    part *= 0.5;
    if (report_.iterations >= options_.max_iterations) return Status::recoverable(Cause::too_many_iterations);
    if (part < smallest_load_step) return too_small();
  }
  return Status::success();
}

Status Equilibrium::follow(MotionVariables& x, State& state, Workspace& workspace, const Watch& watch) {
  Status status = start_loading(x, state, workspace, watch);
  if (!status.ok()) return status;
  const int nv = dae_.nv();
  Eigen::VectorXd last = Eigen::VectorXd::Zero(nv);  // way of the last step
  double length = 0.0, first_length = 0.0;
  while (report_.load < 1.0) {
    const MotionVariables x_before = x;
    const State state_before = state;
    missing_ = 1.0 - report_.load;
    status = linearize(x, state, workspace);
    if (status.ok()) status = factor(0.0);
    if (status.ok()) status = solve_tangent();
    if (!status.ok()) return status;
    const double slope = tangent_.head(nv).norm();  // way per load
    if (!(slope > 0.0)) return Status::recoverable(Cause::singular_matrix);
    if (first_length == 0.0) first_length = length = slope / options_.load_steps;
    const double load_change = (last.dot(tangent_.head(nv)) < 0.0 ? -length : length) / slope;
    delta_ = load_change * tangent_;
    normal_ = delta_.head(nv) / length;
    missing_ -= load_change;
    way_.setZero();
    move(1.0, x, state, workspace);
    const int before = report_.iterations;
    bool reached = balance(x, state, workspace);
    normal_.resize(0);
    if (reached && missing_ <= 0.0) {  // the end lies within this step
      missing_ = 0.0;
      reached = balance(x, state, workspace);
    }
    // A step that ended far from where it was sent has jumped to another part of the path.
    if (reached && way_.norm() < 2.0 * length) {
      report_.load = 1.0 - missing_;
      report_.path += way_.norm() * units_.length();
      ++report_.load_steps;
      last = way_;
      if (report_.iterations - before <= few_iterations) length = std::min(2.0 * length, longest * first_length);
      if (watch) watch(report_, x, state);
      continue;
    }
    x = x_before;
    state = state_before;
    length *= 0.5;
    if (report_.iterations >= options_.max_iterations) return Status::recoverable(Cause::too_many_iterations);
    if (length < smallest_load_step * first_length) return too_small();
  }
  return Status::success();
}

}  // namespace trammel
