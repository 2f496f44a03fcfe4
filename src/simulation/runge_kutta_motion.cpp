// SPDX-License-Identifier: Apache-2.0
#include "trammel/simulation/runge_kutta_motion.h"

#include <algorithm>
#include <limits>

#include "trammel/integrators/memory_check.h"

namespace trammel {

RungeKuttaMotion::RungeKuttaMotion(const MechanicalSystem& system, const RungeKuttaOptions& options)
    : form_(system), method_(form_, options), solver_(make_linear_solver<double>(LinearSolverKind::automatic, 1)) {
  newest_.resize(system.nv(), system.nz(), system.nc());
  for (auto* y : {&y_, &y_at_}) y->setZero(form_.layout().n());
}

Status RungeKuttaMotion::start(const MotionVariables& at, State& state) {
  newest_ = at;
  state_ = &state;
  form_.pack(at, y_);
  return method_.start(at.t, y_, state);
}

StepReport RungeKuttaMotion::advance(double t_end, State& state) {
  state_ = &state;
  method_.bound_step(h_bound_);
  method_.repeat(repeated_);
  StepReport report = method_.advance(t_end, state);
  if (!report.status.ok()) return report;
  const int nv = static_cast<int>(newest_.q.size()), nz = static_cast<int>(newest_.z.size());
  newest_.t = method_.t();
  newest_.q = method_.y().head(nv), newest_.v = method_.y().segment(nv, nv), newest_.z = method_.y().tail(nz);
  newest_.a = method_.yp().segment(nv, nv), newest_.zp = method_.yp().tail(nz);
  if (!form_.is_recursive())  // multipliers belong to a report as well
    report.status = form_.unpack(newest_.t, method_.y(), state, newest_, method_.workspace());
  return report;
}

void RungeKuttaMotion::interpolate(double t, MotionVariables& at) const {
  method_.interpolate(t, y_at_);
  if (!form_.unpack(t, y_at_, *state_, at, method_.workspace()).ok()) {
    // Positions and velocities are the dense output's; reactions of another instant would deceive.
    at.a.setConstant(std::numeric_limits<double>::quiet_NaN());
    at.lam.setConstant(std::numeric_limits<double>::quiet_NaN());
  }
}

void RungeKuttaMotion::interpolate_motion(double t, MotionVariables& at) const {
  method_.interpolate(t, y_at_);
  const Eigen::Index nv = at.q.size(), nz = at.z.size();
  at.t = t;
  at.q = y_at_.head(nv), at.v = y_at_.segment(nv, nv), at.z = y_at_.tail(nz);
}

void RungeKuttaMotion::interpolate_balanced_motion(double t, MotionVariables& at) const { interpolate_motion(t, at); }

// With the multipliers, from which forces that depend on them are sought.
std::vector<double> RungeKuttaMotion::save() {
  std::vector<double> numbers = method_.save();
  numbers.insert(numbers.end(), newest_.lam.data(), newest_.lam.data() + newest_.lam.size());
  return numbers;
}

void RungeKuttaMotion::restore(std::span<const double> numbers) {
  detail::check_memory(numbers, save());
  const std::size_t nc = static_cast<std::size_t>(newest_.lam.size());
  std::copy(numbers.end() - static_cast<std::ptrdiff_t>(nc), numbers.end(), newest_.lam.data());
  method_.restore(numbers.first(numbers.size() - nc));
  const int nv = static_cast<int>(newest_.q.size()), nz = static_cast<int>(newest_.z.size());
  newest_.t = method_.t();
  newest_.q = method_.y().head(nv), newest_.v = method_.y().segment(nv, nv), newest_.z = method_.y().tail(nz);
  newest_.a = method_.yp().segment(nv, nv), newest_.zp = method_.yp().tail(nz);
}

}  // namespace trammel
