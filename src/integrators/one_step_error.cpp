// SPDX-License-Identifier: Apache-2.0
#include "trammel/integrators/one_step.h"

#include <algorithm>
#include <cmath>

#include "time_rounding.h"

// The local error of a step, and what it is measured by.

namespace trammel {

using detail::epsilon;

namespace {

// The first part of a run shows nothing yet of how fast velocities change: (2). With six times the tolerance of
// positions over T the steps of smooth motion stay what positions make them; a pulse then errs by five times as much as
// one as long as the motion itself, at most. Errors of first order (Newmark's) have the tolerance itself.
constexpr double early_part = 0.1, velocity_part = 6.0;
// What Newton's iteration did leave in q, δ, is δ/h in the estimate of the velocity's error: the tolerance of that is
// at least this multiple of it.
constexpr double newton_noise = 2.0;
// Smaller errors do not bound the growth of a step; nor does a velocity across the constraints, in units of q's
// tolerance over h, that makes a third of this.
constexpr double unbounding_error = 0.1, ringing_part = 0.3;
// What rounding leaves of Φ is larger by 1/σ in q near a position where G loses rank, at any h: shorter steps would
// only be followed by shorter ones. It lies across the constraints, where the filter finds nothing. Errors of positions
// up to this multiple of the least that is seen are led through it before they make a step shorter.
constexpr double rounding_reach = 16.0, harmless_error = 0.5;
// In units of rounding of z: Newton's remainder is of that size, and no smaller error can be seen beside it.
constexpr double state_rounding = 1024.0;

}  // namespace

double OneStep::error_norm(double h) {
  double largest = dae_.nz() > 0 ? state_error_norm(h) : 0.0;
  const auto of_position = [&](Eigen::Index i) { return local_error(h, i); };
  const auto place = [&](Eigen::Index i) { return position_limit(i); };
  const double of_states = largest;
  largest = motion_error_norm(of_states, false, of_position, place);
  if (largest > harmless_error && residual_.head(dae_.nv()).lpNorm<Eigen::Infinity>() <= rounding_reach * unseen_)
    largest = motion_error_norm(of_states, true, of_position, place);
  const auto of_velocity = [&](Eigen::Index i) { return velocity_error(h, i); };
  return motion_error_norm(largest, true, of_velocity, [&](Eigen::Index i) { return velocity_limit(h, i); });
}

double OneStep::size_of(Eigen::Index i, const MotionVariables& at) const {
  const double travelled = q_first_[i] + (at.t - t_first_) * v_first_[i];
  return relative_size(dae_.layout().kinds()[i], at.q[i], travelled, options_.extent);
}

double OneStep::position_limit(Eigen::Index i) const {
  const double place = std::max(size_of(i, ends_.from), size_of(i, ends_.to));
  return std::max({factor_ * (atol_[i] + options_.rtol * place), calc_noise(i), unseen_});
}

double OneStep::velocity_limit(double h, Eigen::Index i) const {
  const double place = std::max(size_of(i, ends_.from), size_of(i, ends_.to));
  const double changed = std::max(changed_[i], std::abs(ends_.to.v[i] - v_first_[i]));
  const double speed = std::max(relative_speed(ends_.from.v[i], changed), relative_speed(ends_.to.v[i], changed));
  return std::max(velocity_tolerance(i, place, speed), calc_noise(i) / h);
}

// Newton's tolerance is not below what rounding may leave of the constraints of a long chain. What is left is less, as
// a rule, and is estimated by the last correction, which has its own rounding in it.
double OneStep::calc_noise(Eigen::Index i) const { return newton_noise * remainder_ * weight_[i]; }

int OneStep::find_worst_error(double h) const {
  const int nv = dae_.nv(), nz = dae_.nz();
  int worst = -1;
  double largest = -1.0;
  const auto look = [&](int unknown, double size) {
    if (!(size <= largest)) largest = size, worst = unknown;
  };
  for (int i = 0; i < nv; ++i) {
    look(i, std::abs(local_error(h, i)) / position_limit(i));
    look(i, std::abs(velocity_error(h, i)) / velocity_limit(h, i));
  }
  for (int i = 0; i < nz; ++i)
    if (dae_.E()[i] != 0.0)
      look(nv + i,
           std::abs(integral_error(h, {zp_old_[i], ends_.from.zp[i], ends_.to.zp[i], zp_rate_[i]})) / state_weight(i));
  return worst;
}

// (2) Of an error e of a velocity a machine whose time is T makes one of e T in positions: velocities have the
// tolerance of positions over T, and a relative one of their own. T is the time in which a velocity changes by as much
// as it has been at most, on the average of the run so far,
//
//   1/T = Σ|Δv| / (max|v| t),
//
// beginning at rest, so that 1/T ≥ 1/t. In a motion of one frequency ω it is ω, nearly, and the test says what that of
// positions says. A pulse, a blow or a stop, over in a hundredth of that time, changes velocities as much and positions
// hardly: what the time of the moment would be forgiven there stays in the velocity for the rest of the run.
void OneStep::update_pace() {
  const double t = std::max(ends_.from.t - t_first_, early_part * options_.span);
  for (Eigen::Index i = 0; i < pace_.size(); ++i)
    pace_[i] = t > 0.0 ? std::max(fastest_[i] > 0.0 ? variation_[i] / fastest_[i] : 1.0, 1.0) / t : 0.0;
}

double OneStep::velocity_tolerance(Eigen::Index i, double place, double speed) const {
  return (order() > 1 ? velocity_part : 1.0) * factor_ *
         (options_.rtol * speed + pace_[i] * (atol_[i] + options_.rtol * place));
}

// Accelerations across the constraints, and those of springs too stiff for h, ring: an estimate that would bound the
// step is led through the matrix. J⁻¹ (a M e, 0, 0) is e for slow motion along the constraints, nothing across them,
// and e/(hω)² for what h does not resolve.
template <class Error, class Weight>
double OneStep::motion_error_norm(double others, bool filters, Error&& error, Weight&& weight) {
  const int nv = dae_.nv();
  double largest = others;
  for (int i = 0; i < nv; ++i) {
    residual_[i] = error(i);
    const double size = std::abs(residual_[i]) / weight(i);
    if (!(size <= largest)) largest = size;
  }
  if (!filters || largest <= std::max(others, unbounding_error)) return largest;
  const MotionPlanes& planes = operator_.planes();
  const double a = operator_.coefficients().a;
  x_.setZero();
  turned_.head(nv) = residual_.head(nv);
  operator_.to_matrix(turned_);
  for (int i = 0; i < nv; ++i)
    for (int k = planes.motion.start[i]; k < planes.motion.start[i + 1]; ++k)
      x_[planes.motion.index[k]] += a * planes.M[k] * turned_[i];
  if (!operator_.solve(x_).ok()) return largest;
  operator_.to_here(x_);
  double filtered = others;
  for (int i = 0; i < nv; ++i) filtered = std::max(filtered, std::abs(x_[i]) / weight(i));
  return std::min(largest, filtered);
}

double OneStep::state_weight(Eigen::Index i) const {
  const double size = std::max(std::abs(ends_.from.z[i]), std::abs(ends_.to.z[i]));
  const double atol = options_.state_atol.value_or(options_.atol);
  return std::max(state_factor_ * (atol + options_.rtol * size), state_rounding * epsilon * size);
}

// A component of z whose time constant T is much shorter than h shows its errors in ż = g divided by T, so that what
// derivatives say is larger than it by h/T. The matrix knows: (E c − g_z)⁻¹ E c e, c = ∂ż/∂z, is e for slow components
// and e T/h for fast ones. Rates that are differences of z need no such filter.
double OneStep::state_error_norm(double h) {
  const int nv = dae_.nv(), nz = dae_.nz();
  const double rate = operator_.coefficients().zp;
  double largest = 0.0;
  x_.setZero();
  for (int i = 0; i < nz; ++i) {
    if (dae_.E()[i] == 0.0) continue;
    const double error = integral_error(h, {zp_old_[i], ends_.from.zp[i], ends_.to.zp[i], zp_rate_[i]});
    x_[nv + i] = rate * error;
    const double size = std::abs(error) / state_weight(i);
    if (!(size <= largest)) largest = size;
  }
  if (largest <= 1.0 || !has_end_rates() || !operator_.solve(x_).ok()) return largest;
  double filtered = 0.0;
  for (int i = 0; i < nz; ++i)
    if (dae_.E()[i] != 0.0) filtered = std::max(filtered, std::abs(x_[nv + i]) / state_weight(i));
  return std::min(largest, filtered);
}

// A velocity v across the constraints that changes its sign in every step makes accelerations of ± 2v/h, and h v/3 in
// the estimate of the error of positions: before it bounds the step it is taken away.
Status OneStep::project_velocities(double h, const State& state) {
  const int nv = dae_.nv();
  double tolerance = std::numeric_limits<double>::infinity();
  for (int i = 0; i < nv; ++i)
    tolerance = std::min(tolerance, factor_ * (atol_[i] + options_.rtol * size_of(i, ends_.from)));
  const Status status =
      dae_.velocity_level(ends_.to.point(inputs_.view()), state, x_.tail(dae_.nc()), bias_, *workspace_);
  if (!status.ok()) return status;
  if (h * x_.tail(dae_.nc()).lpNorm<Eigen::Infinity>() <= ringing_part * tolerance) return Status::success();
  AccelerationSolver::SettleLimits limits;
  limits.velocity = 0.0;
  settled_ = ends_.to;
  // Where constraints lose rank the velocity stays what it is.
  if (acceleration_.settle(settled_, settled_.t, limits, state, *workspace_).ok()) ends_.to.v = settled_.v;
  return Status::success();
}

}  // namespace trammel
