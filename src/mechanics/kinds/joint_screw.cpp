// SPDX-License-Identifier: Apache-2.0
#include <numbers>

#include "trammel/mechanics/kinds/joint_parts.h"

namespace trammel {

namespace {

/// A cylindrical joint with displacement = pitch · angle/2π: 5 rows.
struct ScrewJoint {
  static constexpr std::string_view name = "screw", meaning = "slides as it turns";
  static std::vector<Key> keys() {
    return {hinge_point_key(),
            other_point_key(),
            direction_key("axis", true,
                          "of the joint, fixed in the first body, and in the second where both coincide as drawn" +
                              direction_form),
            other_direction_key(),
            carried_coordinate_key(),
            {.name = "pitch", .unit = "m", .required = true, .meaning = "displacement per turn, not 0"}};
  }
  static void read(KindFields& fields, JointSpec& joint) {
    read_place(fields, joint);
    joint.pitch = fields.number("pitch", 1.0);
  }
  static constexpr JointNeeds needs{};
  static constexpr InPlane in_plane{.refused = true};
  static void check(detail::ModelChecks& checks, const JointSpec& joint, bool) {
    if (joint.pitch == 0.0 || !std::isfinite(joint.pitch))
      checks.report("joint", joint, "pitch",
                    fmt::format("'pitch' is {} m per turn but must not be 0; what only turns is a revolute joint, what "
                                "only slides a prismatic one",
                                joint.pitch));
  }
  static double lead(const JointSpec& joint) { return joint.pitch / (2.0 * std::numbers::pi); }
  static void compose(JointRows& rows, const JointSpec& joint) {
    rows.stay_on_line();
    rows.keep_axes();
    rows.has_angle();
    rows.has_displacement();
    rows.couple(-lead(joint));
    rows.carries_angle(joint);
  }
  static constexpr JointCoordinates coordinates{.angle = true, .displacement = true, .carried = 1};
  static constexpr JointAxes axes = JointAxes::both;
  static std::optional<TreeMotion> motion(const JointSpec& joint, bool) {
    return TreeMotion{Mobility::screw, lead(joint)};
  }
  static constexpr auto directors = rows_of_directors;
  static constexpr auto signals = no_signals;
  static Picture picture() { return {.parts = {{.shape = Picture::Shape::cylinder, .size = {0.9, 0.9, 14.0}}}}; }
};

}  // namespace

constinit const JointDescription kinds::screw_joint = describe_joint<ScrewJoint>();

}  // namespace trammel
