// SPDX-License-Identifier: Apache-2.0
#include "trammel/mechanics/kinds/force_parts.h"

namespace trammel {

namespace {

/// About an axis between two bodies: −k (θ − θ₀) − c θ̇ − preload, or a law of θ and its rate.
struct TorsionSpringForce {
  static constexpr std::string_view name = "torsion_spring", meaning = "about an axis";
  static std::vector<Key> keys() {
    return join_keys({two_bodies_keys(),
                      {direction_key("axis", true, "the axis about which it turns" + direction_form)},
                      spring_keys(),
                      {free_key("free_angle", "rad", "θ₀ without force"), free_value_key(),
                       law_key("N m", "the torque as a formula of `angle` and `rate`")}});
  }
  static void read(KindFields& fields, ForceSpec& force) {
    fields.bodies(force.body_a, force.body_b);
    if (const auto axis = fields.axis("axis")) force.axis = *axis;
    read_law(fields, force, "free_angle");
  }
  static constexpr ActsOn acts_on = ActsOn::bodies;
  static constexpr Strain strain = Strain::angle;
  static constexpr bool between_points = false;
  static void check(detail::ModelChecks& checks, const ForceSpec& force) {
    check_axis(checks, "force", force, "axis", force.axis);
    check_orientations(checks, force, "a torsion spring");
  }
  static void assemble(ForceElements& elements, const ForceSpec& force) { assemble_on_strain(elements, force, false); }
  static constexpr auto directors = spring_directors;
  static Picture picture() { return {.reaches_a = false, .reaches_b = false, .moment = true}; }
};

}  // namespace

constinit const ForceDescription kinds::torsion_spring_force = describe_force<TorsionSpringForce>();

}  // namespace trammel
