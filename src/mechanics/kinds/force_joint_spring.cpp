// SPDX-License-Identifier: Apache-2.0
#include "trammel/mechanics/kinds/force_parts.h"

namespace trammel {

namespace {

/// On a joint's coordinate, or on a named scalar coordinate: −k (x − x₀) − c ẋ − preload, or a law.
struct JointSpringForce {
  static constexpr std::string_view name = "joint_spring", meaning = "on a joint's coordinate";
  static std::vector<Key> keys() {
    return join_keys(
        {{on_joint_key(), joint_coordinate_key()},
         spring_keys(),
         {free_value_key(), law_key("N, N m", "the effort as a formula of `angle` or `displacement`, and `rate`")}});
  }
  static void read(KindFields& fields, ForceSpec& force) {
    read_joint_reference(fields, force);
    read_law(fields, force, "");
  }
  static constexpr ActsOn acts_on = ActsOn::coordinate;
  static constexpr Strain strain = Strain::joint;
  static constexpr bool between_points = false;
  static constexpr auto check = check_nothing_more;
  static void assemble(ForceElements& elements, const ForceSpec& force) { assemble_on_strain(elements, force, false); }
  static constexpr auto directors = spring_directors;
  static Picture picture() { return {}; }
};

}  // namespace

constinit const ForceDescription kinds::joint_spring_force = describe_force<JointSpringForce>();

}  // namespace trammel
