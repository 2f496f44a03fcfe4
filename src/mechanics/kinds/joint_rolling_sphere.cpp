// SPDX-License-Identifier: Apache-2.0
#include "trammel/mechanics/kinds/joint_parts.h"

namespace trammel {

namespace {

/// A sphere of `radius` about `point_b` rolls on the plane of a through `point` with the normal `axis`: 1 row and 2 on
/// velocities.
struct RollingSphereJoint {
  static constexpr std::string_view name = "rolling_sphere", meaning = "rolls on a plane";
  static std::vector<Key> keys() {
    return {point_key("point", true, "", "a point of the plane it rolls on, fixed in the first body"),
            point_key("point_b", false, origin_of_second, "the centre of what rolls"),
            direction_key("axis", true, "the normal of the plane it rolls on" + direction_form), radius_key()};
  }
  static void read(KindFields& fields, JointSpec& joint) {
    read_place(fields, joint);
    joint.radius = fields.number("radius", 1.0);
  }
  static constexpr JointNeeds needs{.center_b = true};
  static constexpr InPlane in_plane{.axis = InPlane::Direction::within};
  static void check(detail::ModelChecks& checks, const JointSpec& joint, bool) { check_radius(checks, joint); }
  static void compose(JointRows& rows, const JointSpec& joint) {
    rows.offset(rows.axis(), joint.radius);
    rows.add<RollingContact>({rows.axis_in_a(rows.axis()), rows.axis_in_a(rows.e1()), rows.axis_in_a(rows.e2()),
                              rows.on_b(rows.point_b()), rows.axis_in_b(rows.axis_b()), joint.radius, false},
                             {rows.a(), rows.b()}, "m/s");
  }
  static constexpr JointCoordinates coordinates{};
  static constexpr JointAxes axes = JointAxes::axis;
  static constexpr auto motion = no_motion;
  static constexpr auto directors = rows_of_directors;
  static constexpr auto signals = no_signals;
  static Picture picture() {
    constexpr auto z = Picture::Along::z;
    return picture_of_wheel({part_of_wheel(Picture::Shape::sphere, {1.0, 1.0, 1.0}, z),
                             part_of_wheel(Picture::Shape::cylinder, {1.004, 1.004, 0.12}, z, -1)});
  }
};

}  // namespace

constinit const JointDescription kinds::rolling_sphere_joint = describe_joint<RollingSphereJoint>();

}  // namespace trammel
