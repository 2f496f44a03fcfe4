// SPDX-License-Identifier: Apache-2.0
#include "trammel/mechanics/kinds/joint_parts.h"

namespace trammel {

namespace {

/// A slider: b moves along the axis and does not turn, 5 rows.
struct PrismaticJoint {
  static constexpr std::string_view name = "prismatic", meaning = "a slider";
  static std::vector<Key> keys() {
    return {point_key("point", false, origin_of_second, "where the joint sits" + point_form), other_point_key(),
            direction_key("axis", true,
                          "of the joint, fixed in the first body, and in the second where both coincide as drawn" +
                              direction_form),
            other_direction_key(), carried_coordinate_key()};
  }
  static constexpr auto read = read_place;
  static constexpr JointNeeds needs{};
  static constexpr InPlane in_plane{.axis = InPlane::Direction::within};
  static constexpr auto check = check_nothing;
  static void compose(JointRows& rows, const JointSpec&) {
    rows.stay_on_line();
    rows.keep_orientation();
    rows.has_displacement();
  }
  static constexpr JointCoordinates coordinates{.displacement = true};
  static constexpr JointAxes axes = JointAxes::axis;
  static constexpr auto motion = moves<Mobility::prismatic>;
  static constexpr auto directors = rows_of_directors;
  static constexpr auto signals = no_signals;
  static Picture picture() {
    return {.parts = {{.shape = Picture::Shape::cylinder,
                       .size = {0.4, 0.4, 1.0},
                       .place = Picture::Place::rail,
                       .color = "#aeb5be"}}};
  }
};

}  // namespace

constinit const JointDescription kinds::prismatic_joint = describe_joint<PrismaticJoint>();

}  // namespace trammel
