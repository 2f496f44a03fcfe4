// SPDX-License-Identifier: Apache-2.0
#include <numbers>

#include "trammel/mechanics/kinds/joint_parts.h"

namespace trammel {

namespace {

/// A thin disc of `radius` about `point_b` with the axle `axis_b` rolls on such a plane: 1 row and 2 on velocities.
struct RollingDiscJoint {
  static constexpr std::string_view name = "rolling_disc", meaning = "rolls on a plane";
  static std::vector<Key> keys() {
    return {point_key("point", true, "", "a point of the plane it rolls on, fixed in the first body"),
            point_key("point_b", false, origin_of_second, "the centre of what rolls"),
            direction_key("axis", true, "the normal of the plane it rolls on" + direction_form),
            direction_key("axis_b", true, "the disc's axle"), radius_key()};
  }
  static void read(KindFields& fields, JointSpec& joint) {
    read_place(fields, joint);
    joint.radius = fields.number("radius", 1.0);
  }
  static constexpr JointNeeds needs{.axis_b = true, .center_b = true};
  static constexpr InPlane in_plane{
      .axis = InPlane::Direction::within, .axis_b = InPlane::Direction::normal, .axis_b_words = "'axis_b', the axle,"};
  static void check(detail::ModelChecks& checks, const JointSpec& joint, bool axes_are_good) {
    if (axes_are_good && are_parallel(checks.drawn(joint.axis), checks.drawn(*joint.axis_b)))
      checks.report(
          "joint", joint, "axis_b",
          "the disc lies flat: its axle 'axis_b' is parallel to the plane's normal 'axis', and no rim point is "
          "lowest");
    check_radius(checks, joint);
  }
  static void compose(JointRows& rows, const JointSpec& joint) {
    const Eigen::Vector3d n = rows.axis_in_a(rows.axis()), s_b = rows.on_b(rows.point_b());
    const Eigen::Vector3d axle = rows.axis_in_b(rows.axis_b());
    rows.add<DiscOnPlane>({n, rows.on_a(rows.point()), s_b, axle, joint.radius}, {rows.a(), rows.b()}, "m");
    rows.add<RollingContact>({n, rows.axis_in_a(rows.e1()), rows.axis_in_a(rows.e2()), s_b, axle, joint.radius, true},
                             {rows.a(), rows.b()}, "m/s");
  }
  static constexpr JointCoordinates coordinates{};
  static constexpr JointAxes axes = JointAxes::axis;
  static constexpr auto motion = no_motion;
  static constexpr auto directors = rows_of_directors;
  static constexpr auto signals = no_signals;
  static Picture picture() {
    constexpr double third = std::numbers::pi / 3.0;
    using enum Picture::Shape;
    const auto part = [](Picture::Shape shape, const std::array<double, 3>& size, int tint, double turn = 0.0) {
      return part_of_wheel(shape, size, Picture::Along::axis_b, tint, turn);
    };
    const std::array<double, 3> spoke{1.76, 0.07, 0.07};
    return picture_of_wheel({part(ring, {1.0, 1.0, 1.0}, 0), part(cylinder, {0.9, 0.9, 0.03}, 1), part(box, spoke, -1),
                             part(box, spoke, -1, 1 * third), part(box, spoke, -1, 2 * third),
                             part(cylinder, {0.12, 0.12, 0.22}, -1)});
  }
};

}  // namespace

constinit const JointDescription kinds::rolling_disc_joint = describe_joint<RollingDiscJoint>();

}  // namespace trammel
