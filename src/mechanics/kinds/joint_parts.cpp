// SPDX-License-Identifier: Apache-2.0
#include "trammel/mechanics/kinds/joint_parts.h"

namespace trammel {

Key point_key(std::string name, bool required, std::string fallback, std::string meaning) {
  return {.name = std::move(name),
          .type = KeyType::point,
          .unit = "m",
          .required = required,
          .fallback = std::move(fallback),
          .meaning = std::move(meaning)};
}

Key direction_key(std::string name, bool required, std::string meaning) {
  return {.name = std::move(name), .type = KeyType::direction, .required = required, .meaning = std::move(meaning)};
}

Key hinge_point_key() {
  return point_key(
      "point", true, "",
      "where the joint sits" + point_form + ": on the first body, and on the second where both coincide as drawn");
}

Key other_point_key() { return point_key("point_b", false, "", "on the second body, where it is another point"); }

Key other_direction_key() {
  return direction_key("axis_b", false, "on the second body, where it is another direction");
}

Key radius_key() {
  return {.name = "radius", .unit = "m", .required = true, .meaning = "the rolling radius", .range = Range::above(0.0)};
}

Key carried_coordinate_key() {
  return {.name = "coordinate",
          .type = KeyType::name,
          .meaning = "the [[coordinate]] that carries the joint's own (of a screw its angle)"};
}

Key carried_coordinates_key(std::string which) {
  return {
      .name = "coordinates", .type = KeyType::names, .meaning = "the [[coordinate]]s that carry " + std::move(which)};
}

std::vector<Key> bodies_keys() {
  return {
      {.name = "bodies",
       .type = KeyType::names,
       .meaning = "the two bodies, `[\"a\", \"b\"]`; `[\"b\"]`: the first is the ground"},
      {.name = "body_a", .type = KeyType::name, .fallback = "ground", .meaning = "instead of `bodies`: the first body"},
      {.name = "body_b", .type = KeyType::name, .meaning = "instead of `bodies`: the second body"}};
}

Key joint_coordinate_key() {
  return {.name = "coordinate",
          .type = KeyType::word,
          .fallback = "the only one",
          .meaning = "of the joint; cylindrical and screw joints have two",
          .words = {{"angle", ""}, {"displacement", ""}}};
}

void read_place(KindFields& fields, JointSpec& joint) {
  const PointSpec origin{joint.body_b, Eigen::Vector3d::Zero()};
  joint.point = fields.point("point").value_or(origin);
  joint.point_b = fields.point("point_b");
  if (joint.kind->needs.center_b && !joint.point_b) joint.point_b = origin;
  if (joint.point.body == ground_name) joint.point.body.clear();
  if (const auto axis = fields.axis("axis")) joint.axis = *axis;
  joint.axis_b = fields.axis("axis_b");
}

void check_radius(detail::ModelChecks& checks, const JointSpec& joint) {
  if (!(joint.radius > 0.0 && std::isfinite(joint.radius)))
    checks.report("joint", joint, "radius", fmt::format("'radius' is {} m but must be > 0", joint.radius));
}

bool are_parallel(const Eigen::Vector3d& a, const Eigen::Vector3d& b) {
  return a.cross(b).norm() <= detail::parallel_tol;
}

}  // namespace trammel
