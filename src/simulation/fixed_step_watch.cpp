#include "trammel/simulation/fixed_step_watch.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace trammel {

namespace {

/// Velocities that violate their constraints by this part of themselves do not belong to the machine.
constexpr double foreign_velocity = 0.1;

/// Errors of steps, added up, that are this part of the motion.
constexpr double unresolved = 5e-3;

/// Constants of the one-step methods as measured on pendulums, tops and linkages with the default damping. Newmark's
/// velocities err by (γ − ½) h Δv̇ in each step, which damps a vibration by (γ − ½) ω²h/2 per time.
RunChecks::StepError step_error(const SolverOptions& o) {
  constexpr double second = 1.0 / 12.0;
  switch (*o.integrator) {
    case Integrator::generalized_alpha: {
      const double rho = o.one_step.rho_inf.value_or(0.8), damping = (1.0 - rho) / (1.0 + rho);
      const double c = (1.4 + 1.8 * damping) * second;
      return {.difference = 2, .constant = c, .turning = c};
    }
    case Integrator::hht:
      return {.difference = 2, .constant = 1.9 * second, .turning = 1.9 * second};
    case Integrator::midpoint:
      return {.difference = 2, .constant = 0.6 * second, .turning = 0.6 * second};
    case Integrator::newmark:
      return {.difference = 2,
              .constant = second,
              .turning = second,
              .damping = std::max(0.0, 0.8 * (o.one_step.gamma.value_or(0.6) - 0.5))};
    case Integrator::bdf:
      if (o.bdf.max_order == 1) return {.difference = 1, .constant = 0.5};
      return {.difference = 2, .constant = 2.0 * second, .turning = 2.0 * second};
    case Integrator::radau:  // [Hairer and Wanner, Solving ODEs II, IV.5]: order 2s − 1
      switch (o.radau.stages.value_or(3)) {
        case 1:
          return {.difference = 1, .constant = 0.5};
        case 2:
          return {.difference = 3, .constant = 1.0 / 72.0};
        default:
          return {.difference = 5, .constant = 1.0 / 7200.0};
      }
    case Integrator::runge_kutta:
      return {.difference = 5, .constant = 3e-4};
    default:
      return {.difference = 2, .constant = second, .turning = second};
  }
}

}  // namespace

FixedStepWatch::FixedStepWatch(const Machine& machine, RunChecks& checks)
    : options_(machine.study().solver), full_(machine.full()), index3_(machine.index3()), checks_(checks) {}

void FixedStepWatch::note_step(const MotionVariables& x, double h) {
  if (!options_.h) return;
  if (x.v.size() > 0) largest_speed_ = std::max(largest_speed_, x.v.lpNorm<Eigen::Infinity>());
  const std::span<const Kind> kinds = index3_.layout().kinds();
  for (Eigen::Index i = 0; i < x.a.size(); ++i) {
    if (kinds[i] != Kind::rotation) continue;
    const double turn = std::abs(x.a[i]) * h * h;
    if (turn > unresolved_turn_) unresolved_turn_ = turn, unresolved_t_ = x.t, unresolved_at_ = static_cast<int>(i);
  }
  checks_.note_errors(x.t, h, step_error(options_), x.v, index3_.system().chart_offsets());
}

void FixedStepWatch::sum_up(const Violations& violations, const MotionIntegrator::LeftBehind& behind,
                            Summary& summary) const {
  if (!options_.h) return;
  Alarm alarm{.name = "step too long", .t = summary.t, .element = {}, .value = 0.0, .limit = 0.0, .text = {}};
  const auto raise = [&](const std::string& why) {
    alarm.text = fmt::format("the fixed step h = {:.4g} s is {}; leave out 'h', or make it smaller", *options_.h, why);
    summary.alarms.push_back(alarm);
  };
  const bool free_to_err = summary.degrees_of_freedom > 0;  // motions alone decide otherwise
  if (unresolved_turn_ > std::numbers::pi) {
    alarm.t = unresolved_t_, alarm.value = unresolved_turn_, alarm.limit = std::numbers::pi;
    alarm.element = index3_.layout().describe_unknown(unresolved_at_);
    raise(fmt::format("far too long: the acceleration turns something by {:.3g} rad within one step, limit {:.3g} rad",
                      unresolved_turn_, std::numbers::pi));
    return;
  }
  if (const double limit = foreign_velocity * (1e-3 + largest_speed_); violations.largest_velocity() > limit) {
    alarm.value = violations.largest_velocity(), alarm.limit = limit;
    if (violations.fastest_row() >= 0) alarm.element = full_.system->describe_row(violations.fastest_row());
    raise(fmt::format(
        "far too long: velocities violate the constraints by {:.3g}, limit {:.3g}, and are {:.3g} themselves",
        violations.largest_velocity(), limit, largest_speed_));
    return;
  }
  if (behind.unknown >= 0) {
    alarm.value = behind.part, alarm.limit = behind.limit;
    alarm.element = index3_.layout().describe_unknown(behind.unknown);
    raise("too long: " + behind.text);
    return;
  }
  const RunChecks::Unresolved worst =
      checks_.find_unresolved(index3_.layout().kinds(), index3_.system().chart_offsets());
  const double part = worst.part;
  if (free_to_err && part > unresolved) {
    alarm.t = worst.t, alarm.value = part, alarm.limit = unresolved;
    alarm.element = index3_.layout().describe_unknown(worst.coordinate);
    raise(fmt::format(
        "too long: errors of its steps add up to {:.2g} of the way from end to end of that coordinate, limit {:.2g}",
        part, unresolved));
  }
}

}  // namespace trammel
