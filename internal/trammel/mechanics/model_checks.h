// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <Eigen/Core>
#include <set>
#include <string>
#include <vector>

#include "trammel/mechanics/model.h"
#include "trammel/mechanics/signals.h"

namespace trammel::detail {

/// What the checks of a model share: the names, and the issues found so far.
struct ModelChecks {
  explicit ModelChecks(const Model& checked) : model(checked), table(checked) {}

  const Model& model;
  SignalTable table;
  std::vector<Issue> issues;
  std::set<std::string> faulty;  ///< names of what was reported
  bool joints_are_known = true;  ///< every joint says which existing bodies it holds

  /// "body 'rod': <message>" at the place of the field, or at "body 'rod'" for models built in code.
  template <class Spec>
  void report(std::string_view kind, const Spec& spec, const std::string& field, const std::string& message) {
    const std::string entity = fmt::format("{} '{}'", kind, spec.name);
    const std::string& place = spec.source.at(field);
    faulty.insert(spec.name);
    issues.push_back({place.empty() ? entity : place, entity + ": " + message});
  }

  const BodySpec* find_body(const std::string& name) const;
  const JointSpec* find_joint(const std::string& name) const;

  /// World coordinates of the drawn configuration; unknown bodies count as the ground.
  Eigen::Vector3d drawn(const PointSpec& point) const;
  Eigen::Vector3d drawn(const AxisSpec& axis) const;
};

/// Sine of the angle between two directions below which they count as parallel (digits that people type).
inline constexpr double parallel_tol = 1e-6;

void check_names(ModelChecks& checks);
void check_bodies(ModelChecks& checks);
void check_joints(ModelChecks& checks);
void check_couplers_and_motions(ModelChecks& checks);
void check_forces(ModelChecks& checks);
void check_tracks(ModelChecks& checks);
void check_roads(ModelChecks& checks);
void check_controls_and_measures(ModelChecks& checks);
void check_events(ModelChecks& checks);
void check_tables(ModelChecks& checks);
void check_beams(ModelChecks& checks);
void check_geometry(ModelChecks& checks);
void check_contacts(ModelChecks& checks);

/// All formulas: syntax, names, and circles of measures and control outputs.
void check_formulas(ModelChecks& checks);

/// Bodies that can turn about an axis without any inertia against it.
void check_free_axes(ModelChecks& checks);

/// Key under which the user named the body of a force: `bodies`, or the field's own.
inline std::string body_key(const ForceSpec& force) {
  return force.source.fields.count("bodies") > 0 ? "bodies" : "body_b";
}

/// "there is no body 'rd'; did you mean 'rod'?"
std::string no_such(const ModelChecks& checks, SignalTable::Entity entity, const std::string& name);

/// A reference to a body (ground allowed); reports at `field` and returns false if there is none of that name.
template <class Spec>
bool check_body_reference(ModelChecks& checks, std::string_view kind, const Spec& spec, const std::string& field,
                          const std::string& body) {
  if (body == ground_name || checks.find_body(body) != nullptr) return true;
  const bool bodies = spec.source.fields.count(field) == 0 && spec.source.fields.count("bodies") > 0;
  checks.report(kind, spec, bodies ? "bodies" : field, no_such(checks, SignalTable::Entity::body, body));
  return false;
}

template <class Spec>
void check_point(ModelChecks& checks, std::string_view kind, const Spec& spec, const std::string& field,
                 const PointSpec& point) {
  if (!point.body.empty()) check_body_reference(checks, kind, spec, field, point.body);
  if (!point.at.allFinite()) checks.report(kind, spec, field, fmt::format("'{}' is not finite", field));
}

/// Reports a zero or endless direction; true if it can be used.
template <class Spec>
bool check_axis(ModelChecks& checks, std::string_view kind, const Spec& spec, const std::string& field,
                const AxisSpec& axis) {
  if (!axis.body.empty() && !check_body_reference(checks, kind, spec, field, axis.body)) return false;
  if (axis.direction.allFinite() && axis.direction.norm() > 0.0) return true;
  checks.report(kind, spec, field,
                fmt::format("'{}' is [{}, {}, {}]; it must have a direction (not zero, and finite)", field,
                            axis.direction.x(), axis.direction.y(), axis.direction.z()));
  return false;
}

/// A reference to a joint's coordinate or to a [[coordinate]]; false if it was reported.
template <class Spec>
bool check_joint_reference(ModelChecks& checks, std::string_view kind, const Spec& spec, const std::string& field,
                           const std::string& name, JointCoordinate coordinate) {
  const SignalTable::Entry* entry = checks.table.find(name);
  const bool scalar = entry != nullptr && entry->entity == SignalTable::Entity::coordinate;
  const bool joint = entry != nullptr && entry->entity == SignalTable::Entity::joint;
  const std::string key = spec.source.fields.count("coordinate") > 0 ? "coordinate" : field;
  if (!scalar && !joint) {
    checks.report(kind, spec, field, no_such(checks, SignalTable::Entity::joint, name));
    return false;
  }
  if (scalar) {
    if (coordinate == JointCoordinate::automatic) return true;
    checks.report(kind, spec, key, fmt::format("'{}' is a scalar coordinate; leave 'coordinate' out", name));
    return false;
  }
  const JointKind joint_kind = checks.model.joints[static_cast<std::size_t>(entry->index)].kind;
  if (has_coordinate(joint_kind, coordinate)) return true;
  const bool angle = has_coordinate(joint_kind, JointCoordinate::angle);
  const bool displacement = has_coordinate(joint_kind, JointCoordinate::displacement);
  if (coordinate == JointCoordinate::automatic && angle && displacement)
    checks.report(kind, spec, field,
                  fmt::format("joint '{}' has an angle and a displacement; say which with 'coordinate' = \"angle\" or "
                              "\"displacement\"",
                              name));
  else if (!angle && !displacement)
    checks.report(kind, spec, field,
                  fmt::format("joint '{}' has no free coordinate of its own; revolute and planar joints have an angle, "
                              "prismatic ones a displacement, cylindrical and screw joints both",
                              name));
  else
    checks.report(kind, spec, key,
                  fmt::format("joint '{}' has no {}, only {}", name,
                              coordinate == JointCoordinate::angle ? "angle" : "displacement",
                              angle ? "an angle" : "a displacement"));
  return false;
}

}  // namespace trammel::detail
