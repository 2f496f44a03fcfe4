// SPDX-License-Identifier: Apache-2.0
#include "trammel/mechanics/kinds/force_parts.h"

namespace trammel {

namespace {

/// A wheel that does not turn, on a road that may move.
struct StandingTyreForce {
  static constexpr std::string_view name = "standing_tyre", meaning = "a wheel that neither turns nor slides";
  static std::vector<Key> keys() {
    return join_keys(
        {tyre_keys(true),
         {wheel_key(), road_key(), point_key("contact", true, "", "the point of the road below the wheel, as drawn"),
          center_key(), number_key("free_radius", "m", "", "R₀ of the tyre without load", Range::above(0.0)),
          number_key("horizontal_stiffness", "N/m", "0", "k_h, along the road", Range::from(0.0)),
          number_key("horizontal_damping", "N s/m", "0", "c_h, along the road", Range::from(0.0))}});
  }
  static void read(KindFields& fields, ForceSpec& force) {
    read_tyre(fields, force);
    force.vehicle.horizontal_stiffness = fields.number("horizontal_stiffness", 0.0);
    force.vehicle.horizontal_damping = fields.number("horizontal_damping", 0.0);
  }
  static constexpr ActsOn acts_on = ActsOn::bodies;
  static constexpr Strain strain = Strain::none;
  static constexpr bool between_points = false;
  static void check(detail::ModelChecks& checks, const ForceSpec& force) {
    check_tyre(checks, force);
    check_positive(checks, force, "horizontal_stiffness", force.vehicle.horizontal_stiffness, true);
    check_positive(checks, force, "horizontal_damping", force.vehicle.horizontal_damping, true);
  }
  static void assemble(ForceElements& elements, const ForceSpec& force) {
    const int road = elements.a(), wheel = elements.b();
    StandingTyre::Params params;
    params.place = place_tyre(elements, force, wheel);
    params.c_0 = elements.point_on(road, force.point_a);
    params.horizontal_stiffness = force.vehicle.horizontal_stiffness;
    params.horizontal_damping = force.vehicle.horizontal_damping;
    elements.switches().add({road, wheel, params.place});
    elements.add<StandingTyre>(params, {road, wheel});
  }
  static constexpr auto directors = load_on_directors;
  static Picture picture() { return {.on_floor = true}; }
};

}  // namespace

constinit const ForceDescription kinds::standing_tyre_force = describe_force<StandingTyreForce>();

}  // namespace trammel
