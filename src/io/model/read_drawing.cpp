#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cctype>

#include "entities.h"
#include "mesh_file.h"

namespace trammel::detail {

namespace {

const Choices<GeometryKind> geometry_kinds{
    {"box", GeometryKind::box},         {"sphere", GeometryKind::sphere}, {"cylinder", GeometryKind::cylinder},
    {"capsule", GeometryKind::capsule}, {"cone", GeometryKind::cone},     {"extrusion", GeometryKind::extrusion},
    {"mesh", GeometryKind::mesh},       {"plane", GeometryKind::plane},   {"ellipsoid", GeometryKind::ellipsoid}};

void read_polygon(Fields& fields, Shape& shape) {
  const Node* node = fields.get("polygon");
  if (node == nullptr) return;
  if (node->kind != NodeKind::array) return fields.report_type(*node, "polygon", "a list of corners [x, y]");
  for (const Node& item : node->items) {
    const std::vector<double> corner = fields.list_of(item, "polygon");
    if (corner.size() == 2)
      shape.polygon.emplace_back(corner[0], corner[1]);
    else
      fields.report(item,
                    fmt::format("a corner of 'polygon' is a list of {} numbers; it must be [x, y]", corner.size()));
  }
  if (node->items.size() < 3)
    fields.report(*node, fmt::format("'polygon' has {} corners; it needs at least 3", node->items.size()));
}

void read_mesh_file(Fields& fields, Shape& shape) {
  const Node* node = fields.get("file");
  const double scale = fields.number("scale", 1.0);
  if (node == nullptr) return;
  try {
    shape = read_mesh(fields.part().folder / fields.text_of(*node, "file"));
    for (Eigen::Vector3f& vertex : shape.vertices) vertex *= static_cast<float>(scale);
  } catch (const IoError& error) {
    fields.report(*node, error.what());
  }
}

Shape read_drawn_shape(Fields& fields, GeometryKind kind) {
  Shape shape;
  shape.kind = kind;
  switch (kind) {
    case GeometryKind::box:
      return read_box(fields);
    case GeometryKind::sphere:
    case GeometryKind::cylinder:
    case GeometryKind::capsule:
    case GeometryKind::cone:
      return read_round(fields, kind);
    case GeometryKind::extrusion:
      read_polygon(fields, shape);
      shape.length = fields.number("length", 1.0);
      shape.orientation = read_shape_axis(fields);
      shape.smooth = fields.boolean("smooth", false);
      break;
    case GeometryKind::mesh:
      read_mesh_file(fields, shape);
      break;
    case GeometryKind::plane:
      shape.size = {fields.number("width", 1.0), fields.number("depth", 1.0), 0.0};
      shape.orientation = read_shape_axis(fields);
      break;
    case GeometryKind::ellipsoid: {
      const Node* node = fields.get("half_axes");
      if (node == nullptr) break;
      shape.size = fields.vector_of(*node, "half_axes", shape.size);
      if (shape.size.minCoeff() > 0.0) break;
      fields.report(*node, fmt::format("'half_axes' is {} but every one must be > 0", describe(*node)));
      shape.size.setOnes();
      break;
    }
  }
  return shape;
}

void add_mass(Fields& fields, const GeometrySpec& geometry, double density, ModelDraft& model) {
  const Node& node = *fields.get("density");
  std::optional<Solid> solid = calc_solid(geometry.shape);
  if (!solid)
    return fields.report(node, "'density' needs a solid; planes and meshes have no volume that is known for certain");
  if (geometry.body == ground_name) return fields.report(node, "the ground needs no 'density'");
  solid->volume *= density, solid->inertia *= density;
  Solid& sum = model.heavy[geometry.body];
  sum = join(sum, *solid);
}

}  // namespace

Eigen::Matrix3d read_shape_axis(Fields& fields) {
  const Node* node = fields.get("axis");
  if (node == nullptr) return Eigen::Matrix3d::Identity();
  const Eigen::Vector3d axis = read_direction(fields, *node, "axis");
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
  fields.report(*node, "'axis' is zero; it must have a direction");
  return Eigen::Matrix3d::Identity();
}

Shape read_box(Fields& fields) {
  Shape shape;
  const Node* node = fields.get("size");
  if (node == nullptr) return shape;
  shape.size = fields.vector_of(*node, "size", shape.size);
  if (shape.size.minCoeff() > 0.0) return shape;
  fields.report(*node, fmt::format("'size' is {} but every edge must be > 0", describe(*node)));
  shape.size.setOnes();
  return shape;
}

Shape read_round(Fields& fields, GeometryKind kind) {
  Shape shape;
  shape.kind = kind;
  shape.radius = fields.number("radius", 1.0);
  if (kind == GeometryKind::sphere) return shape;
  shape.length = fields.number("length", 1.0);
  shape.orientation = read_shape_axis(fields);
  if (kind != GeometryKind::cylinder) return shape;
  shape.inner_radius = fields.number("inner_radius", 0.0);
  if (shape.inner_radius < shape.radius) return shape;
  fields.report(*fields.get("inner_radius"), fmt::format("'inner_radius' is {} but must be less than 'radius' = {}",
                                                         shape.inner_radius, shape.radius));
  shape.inner_radius = 0.0;
  return shape;
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
  GeometryKind kind = GeometryKind::box;
  if (!fields.kind(geometry_kinds, kind)) return fields.findings().add_broken(name, geometry.source);
  geometry.shape = read_drawn_shape(fields, kind);
  if (kind == GeometryKind::box || kind == GeometryKind::cylinder)
    geometry.shape.rounding = fields.number("rounding", 0.0);
  geometry.shape.color = read_color(fields);
  geometry.group = fields.name("group", "");
  const std::optional<double> density = fields.optional_number("density");
  geometry.shape.position = fields.vector("position", Eigen::Vector3d::Zero());
  geometry.shape.orientation = read_orientation(fields) * geometry.shape.orientation;
  if (density) add_mass(fields, geometry, *density, model);
  fields.finish();
  const Part& part = fields.part();
  if (geometry.body == ground_name && part.is_moved()) {
    geometry.shape.position = part.position + part.rotation * geometry.shape.position;
    geometry.shape.orientation = part.rotation * geometry.shape.orientation;
  }
  model.geometry.push_back(std::move(geometry));
}

std::vector<Key> geometry_keys() {
  Key name = name_key();
  name.required = false;
  name.meaning = "what contacts call it";
  return together(
      {{name,
        {.name = "body", .type = KeyType::name, .fallback = "ground", .meaning = "the body it is fixed to"},
        {.name = "kind", .type = KeyType::word, .required = true, .words = words(geometry_kinds)},
        {.name = "position",
         .type = KeyType::vector,
         .unit = "m",
         .fallback = "[0, 0, 0]",
         .meaning = "of its centre, from the body's origin in the body's axes (for the ground: in the world)"}},
       orientation_keys("of its axes in the body's axes"),
       {color_key(),
        {.name = "density",
         .unit = "kg/m³",
         .meaning =
             "the body gets its mass, centre of mass and inertia from all its geometry with a density, and gives "
             "none itself",
         .range = Range::above(0.0)},
        {.name = "group", .type = KeyType::name, .meaning = "a name that several may share, for contacts"}},
       solid_keys({"box", "sphere", "cylinder", "capsule", "cone", "extrusion", "plane"}),
       {{.name = "rounding",
         .unit = "m",
         .fallback = "0",
         .meaning = "radius of the edges, for contacts",
         .range = Range::from(0.0),
         .kinds = {"box", "cylinder"}},
        {.name = "polygon",
         .type = KeyType::matrix,
         .unit = "m",
         .required = true,
         .meaning = "the corners `[[x, y], …]` in order",
         .kinds = {"extrusion"}},
        {.name = "smooth",
         .type = KeyType::boolean,
         .fallback = "false",
         .meaning = "a closed cubic spline through the corners: a cam",
         .kinds = {"extrusion"}},
        {.name = "width",
         .unit = "m",
         .fallback = "1",
         .meaning = "of what is drawn, along x",
         .range = Range::above(0.0),
         .kinds = {"plane"}},
        {.name = "depth",
         .unit = "m",
         .fallback = "1",
         .meaning = "of what is drawn, along y",
         .range = Range::above(0.0),
         .kinds = {"plane"}},
        {.name = "half_axes",
         .type = KeyType::vector,
         .unit = "m",
         .required = true,
         .meaning = "along x, y and z, each > 0",
         .kinds = {"ellipsoid"}},
        {.name = "file",
         .type = KeyType::text,
         .required = true,
         .meaning = "an STL or OBJ file, relative to the folder of the model",
         .kinds = {"mesh"}},
        {.name = "scale",
         .fallback = "1",
         .meaning = "of the file's numbers; 0.001 for a file in mm",
         .range = Range::above(0.0),
         .kinds = {"mesh"}}}});
}

}  // namespace

std::vector<Key> solid_keys(const KindNames& kinds) {
  std::vector<Key> all{{.name = "size",
                        .type = KeyType::vector,
                        .unit = "m",
                        .required = true,
                        .meaning = "the edges along x, y and z, each > 0",
                        .kinds = {"box"}},
                       {.name = "radius",
                        .unit = "m",
                        .required = true,
                        .meaning = "the outer radius",
                        .range = Range::above(0.0),
                        .kinds = {"sphere", "cylinder", "capsule", "cone"}},
                       {.name = "length",
                        .unit = "m",
                        .required = true,
                        .meaning = "along the axis, half of it on either side",
                        .range = Range::above(0.0),
                        .kinds = {"cylinder", "cone", "extrusion", "rod"}},
                       {.name = "length",
                        .unit = "m",
                        .required = true,
                        .meaning = "along the axis, without the round ends",
                        .range = Range::above(0.0),
                        .kinds = {"capsule"}},
                       {.name = "inner_radius",
                        .unit = "m",
                        .fallback = "0",
                        .meaning = "of a bore, less than `radius`",
                        .range = Range::from(0.0),
                        .kinds = {"cylinder"}},
                       {.name = "axis",
                        .type = KeyType::direction,
                        .fallback = "z",
                        .meaning = "its direction, `[x, y, z]` or `\"x\"`",
                        .kinds = {"cylinder", "capsule", "extrusion", "rod"}},
                       {.name = "axis",
                        .type = KeyType::direction,
                        .fallback = "z",
                        .meaning = "its direction, towards the tip",
                        .kinds = {"cone"}},
                       {.name = "axis",
                        .type = KeyType::direction,
                        .fallback = "z",
                        .meaning = "its normal; bodies stay on that side",
                        .kinds = {"plane"}}};
  std::vector<Key> chosen;
  for (Key& key : all) {
    std::erase_if(key.kinds,
                  [&](const std::string& kind) { return std::find(kinds.begin(), kinds.end(), kind) == kinds.end(); });
    if (!key.kinds.empty()) chosen.push_back(key);
  }
  return chosen;
}

Key color_key() {
  return {.name = "color", .type = KeyType::text, .fallback = "chosen for you", .meaning = "`\"#rrggbb\"`"};
}

EntityKind geometry_kind() {
  return {{.name = "geometry",
           .is_list = true,
           .meaning = "What pictures show of a body, and what contacts touch.",
           .keys = geometry_keys()},
          read_geometry};
}

}  // namespace trammel::detail
