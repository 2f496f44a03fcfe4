// SPDX-License-Identifier: Apache-2.0
#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "trammel/base/text.h"
#include "trammel/mechanics/kinds/force_descriptor.h"
#include "trammel/mechanics/kinds/measure_descriptor.h"
#include "trammel/mechanics/model_checks.h"

namespace trammel::detail {

namespace {

bool check_force_bodies(ModelChecks& checks, const ForceSpec& force) {
  const bool no_reaction = force.body_a.empty();
  const bool a = no_reaction || check_body_reference(checks, "force", force, "body_a", force.body_a);
  const bool b = check_body_reference(checks, "force", force, "body_b", force.body_b);
  if (!a || !b) return false;
  if (force.body_a == force.body_b) {
    checks.report("force", force, body_key(force),
                  fmt::format("it acts between '{0}' and '{0}' itself, which has no effect", force.body_b));
    return false;
  }
  return true;
}

}  // namespace

void check_forces(ModelChecks& checks) {
  for (const ForceSpec& force : checks.model.forces) {
    if (force.kind->acts_on != ActsOn::bodies)
      check_joint_reference(checks, "force", force, "joint", force.joint, force.coordinate);
    else if (!check_force_bodies(checks, force))
      continue;
    for (const auto& [key, value] : {std::pair("stiffness", force.stiffness), std::pair("damping", force.damping),
                                     std::pair("preload", force.preload)})
      if (!std::isfinite(value)) checks.report("force", force, key, fmt::format("'{}' is not finite", key));
    force.kind->check(checks, force);
  }
}

namespace {

void check_states(ModelChecks& checks, const ControlSpec& control) {
  for (std::size_t i = 0; i < control.states.size(); ++i) {
    const std::string& state = control.states[i];
    const bool word = !state.empty() && !std::isdigit(static_cast<unsigned char>(state[0])) &&
                      std::all_of(state.begin(), state.end(),
                                  [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; });
    if (!word)
      checks.report(
          "control", control, "states",
          fmt::format("the state '{}' must be a word of letters, digits and _ that does not begin with a digit",
                      state));
    if (std::find(control.states.begin(), control.states.begin() + static_cast<std::ptrdiff_t>(i), state) !=
        control.states.begin() + static_cast<std::ptrdiff_t>(i))
      checks.report("control", control, "states", fmt::format("the state '{}' is listed twice", state));
    if (const SignalTable::Entry* other = checks.table.find(state))
      checks.report(
          "control", control, control.source.fields.count("states") > 0 ? "states" : "kind",
          fmt::format("its state '{}' has the name of a {} of the model, and formulas could not tell them apart; "
                      "rename the {}",
                      state, to_string(other->entity),
                      control.source.fields.count("states") > 0 ? "state" : to_string(other->entity)));
    if (state == "t" || state == "pi")
      checks.report("control", control, "states", fmt::format("'{}' has a meaning of its own in formulas", state));
  }
}

}  // namespace

void check_controls_and_measures(ModelChecks& checks) {
  for (const ControlSpec& control : checks.model.controls) {
    const std::size_t n = control.states.size();
    if (n == 0) checks.report("control", control, "states", "it has no states; a control needs at least one");
    if (control.rates.size() != n || control.initial.size() != n || control.algebraic.size() != n)
      checks.report(
          "control", control, "rates",
          fmt::format("it has {} states, {} rates, {} initial values and {} algebraic marks; each state needs one "
                      "of each",
                      n, control.rates.size(), control.initial.size(), control.algebraic.size()));
    for (const double value : control.initial)
      if (!std::isfinite(value)) checks.report("control", control, "initial", "an initial value is not finite");
    check_states(checks, control);
  }
  for (const MeasureSpec& measure : checks.model.measures) measure.kind->check(checks, measure);
}

void check_events(ModelChecks& checks) {
  for (const EventSpec& event : checks.model.events) {
    if (!std::isfinite(event.level)) checks.report("event", event, "level", "'level' is not finite");
    const auto named = [&](const MeasureSpec& measure) { return measure.name == event.measure; };
    const auto it = std::find_if(checks.model.measures.begin(), checks.model.measures.end(), named);
    if (it == checks.model.measures.end()) {
      checks.report("event", event, "measure", no_such(checks, SignalTable::Entity::measure, event.measure));
    } else if (it->kind->is_point) {
      checks.report("event", event, "measure",
                    fmt::format("'{}' is a point, which passes no level: measure a component of it", event.measure));
    }
  }
}

}  // namespace trammel::detail
