#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "trammel/base/text.h"
#include "trammel/mechanics/model_checks.h"

namespace trammel::detail {

namespace {

bool is_kind(const ModelChecks& checks, const std::string& name, BodyKind kind) {
  const BodySpec* body = checks.find_body(name);
  return body != nullptr && body->kind == kind;
}

// Key under which the user named the body: `bodies`, or the field's own.
std::string body_key(const ForceSpec& force) { return force.source.fields.count("bodies") > 0 ? "bodies" : "body_b"; }

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

void check_orientations(ModelChecks& checks, const ForceSpec& force, const std::string& what) {
  for (const std::string& name : {force.body_a, force.body_b})
    if (is_kind(checks, name, BodyKind::particle))
      checks.report("force", force, body_key(force),
                    fmt::format("'{}' is a particle and has no orientation that {} could act on", name, what));
}

void check_spring(ModelChecks& checks, const ForceSpec& force) {
  check_point(checks, "force", force, "point_a", force.point_a);
  check_point(checks, "force", force, "point_b", force.point_b);
  if (force.free_value && *force.free_value < 0.0)
    checks.report("force", force, "free_value",
                  fmt::format("its free length is {} m but must be ≥ 0", *force.free_value));
  if ((checks.drawn(force.point_a) - checks.drawn(force.point_b)).norm() == 0.0)
    checks.report("force", force, "point_b",
                  "its ends coincide as drawn, so that the force has no direction; draw them apart, or use a bushing");
}

void check_bushing(ModelChecks& checks, const ForceSpec& force) {
  const bool planar = force.kind == ForceKind::planar_bushing;
  const BodyKind wanted = planar ? BodyKind::planar : BodyKind::rigid;
  for (const std::string& name : {force.body_a, force.body_b})
    if (checks.find_body(name) != nullptr && !is_kind(checks, name, wanted))
      checks.report("force", force, body_key(force),
                    fmt::format("a {} holds {} bodies (or the ground), and '{}' is none; use {}",
                                planar ? "planar_bushing" : "bushing", planar ? "planar" : "rigid", name,
                                planar ? "a bushing" : "a planar_bushing between planar bodies, or springs"));
  check_point(checks, "force", force, "point_a", force.point_a);
  check_point(checks, "force", force, "point_b", force.point_b);
  const bool axis = planar || check_axis(checks, "force", force, "axis", force.axis);
  const bool axis_x = !force.axis_x || check_axis(checks, "force", force, "axis_x", *force.axis_x);
  if (!planar && axis && axis_x && force.axis_x &&
      checks.drawn(force.axis).cross(checks.drawn(*force.axis_x)).norm() <= parallel_tol)
    checks.report("force", force, "axis_x", "'axis_x' is parallel to 'axis'; x and z must be different directions");
  const Eigen::Index n = planar ? 3 : 6;
  const std::pair<const char*, const Eigen::MatrixXd*> matrices[] = {{"K", &force.K}, {"C", &force.C}};
  for (const auto& [key, matrix] : matrices) {
    if (matrix->size() > 0 && (matrix->rows() != n || matrix->cols() != n))
      checks.report("force", force, key,
                    fmt::format("'{}' is {} x {} but must be {} x {}", key, matrix->rows(), matrix->cols(), n, n));
    else if (!matrix->allFinite())
      checks.report("force", force, key, fmt::format("'{}' is not finite", key));
  }
}

void check_limit(ModelChecks& checks, const ForceSpec& force) {
  if (!force.lower && !force.upper)
    checks.report("force", force, "lower", "it has neither 'lower' nor 'upper'; give at least one stop");
  if (force.lower && force.upper && !(*force.lower < *force.upper))
    checks.report("force", force, "upper",
                  fmt::format("'upper' = {} must be greater than 'lower' = {}", *force.upper, *force.lower));
  if (!(force.stiffness > 0.0))
    checks.report("force", force, "stiffness",
                  fmt::format("'stiffness' is {} but a stop's must be > 0", force.stiffness));
}

void check_positive(ModelChecks& checks, const ForceSpec& force, const char* key, double value, bool zero_allowed) {
  if (std::isfinite(value) && (value > 0.0 || (zero_allowed && value == 0.0))) return;
  checks.report("force", force, key, fmt::format("'{}' is {} but must be {} 0", key, value, zero_allowed ? "≥" : ">"));
}

void check_bump_stop(ModelChecks& checks, const ForceSpec& force) {
  check_axis(checks, "force", force, "axis", force.axis);
  check_point(checks, "force", force, "point_a", force.point_a);
  check_point(checks, "force", force, "point_b", force.point_b);
  if (!force.lower && !force.upper)
    checks.report("force", force, "lower", "it has neither 'lower' nor 'upper'; give at least one stop");
  if (force.lower && force.upper && !(*force.lower < *force.upper))
    checks.report("force", force, "upper",
                  fmt::format("'upper' = {} must be greater than 'lower' = {}", *force.upper, *force.lower));
  check_positive(checks, force, "stiffness", force.stiffness, true);
  check_positive(checks, force, "quadratic", force.vehicle.quadratic, true);
  check_positive(checks, force, "damping", force.damping, true);
  if (force.stiffness == 0.0 && force.vehicle.quadratic == 0.0)
    checks.report("force", force, "stiffness", "it has no effect: give 'stiffness' or 'quadratic'");
}

void check_tyre(ModelChecks& checks, const ForceSpec& force) {
  const TyreSpec& tyre = force.vehicle.tyre;
  check_point(checks, "force", force, "point_a", force.point_a);
  check_point(checks, "force", force, "point_b", force.point_b);
  check_orientations(checks, force, "a tyre");
  if (check_axis(checks, "force", force, "axis", force.axis)) {
    const Eigen::Vector3d axle = checks.drawn(force.axis).normalized();
    if (std::abs(axle.z()) > 0.9)
      checks.report("force", force, "axis", "the axle is nearly vertical as drawn, and z is up for tyres");
  }
  check_positive(checks, force, "stiffness", force.stiffness, false);
  check_positive(checks, force, "damping", force.damping, true);
  check_positive(checks, force, "free_radius", tyre.free_radius, false);
  if (force.kind == ForceKind::standing_tyre) {
    check_positive(checks, force, "horizontal_stiffness", force.vehicle.horizontal_stiffness, true);
    check_positive(checks, force, "horizontal_damping", force.vehicle.horizontal_damping, true);
    return;
  }
  const std::string& carrier = force.vehicle.carrier;
  if (check_body_reference(checks, "force", force, "carrier", carrier) &&
      (carrier == force.body_b || carrier == force.body_a))
    checks.report("force", force, "carrier",
                  fmt::format("'{}' is the {} itself; the carrier is the body that the wheel turns on", carrier,
                              carrier == force.body_b ? "wheel" : "road"));
  const std::pair<const char*, double> positive[] = {
      {"rolling_radius", tyre.rolling_radius},        {"nominal_load", tyre.nominal_load},
      {"cornering_load", tyre.cornering_load},        {"lateral_friction", tyre.lateral_friction},
      {"lateral_shape", tyre.lateral_shape},          {"longitudinal_friction", tyre.longitudinal_friction},
      {"longitudinal_shape", tyre.longitudinal_shape}};
  for (const auto& [key, value] : positive) check_positive(checks, force, key, value, false);
}

}  // namespace

void check_forces(ModelChecks& checks) {
  for (const ForceSpec& force : checks.model.forces) {
    const bool on_joint = force.kind == ForceKind::joint_spring || force.kind == ForceKind::joint_limit ||
                          force.kind == ForceKind::anti_roll_bar;
    if (on_joint)
      check_joint_reference(checks, "force", force, "joint", force.joint, force.coordinate);
    else if (!check_force_bodies(checks, force))
      continue;
    for (const auto& [key, value] : {std::pair("stiffness", force.stiffness), std::pair("damping", force.damping),
                                     std::pair("preload", force.preload)})
      if (!std::isfinite(value)) checks.report("force", force, key, fmt::format("'{}' is not finite", key));
    switch (force.kind) {
      case ForceKind::force:
        check_point(checks, "force", force, "point_b", force.point_b);
        if (force.in_body_axes) check_orientations(checks, force, "a force in body axes");
        break;
      case ForceKind::torque:
        check_orientations(checks, force, "a torque");
        break;
      case ForceKind::spring_damper:
        check_spring(checks, force);
        break;
      case ForceKind::axial_spring:
        check_point(checks, "force", force, "point_a", force.point_a);
        check_point(checks, "force", force, "point_b", force.point_b);
        check_axis(checks, "force", force, "axis", force.axis);
        break;
      case ForceKind::torsion_spring:
        check_axis(checks, "force", force, "axis", force.axis);
        check_orientations(checks, force, "a torsion spring");
        break;
      case ForceKind::bushing:
      case ForceKind::planar_bushing:
        check_bushing(checks, force);
        break;
      case ForceKind::joint_spring:
        break;
      case ForceKind::joint_limit:
        check_limit(checks, force);
        break;
      case ForceKind::bump_stop:
        check_bump_stop(checks, force);
        break;
      case ForceKind::anti_roll_bar:
        check_joint_reference(checks, "force", force, "other_joint", force.vehicle.other_joint, force.coordinate);
        if (force.joint == force.vehicle.other_joint)
          checks.report("force", force, "other_joint",
                        fmt::format("it couples '{0}' with '{0}' itself, which has no effect", force.joint));
        break;
      case ForceKind::tyre:
      case ForceKind::standing_tyre:
        check_tyre(checks, force);
        break;
    }
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
  for (const MeasureSpec& measure : checks.model.measures) {
    if (measure.kind == MeasureKind::expression) continue;
    check_body_reference(checks, "measure", measure, "body_a", measure.body_a);
    check_point(checks, "measure", measure, "point_a", measure.point_a);
    if (measure.kind == MeasureKind::point) continue;
    check_body_reference(checks, "measure", measure, "body_b", measure.body_b);
    check_point(checks, "measure", measure, "point_b", measure.point_b);
    const bool same = measure.body_a == measure.body_b;
    if (same)
      checks.report("measure", measure, "point_b",
                    fmt::format("both points are fixed on '{}', so that their distance never changes", measure.body_a));
  }
}

void check_events(ModelChecks& checks) {
  for (const EventSpec& event : checks.model.events) {
    if (!std::isfinite(event.level)) checks.report("event", event, "level", "'level' is not finite");
    const auto named = [&](const MeasureSpec& measure) { return measure.name == event.measure; };
    const auto it = std::find_if(checks.model.measures.begin(), checks.model.measures.end(), named);
    if (it == checks.model.measures.end()) {
      checks.report("event", event, "measure", no_such(checks, SignalTable::Entity::measure, event.measure));
    } else if (it->kind == MeasureKind::point) {
      checks.report("event", event, "measure",
                    fmt::format("'{}' is a point, which passes no level: measure a component of it", event.measure));
    }
  }
}

}  // namespace trammel::detail
