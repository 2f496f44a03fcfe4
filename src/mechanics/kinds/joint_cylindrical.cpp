// SPDX-License-Identifier: Apache-2.0
#include "trammel/mechanics/kinds/joint_parts.h"

namespace trammel {

namespace {

/// Slides along and turns about the axis, 4 rows.
struct CylindricalJoint {
  static constexpr std::string_view name = "cylindrical", meaning = "turns and slides";
  static std::vector<Key> keys() {
    return {hinge_point_key(), other_point_key(),
            direction_key("axis", true,
                          "of the joint, fixed in the first body, and in the second where both coincide as drawn" +
                              direction_form),
            other_direction_key(), carried_coordinates_key("its angle and its displacement")};
  }
  static constexpr auto read = read_place;
  static constexpr JointNeeds needs{};
  static constexpr InPlane in_plane{.refused = true};
  static constexpr auto check = check_nothing;
  static void compose(JointRows& rows, const JointSpec& joint) {
    rows.stay_on_line();
    rows.keep_axes();
    rows.has_angle();
    rows.has_displacement();
    rows.carries_angle(joint);
    rows.carries_displacement(joint, rows.axis());
  }
  static constexpr JointCoordinates coordinates{.angle = true, .displacement = true, .carried = 2};
  static constexpr JointAxes axes = JointAxes::both;
  static constexpr auto motion = moves<Mobility::cylindrical>;
  static constexpr auto directors = rows_of_directors;
  static constexpr auto signals = no_signals;
  static Picture picture() { return {.parts = {{.shape = Picture::Shape::cylinder, .size = {0.9, 0.9, 14.0}}}}; }
};

}  // namespace

constinit const JointDescription kinds::cylindrical_joint = describe_joint<CylindricalJoint>();

}  // namespace trammel
