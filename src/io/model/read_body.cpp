// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <Eigen/Geometry>
#include <numbers>

#include "kind_fields.h"
#include "trammel/base/text.h"
#include "trammel/mechanics/kinds/shape_parts.h"

namespace trammel::detail {

namespace {

const Choices<BodyKind> body_kinds{{"rigid", BodyKind::rigid, "6 freedoms"},
                                   {"planar", BodyKind::planar, "3: moves in a plane"},
                                   {"particle", BodyKind::particle, "3: a point"}};

enum class SolidKind { box, cylinder, sphere, rod };
const Choices<SolidKind> solids{{"box", SolidKind::box},
                                {"cylinder", SolidKind::cylinder},
                                {"sphere", SolidKind::sphere},
                                {"rod", SolidKind::rod, "thin; needs the body's `mass`"}};

constexpr double drawn_slenderness = 0.02;  // a thin rod is drawn with this radius over its length

/// Mass properties of homogeneous solids about their centre, m = ρV:
///   box      I_xx = m (b² + c²)/12, …
///   cylinder I_axial = m (R² + r²)/2,   I_radial = m (3 (R² + r²) + L²)/12     (r: radius of the bore)
///   sphere   I = 2/5 m R²
///   rod      I_radial = m L²/12, I_axial = 0                                    (thin)
/// Returns the inertia for unit mass and the volume (0 for the rod, which has none), and how the solid is drawn.
std::pair<Eigen::Matrix3d, double> unit_inertia(KindFields& fields, SolidKind solid, Shape& drawn) {
  const auto read = [&](const GeometryKind& kind) {
    drawn.kind = kind;
    kind->read(fields, drawn);
  };
  const auto about_axis = [&](double axial, double radial) {
    const Eigen::Vector3d u = drawn.orientation.col(2);
    return Eigen::Matrix3d(radial * Eigen::Matrix3d::Identity() + (axial - radial) * u * u.transpose());
  };
  constexpr double pi = std::numbers::pi;
  switch (solid) {
    case SolidKind::box: {
      read(GeometryKind::box);
      const Eigen::Vector3d squared = drawn.size.cwiseAbs2();
      const Eigen::Vector3d moments = (Eigen::Vector3d::Constant(squared.sum()) - squared) / 12.0;
      return {Eigen::Matrix3d(moments.asDiagonal()), drawn.size.prod()};
    }
    case SolidKind::cylinder: {
      read(GeometryKind::cylinder);
      const double outer = drawn.radius, inner = drawn.inner_radius, length = drawn.length;
      const double squares = outer * outer + inner * inner;
      return {about_axis(squares / 2.0, (3.0 * squares + length * length) / 12.0),
              pi * (outer * outer - inner * inner) * length};
    }
    case SolidKind::sphere: {
      read(GeometryKind::sphere);
      const double radius = drawn.radius;
      return {0.4 * radius * radius * Eigen::Matrix3d::Identity(), 4.0 / 3.0 * pi * radius * radius * radius};
    }
    case SolidKind::rod: {
      drawn.kind = GeometryKind::cylinder;
      drawn.length = fields.number("length", 1.0);
      drawn.radius = drawn_slenderness * drawn.length;
      drawn.orientation = fields.axes("axis");
      return {about_axis(0.0, drawn.length * drawn.length / 12.0), 0.0};
    }
  }
  return {Eigen::Matrix3d::Identity(), 1.0};
}

void read_shape(Fields& outer, const Node& node, const ModelDraft& model, BodySpec& body, std::optional<Shape>& drawn) {
  std::optional<Fields> fields = outer.inner(node, "shape");
  const Node* mass = outer.get("mass");
  SolidKind solid = SolidKind::sphere;
  if (!fields || !fields->kind(solids, solid)) {
    body.mass = 1.0;
    body.inertia.setIdentity();
    return;
  }
  drawn.emplace();
  ModelKindFields own(*fields, model, "", body.source);
  const auto [inertia, volume] = unit_inertia(own, solid, *drawn);
  drawn->color = read_color(*fields);
  drawn->opacity = fields->optional_number("opacity");
  const Node* density = solid == SolidKind::rod ? nullptr : fields->get("density");
  if (mass != nullptr && density != nullptr)
    fields->report(*density, "'density' and the 'mass' of the body exclude each other; give one of them");
  if (mass == nullptr && density == nullptr)
    outer.report(solid == SolidKind::rod ? "the key 'mass' is missing: the mass [kg] of the rod"
                                         : "the key 'mass' [kg] is missing, or 'density' [kg/m³] in its 'shape'");
  if (mass != nullptr)
    body.mass = outer.number("mass", 1.0);
  else
    body.mass = density == nullptr ? 1.0 : volume * fields->number("density", 1.0);
  body.inertia = body.mass * inertia;
  fields->finish();
}

Eigen::Matrix3d read_inertia(const Fields& fields, const Node& node, const BodySpec& body) {
  const Eigen::Vector3d n = body.orientation.transpose() * body.plane_normal.stableNormalized();
  const bool planar = body.kind == BodyKind::planar;
  if (planar && node.kind != NodeKind::array) return fields.number_of(node, "inertia", 1.0) * n * n.transpose();
  const std::string wanted =
      fmt::format("the principal moments [xx, yy, zz], the six [xx, yy, zz, xy, xz, yz] or a 3 x 3 matrix [kg m²]{}",
                  planar ? ", or for a planar body the one moment about its normal" : "");
  if (node.kind != NodeKind::array) {
    fields.report_type(node, "inertia", wanted);
    return Eigen::Matrix3d::Identity();
  }
  Eigen::Matrix3d inertia = Eigen::Matrix3d::Identity();
  if (!node.items.empty() && node.items[0].kind == NodeKind::array) {
    if (const auto matrix = fields.matrix_of(node, "inertia", 3)) inertia = *matrix;
    return inertia;
  }
  const std::vector<double> m = fields.list_of(node, "inertia");
  if (m.size() == 3)
    inertia = Eigen::Vector3d(m[0], m[1], m[2]).asDiagonal();
  else if (m.size() == 6)
    inertia << m[0], m[3], m[4], m[3], m[1], m[5], m[4], m[5], m[2];
  else
    fields.report(node, fmt::format("'inertia' is a list of {} numbers; it must be {}", m.size(), wanted));
  return inertia;
}

void read_mass_properties(Fields& fields, const ModelDraft& model, BodySpec& body, std::optional<Shape>& drawn) {
  if (body.kind == BodyKind::particle) {
    body.mass = fields.number("mass", 1.0);
    return;
  }
  if (const Node* shape = fields.get("shape")) {
    if (const Node* inertia = fields.get("inertia"))
      fields.report(*inertia, "'inertia' and 'shape' exclude each other; the shape gives the inertia");
    read_shape(fields, *shape, model, body, drawn);
  } else {
    fields.require("mass");
    body.mass = fields.number("mass", 1.0);
    const Node* inertia = fields.require("inertia");
    body.inertia = inertia == nullptr ? Eigen::Matrix3d::Identity() : read_inertia(fields, *inertia, body);
  }
  body.center_of_mass = fields.vector("center_of_mass", Eigen::Vector3d::Zero());
}

// Geometry with a density gives the body its mass, and nothing else may; numbers follow when geometry is read.
void refuse_mass(Fields& fields, BodySpec& body) {
  for (const char* key : {"mass", "inertia", "shape", "center_of_mass"})
    if (const Node* node = fields.get(key))
      fields.report(*node,
                    fmt::format("'{}' and a 'density' in [[geometry]] exclude each other; give one of them", key));
  body.mass = 1.0;
  body.inertia.setIdentity();
}

void read_angular_velocity(Fields& fields, BodySpec& body) {
  std::string which;
  const Node* node = fields.one_of({"angular_velocity", "angular_velocity_world"}, &which);
  if (node == nullptr) return;
  if (body.kind == BodyKind::planar && node->kind != NodeKind::array) {
    const double w = fields.number_of(*node, which, 0.0);
    body.angular_velocity = w * (body.orientation.transpose() * body.plane_normal.stableNormalized());
    return;
  }
  body.angular_velocity = fields.vector_of(*node, which, Eigen::Vector3d::Zero());
  if (which == "angular_velocity_world") body.angular_velocity = body.orientation.transpose() * body.angular_velocity;
}

void read_firm(Fields& fields, BodySpec& body) {
  const Node* node = fields.get("firm");
  if (node == nullptr) return;
  const std::string wanted =
      "a list of what the initial conditions must not change: [\"position\"], [\"velocity\"] or both";
  if (node->kind != NodeKind::array) return fields.report_type(*node, "firm", wanted);
  for (const Node& item : node->items) {
    if (item.kind == NodeKind::string && item.text == "position")
      body.firm_position = true;
    else if (item.kind == NodeKind::string && item.text == "velocity")
      body.firm_velocity = true;
    else
      fields.report(item, fmt::format("'firm' contains {}; it must be {}", describe(item), wanted));
  }
}

// Those of the shapes, without what only contacts see.
std::vector<Key> keys_of_solids() {
  std::vector<KindKeys> own;
  for (const GeometryKind& kind : {GeometryKind::box, GeometryKind::cylinder, GeometryKind::sphere}) {
    own.push_back({kind->name, kind->keys()});
    std::erase_if(own.back().keys, [](const Key& key) { return key.name == "rounding"; });
  }
  own.push_back({"rod", {shape_length_key(), shape_axis_key()}});
  return keys_of_kinds(own);
}

std::vector<Key> shape_keys() {
  return together({{{.name = "kind", .type = KeyType::word, .required = true, .words = words(solids)}},
                   keys_of_solids(),
                   {{.name = "density",
                     .unit = "kg/m³",
                     .meaning = "instead of the body's `mass`",
                     .range = Range::above(0.0),
                     .kinds = {"box", "cylinder", "sphere"}},
                    color_key(),
                    opacity_key()}});
}

Key body_frames_key() {
  return {.name = "frames",
          .type = KeyType::table,
          .meaning =
              "points of the body with names, `{ eye = [x, y, z] }` in the world as drawn; elsewhere `BODY.eye`, "
              "as a [[frame]] with the axes of the drawing"};
}

std::vector<Key> body_keys() {
  const KindNames extended{"rigid", "planar"};
  return together(
      {{name_key(),
        {.name = "kind", .type = KeyType::word, .fallback = "rigid", .words = words(body_kinds)},
        {.name = "mass",
         .unit = "kg",
         .meaning = "of the body; needed unless a `density` of its `shape` or of its [[geometry]] gives it",
         .range = Range::above(0.0),
         .kinds = extended},
        {.name = "mass",
         .unit = "kg",
         .required = true,
         .meaning = "of the point",
         .range = Range::above(0.0),
         .kinds = {"particle"}},
        {.name = "inertia",
         .type = KeyType::matrix,
         .unit = "kg m²",
         .meaning =
             "moments about the centre of mass in body axes: `[xx, yy, zz]`, `[xx, yy, zz, xy, xz, yz]` (entries "
             "of the matrix, so that xy = −∫xy dm) or 3 × 3; for a planar body also one number, about its "
             "normal; needed unless there is a `shape`",
         .kinds = extended},
        {.name = "shape",
         .type = KeyType::table,
         .meaning = "a homogeneous solid about its centre, which gives the `inertia` and is drawn",
         .kinds = extended,
         .inner = shape_keys()},
        {.name = "center_of_mass",
         .type = KeyType::vector,
         .unit = "m",
         .fallback = "[0, 0, 0]",
         .meaning = "from the origin, in body axes",
         .kinds = extended},
        {.name = "position",
         .type = KeyType::vector,
         .unit = "m",
         .fallback = "[0, 0, 0]",
         .meaning = "of the origin in the world"}},
       orientation_keys("of the body's axes in the world", extended),
       {{.name = "velocity",
         .type = KeyType::vector,
         .unit = "m/s",
         .fallback = "[0, 0, 0]",
         .meaning = "of the origin, world axes"},
        {.name = "angular_velocity",
         .type = KeyType::vector,
         .unit = "rad/s",
         .fallback = "[0, 0, 0]",
         .meaning = "in **body** axes",
         .kinds = {"rigid"}},
        {.name = "angular_velocity",
         .type = KeyType::any,
         .unit = "rad/s",
         .fallback = "0",
         .meaning = "one number about the normal, or a vector in **body** axes",
         .kinds = {"planar"}},
        {.name = "angular_velocity_world",
         .type = KeyType::vector,
         .unit = "rad/s",
         .meaning = "the same in world axes",
         .kinds = {"rigid"}},
        {.name = "angular_velocity_world",
         .type = KeyType::any,
         .unit = "rad/s",
         .meaning = "the same, a vector in world axes",
         .kinds = {"planar"}},
        {.name = "normal",
         .type = KeyType::direction,
         .fallback = "z",
         .meaning = "of the plane, in the world",
         .kinds = {"planar"}},
        body_frames_key(),
        {.name = "firm",
         .type = KeyType::names,
         .fallback = "[]",
         .meaning = "what the initial conditions must keep as it is given: `[\"position\"]`, `[\"velocity\"]` or "
                    "both"}}});
}

void read_body(Fields& fields, const std::string& name, ModelDraft& model) {
  BodySpec body;
  body.name = name;
  model.body_index.try_emplace(name, model.bodies.size());
  body.source = fields.source();
  if (!fields.kind(body_kinds, body.kind)) {
    fields.findings().add_broken(name, body.source);
    body.mass = 1.0;
    body.inertia.setIdentity();
    model.bodies.push_back(std::move(body));
    return;
  }
  // The drawing of the part first; then the part is placed as a whole.
  body.position = fields.vector("position", Eigen::Vector3d::Zero());
  body.velocity = fields.vector("velocity", Eigen::Vector3d::Zero());
  if (body.kind != BodyKind::particle) body.orientation = read_orientation(fields);
  if (body.kind == BodyKind::planar)
    if (const Node* normal = fields.get("normal")) {
      body.plane_normal = read_direction(fields, *normal, "normal");
      body.source.fields["plane_normal"] = fields.findings().where(normal->place);
    }
  std::optional<Shape> drawn;
  if (model.heavy.count(name) > 0 && body.kind != BodyKind::particle)
    refuse_mass(fields, body);
  else
    read_mass_properties(fields, model, body, drawn);
  if (drawn) {
    drawn->position = body.center_of_mass;
    model.solids.push_back({"", body.source, name, std::move(*drawn), ""});
  }
  if (body.kind != BodyKind::particle) read_angular_velocity(fields, body);
  read_firm(fields, body);
  read_body_frames(fields, name, model);
  fields.finish();

  const Part& part = fields.part();
  if (part.is_moved()) {
    body.position = part.position + part.rotation * body.position;
    body.orientation = part.rotation * body.orientation;
    if (body.kind == BodyKind::particle) body.orientation.setIdentity();
    body.velocity = part.rotation * body.velocity;
    body.plane_normal = part.rotation * body.plane_normal;
  }
  model.bodies.push_back(std::move(body));
}

void read_coordinate(Fields& fields, const std::string& name, ModelDraft& model) {
  CoordinateSpec coordinate;
  coordinate.name = name;
  coordinate.source = fields.source();
  coordinate.value = fields.number("value", 0.0);
  coordinate.rate = fields.number("rate", 0.0);
  fields.finish();
  model.coordinates.push_back(std::move(coordinate));
}

}  // namespace

EntityKind body_kind() {
  return {{.name = "body", .is_list = true, .meaning = "A body: rigid, planar or a particle.", .keys = body_keys()},
          read_body};
}

EntityKind coordinate_kind() {
  return {
      {.name = "coordinate",
       .is_list = true,
       .meaning = "A massless scalar coordinate with a name: a joint angle made explicit, or the stretch of a spring "
                  "in series.",
       .keys = {name_key(),
                {.name = "value", .unit = "rad, m", .fallback = "0", .meaning = "at the start"},
                {.name = "rate", .unit = "rad/s, m/s", .fallback = "0", .meaning = "at the start"}}},
      read_coordinate};
}

}  // namespace trammel::detail
