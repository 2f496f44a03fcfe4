// SPDX-License-Identifier: Apache-2.0
#include "trammel/simulation/fixed_step_watch.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "trammel/simulation/methods/integrator_descriptor.h"

namespace trammel {

namespace {

/// Velocities that violate their constraints by this part of themselves do not belong to the machine.
constexpr double foreign_velocity = 0.1;

/// Errors of steps, added up, that are this part of the motion.
constexpr double unresolved = 5e-3;

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
  checks_.note_errors(x.t, h, method_of(options_).step_error(options_), x.v, index3_.system().chart_offsets());
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
