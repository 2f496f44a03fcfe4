#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "trammel/simulation/run_checks.h"
#include "trammel/simulation/simulation.h"

// What a run says of models and settings that are allowed and rarely meant.

namespace trammel {

namespace {

constexpr double shortest_arm = 1e-6;  // [m] relative to 1 + where the particle is: drawings are rounded

/// Velocities that violate their constraints by this part of themselves do not belong to the machine.
constexpr double foreign_velocity = 0.1;

/// Errors of steps, added up, that are this part of the motion.
constexpr double unresolved = 2e-2;

/// Of the error of a step beside h³/12 |v̈|, as measured on pendulums, tops and linkages with the default damping; 0: of
/// higher order, and nothing is known.
double error_constant(Integrator method) {
  switch (method) {
    case Integrator::generalized_alpha:
      return 1.6;
    case Integrator::hht:
      return 1.9;
    case Integrator::midpoint:
      return 0.6;
    case Integrator::bdf:
      return 2.0;
    case Integrator::radau:
    case Integrator::runge_kutta:
      return 0.0;
    default:
      return 1.0;
  }
}

}  // namespace

// A particle does not turn: what holds it beside its place holds it by an arm that keeps its direction, and moments
// about the particle lead nowhere.
void Simulation::note_arms_of_particles() {
  for (std::size_t i = 0; i < full_.joints.size(); ++i) {
    const Assembly::Joint& joint = full_.joints[i];
    for (const bool first : {true, false}) {
      const FrameMap& map = full_.system->frame_map(first ? joint.frame_a : joint.frame_b);
      const double arm = (first ? joint.s_a : joint.s_b).norm();
      if ((first ? joint.frame_a : joint.frame_b) == 0 || map.kind != FrameMap::Kind::particle) continue;
      const double place = full_.drawn.q.segment<3>(map.offset).norm();
      if (arm <= shortest_arm * (1.0 + place)) continue;
      notes_.push_back(fmt::format(
          "joint '{}' holds particle '{}' {:.4g} m beside its place: a particle does not turn, so that this is an arm "
          "that keeps its direction, and no moment about the particle balances it; draw the joint's point where the "
          "particle is, or make it a rigid body",
          study_.model.joints[i].name, map.name, arm));
    }
  }
}

// Rotations that change their speed by half a turn per step within a step are not resolved by it. Methods of order 2
// err by h³/12 |v̈| of a position in each step, which adds up to how far it is off at the end,
//
//   e = Σ h/12 |v_{n+1} − 2 v_n + v_{n−1}|        (ωh)²/12 · ωt times the amplitude of a vibration
//     + Σ h²/12 |ω × Δω|                          of rotations of bodies, whose axes turn
//
// where it is large beside the way from end to end of the coordinate itself, x = Σ h v.
void Simulation::watch_fixed_step(const MotionVariables& x, double h) {
  if (x.v.size() > 0) largest_speed_ = std::max(largest_speed_, x.v.lpNorm<Eigen::Infinity>());
  const std::span<const Kind> kinds = index3_->layout().kinds();
  for (Eigen::Index i = 0; i < x.a.size(); ++i) {
    if (kinds[i] != Kind::rotation) continue;
    const double turn = std::abs(x.a[i]) * h * h;
    if (turn > unresolved_turn_) unresolved_turn_ = turn, unresolved_t_ = x.t;
  }
  checks_->note_fixed_step(x.t, h, x.v, index3_->system().chart_offsets());
}

void Simulation::sum_up_fixed_step(Summary& summary) const {
  if (!study_.solver.h) return;
  Alarm alarm{.name = "step too long", .t = summary.t, .element = {}, .value = 0.0, .limit = 0.0, .text = {}};
  const auto raise = [&](const std::string& why) {
    alarm.text =
        fmt::format("the fixed step h = {:.4g} s is {}; leave out 'h', or make it smaller", *study_.solver.h, why);
    summary.alarms.push_back(alarm);
  };
  const bool free_to_err = summary.degrees_of_freedom > 0;  // motions alone decide otherwise
  if (unresolved_turn_ > std::numbers::pi) {
    alarm.t = unresolved_t_, alarm.value = unresolved_turn_, alarm.limit = std::numbers::pi;
    raise(fmt::format("far too long: the acceleration turns something by {:.3g} rad within one step, limit {:.3g} rad",
                      unresolved_turn_, std::numbers::pi));
    return;
  }
  if (const double limit = foreign_velocity * (1e-3 + largest_speed_); largest_velocity_ > limit) {
    alarm.value = largest_velocity_, alarm.limit = limit;
    raise(fmt::format(
        "far too long: velocities violate the constraints by {:.3g}, limit {:.3g}, and are {:.3g} themselves",
        largest_velocity_, limit, largest_speed_));
    return;
  }
  const RunChecks::Unresolved worst =
      checks_->find_unresolved(index3_->layout().kinds(), index3_->system().chart_offsets());
  const double part = error_constant(*study_.solver.integrator) * worst.part;
  if (free_to_err && part > unresolved) {
    alarm.t = worst.t, alarm.value = part, alarm.limit = unresolved;
    alarm.element = index3_->layout().describe_unknown(worst.coordinate);
    raise(fmt::format(
        "too long: errors of its steps add up to {:.2g} of the way from end to end of that coordinate, limit {:.2g}",
        part, unresolved));
  }
}

}  // namespace trammel
