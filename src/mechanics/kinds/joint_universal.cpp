// SPDX-License-Identifier: Apache-2.0
#include "trammel/mechanics/kinds/joint_parts.h"

namespace trammel {

namespace {

/// Points coincide and `axis` (of a) stays normal to `axis_b` (of b): 4 rows.
struct UniversalJoint {
  static constexpr std::string_view name = "universal", meaning = "two crossed axes";
  static std::vector<Key> keys() {
    return {hinge_point_key(), other_point_key(),
            direction_key("axis", true, "the first axis, fixed in the first body"),
            direction_key("axis_b", true, "the second axis, fixed in the second body"),
            carried_coordinates_key("its angles: about `axis`, and about `axis_b`; zero as drawn")};
  }
  static constexpr auto read = read_place;
  static constexpr JointNeeds needs{.axis_b = true};
  static constexpr InPlane in_plane{.refused = true};
  static void check(detail::ModelChecks& checks, const JointSpec& joint, bool axes_are_good) {
    if (axes_are_good && are_parallel(checks.drawn(joint.axis), checks.drawn(*joint.axis_b)))
      checks.report("joint", joint, "axis_b",
                    "the two axes of a universal joint must cross; 'axis_b' is parallel to 'axis'");
  }
  static void compose(JointRows& rows, const JointSpec& joint) {
    rows.coincide();
    rows.perpendicular(rows.axis(), rows.axis_b());
    rows.carries_crossed_angles(joint);
  }
  static constexpr JointCoordinates coordinates{.carried = 2, .carries_angles = true};
  static constexpr JointAxes axes = JointAxes::crossed;
  static constexpr auto motion = moves<Mobility::universal>;
  static constexpr auto directors = rows_of_directors;
  static constexpr auto signals = no_signals;
  static Picture picture() {
    return {.parts = {{.shape = Picture::Shape::cylinder, .size = {0.8, 0.8, 5.0}},
                      {.shape = Picture::Shape::cylinder, .size = {0.8, 0.8, 5.0}, .along = Picture::Along::axis_b}},
            .foot = true};
  }
};

}  // namespace

constinit const JointDescription kinds::universal_joint = describe_joint<UniversalJoint>();

}  // namespace trammel
