// SPDX-License-Identifier: Apache-2.0
#include "trammel/mechanics/kinds/force_parts.h"

namespace trammel {

namespace {

const std::string point_words = ", `[x, y, z]` or `{ body = \"name\", at = [x, y, z] }`";

/// A rubber stop along an axis of a, between two points: k δ + k₂ δ² beyond `lower` and `upper`.
struct BumpStopForce {
  static constexpr std::string_view name = "bump_stop", meaning = "a rubber stop between two points";
  static std::vector<Key> keys() {
    return join_keys(
        {two_bodies_keys(),
         {point_key("point_a", true, "", "the point on the first body" + point_words),
          point_key("point_b", true, "", "the point on the second body" + point_words),
          direction_key("axis", true, "the direction of the stop, fixed in the first body" + direction_form),
          number_key("stiffness", "N/m", "0", "k, per depth; it or `quadratic` must be > 0", Range::from(0.0)),
          number_key("quadratic", "N/m²", "0", "k₂, per squared depth", Range::from(0.0)), positive_damping_key()},
         limit_keys()});
  }
  static void read(KindFields& fields, ForceSpec& force) {
    if (const auto a = fields.point("point_a")) force.point_a = *a;
    if (const auto b = fields.point("point_b")) force.point_b = *b;
    fields.bodies(force.body_a, force.body_b);
    if (const auto axis = fields.axis("axis")) force.axis = *axis;
    force.lower = fields.optional_number("lower");
    force.upper = fields.optional_number("upper");
    force.stiffness = fields.number("stiffness", 0.0);
    force.vehicle.quadratic = fields.number("quadratic", 0.0);
    force.damping = fields.number("damping", 0.0);
  }
  static constexpr ActsOn acts_on = ActsOn::bodies;
  static constexpr Strain strain = Strain::none;
  static constexpr bool between_points = true;
  static void check(detail::ModelChecks& checks, const ForceSpec& force) {
    check_axis(checks, "force", force, "axis", force.axis);
    check_ends(checks, force);
    check_limits(checks, force);
    check_positive(checks, force, "stiffness", force.stiffness, true);
    check_positive(checks, force, "quadratic", force.vehicle.quadratic, true);
    check_positive(checks, force, "damping", force.damping, true);
    if (force.stiffness == 0.0 && force.vehicle.quadratic == 0.0)
      checks.report("force", force, "stiffness", "it has no effect: give 'stiffness' or 'quadratic'");
  }
  static void assemble(ForceElements& elements, const ForceSpec& force) {
    const int a = elements.a(), b = elements.b();
    BumpStop::Params params;
    params.x.type = RelativeCoordinate::Type::displacement;
    params.x.a3 = elements.axis_in(a, force.axis);
    params.x.s_a = elements.point_on(a, force.point_a), params.x.s_b = elements.point_on(b, force.point_b);
    params.stiffness = force.stiffness, params.quadratic = force.vehicle.quadratic, params.damping = force.damping;
    params.lower = force.lower.value_or(-unlimited), params.upper = force.upper.value_or(unlimited);
    elements.switches().add_stop({.x = params.x,
                                  .frame = {a, b},
                                  .stiffness = params.stiffness,
                                  .quadratic = params.quadratic,
                                  .damping = params.damping,
                                  .ramp = params.depth},
                                 params.lower, params.upper);
    elements.add<BumpStop>(params, {a, b});
  }
  static constexpr auto directors = elastic_directors;
  static Picture picture() { return {}; }
};

}  // namespace

constinit const ForceDescription kinds::bump_stop_force = describe_force<BumpStopForce>();

}  // namespace trammel
