// SPDX-License-Identifier: Apache-2.0
#include "trammel/mechanics/kinds/joint_parts.h"

namespace trammel {

namespace {

/// A blade: b's `point` has no velocity along `axis_b` (fixed in b), relative to a. 1 row on velocities.
struct KnifeEdgeJoint {
  static constexpr std::string_view name = "knife_edge", meaning = "a blade";
  static std::vector<Key> keys() {
    return {point_key("point", true, "", "the point of the edge"),
            direction_key("axis_b", true, "the direction in which the edge cannot move, fixed in the second body")};
  }
  static constexpr auto read = read_place;
  static constexpr JointNeeds needs{.axis = false, .axis_b = true, .orientation_a = false};
  static constexpr InPlane in_plane{.axis_b = InPlane::Direction::within};
  static constexpr auto check = check_nothing;
  static void compose(JointRows& rows, const JointSpec&) {
    rows.add<KnifeEdge>({rows.on_b(rows.point_b()), rows.axis_in_b(rows.axis_b())}, {rows.a(), rows.b()}, "m/s");
  }
  static constexpr JointCoordinates coordinates{};
  static constexpr JointAxes axes = JointAxes::axis;
  static constexpr auto motion = no_motion;
  static constexpr auto directors = rows_of_directors;
  static constexpr auto signals = no_signals;
  static Picture picture() { return {}; }
};

}  // namespace

constinit const JointDescription kinds::knife_edge_joint = describe_joint<KnifeEdgeJoint>();

}  // namespace trammel
