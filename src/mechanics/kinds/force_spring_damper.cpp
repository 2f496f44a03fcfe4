// SPDX-License-Identifier: Apache-2.0
#include "trammel/mechanics/kinds/force_parts.h"

namespace trammel {

namespace {

/// Between two points: −k (ℓ − ℓ₀) − c ℓ̇ − preload along the line, or a law of ℓ and its rate.
struct SpringDamperForce {
  static constexpr std::string_view name = "spring_damper", meaning = "between two points";
  static std::vector<Key> keys() {
    return join_keys({two_bodies_keys(),
                      end_keys(),
                      spring_keys(),
                      {free_key("free_length", "m", "ℓ₀ ≥ 0, without force"), free_value_key(),
                       law_key("N", "the force as a formula of `length` and `rate`")}});
  }
  static void read(KindFields& fields, ForceSpec& force) {
    read_spring_ends(fields, force);
    read_law(fields, force, "free_length");
  }
  static constexpr ActsOn acts_on = ActsOn::bodies;
  static constexpr Strain strain = Strain::length;
  static constexpr bool between_points = true;
  static void check(detail::ModelChecks& checks, const ForceSpec& force) {
    check_ends(checks, force);
    if (force.free_value && *force.free_value < 0.0)
      checks.report("force", force, "free_value",
                    fmt::format("its free length is {} m but must be ≥ 0", *force.free_value));
    if ((checks.drawn(force.point_a) - checks.drawn(force.point_b)).norm() == 0.0)
      checks.report(
          "force", force, "point_b",
          "its ends coincide as drawn, so that the force has no direction; draw them apart, or use a bushing");
  }
  static void assemble(ForceElements& elements, const ForceSpec& force) {
    const int a = elements.a(), b = elements.b();
    const Eigen::Vector3d s_a = elements.point_on(a, force.point_a), s_b = elements.point_on(b, force.point_b);
    if (force.law.given()) {
      FormulaGroup::Element element;
      element.output = FormulaGroup::Output::line;
      element.frame[0] = a, element.frame[1] = b;
      element.s_a = s_a, element.s_b = s_b;
      elements.add_formulas(std::move(element), {&force.law, 1});
    } else {
      const double drawn = (elements.world(force.point_b) - elements.world(force.point_a)).norm();
      elements.add<SpringDamper>(
          {s_a, s_b, force.stiffness, force.damping, force.free_value.value_or(drawn), force.preload}, {a, b});
    }
  }
  static constexpr auto directors = spring_directors;
  static Picture picture() {
    return {.parts = {{.shape = Picture::Shape::coil,
                       .size = {0.022, 0.022, 1.0},
                       .place = Picture::Place::between,
                       .unit = Picture::Unit::machine,
                       .color = "#d8b13c",
                       .always = true,
                       .slimmest = 0.1}}};
  }
};

}  // namespace

constinit const ForceDescription kinds::spring_damper_force = describe_force<SpringDamperForce>();

}  // namespace trammel
