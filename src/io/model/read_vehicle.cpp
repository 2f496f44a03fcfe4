#include "entities.h"

namespace trammel::detail {

void read_bump_stop(Fields& fields, ForceSpec& force) {
  const Node* a =
      fields.require("point_a", "the point on the first body, [x, y, z] or { body = \"name\", at = [x, y, z] }");
  const Node* b =
      fields.require("point_b", "the point on the second body, [x, y, z] or { body = \"name\", at = [x, y, z] }");
  if (a != nullptr) force.point_a = read_point(fields, *a, "point_a");
  if (b != nullptr) force.point_b = read_point(fields, *b, "point_b");
  read_bodies(fields, force.body_a, force.body_b);
  if (const Node* axis =
          fields.require("axis", "the direction of the stop, fixed in the first body, [x, y, z] or \"z\""))
    force.axis = read_axis(fields, *axis, "axis");
  force.lower = fields.optional_number("lower");
  force.upper = fields.optional_number("upper");
  force.stiffness = fields.number("stiffness", 0.0);
  force.vehicle.quadratic = fields.number("quadratic", 0.0);
  force.damping = fields.number("damping", 0.0);
}

void read_anti_roll_bar(Fields& fields, ForceSpec& force) {
  const Node* joints = fields.require("joints", "the two joints whose coordinates it couples, [\"left\", \"right\"]");
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
  force.stiffness = fields.required_number("stiffness", "of the bar, [N m/rad] or [N/m]", 1.0);
  force.damping = fields.number("damping", 0.0);
}

void read_tyre(Fields& fields, ForceSpec& force) {
  const bool rolls = force.kind == ForceKind::tyre;
  TyreSpec& tyre = force.vehicle.tyre;
  if (const Node* node = fields.require("wheel", "the body that the tyre is on"))
    force.body_b = fields.name_of(*node, "wheel"), force.source.fields["body_b"] = fields.findings().where(node->place);
  else
    fields.findings().add_broken("", force.source);
  force.body_a = fields.name("road", ground_name);
  if (rolls)
    if (const Node* node = fields.require("carrier", "the body that the wheel turns on"))
      force.vehicle.carrier = fields.name_of(*node, "carrier");
  const Node* center = fields.get("center");
  force.point_b = center != nullptr ? read_point(fields, *center, "center") : PointSpec{force.body_b, {0, 0, 0}};
  // By default the road is at z = 0 in the world, wherever the part with the wheel is placed.
  const Node* contact =
      rolls ? fields.get("contact") : fields.require("contact", "the point of the road below the wheel, as drawn");
  if (contact != nullptr) force.point_a = read_point(fields, *contact, "contact");
  force.axis.direction = Eigen::Vector3d::UnitY();
  if (const Node* axis = fields.get("axis")) force.axis = read_axis(fields, *axis, "axis");
  force.stiffness = fields.required_number("stiffness", "vertical, [N/m]", 1.0);
  force.damping = fields.number("damping", 0.0);
  tyre.free_radius = fields.required_number("free_radius", "of the tyre without load [m]", 1.0);
  if (!rolls) {
    force.vehicle.horizontal_stiffness = fields.number("horizontal_stiffness", 0.0);
    force.vehicle.horizontal_damping = fields.number("horizontal_damping", 0.0);
    return;
  }
  tyre.rolling_radius = fields.required_number("rolling_radius", "rim speed per spin when it rolls freely [m]", 1.0);
  tyre.nominal_load = fields.required_number("nominal_load", "that the data belong to [N]", 1.0);
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

}  // namespace trammel::detail
