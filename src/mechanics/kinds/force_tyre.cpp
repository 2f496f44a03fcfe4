// SPDX-License-Identifier: Apache-2.0
#include "trammel/mechanics/kinds/force_parts.h"
#include "trammel/mechanics/kinds/tyre_file.h"

namespace trammel {

namespace {

Range positive() { return Range::above(0.0); }

Key optional_key(std::string name, std::string unit, std::string fallback, std::string meaning, Range range) {
  Key key = number_key(std::move(name), std::move(unit), std::move(fallback), std::move(meaning), range);
  key.required = false;
  return key;
}

// What a tyre has by keys, each a parameter of the formula; a file has all of them.
struct FormulaKey {
  const char* key;
  double MagicFormula::*parameter;
  double fallback, factor;
  bool positive;
  const char* meaning;
};
constexpr FormulaKey formula_keys[] = {
    {"cornering_slope", &MagicFormula::PKY1, 0.0, -1.0, false,
     "s_y, largest cornering stiffness per rad over the nominal load"},
    {"cornering_load", &MagicFormula::PKY2, 1.0, 1.0, true,
     "l_y, the load at which it is largest over the nominal load"},
    {"lateral_friction", &MagicFormula::PDY1, 1.0, 1.0, true, "μ_y, largest lateral force over the load"},
    {"lateral_shape", &MagicFormula::PCY1, 1.0, 1.0, true, "C_y, shape of its curve"},
    {"slip_stiffness", &MagicFormula::PKX1, 0.0, 1.0, false, "s_x, longitudinal force over the load per slip"},
    {"longitudinal_friction", &MagicFormula::PDX1, 1.0, 1.0, true, "μ_x, largest longitudinal force over the load"},
    {"longitudinal_shape", &MagicFormula::PCX1, 1.0, 1.0, true, "C_x, shape of its curve"},
    {"camber_stiffness", &MagicFormula::PKY6, 0.0, -1.0, false,
     "lateral force over the load per sine of the camber angle"},
    {"trail_shape", &MagicFormula::QCZ1, 1.0, 1.0, false, "C_t, shape of the trail's decrease with slip"},
    {"trail_slope", &MagicFormula::QBZ1, 0.0, 1.0, false, "B_t, how fast it decreases"},
    {"rolling_resistance", &MagicFormula::QSY1, 0.0, 1.0, false, "moment against rolling over load and radius"}};

/// A wheel on the road (body a), by slip; its carrier takes the forces.
struct TyreForce {
  static constexpr std::string_view name = "tyre", meaning = "a wheel on a road, by slip";
  static std::vector<Key> keys() {
    std::vector<Key> keys = join_keys(
        {tyre_keys(false),
         {wheel_key(),
          {.name = "carrier",
           .type = KeyType::name,
           .fallback = "the wheel: it does not turn",
           .meaning = "the body that the wheel turns on; takes the forces"},
          road_key(),
          point_key("contact", false, "z = 0 in the world", "a point of the road, as drawn; its height counts"),
          center_key(),
          {.name = "data",
           .type = KeyType::text,
           .meaning = "a tyre property file (.tir), relative to the folder of the model: has all that stands below"},
          {.name = "mirrored",
           .type = KeyType::boolean,
           .fallback = "false",
           .meaning = "its data belong to a tyre of the other side"},
          optional_key("free_radius", "m", "", "R₀ of the tyre without load; needed without `data`", positive()),
          optional_key("rolling_radius", "m", "", "R_e, rim speed per spin when it rolls freely; needed without `data`",
                       positive()),
          optional_key("nominal_load", "N", "", "F_z0 that the data belong to; needed without `data`", positive()),
          optional_key("longitudinal_relaxation", "m", "half of R₀",
                       "σ_x, over which the longitudinal force follows slip", positive()),
          optional_key("lateral_relaxation", "m", "R₀", "σ_y, over which the lateral force follows slip", positive()),
          optional_key("trail", "m", "0", "t₀, pneumatic trail at the nominal load without slip", {}),
          optional_key("standstill_damping", "", "0.1",
                       "damping ratio of the tyre at rest, with the nominal load as its mass", Range::from(0.0))}});
    for (const FormulaKey& own : formula_keys)
      keys.push_back(
          optional_key(own.key, "", fmt::format("{}", own.fallback), own.meaning, own.positive ? positive() : Range{}));
    return keys;
  }

  static void read(KindFields& fields, ForceSpec& force) {
    read_tyre(fields, force);
    if (force.vehicle.carrier.empty()) force.vehicle.carrier = force.body_b;
    TyreSpec& tyre = force.vehicle.tyre;
    tyre.mirrored = fields.boolean("mirrored", false);
    tyre.standstill_damping = fields.number("standstill_damping", tyre.standstill_damping);
    if (fields.has("data"))
      read_data(fields, force);
    else
      read_keys(fields, force);
  }

  static constexpr ActsOn acts_on = ActsOn::bodies;
  static constexpr Strain strain = Strain::none;
  static constexpr bool between_points = false;
  static void check(detail::ModelChecks& checks, const ForceSpec& force) {
    check_tyre(checks, force);
    const TyreSpec& tyre = force.vehicle.tyre;
    const std::string& carrier = force.vehicle.carrier;
    if (check_body_reference(checks, "force", force, "carrier", carrier) && carrier == force.body_a)
      checks.report("force", force, "carrier",
                    fmt::format("'{}' is the road itself; the carrier is the body that the wheel turns on", carrier));
    check_positive(checks, force, "nominal_load", tyre.nominal_load, false);
    check_positive(checks, force, "standstill_damping", tyre.standstill_damping, true);
    for (const FormulaKey& own : formula_keys)
      if (own.positive) check_positive(checks, force, own.key, tyre.formula.*own.parameter / own.factor, false);
  }

  static void assemble(ForceElements& elements, const ForceSpec& force) {
    const int road = elements.a(), wheel = elements.b(), carrier = elements.frame_of(force.vehicle.carrier);
    Tyre::Params params;
    params.place = place_tyre(elements, force, carrier);
    params.axle_in_wheel = elements.axis_in(wheel, force.axis);
    params.data = force.vehicle.tyre;
    elements.switches().add({road, carrier, params.place});
    elements.show_on(carrier, params.place.center, {wheel});
    elements.add_with_states<Tyre>(params, {road, carrier, wheel},
                                   {"part of the friction ahead", "part of the friction to the left"});
  }
  static constexpr auto directors = load_on_directors;
  static Picture picture() { return {.on_floor = true}; }

 private:
  static void read_keys(KindFields& fields, ForceSpec& force) {
    TyreSpec& tyre = force.vehicle.tyre;
    for (const char* key : {"stiffness", "free_radius", "rolling_radius", "nominal_load"})
      if (!fields.has(key)) fields.require(key);
    tyre.rolling_radius = fields.number("rolling_radius", 1.0);
    tyre.nominal_load = fields.number("nominal_load", 1.0);
    tyre.longitudinal_relaxation = fields.number("longitudinal_relaxation", 0.5 * tyre.free_radius);
    tyre.lateral_relaxation = fields.number("lateral_relaxation", tyre.free_radius);
    for (const FormulaKey& own : formula_keys)
      tyre.formula.*own.parameter = own.factor * fields.number(own.key, own.fallback);
    tyre.formula.QDZ1 = fields.number("trail", 0.0) / tyre.free_radius;
  }

  static void read_data(KindFields& fields, ForceSpec& force) {
    const TyreFile file = read_tyre_file(fields.file("data"));
    for (const std::string& problem : file.problems)
      fields.report_at("data", fmt::format("'{}', {}", fields.text("data", ""), problem));
    for (const char* key : {"stiffness", "damping", "free_radius", "rolling_radius", "nominal_load",
                            "longitudinal_relaxation", "lateral_relaxation", "trail"})
      fields.refuse(key, "beside 'data', which has it");
    for (const FormulaKey& own : formula_keys) fields.refuse(own.key, "beside 'data', which has it");
    TyreSpec given = file.tyre;
    given.mirrored = force.vehicle.tyre.mirrored, given.standstill_damping = force.vehicle.tyre.standstill_damping;
    force.vehicle.tyre = given;
    force.stiffness = file.stiffness, force.damping = file.damping;
    if (!file.problems.empty()) fields.give_up();
  }
};

}  // namespace

constinit const ForceDescription kinds::tyre_force = describe_force<TyreForce>();

}  // namespace trammel
