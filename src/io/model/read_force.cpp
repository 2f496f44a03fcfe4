#include <fmt/format.h>

#include <array>

#include "entities.h"
#include "trammel/base/text.h"

namespace trammel::detail {

namespace {

const Choices<ForceKind> force_kinds{{"force", ForceKind::force},
                                     {"torque", ForceKind::torque},
                                     {"spring_damper", ForceKind::spring_damper},
                                     {"torsion_spring", ForceKind::torsion_spring},
                                     {"axial_spring", ForceKind::axial_spring},
                                     {"bushing", ForceKind::bushing},
                                     {"planar_bushing", ForceKind::planar_bushing},
                                     {"joint_spring", ForceKind::joint_spring},
                                     {"joint_limit", ForceKind::joint_limit},
                                     {"bump_stop", ForceKind::bump_stop},
                                     {"anti_roll_bar", ForceKind::anti_roll_bar},
                                     {"tyre", ForceKind::tyre},
                                     {"standing_tyre", ForceKind::standing_tyre}};

const Choices<BushingAngles> bushing_angles{{"log", BushingAngles::log}, {"printed", BushingAngles::printed}};

// World components follow the part when it is turned: f = R f', each row a formula.
void turn_components(const Part& part, ForceSpec& force) {
  if (force.in_body_axes || part.rotation == Eigen::Matrix3d::Identity()) return;
  const std::array<Formula, 3> drawn{force.components[0], force.components[1], force.components[2]};
  for (int i = 0; i < 3; ++i) {
    std::string text;
    for (int j = 0; j < 3; ++j)
      text += fmt::format("{}({}) * ({})", j > 0 ? " + " : "", part.rotation(i, j),
                          drawn[static_cast<std::size_t>(j)].text);
    force.components[i].text = text;
  }
}

void read_components(Fields& fields, const std::string& key, ForceSpec& force) {
  const Node* node = fields.require(key, "[x, y, z], each a number or a formula in quotes");
  for (Formula& component : force.components) component.text = zero_formula;
  force.in_body_axes = fields.boolean("in_body_axes", false);
  if (node == nullptr) return;
  if (node->kind != NodeKind::array || node->items.size() != 3)
    return fields.report(*node, fmt::format("'{}' must be a list of three, [x, y, z], each a number or a formula in "
                                            "quotes, not {}",
                                            key, describe(*node)));
  for (std::size_t i = 0; i < 3; ++i) {
    const Node& item = node->items[i];
    force.components[i] = fields.formula_of(item, key);
    if (fields.part().parent != nullptr && !has_good_syntax(fields, item, key, force.components[i].text))
      force.components[i].text = zero_formula;
  }
  turn_components(fields.part(), force);
}

// force and torque act on one body; `body_a` may carry the reaction.
void read_single_body(Fields& fields, ForceSpec& force) {
  const Node* node = fields.one_of({"body", "body_b"});
  if (node == nullptr) {
    fields.report("the key 'body' is missing: the body it acts upon");
    fields.findings().add_broken("", force.source);
    return;
  }
  force.body_b = fields.name_of(*node, "body");
  force.source.fields["body_b"] = fields.findings().where(node->place);
  force.body_a = fields.name("body_a", ground_name);
}

void read_force_point(Fields& fields, ForceSpec& force) {
  const Node* node = fields.one_of({"point", "point_b"});
  force.point_b =
      node == nullptr ? PointSpec{force.body_b, Eigen::Vector3d::Zero()} : read_point(fields, *node, "point");
  if (node != nullptr) force.source.fields["point_b"] = fields.findings().where(node->place);
  force.point_a = force.point_b;
}

// A spring between points may leave its bodies to the points.
void read_spring_ends(Fields& fields, ForceSpec& force) {
  const Node* a =
      fields.require("point_a", "the end on the first body, [x, y, z] or { body = \"name\", at = [x, y, z] }");
  const Node* b =
      fields.require("point_b", "the end on the second body, [x, y, z] or { body = \"name\", at = [x, y, z] }");
  if (a != nullptr) force.point_a = read_point(fields, *a, "point_a");
  if (b != nullptr) force.point_b = read_point(fields, *b, "point_b");
  const bool from_points = !fields.has("bodies") && !fields.has("body_b") && !force.point_b.body.empty();
  if (from_points) {
    force.body_b = force.point_b.body;
    force.body_a = fields.name("body_a", force.point_a.body.empty() ? ground_name : force.point_a.body);
  } else {
    read_bodies(fields, force.body_a, force.body_b);
  }
}

void read_law(Fields& fields, ForceSpec& force, const std::string& free_key) {
  force.law = fields.formula("law");
  std::string which;
  const std::vector<std::string> free_keys =
      free_key.empty() ? std::vector<std::string>{"free_value"} : std::vector<std::string>{free_key, "free_value"};
  if (const Node* node = fields.one_of(free_keys, &which)) {
    force.free_value = fields.number_of(*node, which, 0.0);
    force.source.fields["free_value"] = fields.findings().where(node->place);
  }
  force.stiffness = fields.number("stiffness", 0.0);
  force.damping = fields.number("damping", 0.0);
  force.preload = fields.number("preload", 0.0);
  if (force.law.given()) {
    for (const std::string& key : {std::string("stiffness"), std::string("damping"), std::string("preload"), which})
      if (const Node* node = key.empty() ? nullptr : fields.get(key))
        fields.report(*node, fmt::format("'{}' and 'law' exclude each other; the law is the whole force", key));
  } else if (!fields.has("stiffness") && !fields.has("damping") && !fields.has("preload")) {
    fields.report("it has no effect: give 'stiffness', 'damping' or 'preload', or a 'law'");
  }
}

void read_joint_reference(Fields& fields, ForceSpec& force) {
  if (const Node* joint = fields.require("joint", "the joint or [[coordinate]] it acts on"))
    force.joint = fields.name_of(*joint, "joint");
  else
    fields.findings().add_broken("", force.source);
  force.coordinate = read_joint_coordinate(fields);
}

// n numbers are the diagonal, n rows the whole matrix.
Eigen::MatrixXd read_square(Fields& fields, const std::string& key, int n) {
  Eigen::MatrixXd matrix = Eigen::MatrixXd::Zero(n, n);
  const Node* node = fields.get(key);
  if (node == nullptr) return matrix;
  const bool rows = node->kind == NodeKind::array && !node->items.empty() && node->items[0].kind == NodeKind::array;
  if (rows) return fields.matrix_of(*node, key, n).value_or(matrix);
  const std::vector<double> diagonal = fields.list_of(*node, key);
  if (node->kind != NodeKind::array) return matrix;
  if (static_cast<int>(diagonal.size()) != n) {
    fields.report(
        *node, fmt::format("'{}' has {} numbers; it must be the {} of the diagonal, or the {} rows of the matrix", key,
                           diagonal.size(), n, n));
    return matrix;
  }
  for (int i = 0; i < n; ++i) matrix(i, i) = diagonal[static_cast<std::size_t>(i)];
  return matrix;
}

void read_bushing(Fields& fields, ForceSpec& force) {
  read_bodies(fields, force.body_a, force.body_b);
  const Node* both = fields.get("point");
  const Node* a = fields.get("point_a");
  const Node* b = fields.get("point_b");
  if (both != nullptr && (a != nullptr || b != nullptr))
    fields.report(a != nullptr ? *a : *b, "'point' and 'point_a', 'point_b' exclude each other; give one or the other");
  else if (both == nullptr && (a == nullptr || b == nullptr))
    fields.report(
        "where it sits is missing: give 'point' (where both bodies hold it as drawn), or 'point_a' and 'point_b'");
  if (both != nullptr) force.point_a = force.point_b = read_point(fields, *both, "point");
  if (both == nullptr && a != nullptr) force.point_a = read_point(fields, *a, "point_a");
  if (both == nullptr && b != nullptr) force.point_b = read_point(fields, *b, "point_b");
  const bool planar = force.kind == ForceKind::planar_bushing;
  if (const Node* axis = planar ? nullptr : fields.get("axis")) force.axis = read_axis(fields, *axis, "axis");
  if (const Node* axis = fields.get("axis_x")) force.axis_x = read_axis(fields, *axis, "axis_x");
  if (!fields.has("K") && !fields.has("C"))
    fields.report("it has no effect: give its stiffness 'K' or its damping 'C'");
  force.K = read_square(fields, "K", planar ? 3 : 6);
  force.C = read_square(fields, "C", planar ? 3 : 6);
  if (!planar) force.angles = fields.choice("angles", bushing_angles, BushingAngles::log);
}

}  // namespace

void read_force(Fields& fields, const std::string& name, ModelDraft& model) {
  ForceSpec force;
  force.name = name;
  force.source = fields.source();
  bool good = fields.require("kind", "force, torque, spring_damper, ... (docs/model_file.md)") != nullptr;
  force.kind = fields.choice("kind", force_kinds, ForceKind::force, &good);
  if (!good) {
    fields.findings().add_broken(name, force.source);
    model.forces.push_back(std::move(force));
    return;
  }
  fields.specify(fields.get("kind")->text);
  switch (force.kind) {
    case ForceKind::force:
      read_single_body(fields, force);
      read_force_point(fields, force);
      read_components(fields, "force", force);
      break;
    case ForceKind::torque:
      read_single_body(fields, force);
      read_components(fields, "torque", force);
      break;
    case ForceKind::spring_damper:
      read_spring_ends(fields, force);
      read_law(fields, force, "free_length");
      break;
    case ForceKind::torsion_spring:
      read_bodies(fields, force.body_a, force.body_b);
      if (const Node* axis = fields.require("axis", "the axis about which it turns, [x, y, z] or \"z\""))
        force.axis = read_axis(fields, *axis, "axis");
      read_law(fields, force, "free_angle");
      break;
    case ForceKind::axial_spring:
      read_spring_ends(fields, force);
      if (const Node* axis = fields.require("axis", "the axis of the first body along which it acts"))
        force.axis = read_axis(fields, *axis, "axis");
      read_law(fields, force, "free_displacement");
      break;
    case ForceKind::bushing:
    case ForceKind::planar_bushing:
      read_bushing(fields, force);
      break;
    case ForceKind::joint_spring:
      read_joint_reference(fields, force);
      read_law(fields, force, "");
      break;
    case ForceKind::joint_limit:
      read_joint_reference(fields, force);
      force.lower = fields.optional_number("lower");
      force.upper = fields.optional_number("upper");
      force.stiffness = fields.required_number("stiffness", "of the stop, [N/m] or [N m/rad]", 1.0);
      force.damping = fields.number("damping", 0.0);
      break;
    case ForceKind::bump_stop:
      read_bump_stop(fields, force);
      break;
    case ForceKind::anti_roll_bar:
      read_anti_roll_bar(fields, force);
      break;
    case ForceKind::tyre:
    case ForceKind::standing_tyre:
      read_tyre(fields, force);
      break;
  }
  fields.finish();
  if (force.body_b.empty() && force.joint.empty()) fields.findings().add_broken("", force.source);
  model.forces.push_back(std::move(force));
}

}  // namespace trammel::detail
