// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cctype>

#include "kind_fields.h"
#include "trammel/mechanics/kinds/shape_descriptor.h"

namespace trammel::detail {

namespace {

void add_mass(Fields& fields, const GeometrySpec& geometry, double density, ModelDraft& model) {
  const Node& node = *fields.get("density");
  std::optional<Solid> solid = calc_solid(geometry.shape);
  if (!solid) return fields.report(node, "'density' needs a solid; planes and meshes that are not closed have none");
  if (geometry.body == ground_name) return fields.report(node, "the ground needs no 'density'");
  solid->volume *= density, solid->inertia *= density;
  Solid& sum = model.heavy[geometry.body];
  sum = join(sum, *solid);
}

}  // namespace

Eigen::Matrix3d read_shape_axis(Fields& fields, std::string_view key) {
  const Node* node = fields.get(key);
  if (node == nullptr) return Eigen::Matrix3d::Identity();
  const Eigen::Vector3d axis = read_direction(fields, *node, key);
  if (axis.norm() > 0.0) {
    // The third column is the axis to the last bit: inertias are made with it.
    const Eigen::Vector3d z = axis.normalized();
    int least = 0;
    z.cwiseAbs().minCoeff(&least);
    const Eigen::Vector3d y = z.cross(Eigen::Vector3d::Unit(least)).normalized();
    Eigen::Matrix3d R;
    R << y.cross(z), y, z;
    return R;
  }
  fields.report(*node, fmt::format("'{}' is zero; it must have a direction", key));
  return Eigen::Matrix3d::Identity();
}

std::string read_color(Fields& fields) {
  const Node* node = fields.get("color");
  if (node == nullptr) return "";
  const std::string color = fields.text_of(*node, "color");
  bool good = color.size() == 7 && color[0] == '#';
  for (std::size_t i = 1; good && i < color.size(); ++i)
    good = std::isxdigit(static_cast<unsigned char>(color[i])) != 0;
  if (good) return color;
  fields.report(*node, fmt::format("'color' is '{}'; it must be \"#rrggbb\": six hexadecimal digits for red, green and "
                                   "blue, such as \"#3b7dd8\"",
                                   color));
  return "";
}

namespace {

void read_geometry(Fields& fields, const std::string& name, ModelDraft& model) {
  GeometrySpec geometry;
  geometry.name = name;
  geometry.source = fields.source();
  geometry.body = fields.name("body", ground_name);
  if (!fields.kind(model.shape_kinds, geometry.shape.kind)) return fields.findings().add_broken(name, geometry.source);
  ModelKindFields own(fields, model, name, geometry.source);
  geometry.shape.kind->read(own, geometry.shape);
  geometry.shape.color = read_color(fields);
  geometry.shape.opacity = fields.optional_number("opacity");
  geometry.group = fields.name("group", "");
  const std::optional<double> density = fields.optional_number("density");
  geometry.shape.position = fields.vector("position", Eigen::Vector3d::Zero());
  geometry.shape.orientation = read_orientation(fields) * geometry.shape.orientation;
  if (density) add_mass(fields, geometry, *density, model);
  geometry.surface_velocity = fields.vector("surface_velocity", Eigen::Vector3d::Zero());
  fields.finish();
  const Part& part = fields.part();
  if (geometry.body == ground_name && part.is_moved()) {
    geometry.shape.position = part.position + part.rotation * geometry.shape.position;
    geometry.shape.orientation = part.rotation * geometry.shape.orientation;
    geometry.surface_velocity = part.rotation * geometry.surface_velocity;
  }
  model.geometry.push_back(std::move(geometry));
}

std::vector<Key> geometry_keys(const Kinds& kinds) {
  Key name = name_key();
  name.required = false;
  name.meaning = "what contacts call it";
  return together(
      {{name,
        {.name = "body", .type = KeyType::name, .fallback = "ground", .meaning = "the body it is fixed to"},
        {.name = "kind", .type = KeyType::word, .required = true, .words = words(choices_of(kinds.shapes))},
        {.name = "position",
         .type = KeyType::vector,
         .unit = "m",
         .fallback = "[0, 0, 0]",
         .meaning = "of its centre, from the body's origin in the body's axes (for the ground: in the world)"}},
       orientation_keys("of its axes in the body's axes"),
       {color_key(),
        opacity_key(),
        {.name = "density",
         .unit = "kg/m³",
         .meaning =
             "the body gets its mass, centre of mass and inertia from all its geometry with a density, and gives "
             "none itself",
         .range = Range::above(0.0)},
        {.name = "group", .type = KeyType::name, .meaning = "a name that several may share, for contacts"},
        {.name = "surface_velocity",
         .type = KeyType::vector,
         .unit = "m/s",
         .fallback = "[0, 0, 0]",
         .meaning = "of its surface on the body, in the body's axes, for friction in contacts: a conveyor belt"}},
       keys_of(kinds.shapes)});
}

}  // namespace

Key color_key() {
  return {.name = "color", .type = KeyType::text, .fallback = "chosen for you", .meaning = "`\"#rrggbb\"`"};
}

Key opacity_key() {
  return {.name = "opacity",
          .fallback = "chosen for you",
          .meaning = "how much it hides: 0 nothing, 1 all; without it walls and boxes around others are seen through",
          .range = Range::between(0.0, 1.0)};
}

EntityKind geometry_kind(const Kinds& kinds) {
  return {{.name = "geometry",
           .is_list = true,
           .meaning = "What pictures show of a body, and what contacts touch.",
           .keys = geometry_keys(kinds)},
          read_geometry};
}

}  // namespace trammel::detail
