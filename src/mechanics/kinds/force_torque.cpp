// SPDX-License-Identifier: Apache-2.0
#include "trammel/mechanics/kinds/force_parts.h"

namespace trammel {

namespace {

/// A torque on a body, by formulas; the reaction acts on body_a.
struct TorqueForce {
  static constexpr std::string_view name = "torque", meaning = "on a body";
  static std::vector<Key> keys() {
    return join_keys({single_body_keys(),
                      {{.name = "torque",
                        .type = KeyType::formulas,
                        .unit = "N m",
                        .required = true,
                        .meaning = "`[x, y, z]`, each a number or a formula in quotes"},
                       in_body_axes_key()}});
  }
  static void read(KindFields& fields, ForceSpec& force) {
    read_single_body(fields, force);
    force.in_body_axes = fields.boolean("in_body_axes", false);
    force.components = fields.components("torque", force.in_body_axes);
  }
  static constexpr ActsOn acts_on = ActsOn::bodies;
  static constexpr Strain strain = Strain::none;
  static constexpr bool between_points = false;
  static void check(detail::ModelChecks& checks, const ForceSpec& force) {
    check_orientations(checks, force, "a torque");
  }
  static void assemble(ForceElements& elements, const ForceSpec& force) {
    assemble_components(elements, force, FormulaGroup::Output::torque);
  }
  static constexpr auto directors = load_on_directors;
  static Picture picture() {
    return {.reaches_a = false, .reaches_b = false, .spans_a = false, .force = false, .moment = true};
  }
};

}  // namespace

constinit const ForceDescription kinds::torque_force = describe_force<TorqueForce>();

}  // namespace trammel
