// SPDX-License-Identifier: Apache-2.0
#include "own_kinds.h"
#include "trammel/mechanics/kinds/joint_parts.h"

namespace trammel {

namespace {

/// A screw by its lead [m/rad] instead of its pitch: put together from rows of the library, with a motion in the tree.
struct HelixJoint {
  static constexpr std::string_view name = "helix", meaning = "a screw by its lead";
  static std::vector<Key> keys() {
    return {hinge_point_key(),
            direction_key("axis", true, "of the thread" + direction_form),
            {.name = "lead", .unit = "m/rad", .required = true, .meaning = "displacement per angle, not 0"}};
  }
  static void read(KindFields& fields, JointSpec& joint) {
    read_place(fields, joint);
    joint.numbers["lead"] = fields.number("lead", 1.0);
  }
  static double lead(const JointSpec& joint) { return joint.numbers.at("lead"); }
  static constexpr JointNeeds needs{};
  static constexpr InPlane in_plane{.refused = true};
  static void check(detail::ModelChecks& checks, const JointSpec& joint, bool) {
    if (lead(joint) == 0.0) checks.report("joint", joint, "lead", "'lead' is 0, so that it would not slide");
  }
  static void compose(JointRows& rows, const JointSpec& joint) {
    rows.stay_on_line();
    rows.keep_axes();
    rows.has_angle();
    rows.has_displacement();
    rows.couple(-lead(joint));
  }
  static constexpr JointCoordinates coordinates{.angle = true, .displacement = true};
  static constexpr JointAxes axes = JointAxes::both;
  static std::optional<TreeMotion> motion(const JointSpec& joint, bool) {
    return TreeMotion{Mobility::screw, lead(joint)};
  }
  static constexpr auto directors = rows_of_directors;
  static constexpr auto signals = no_signals;
  static Picture picture() { return {.parts = {{.shape = Picture::Shape::torus, .size = {2.0, 2.0, 2.0}}}}; }
};

}  // namespace

constinit const JointDescription own::helix = describe_joint<HelixJoint>();

}  // namespace trammel
