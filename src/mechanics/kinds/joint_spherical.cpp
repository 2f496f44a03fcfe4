// SPDX-License-Identifier: Apache-2.0
#include "trammel/mechanics/kinds/joint_parts.h"

namespace trammel {

namespace {

/// Points coincide: 3 rows. Between bodies that keep to a plane it is a hinge.
struct SphericalJoint {
  static constexpr std::string_view name = "spherical", meaning = "points coincide";
  static std::vector<Key> keys() { return {hinge_point_key(), other_point_key()}; }
  static constexpr auto read = read_place;
  static constexpr JointNeeds needs{.axis = false, .orientation_a = false, .orientation_b = false};
  static constexpr InPlane in_plane{};
  static constexpr auto check = check_nothing;
  static void compose(JointRows& rows, const JointSpec&) { rows.coincide(); }
  static constexpr JointCoordinates coordinates{};
  static constexpr JointAxes axes = JointAxes::normal;
  static std::optional<TreeMotion> motion(const JointSpec&, bool planar) {
    return TreeMotion{planar ? Mobility::revolute : Mobility::spherical};
  }
  static constexpr auto directors = rows_of_directors;
  static constexpr auto signals = no_signals;
  static Picture picture() {
    return {.parts = {{.shape = Picture::Shape::sphere, .size = {1.5, 1.5, 1.5}}}, .foot = true};
  }
};

}  // namespace

constinit const JointDescription kinds::spherical_joint = describe_joint<SphericalJoint>();

}  // namespace trammel
