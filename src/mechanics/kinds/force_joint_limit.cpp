// SPDX-License-Identifier: Apache-2.0
#include "trammel/mechanics/kinds/force_parts.h"

namespace trammel {

namespace {

/// Stops at `lower` and `upper` of a joint's coordinate, soft and damped.
struct JointLimitForce {
  static constexpr std::string_view name = "joint_limit", meaning = "stops of a joint's coordinate";
  static std::vector<Key> keys() {
    return join_keys({{on_joint_key(),
                       joint_coordinate_key(),
                       {.name = "stiffness",
                        .unit = "N/m, N m/rad",
                        .required = true,
                        .meaning = "of the stop",
                        .range = Range::above(0.0)},
                       damping_key()},
                      limit_keys()});
  }
  static void read(KindFields& fields, ForceSpec& force) {
    read_joint_reference(fields, force);
    force.lower = fields.optional_number("lower");
    force.upper = fields.optional_number("upper");
    force.stiffness = fields.number("stiffness", 1.0);
    force.damping = fields.number("damping", 0.0);
  }
  static constexpr ActsOn acts_on = ActsOn::coordinate;
  static constexpr Strain strain = Strain::joint;
  static constexpr bool between_points = false;
  static void check(detail::ModelChecks& checks, const ForceSpec& force) {
    check_limits(checks, force);
    if (!(force.stiffness > 0.0))
      checks.report("force", force, "stiffness",
                    fmt::format("'stiffness' is {} but a stop's must be > 0", force.stiffness));
  }
  static void assemble(ForceElements& elements, const ForceSpec& force) { assemble_on_strain(elements, force, true); }
  static constexpr auto directors = elastic_directors;
  static Picture picture() { return {}; }
};

}  // namespace

constinit const ForceDescription kinds::joint_limit_force = describe_force<JointLimitForce>();

}  // namespace trammel
