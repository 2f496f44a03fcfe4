// SPDX-License-Identifier: Apache-2.0
#include "trammel/mechanics/kinds/joint_parts.h"

namespace trammel {

namespace {

/// b's point stays on the line through `point` along `axis`, fixed in a: 2 rows.
struct PointOnLineJoint {
  static constexpr std::string_view name = "point_on_line", meaning = "";
  static std::vector<Key> keys() {
    return {point_key("point", true, "", "a point of the line or plane, and the point that stays on it" + point_form),
            other_point_key(),
            direction_key("axis", true, "the direction of the line, fixed in the first body" + direction_form),
            carried_coordinate_key()};
  }
  static constexpr auto read = read_place;
  static constexpr JointNeeds needs{.orientation_b = false};
  static constexpr InPlane in_plane{.axis = InPlane::Direction::within};
  static constexpr auto check = check_nothing;
  static void compose(JointRows& rows, const JointSpec& joint) {
    rows.stay_on_line();
    rows.has_displacement();
    rows.carries_displacement(joint, rows.axis());
  }
  static constexpr JointCoordinates coordinates{.carried = 1};
  static constexpr JointAxes axes = JointAxes::axis;
  static constexpr auto motion = no_motion;
  static constexpr auto directors = rows_of_directors;
  static constexpr auto signals = no_signals;
  static Picture picture() {
    return {.parts = {{.shape = Picture::Shape::sphere, .size = {1.5, 1.5, 1.5}},
                      {.shape = Picture::Shape::cylinder,
                       .size = {0.4, 0.4, 1.0},
                       .place = Picture::Place::rail,
                       .color = "#aeb5be"}},
            .reaches_a = false};
  }
};

}  // namespace

constinit const JointDescription kinds::point_on_line_joint = describe_joint<PointOnLineJoint>();

}  // namespace trammel
