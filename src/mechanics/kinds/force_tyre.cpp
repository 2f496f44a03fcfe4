// SPDX-License-Identifier: Apache-2.0
#include "trammel/mechanics/kinds/force_parts.h"

namespace trammel {

namespace {

Range positive() { return Range::above(0.0); }

/// A wheel that rolls on the road (body a), by slip; its carrier takes the forces.
struct TyreForce {
  static constexpr std::string_view name = "tyre", meaning = "a wheel that rolls, by slip";
  static std::vector<Key> keys() {
    return join_keys(
        {tyre_keys(),
         {wheel_key(),
          {.name = "carrier",
           .type = KeyType::name,
           .required = true,
           .meaning = "the body that the wheel turns on; takes the forces"},
          road_key(),
          point_key("contact", false, "z = 0 in the world", "a point of the road, as drawn; its height counts"),
          center_key(),
          number_key("free_radius", "m", "", "R₀ of the tyre without load", positive()),
          number_key("rolling_radius", "m", "", "R_e, rim speed per spin when it rolls freely", positive()),
          number_key("nominal_load", "N", "", "F_z0 that the data belong to", positive()),
          number_key("cornering_slope", "", "0", "s_y, largest cornering stiffness per rad over the nominal load", {}),
          number_key("cornering_load", "", "1", "l_y, the load at which it is largest over the nominal load",
                     positive()),
          number_key("lateral_friction", "", "1", "μ_y, largest lateral force over the load", positive()),
          number_key("lateral_shape", "", "1", "C_y, shape of its curve", positive()),
          number_key("slip_stiffness", "", "0", "s_x, longitudinal force over the load per slip", {}),
          number_key("longitudinal_friction", "", "1", "μ_x, largest longitudinal force over the load", positive()),
          number_key("longitudinal_shape", "", "1", "C_x, shape of its curve", positive()),
          number_key("trail", "m", "0", "t₀, pneumatic trail at the nominal load without slip", {}),
          number_key("trail_shape", "", "1", "C_t, shape of its decrease with slip", {}),
          number_key("trail_slope", "", "0", "B_t, how fast it decreases", {})}});
  }
  static void read(KindFields& fields, ForceSpec& force) {
    read_tyre(fields, force);
    TyreSpec& tyre = force.vehicle.tyre;
    tyre.rolling_radius = fields.number("rolling_radius", 1.0);
    tyre.nominal_load = fields.number("nominal_load", 1.0);
    tyre.cornering_slope = fields.number("cornering_slope", 0.0);
    tyre.cornering_load = fields.number("cornering_load", 1.0);
    tyre.lateral_friction = fields.number("lateral_friction", 1.0);
    tyre.lateral_shape = fields.number("lateral_shape", 1.0);
    tyre.slip_stiffness = fields.number("slip_stiffness", 0.0);
    tyre.longitudinal_friction = fields.number("longitudinal_friction", 1.0);
    tyre.longitudinal_shape = fields.number("longitudinal_shape", 1.0);
    tyre.trail = fields.number("trail", 0.0);
    tyre.trail_shape = fields.number("trail_shape", 1.0);
    tyre.trail_slope = fields.number("trail_slope", 0.0);
  }
  static constexpr ActsOn acts_on = ActsOn::bodies;
  static constexpr Strain strain = Strain::none;
  static constexpr bool between_points = false;
  static void check(detail::ModelChecks& checks, const ForceSpec& force) {
    check_tyre(checks, force);
    const TyreSpec& tyre = force.vehicle.tyre;
    const std::string& carrier = force.vehicle.carrier;
    if (check_body_reference(checks, "force", force, "carrier", carrier) &&
        (carrier == force.body_b || carrier == force.body_a))
      checks.report("force", force, "carrier",
                    fmt::format("'{}' is the {} itself; the carrier is the body that the wheel turns on", carrier,
                                carrier == force.body_b ? "wheel" : "road"));
    const std::pair<const char*, double> numbers[] = {
        {"rolling_radius", tyre.rolling_radius},        {"nominal_load", tyre.nominal_load},
        {"cornering_load", tyre.cornering_load},        {"lateral_friction", tyre.lateral_friction},
        {"lateral_shape", tyre.lateral_shape},          {"longitudinal_friction", tyre.longitudinal_friction},
        {"longitudinal_shape", tyre.longitudinal_shape}};
    for (const auto& [key, value] : numbers) check_positive(checks, force, key, value, false);
  }
  static void assemble(ForceElements& elements, const ForceSpec& force) {
    const int road = elements.a(), wheel = elements.b(), carrier = elements.frame_of(force.vehicle.carrier);
    RollingTyre::Params params;
    params.s_road = elements.point_on(road, force.point_a);
    params.center = elements.point_on(carrier, force.point_b);
    params.axle = elements.axis_in(carrier, force.axis);
    params.axle_in_wheel = elements.axis_in(wheel, force.axis);
    params.stiffness = force.stiffness, params.damping = force.damping;
    params.data = force.vehicle.tyre;
    elements.switches().add({road, carrier, params.s_road, params.axle, params.center, params.data.free_radius,
                             params.stiffness, params.damping});
    elements.show_on(carrier, params.center, {wheel});
    elements.add<RollingTyre>(params, {road, carrier, wheel});
  }
  static constexpr auto directors = load_on_directors;
  static Picture picture() { return {.on_floor = true}; }
};

}  // namespace

constinit const ForceDescription kinds::tyre_force = describe_force<TyreForce>();

}  // namespace trammel
