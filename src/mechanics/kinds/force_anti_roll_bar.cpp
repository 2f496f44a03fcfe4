// SPDX-License-Identifier: Apache-2.0
#include "trammel/mechanics/kinds/force_parts.h"

namespace trammel {

namespace {

/// −k (x₁ − x₂) − c (ẋ₁ − ẋ₂) on one joint's coordinate, the opposite on another's.
struct AntiRollBarForce {
  static constexpr std::string_view name = "anti_roll_bar", meaning = "couples two joints";
  static std::vector<Key> keys() {
    return {{.name = "joints",
             .type = KeyType::names,
             .required = true,
             .meaning = "the two joints whose coordinates it couples, `[\"left\", \"right\"]`"},
            joint_coordinate_key(),
            {.name = "stiffness", .unit = "N/m, N m/rad", .required = true, .meaning = "k of the bar"},
            damping_key()};
  }
  static void read(KindFields& fields, ForceSpec& force) {
    const std::vector<std::string> joints = fields.names("joints", 2, "a list of two names, [\"left\", \"right\"]");
    if (joints.empty()) {
      fields.give_up();
    } else {
      force.joint = joints[0], force.vehicle.other_joint = joints[1];
      fields.said_at("joint", "joints", 0);
      fields.said_at("other_joint", "joints", 1);
    }
    force.coordinate = read_joint_coordinate(fields);
    force.stiffness = fields.number("stiffness", 1.0);
    force.damping = fields.number("damping", 0.0);
  }
  static constexpr ActsOn acts_on = ActsOn::coordinates;
  static constexpr Strain strain = Strain::none;
  static constexpr bool between_points = false;
  static void check(detail::ModelChecks& checks, const ForceSpec& force) {
    check_joint_reference(checks, "force", force, "other_joint", force.vehicle.other_joint, force.coordinate);
    if (force.joint == force.vehicle.other_joint)
      checks.report("force", force, "other_joint",
                    fmt::format("it couples '{0}' with '{0}' itself, which has no effect", force.joint));
  }
  static void assemble(ForceElements& elements, const ForceSpec& force) {
    const CoordinateTerm first = elements.coordinate_of(force.joint, force.coordinate),
                         second = elements.coordinate_of(force.vehicle.other_joint, force.coordinate);
    elements.show_between(first.frame[0], first.frame[1], {second.frame[0], second.frame[1]});
    elements.add<AntiRollBar>({{first.x, second.x}, force.stiffness, force.damping},
                              {first.frame[0], first.frame[1], second.frame[0], second.frame[1]},
                              {first.branch, second.branch});
  }
  static constexpr auto directors = elastic_directors;
  static Picture picture() { return {}; }
};

}  // namespace

constinit const ForceDescription kinds::anti_roll_bar_force = describe_force<AntiRollBarForce>();

}  // namespace trammel
