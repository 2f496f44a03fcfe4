// SPDX-License-Identifier: Apache-2.0
#include "trammel/mechanics/kinds/joint_parts.h"

namespace trammel {

namespace {

/// b's point stays in the plane through `point` normal to `axis`, fixed in a: 1 row.
struct PointOnPlaneJoint {
  static constexpr std::string_view name = "point_on_plane", meaning = "";
  static std::vector<Key> keys() {
    return {
        point_key("point", true, "", "a point of the line or plane, and the point that stays on it" + point_form),
        other_point_key(),
        direction_key("axis", true, "the normal of the plane, fixed in the first body" + direction_form),
        carried_coordinates_key("the displacements of the second point along two directions of the plane, which with "
                                "`axis` make a right-handed triad; along world axes where those fit")};
  }
  static constexpr auto read = read_place;
  static constexpr JointNeeds needs{.orientation_b = false};
  static constexpr InPlane in_plane{.axis = InPlane::Direction::within};
  static constexpr auto check = check_nothing;
  static void compose(JointRows& rows, const JointSpec& joint) {
    rows.offset(rows.axis(), 0.0);
    rows.carries_displacement(joint, rows.e1());
    rows.carries_displacement(joint, rows.e2());
  }
  static constexpr JointCoordinates coordinates{.carried = 2};
  static constexpr JointAxes axes = JointAxes::axis;
  static constexpr auto motion = no_motion;
  static constexpr auto directors = rows_of_directors;
  static constexpr auto signals = no_signals;
  static Picture picture() {
    return {.parts = {{.shape = Picture::Shape::sphere, .size = {1.5, 1.5, 1.5}}}, .reaches_a = false};
  }
};

}  // namespace

constinit const JointDescription kinds::point_on_plane_joint = describe_joint<PointOnPlaneJoint>();

}  // namespace trammel
