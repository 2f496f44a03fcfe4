// SPDX-License-Identifier: Apache-2.0
#include "trammel/mechanics/kinds/joint_parts.h"

namespace trammel {

namespace {

void check_angle(detail::ModelChecks& checks, const JointSpec& joint) {
  if (!joint.point_b) return;
  const Eigen::Vector3d rod = checks.drawn(*joint.point_b) - checks.drawn(joint.point);
  if (rod.norm() > 0.0 && are_parallel(rod.stableNormalized(), checks.drawn(joint.axis)))
    checks.report("joint", joint, "axis",
                  fmt::format("the rod lies along 'axis' as drawn, so that it has no angle about it that '{}' could "
                              "carry; turn the axis across the rod",
                              joint.coordinate));
  const BodySpec* first = checks.find_body(joint.body_a);
  if (first != nullptr && first->kind == BodyKind::particle)
    checks.report("joint", joint, "coordinate",
                  fmt::format("the angle of the rod is counted about an axis of its first body, but '{}' is a "
                              "particle and has none; exchange the bodies",
                              joint.body_a));
}

/// A massless rod: points keep their distance, 1 row. With a `coordinate` its angle about `axis` is a coordinate: one
/// more row.
struct DistanceJoint {
  static constexpr std::string_view name = "distance", meaning = "a massless rod";
  static std::vector<Key> keys() {
    return {point_key("point", true, "", "the point on the first body" + point_form),
            point_key("point_b", true, "", "the point on the second body" + point_form),
            direction_key("axis", false, "about which the angle of a `coordinate` is measured"),
            {.name = "length", .unit = "m", .fallback = "as drawn", .meaning = "of the massless rod, > 0"},
            {.name = "squared",
             .type = KeyType::boolean,
             .fallback = "false",
             .meaning = "the row ‖d‖² − ℓ² [m²] in place of ‖d‖ − ℓ"},
            {.name = "coordinate",
             .type = KeyType::name,
             .meaning = "the [[coordinate]] that carries the rod's angle about `axis`, zero as drawn"}};
  }
  static void read(KindFields& fields, JointSpec& joint) {
    read_place(fields, joint);
    if (fields.has("coordinate"))
      fields.require("axis");
    else
      fields.refuse("axis", "without a 'coordinate' that carries the angle of the rod");
    joint.length = fields.optional_number("length");
    joint.squared = fields.boolean("squared", false);
  }
  static constexpr JointNeeds needs{.axis = false, .orientation_a = false, .orientation_b = false};
  static constexpr InPlane in_plane{};
  static void check(detail::ModelChecks& checks, const JointSpec& joint, bool axes_are_good) {
    if (!joint.coordinate.empty() && check_axis(checks, "joint", joint, "axis", joint.axis) && axes_are_good)
      check_angle(checks, joint);
    if (joint.length && !(*joint.length > 0.0 && std::isfinite(*joint.length)))
      checks.report("joint", joint, "length",
                    fmt::format("'length' is {} m but must be > 0; for points that coincide use a spherical joint",
                                *joint.length));
    const double drawn = joint.point_b ? (checks.drawn(*joint.point_b) - checks.drawn(joint.point)).norm() : 0.0;
    if (drawn == 0.0)
      checks.report(
          "joint", joint, "point_b",
          "the two points coincide as drawn, so that the rod between them has no direction; draw them apart, or "
          "use a spherical joint");
  }
  static void compose(JointRows& rows, const JointSpec& joint) {
    const Eigen::Vector3d s_a = rows.on_a(rows.point()), s_b = rows.on_b(rows.point_b());
    const Eigen::Vector3d d = rows.point_b() - rows.point();
    const double length = joint.length ? *joint.length : d.norm();
    if (joint.squared)
      rows.add<SquaredDistance>({s_a, s_b, length}, {rows.a(), rows.b()}, "m²");
    else
      rows.add<Distance>({s_a, s_b, length}, {rows.a(), rows.b()}, "m");
    if (joint.coordinate.empty()) return;
    const Eigen::Vector3d& n = rows.axis();
    const Eigen::Vector3d r = (d - n * n.dot(d)).normalized();  // zero is as drawn
    rows.add<LineAngle>({rows.axis_in_a(r), rows.axis_in_a(n.cross(r)), s_a, s_b},
                        {rows.a(), rows.b(), rows.coordinate_frame(joint.coordinate)}, "m");
  }
  static constexpr JointCoordinates coordinates{.in_rows = true};
  static constexpr JointAxes axes = JointAxes::axis;
  static constexpr auto motion = no_motion;
  static constexpr auto directors = rows_of_directors;
  static constexpr auto signals = no_signals;
  static Picture picture() {
    return {.parts = {{.shape = Picture::Shape::cylinder,
                       .size = {0.35, 0.35, 1.0},
                       .place = Picture::Place::between,
                       .color = "#9aa3ad",
                       .always = true,
                       .least = 0.012},
                      {.shape = Picture::Shape::sphere,
                       .size = {0.008, 0.008, 0.008},
                       .place = Picture::Place::ends,
                       .unit = Picture::Unit::machine}},
            .foot = true};
  }
};

}  // namespace

constinit const JointDescription kinds::distance_joint = describe_joint<DistanceJoint>();

}  // namespace trammel
