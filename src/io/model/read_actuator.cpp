// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "kind_fields.h"
#include "trammel/mechanics/kinds/joint_descriptor.h"
#include "trammel/mechanics/kinds/keys.h"
#include "trammel/mechanics/signals.h"

/// [[actuator]]: a force or torque on a joint's coordinate x, or between two points (x: their distance), by a formula,
/// as a servo or as a motor. It becomes a force of the model with the actuator's name, and with an integral a control
/// NAME_control beside it:
///
///   force   Q = sat(f)
///   servo   Q = sat(u),  u = kp (r − x) + i + kd (ṙ − ẋ),   di/dt = ki (r − x) + (sat(u) − u)/T_w
///   motor   Q = c T(ẋ sign c),  c = the command between −1 and 1, T the curve over the speed in its direction
///
/// sat bounds Q by ±limit, or by ± the curve at |ẋ|. While it does, the integral runs back to where u meets the bound.
/// With a `period` T it is a digital controller: Q is held between samples, and the integral is a sum,
///
///   i ← i + T ki (r − x) + (sat(u) − u) min(1, T/T_w),   Q ← sat(u)   with the new sum in u
namespace trammel::detail {

namespace {

enum class ActuatorKind { force, servo, motor };
const Choices<ActuatorKind> actuator_kinds{{"force", ActuatorKind::force, "by a formula"},
                                           {"servo", ActuatorKind::servo, "follows a target"},
                                           {"motor", ActuatorKind::motor, "by a curve of torque over speed"}};

/// x and ẋ as formulas name them.
struct ActuatedCoordinate {
  std::string value, rate;
};

// On a joint (or [[coordinate]]): nothing if it has no single coordinate, which the model's checks say of the force.
ActuatedCoordinate coordinate_of(const ForceSpec& force, const ModelDraft& model) {
  const std::string name = quoted_name(force.joint);
  if (const auto it = model.joint_index.find(force.joint); it != model.joint_index.end()) {
    const JointKind kind = model.joints[it->second].kind;
    const JointCoordinate meant =
        force.coordinate == JointCoordinate::automatic ? only_coordinate(kind) : force.coordinate;
    const char* word = meant == JointCoordinate::displacement ? "displacement" : "angle";
    return {fmt::format("{}.{}", name, word), fmt::format("{}.{}_rate", name, word)};
  }
  return {name, name + ".rate"};
}

std::string bounded(const std::string& text, const std::string& bound) {
  return bound.empty() ? text : fmt::format("clamp({}, -({}), {})", text, bound, bound);
}

// What bounds the effort: empty if nothing does.
std::string read_bound(Fields& fields, const std::string& rate) {
  const Node* curve = fields.get("speed_curve");
  const std::optional<double> limit = fields.optional_number("limit");
  if (curve != nullptr && limit)
    fields.report(*curve, "'speed_curve' and 'limit' exclude each other; give one of them");
  const std::string table = curve == nullptr ? "" : fields.name_of(*curve, "speed_curve");
  if (!table.empty()) return fmt::format("table({}, abs({}))", quoted_name(table), rate);
  return limit ? fmt::format("{}", *limit) : "";
}

void read_servo(Fields& fields, ModelKindFields& own, const std::string& name, const ActuatedCoordinate& x,
                ForceSpec& force, ModelDraft& model) {
  const Formula target = own.whole_formula("target");
  const std::string rate = fields.has("target_rate") ? own.whole_formula("target_rate").text : zero_formula;
  const double kp = fields.number("kp", 0.0), ki = fields.number("ki", 0.0), kd = fields.number("kd", 0.0);
  const std::string bound = read_bound(fields, x.rate);
  if (kp == 0.0 && ki == 0.0 && kd == 0.0) fields.report("it has no effect: give 'kp', 'ki' or 'kd'");
  const std::string error = fmt::format("(({}) - {})", target.text, x.value);
  std::string u = fmt::format("({})*{}", kp, error);
  if (kd != 0.0) u += fmt::format(" + ({})*(({}) - {})", kd, rate, x.rate);
  if (ki == 0.0) {
    fields.refuse("windup_time", "without 'ki'");
    fields.refuse("initial", "without 'ki'");
    force.law = {bounded("(" + u + ")", bound), target.where};
    return;
  }
  const double windup_time = fields.number("windup_time", kp > 0.0 && ki > 0.0 ? kp / ki : 1.0);
  if (bound.empty()) fields.refuse("windup_time", "without 'limit' or 'speed_curve'");
  ControlSpec control;
  control.name = name + "_control";
  control.source = force.source;
  control.states = {"integral"};
  control.algebraic = {false};
  control.initial = {fields.number("initial", 0.0)};
  if (const double period = fields.number("period", 0.0); period > 0.0) {
    const std::string sum = fmt::format("(integral + ({})*{})", period * ki, error), whole = u + " + " + sum;
    control.states = {"effort", "integral"};
    control.algebraic = {false, false};
    control.initial = {0.0, control.initial.front()};
    std::string kept = sum;
    if (!bound.empty())
      kept += fmt::format(" + ({} - ({}))*({})", bounded("(" + whole + ")", bound), whole,
                          std::min(1.0, period / windup_time));
    control.rates = {{bounded("(" + whole + ")", bound), target.where}, {kept, target.where}};
    control.period = period;
    force.law = {quoted_name(control.name), target.where};
    model.controls.push_back(std::move(control));
    return;
  }
  const std::string whole = u + " + integral";
  std::string grows = fmt::format("({})*{}", ki, error);
  if (!bound.empty()) grows += fmt::format(" + ({} - ({}))/({})", bounded(whole, bound), whole, windup_time);
  control.rates = {{grows, target.where}};
  control.output = {bounded(whole, bound), target.where};
  force.law = {quoted_name(control.name), target.where};
  model.controls.push_back(std::move(control));
}

// The law of an actuator without an integral, at samples only.
void hold(Fields& fields, const std::string& name, ForceSpec& force, ModelDraft& model) {
  const double period = fields.number("period", 0.0);
  const bool has_control = !model.controls.empty() && model.controls.back().name == name + "_control";
  if (!(period > 0.0) || has_control || !force.law.given()) return;
  ControlSpec control;
  control.name = name + "_control";
  control.source = force.source;
  control.states = {"effort"};
  control.algebraic = {false};
  control.initial = {0.0};
  control.rates = {force.law};
  control.period = period;
  force.law = {quoted_name(control.name), force.law.where};
  model.controls.push_back(std::move(control));
}

void read_actuator(Fields& fields, const std::string& name, ModelDraft& model) {
  ForceSpec force;
  force.name = name;
  force.source = fields.source();
  ActuatorKind kind = ActuatorKind::force;
  if (!fields.kind(actuator_kinds, kind)) return fields.findings().add_broken(name, force.source);
  ModelKindFields own(fields, model, "", force.source);
  fields.number("period", 0.0);  // looked at whatever else is missing; hold() takes it
  const bool on_joint = fields.has("joint");
  ActuatedCoordinate x{quoted_name(name) + ".length", quoted_name(name) + ".length_rate"};
  if (on_joint) {
    force.kind = ForceKind::joint_spring;
    force.joint = fields.name("joint", "");
    force.coordinate = read_joint_coordinate(fields);
    for (const char* key : {"bodies", "body_a", "body_b", "point_a", "point_b"})
      fields.refuse(key, "beside 'joint': give a joint, or two points");
    x = coordinate_of(force, model);
  } else {
    force.kind = ForceKind::spring_damper;
    fields.refuse("coordinate", "without a 'joint'");
    if (!own.has("point_a") || !own.has("point_b"))
      fields.report("what it acts on is missing: give 'joint', or 'point_a' and 'point_b' of two bodies");
    if (const auto a = own.point("point_a")) force.point_a = *a;
    if (const auto b = own.point("point_b")) force.point_b = *b;
    own.bodies(force.body_a, force.body_b, own.has("point_b"));
  }
  switch (kind) {
    case ActuatorKind::force: {
      const Formula effort = own.whole_formula("effort");
      force.law = {bounded("(" + effort.text + ")", read_bound(fields, x.rate)), effort.where};
      break;
    }
    case ActuatorKind::servo:
      read_servo(fields, own, name, x, force, model);
      break;
    case ActuatorKind::motor: {
      const Formula command = own.whole_formula("command");
      const Node* curve = fields.get("speed_curve");
      const std::string table = curve == nullptr ? "" : fields.name_of(*curve, "speed_curve");
      if (table.empty()) {
        fields.findings().add_broken(name, force.source);
        return fields.finish();
      }
      force.law = {fmt::format("clamp({0}, -1, 1)*table({1}, {2}*sign({0}))", "(" + command.text + ")",
                               quoted_name(table), x.rate),
                   command.where};
      break;
    }
  }
  hold(fields, name, force, model);
  fields.finish();
  model.forces.push_back(std::move(force));
}

std::vector<Key> actuator_keys() {
  std::vector<Key> keys{name_key(),
                        {.name = "kind", .type = KeyType::word, .required = true, .words = words(actuator_kinds)},
                        {.name = "joint", .type = KeyType::name, .meaning = "the joint or [[coordinate]] it acts on"},
                        joint_coordinate_key(),
                        point_key("point_a", false, "", "instead of `joint`: between this point of the first body"),
                        point_key("point_b", false, "", "and this one of the second; the effort pushes them apart")};
  for (Key& key : trammel::bodies_keys()) keys.push_back(std::move(key));
  keys.push_back({.name = "period",
                  .unit = "s",
                  .fallback = "0: continuous",
                  .meaning = "a digital controller: the effort is found at the start and after every period, and held",
                  .range = Range::from(0.0)});
  const KindNames servo{"servo"}, bounded_kinds{"force", "servo"};
  for (Key& key : std::vector<Key>{
           {.name = "effort",
     .type = KeyType::formula,
     .unit = "N, N m",
     .required = true,
     .meaning = "the force or torque, a formula",
     .kinds = {"force"}},
           {.name = "target",
           .type = KeyType::formula,
           .unit = "rad, m",
           .required = true,
           .meaning = "r, what the coordinate (or the distance of the points) is to be",
           .kinds = servo},
           {.name = "target_rate",
           .type = KeyType::formula,
           .unit = "rad/s, m/s",
           .fallback = "0",
           .meaning = "ṙ, which the damping is relative to",
           .kinds = servo},
           {.name = "kp", .unit = "N/m, N m/rad", .fallback = "0", .meaning = "effort per error", .kinds = servo},
           {.name = "ki",
           .unit = "N/m/s, N m/rad/s",
           .fallback = "0",
           .meaning = "effort per integral of the error",
           .kinds = servo},
           {.name = "kd",
           .unit = "N s/m, N m s/rad",
           .fallback = "0",
           .meaning = "effort per rate of the error",
           .kinds = servo},
           {.name = "limit",
           .unit = "N, N m",
           .fallback = "none",
           .meaning = "the largest size of the effort",
           .range = Range::above(0.0),
           .kinds = bounded_kinds},
           {.name = "windup_time",
           .unit = "s",
           .fallback = "kp/ki",
           .meaning = "T_w, in which the integral runs back while the effort is at its bound",
           .range = Range::above(0.0),
           .kinds = servo},
           {.name = "initial",
           .unit = "N, N m",
           .fallback = "0",
           .meaning = "the effort of the integral at the start",
           .kinds = servo},
           {.name = "command",
           .type = KeyType::formula,
           .required = true,
           .meaning = "c, the part of the curve that is asked for, cut to −1 … 1; its sign is the direction",
           .kinds = {"motor"}},
           {.name = "speed_curve",
           .type = KeyType::name,
           .required = true,
           .meaning = "a [[table]] of the largest effort over the speed in the direction of the command",
           .kinds = {"motor"}},
           {.name = "speed_curve",
           .type = KeyType::name,
           .meaning = "instead of `limit`: a [[table]] of the largest effort over the size of the speed",
           .kinds = bounded_kinds}})
    keys.push_back(std::move(key));
  return keys;
}

}  // namespace

EntityKind actuator_kind() {
  return {{.name = "actuator",
           .is_list = true,
           .meaning = "A force or torque on a joint, or between two points: a formula, a servo or a motor.",
           .keys = actuator_keys()},
          read_actuator};
}

}  // namespace trammel::detail
