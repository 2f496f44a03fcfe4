// SPDX-License-Identifier: Apache-2.0
#include "trammel/mechanics/kinds/joint_parts.h"

namespace trammel {

namespace {

/// b's point stays in the plane through `point` normal to `axis`, and b turns about it: 3 rows.
struct PlanarJoint {
  static constexpr std::string_view name = "planar", meaning = "moves in a plane";
  static std::vector<Key> keys() {
    return {hinge_point_key(),
            other_point_key(),
            direction_key("axis", true, "the normal of the plane, fixed in the first body" + direction_form),
            other_direction_key(),
            carried_coordinate_key(),
            carried_coordinates_key(
                "its angle and the displacements of the second point along two directions of the "
                "plane, which with `axis` make a right-handed triad; along world axes where those fit")};
  }
  static constexpr auto read = read_place;
  static constexpr JointNeeds needs{};
  static constexpr InPlane in_plane{.refused = true};
  static constexpr auto check = check_nothing;
  static void compose(JointRows& rows, const JointSpec& joint) {
    rows.offset(rows.axis(), 0.0);
    rows.keep_axes();
    rows.has_angle();
    rows.carries_angle(joint);
    rows.carries_displacement(joint, rows.e1());
    rows.carries_displacement(joint, rows.e2());
  }
  static constexpr JointCoordinates coordinates{.angle = true, .carried = 3};
  static constexpr JointAxes axes = JointAxes::both;
  static constexpr auto motion = moves<Mobility::planar>;
  static constexpr auto directors = rows_of_directors;
  static constexpr auto signals = no_signals;
  static Picture picture() { return {.reaches_a = false}; }
};

}  // namespace

constinit const JointDescription kinds::planar_joint = describe_joint<PlanarJoint>();

}  // namespace trammel
