#include <fmt/format.h>

#include <algorithm>

#include "entities.h"
#include "trammel/base/text.h"

namespace trammel::detail {

namespace {

enum class Need { none, optional, required };

/// Which keys a kind of joint has.
struct JointKeys {
  std::string name;
  JointKind kind;
  Need point = Need::required;
  Need point_b = Need::optional;
  Need axis = Need::required;
  Need axis_b = Need::optional;
};

const std::vector<JointKeys> joint_keys{
    {"spherical", JointKind::spherical, Need::required, Need::optional, Need::none, Need::none},
    {"revolute", JointKind::revolute},
    {"prismatic", JointKind::prismatic, Need::optional},
    {"cylindrical", JointKind::cylindrical},
    {"universal", JointKind::universal, Need::required, Need::optional, Need::required, Need::required},
    {"planar", JointKind::planar},
    {"fixed", JointKind::fixed, Need::optional, Need::optional, Need::none, Need::none},
    {"screw", JointKind::screw},
    {"point_on_line", JointKind::point_on_line, Need::required, Need::optional, Need::required, Need::none},
    {"point_on_plane", JointKind::point_on_plane, Need::required, Need::optional, Need::required, Need::none},
    {"distance", JointKind::distance, Need::required, Need::required, Need::none, Need::none},
    {"constant_orientation", JointKind::constant_orientation, Need::none, Need::none, Need::none, Need::none},
    {"rolling_sphere", JointKind::rolling_sphere, Need::required, Need::optional, Need::required, Need::none},
    {"rolling_disc", JointKind::rolling_disc, Need::required, Need::optional, Need::required, Need::required},
    {"knife_edge", JointKind::knife_edge, Need::required, Need::none, Need::none, Need::required},
    {"track", JointKind::track, Need::none, Need::none, Need::none, Need::none}};

enum class CouplerKind { coupler, gear, speed_coupler };
const Choices<CouplerKind> coupler_kinds{
    {"coupler", CouplerKind::coupler}, {"gear", CouplerKind::gear}, {"speed_coupler", CouplerKind::speed_coupler}};

const Choices<JointCoordinate> joint_coordinates{{"angle", JointCoordinate::angle},
                                                 {"displacement", JointCoordinate::displacement}};

bool has_coordinate(JointKind kind) {
  return kind == JointKind::revolute || kind == JointKind::prismatic || kind == JointKind::distance;
}

std::string meaning_of_axis(JointKind kind) {
  switch (kind) {
    case JointKind::planar:
    case JointKind::point_on_plane:
      return "the normal of the plane, [x, y, z] or \"z\"";
    case JointKind::rolling_sphere:
    case JointKind::rolling_disc:
      return "the normal of the plane it rolls on, [x, y, z] or \"z\"";
    case JointKind::point_on_line:
      return "the direction of the line, [x, y, z] or \"x\"";
    case JointKind::universal:
      return "the first axis, fixed in the first body";
    default:
      return "the joint's axis, [x, y, z] or \"z\"";
  }
}

std::string meaning_of_axis_b(JointKind kind) {
  switch (kind) {
    case JointKind::rolling_disc:
      return "the disc's axle";
    case JointKind::knife_edge:
      return "the direction in which the edge cannot move, fixed in the second body";
    default:
      return "the second axis, fixed in the second body";
  }
}

std::string meaning_of_point(JointKind kind) {
  switch (kind) {
    case JointKind::distance:
      return "the point on the first body";
    case JointKind::rolling_sphere:
    case JointKind::rolling_disc:
      return "a point of the plane it rolls on";
    case JointKind::knife_edge:
      return "the point of the edge";
    default:
      return "where the joint sits, [x, y, z] in the world or { body = \"name\", at = [x, y, z] }";
  }
}

// A table's key by its need; nullptr also where it must not be.
const Node* get(Fields& fields, Need need, const std::string& key, const std::string& meaning) {
  if (need == Need::none) return nullptr;
  return need == Need::required ? fields.require(key, meaning) : fields.get(key);
}

const BodySpec* find_body(const ModelDraft& model, const std::string& name) {
  const auto it = model.body_index.find(name);
  return it == model.body_index.end() ? nullptr : &model.bodies[it->second];
}

void read_joint_geometry(Fields& fields, const JointKeys& keys, JointSpec& joint, const ModelDraft& model) {
  const bool rolls = joint.kind == JointKind::rolling_sphere || joint.kind == JointKind::rolling_disc;
  if (const Node* node = get(fields, keys.point, "point", meaning_of_point(joint.kind)))
    joint.point = read_point(fields, *node, "point");
  else
    joint.point = {joint.body_b, Eigen::Vector3d::Zero()};
  if (const Node* node = get(fields, keys.point_b, "point_b", "the point on the second body"))
    joint.point_b = read_point(fields, *node, "point_b");
  else if (rolls)
    joint.point_b = PointSpec{joint.body_b, Eigen::Vector3d::Zero()};
  if (joint.point.body == ground_name) joint.point.body.clear();

  // A rod has an axis if its angle is a coordinate.
  const bool turns = joint.kind == JointKind::distance && fields.has("coordinate");
  // In a planar model every hinge turns about the normal: it need not be said.
  const bool hinge = joint.kind == JointKind::revolute && !fields.has("axis");
  const BodySpec* body = hinge ? find_body(model, joint.body_b) : nullptr;
  if (hinge && (body == nullptr || body->kind != BodyKind::planar)) body = find_body(model, joint.body_a);
  if (hinge && body != nullptr && body->kind == BodyKind::planar)
    joint.axis.direction = body->plane_normal;
  else if (hinge && body == nullptr && !model.complete)
    joint.axis.direction = Eigen::Vector3d::UnitZ();
  else if (const Node* node = get(fields, turns ? Need::required : keys.axis, "axis", meaning_of_axis(joint.kind)))
    joint.axis = read_axis(fields, *node, "axis");
  if (const Node* node = get(fields, keys.axis_b, "axis_b", meaning_of_axis_b(joint.kind)))
    joint.axis_b = read_axis(fields, *node, "axis_b");
}

CouplerTerm read_term(Fields& outer, const Node& node) {
  CouplerTerm term;
  std::optional<Fields> fields = outer.inner(node, "terms");
  if (!fields) return term;
  if (const Node* joint = fields->require("joint", "the joint or [[coordinate]] of this term"))
    term.name = fields->name_of(*joint, "joint");
  term.coordinate = read_joint_coordinate(*fields);
  term.factor = fields->number("factor", 1.0);
  fields->finish();
  return term;
}

// joints = ["a", "b"] with factors = [1, -2], or for a gear with its ratio.
void read_coupled_joints(Fields& fields, const Node& joints, CouplerKind kind, CouplerSpec& coupler) {
  const bool list = joints.kind == NodeKind::array && !joints.items.empty();
  if (!list) return fields.report_type(joints, "joints", "a list of names such as [\"a\", \"b\"]");
  for (const Node& item : joints.items) coupler.terms.push_back({fields.name_of(item, "joints")});
  if (const Node* node = fields.get("factors"); node != nullptr && kind != CouplerKind::gear) {
    const std::vector<double> factors = fields.list_of(*node, "factors");
    if (factors.size() != coupler.terms.size())
      return fields.report(*node, fmt::format("'factors' has {} numbers for {} joints; give one for each",
                                              factors.size(), coupler.terms.size()));
    for (std::size_t i = 0; i < factors.size(); ++i) coupler.terms[i].factor = factors[i];
  } else if (kind == CouplerKind::gear) {
    const double ratio = fields.required_number(
        "ratio",
        "coordinate of the first joint / coordinate of the second; negative for wheels that turn against each other",
        1.0);
    if (coupler.terms.size() != 2)
      return fields.report(
          joints, fmt::format("a gear couples two joints, not {}; use kind = \"coupler\"", coupler.terms.size()));
    coupler.terms[1].factor = -ratio;
  } else {
    fields.report("the key 'factors' is missing: one number for each of 'joints'");
  }
}

void add_coupler(Fields& fields, const std::string& name, CouplerKind kind, ModelDraft& model) {
  CouplerSpec coupler;
  coupler.name = name;
  coupler.source = fields.source();
  coupler.velocity_level = kind == CouplerKind::speed_coupler || fields.boolean("velocity_level", false);
  std::string which;
  const Node* node = kind == CouplerKind::gear ? fields.get("joints") : fields.one_of({"terms", "joints"}, &which);
  if (node == nullptr) {
    fields.report(kind == CouplerKind::gear
                      ? "the key 'joints' is missing: the two joints whose coordinates are geared"
                      : "what it couples is missing: give 'terms' = [{ joint = \"a\", factor = 1 }, "
                        "...] or 'joints' and 'factors'");
    fields.findings().add_broken("", coupler.source);
  } else if (which == "terms" && node->kind == NodeKind::array) {
    for (const Node& item : node->items) coupler.terms.push_back(read_term(fields, item));
  } else if (which == "terms") {
    fields.report_type(*node, "terms", "a list of tables [{ joint = \"a\", factor = 1 }, ...]");
    fields.findings().add_broken("", coupler.source);
  } else {
    read_coupled_joints(fields, *node, kind, coupler);
  }
  coupler.value = fields.formula("value");
  fields.finish();
  model.couplers.push_back(std::move(coupler));
}

}  // namespace

JointCoordinate read_joint_coordinate(Fields& fields) {
  return fields.choice("coordinate", joint_coordinates, JointCoordinate::automatic);
}

void read_joint(Fields& fields, const std::string& name, ModelDraft& model) {
  if (const Node* kind = fields.get("kind"); kind != nullptr && kind->kind == NodeKind::string)
    for (const auto& [coupler_name, coupler_kind] : coupler_kinds)
      if (kind->text == coupler_name) return add_coupler(fields, name, coupler_kind, model);

  JointSpec joint;
  joint.name = name;
  joint.source = fields.source();
  Choices<const JointKeys*> choices;
  for (const JointKeys& keys : joint_keys) choices.emplace_back(keys.name, &keys);
  for (const auto& [coupler_name, coupler_kind] : coupler_kinds) choices.emplace_back(coupler_name, nullptr);
  const JointKeys* keys = nullptr;
  if (fields.require("kind", "revolute, spherical, prismatic, ... (docs/model_file.md)") != nullptr)
    keys = fields.choice<const JointKeys*>("kind", choices, nullptr);
  if (keys == nullptr) {
    fields.findings().add_broken(name, joint.source);
    model.joints.push_back(std::move(joint));
    return;
  }
  joint.kind = keys->kind;
  fields.specify(keys->name);
  read_bodies(fields, joint.body_a, joint.body_b);
  if (joint.body_b.empty()) fields.findings().add_broken(name, joint.source);
  read_joint_geometry(fields, *keys, joint, model);
  if (joint.kind == JointKind::distance) {
    joint.length = fields.optional_number("length");
    joint.squared = fields.boolean("squared", false);
  }
  if (joint.kind == JointKind::screw) joint.pitch = fields.required_number("pitch", "displacement per turn [m]", 1.0);
  if (joint.kind == JointKind::rolling_sphere || joint.kind == JointKind::rolling_disc)
    joint.radius = fields.required_number("radius", "the rolling radius [m]", 1.0);
  if (joint.kind == JointKind::track) read_track_joint(fields, joint);
  if (has_coordinate(joint.kind)) joint.coordinate = fields.name("coordinate", "");
  if (fields.has("loop")) joint.loop = fields.boolean("loop", false);
  fields.finish();
  model.joints.push_back(std::move(joint));
}

void read_coupler(Fields& fields, const std::string& name, ModelDraft& model) {
  add_coupler(fields, name, fields.choice("kind", coupler_kinds, CouplerKind::coupler), model);
}

void read_motion(Fields& fields, const std::string& name, ModelDraft& model) {
  MotionSpec motion;
  motion.name = name;
  motion.source = fields.source();
  if (const Node* joint = fields.require("joint", "the joint or [[coordinate]] that is driven"))
    motion.joint = fields.name_of(*joint, "joint");
  else
    fields.findings().add_broken(name, motion.source);
  motion.coordinate = read_joint_coordinate(fields);
  std::string which;
  const Node* node = fields.one_of({"function", "velocity", "table"}, &which);
  if (node == nullptr) {
    fields.report("how it moves is missing: give 'function' (a formula of t), 'velocity' or 'table'");
    motion.function.text = zero_formula;
  } else if (which == "table") {
    motion.function = {fmt::format("table({}, t)", quoted_name(fields.name_of(*node, "table"))),
                       fields.findings().where(node->place)};
  } else {
    (which == "function" ? motion.function : motion.velocity) = fields.formula_of(*node, which);
  }
  fields.finish();
  model.motions.push_back(std::move(motion));
}

}  // namespace trammel::detail
