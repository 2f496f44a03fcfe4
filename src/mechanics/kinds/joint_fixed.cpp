// SPDX-License-Identifier: Apache-2.0
#include "trammel/mechanics/kinds/joint_parts.h"

namespace trammel {

namespace {

/// Nothing moves: 6 rows.
struct FixedJoint {
  static constexpr std::string_view name = "fixed", meaning = "nothing moves";
  static std::vector<Key> keys() {
    return {point_key("point", false, origin_of_second, "where the reaction is given"), other_point_key()};
  }
  static constexpr auto read = read_place;
  static constexpr JointNeeds needs{.axis = false};
  static constexpr InPlane in_plane{};
  static constexpr auto check = check_nothing;
  static void compose(JointRows& rows, const JointSpec&) {
    rows.coincide();
    rows.keep_orientation();
  }
  static constexpr JointCoordinates coordinates{};
  static constexpr JointAxes axes = JointAxes::axis;
  static constexpr auto motion = moves<Mobility::fixed>;
  static constexpr auto directors = rows_of_directors;
  static constexpr auto signals = no_signals;
  static Picture picture() {
    return {.parts = {{.shape = Picture::Shape::box, .size = {2.0, 2.0, 2.0}}}, .foot = true};
  }
};

}  // namespace

constinit const JointDescription kinds::fixed_joint = describe_joint<FixedJoint>();

}  // namespace trammel
