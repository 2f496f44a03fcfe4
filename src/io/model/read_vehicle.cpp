#include "entities.h"

namespace trammel::detail {

void read_bump_stop(Fields& fields, ForceSpec& force) {
  if (const auto a = read_point(fields, "point_a")) force.point_a = *a;
  if (const auto b = read_point(fields, "point_b")) force.point_b = *b;
  read_bodies(fields, force.body_a, force.body_b);
  if (const auto axis = read_axis(fields, "axis")) force.axis = *axis;
  force.lower = fields.optional_number("lower");
  force.upper = fields.optional_number("upper");
  force.stiffness = fields.number("stiffness", 0.0);
  force.vehicle.quadratic = fields.number("quadratic", 0.0);
  force.damping = fields.number("damping", 0.0);
}

void read_anti_roll_bar(Fields& fields, ForceSpec& force) {
  const Node* joints = fields.get("joints");
  if (joints != nullptr && joints->kind == NodeKind::array && joints->items.size() == 2) {
    force.joint = fields.name_of(joints->items[0], "joints");
    force.vehicle.other_joint = fields.name_of(joints->items[1], "joints");
    for (const char* key : {"joint", "other_joint"})
      force.source.fields[key] = fields.findings().where(joints->items[key[0] == 'o' ? 1 : 0].place);
  } else {
    if (joints != nullptr) fields.report_type(*joints, "joints", "a list of two names, [\"left\", \"right\"]");
    fields.findings().add_broken("", force.source);
  }
  force.coordinate = read_joint_coordinate(fields);
  force.stiffness = fields.number("stiffness", 1.0);
  force.damping = fields.number("damping", 0.0);
}

void read_tyre(Fields& fields, ForceSpec& force) {
  const bool rolls = force.kind == ForceKind::tyre;
  TyreSpec& tyre = force.vehicle.tyre;
  if (const Node* node = fields.get("wheel"))
    force.body_b = fields.name_of(*node, "wheel"), force.source.fields["body_b"] = fields.findings().where(node->place);
  else
    fields.findings().add_broken("", force.source);
  force.body_a = fields.name("road", ground_name);
  if (rolls)
    if (const Node* node = fields.get("carrier")) force.vehicle.carrier = fields.name_of(*node, "carrier");
  force.point_b = read_point(fields, "center").value_or(PointSpec{force.body_b, {0, 0, 0}});
  // By default the road is at z = 0 in the world, wherever the part with the wheel is placed.
  if (const auto contact = read_point(fields, "contact")) force.point_a = *contact;
  force.axis = read_axis(fields, "axis").value_or(AxisSpec{"", Eigen::Vector3d::UnitY()});
  force.stiffness = fields.number("stiffness", 1.0);
  force.damping = fields.number("damping", 0.0);
  tyre.free_radius = fields.number("free_radius", 1.0);
  if (!rolls) {
    force.vehicle.horizontal_stiffness = fields.number("horizontal_stiffness", 0.0);
    force.vehicle.horizontal_damping = fields.number("horizontal_damping", 0.0);
    return;
  }
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

std::vector<Key> vehicle_keys() {
  const KindNames tyres{"tyre", "standing_tyre"}, tyre{"tyre"}, standing{"standing_tyre"};
  const auto number = [&](std::string name, std::string unit, std::string fallback, std::string meaning, Range range,
                          const KindNames& kinds) {
    return Key{.name = std::move(name),
               .unit = std::move(unit),
               .required = fallback.empty(),
               .fallback = fallback,
               .meaning = std::move(meaning),
               .range = range,
               .kinds = kinds};
  };
  const Range positive = Range::above(0.0), not_negative = Range::from(0.0);
  return {
      {.name = "wheel", .type = KeyType::name, .required = true, .meaning = "the body with the tyre", .kinds = tyres},
      {.name = "carrier",
       .type = KeyType::name,
       .required = true,
       .meaning = "the body that the wheel turns on; takes the forces",
       .kinds = tyre},
      {.name = "road",
       .type = KeyType::name,
       .fallback = "ground",
       .meaning = "a body whose upper side is the road",
       .kinds = tyres},
      {.name = "contact",
       .type = KeyType::point,
       .unit = "m",
       .fallback = "z = 0 in the world",
       .meaning = "a point of the road, as drawn; its height counts",
       .kinds = tyre},
      {.name = "contact",
       .type = KeyType::point,
       .unit = "m",
       .required = true,
       .meaning = "the point of the road below the wheel, as drawn",
       .kinds = standing},
      {.name = "center",
       .type = KeyType::point,
       .unit = "m",
       .fallback = "the wheel's origin",
       .meaning = "the wheel centre",
       .kinds = tyres},
      number("free_radius", "m", "", "R₀ of the tyre without load", positive, tyres),
      number("rolling_radius", "m", "", "R_e, rim speed per spin when it rolls freely", positive, tyre),
      number("nominal_load", "N", "", "F_z0 that the data belong to", positive, tyre),
      number("cornering_slope", "", "0", "s_y, largest cornering stiffness per rad over the nominal load", {}, tyre),
      number("cornering_load", "", "1", "l_y, the load at which it is largest over the nominal load", positive, tyre),
      number("lateral_friction", "", "1", "μ_y, largest lateral force over the load", positive, tyre),
      number("lateral_shape", "", "1", "C_y, shape of its curve", positive, tyre),
      number("slip_stiffness", "", "0", "s_x, longitudinal force over the load per slip", {}, tyre),
      number("longitudinal_friction", "", "1", "μ_x, largest longitudinal force over the load", positive, tyre),
      number("longitudinal_shape", "", "1", "C_x, shape of its curve", positive, tyre),
      number("trail", "m", "0", "t₀, pneumatic trail at the nominal load without slip", {}, tyre),
      number("trail_shape", "", "1", "C_t, shape of its decrease with slip", {}, tyre),
      number("trail_slope", "", "0", "B_t, how fast it decreases", {}, tyre),
      number("horizontal_stiffness", "N/m", "0", "k_h, along the road", not_negative, standing),
      number("horizontal_damping", "N s/m", "0", "c_h, along the road", not_negative, standing)};
}

}  // namespace trammel::detail
