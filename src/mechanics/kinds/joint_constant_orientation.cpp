// SPDX-License-Identifier: Apache-2.0
#include "trammel/mechanics/kinds/joint_parts.h"

namespace trammel {

namespace {

/// No relative rotation: 3 rows.
struct ConstantOrientationJoint {
  static constexpr std::string_view name = "constant_orientation", meaning = "no relative rotation";
  static std::vector<Key> keys() { return {}; }
  static constexpr auto read = read_place;
  static constexpr JointNeeds needs{.point = false, .axis = false};
  static constexpr InPlane in_plane{};
  static constexpr auto check = check_nothing;
  static void compose(JointRows& rows, const JointSpec&) { rows.keep_orientation(); }
  static constexpr JointCoordinates coordinates{};
  static constexpr JointAxes axes = JointAxes::axis;
  static constexpr auto motion = no_motion;
  static constexpr auto directors = rows_of_directors;
  static constexpr auto signals = no_signals;
  static Picture picture() { return {.reaches_a = false, .reaches_b = false}; }
};

}  // namespace

constinit const JointDescription kinds::constant_orientation_joint = describe_joint<ConstantOrientationJoint>();

}  // namespace trammel
