// SPDX-License-Identifier: Apache-2.0
#include "trammel/mechanics/kinds/force_parts.h"

namespace trammel {

namespace {

/// Along an axis of body a, between two points: −k (x − x₀) − c ẋ − preload, or a law of x and its rate.
struct AxialSpringForce {
  static constexpr std::string_view name = "axial_spring", meaning = "along an axis of the first body";
  static std::vector<Key> keys() {
    return join_keys({two_bodies_keys(),
                      end_keys(),
                      {direction_key("axis", true, "the axis of the first body along which it acts" + direction_form)},
                      spring_keys(),
                      {free_key("free_displacement", "m", "x₀ without force"), free_value_key(),
                       law_key("N", "the force as a formula of `displacement` and `rate`")}});
  }
  static void read(KindFields& fields, ForceSpec& force) {
    read_spring_ends(fields, force);
    if (const auto axis = fields.axis("axis")) force.axis = *axis;
    read_law(fields, force, "free_displacement");
  }
  static constexpr ActsOn acts_on = ActsOn::bodies;
  static constexpr Strain strain = Strain::displacement;
  static constexpr bool between_points = true;
  static void check(detail::ModelChecks& checks, const ForceSpec& force) {
    check_ends(checks, force);
    check_axis(checks, "force", force, "axis", force.axis);
  }
  static void assemble(ForceElements& elements, const ForceSpec& force) { assemble_on_strain(elements, force, false); }
  static constexpr auto directors = spring_directors;
  static Picture picture() { return {}; }
};

}  // namespace

constinit const ForceDescription kinds::axial_spring_force = describe_force<AxialSpringForce>();

}  // namespace trammel
