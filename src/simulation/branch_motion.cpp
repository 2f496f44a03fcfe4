// SPDX-License-Identifier: Apache-2.0
#include "trammel/simulation/branch_motion.h"

#include <limits>

#include "trammel/integrators/memory_check.h"

namespace trammel {

BranchMotion::BranchMotion(const MechanicalSystem& system, const Tolerances& tolerances)
    : form_(system, ExplicitForm::Stages::projected),
      method_(form_, tolerances),
      solver_(make_linear_solver<double>(LinearSolverKind::automatic, 1)) {
  newest_.resize(system.nv(), system.nz(), system.nc());
  for (auto* y : {&y_, &yp_, &y_at_}) y->setZero(form_.layout().n());
}

void BranchMotion::begin_at(const MotionVariables& at, State& state) {
  newest_ = at;
  state_ = &state;
  pending_ = false;
  form_.pack(at, y_);
}

Status BranchMotion::start(const MotionVariables& at, State& state) {
  begin_at(at, state);
  return Status::success();
}

StepReport BranchMotion::advance(double t_end, State& state) {
  commit(state);
  state_ = &state;
  StepReport report;
  report.order = 2 * GaussCollocation::n_points;
  report.attempted_h = t_end - newest_.t;
  report.status = method_.step(newest_.t, report.attempted_h, y_, state);
  if (report.status.ok()) report.status = form_.unpack(t_end, y_, state, newest_, method_.workspace());
  if (!report.status.ok()) {
    report.failure = report.status.cause;
    return report;
  }
  report.h = report.attempted_h;
  report.error = method_.error();
  y_.head(newest_.q.size()) = newest_.q;
  pending_ = true;
  return report;
}

void BranchMotion::commit(State& state) {
  if (!pending_) return;
  pending_ = false;
  form_.accepted(newest_.t, y_, yp_, state, method_.workspace());
  newest_.q = y_.head(newest_.q.size());
}

void BranchMotion::interpolate(double t, MotionVariables& at) const {
  method_.interpolate(t, y_at_);
  if (!form_.unpack(t, y_at_, *state_, at, method_.workspace()).ok()) {
    // Positions and velocities are the dense output's; reactions of another instant would deceive.
    at.a.setConstant(std::numeric_limits<double>::quiet_NaN());
    at.lam.setConstant(std::numeric_limits<double>::quiet_NaN());
  }
}

std::vector<double> BranchMotion::save() {
  std::vector<double> numbers{newest_.t};
  numbers.insert(numbers.end(), y_.begin(), y_.end());
  return numbers;
}

void BranchMotion::restore(std::span<const double> numbers) {
  detail::check_memory(numbers, save());
  newest_.t = numbers[0];
  std::copy(numbers.begin() + 1, numbers.end(), y_.begin());
  const Eigen::Index nv = newest_.q.size();
  newest_.q = y_.head(nv), newest_.v = y_.segment(nv, nv), newest_.z = y_.tail(newest_.z.size());
}

}  // namespace trammel
