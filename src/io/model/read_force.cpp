#include <fmt/format.h>

#include <array>

#include "entities.h"
#include "trammel/base/text.h"

namespace trammel::detail {

namespace {

const Choices<ForceKind> force_kinds{{"force", ForceKind::force, "at a point of a body"},
                                     {"torque", ForceKind::torque, "on a body"},
                                     {"spring_damper", ForceKind::spring_damper, "between two points"},
                                     {"torsion_spring", ForceKind::torsion_spring, "about an axis"},
                                     {"axial_spring", ForceKind::axial_spring, "along an axis of the first body"},
                                     {"bushing", ForceKind::bushing, "6 × 6 between rigid bodies"},
                                     {"planar_bushing", ForceKind::planar_bushing, "3 × 3 between planar bodies"},
                                     {"joint_spring", ForceKind::joint_spring, "on a joint's coordinate"},
                                     {"joint_limit", ForceKind::joint_limit, "stops of a joint's coordinate"},
                                     {"bump_stop", ForceKind::bump_stop, "a rubber stop between two points"},
                                     {"anti_roll_bar", ForceKind::anti_roll_bar, "couples two joints"},
                                     {"tyre", ForceKind::tyre, "a wheel that rolls, by slip"},
                                     {"standing_tyre", ForceKind::standing_tyre, "a wheel that does not turn"}};

const Choices<BushingAngles> bushing_angles{{"log", BushingAngles::log, "exact"},
                                            {"printed", BushingAngles::printed, "projection angles"}};

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

void read_components(Fields& fields, std::string_view key, ForceSpec& force) {
  const Node* node = fields.get(key);
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
  force.body_a = fields.name("body_a", ground_name);
  if (node == nullptr) {
    fields.report_missing("body");
    fields.findings().add_broken("", force.source);
    return;
  }
  force.body_b = fields.name_of(*node, "body");
  force.source.fields["body_b"] = fields.findings().where(node->place);
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
  if (const auto a = read_point(fields, "point_a")) force.point_a = *a;
  if (const auto b = read_point(fields, "point_b")) force.point_b = *b;
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
  if (const Node* joint = fields.get("joint"))
    force.joint = fields.name_of(*joint, "joint");
  else
    fields.findings().add_broken("", force.source);
  force.coordinate = read_joint_coordinate(fields);
}

// n numbers are the diagonal, n rows the whole matrix.
Eigen::MatrixXd read_square(Fields& fields, std::string_view key, int n) {
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
  if (const auto axis = read_axis(fields, "axis")) force.axis = *axis;
  force.axis_x = read_axis(fields, "axis_x");
  if (!fields.has("K") && !fields.has("C"))
    fields.report("it has no effect: give its stiffness 'K' or its damping 'C'");
  force.K = read_square(fields, "K", planar ? 3 : 6);
  force.C = read_square(fields, "C", planar ? 3 : 6);
  if (!planar) force.angles = fields.choice("angles", bushing_angles, BushingAngles::log);
}

void read_force(Fields& fields, const std::string& name, ModelDraft& model) {
  ForceSpec force;
  force.name = name;
  force.source = fields.source();
  if (!fields.kind(force_kinds, force.kind)) {
    fields.findings().add_broken(name, force.source);
    model.forces.push_back(std::move(force));
    return;
  }
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
      if (const auto axis = read_axis(fields, "axis")) force.axis = *axis;
      read_law(fields, force, "free_angle");
      break;
    case ForceKind::axial_spring:
      read_spring_ends(fields, force);
      if (const auto axis = read_axis(fields, "axis")) force.axis = *axis;
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
      force.stiffness = fields.number("stiffness", 1.0);
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

std::vector<Key> end_keys() {
  const KindNames single{"force", "torque"}, bushings{"bushing", "planar_bushing"},
      lines{"spring_damper", "axial_spring"},
      pairs{"spring_damper", "torsion_spring", "axial_spring", "bushing", "planar_bushing", "bump_stop"};
  const std::string form = ", `[x, y, z]` or `{ body = \"name\", at = [x, y, z] }`";
  return {
      {.name = "body", .type = KeyType::name, .meaning = "the body it acts upon; needed", .kinds = single},
      {.name = "bodies",
       .type = KeyType::names,
       .meaning = "the two bodies, `[\"a\", \"b\"]`; `[\"b\"]`: the first is the ground; between points of bodies it "
                  "need not be said",
       .kinds = pairs},
      {.name = "body_a",
       .type = KeyType::name,
       .fallback = "ground",
       .meaning = "the body that takes the reaction",
       .kinds = single},
      {.name = "body_a",
       .type = KeyType::name,
       .fallback = "ground",
       .meaning = "instead of `bodies`: the first body",
       .kinds = pairs},
      {.name = "body_b", .type = KeyType::name, .meaning = "the same as `body`", .kinds = single},
      {.name = "body_b", .type = KeyType::name, .meaning = "instead of `bodies`: the second body", .kinds = pairs},
      {.name = "point",
       .type = KeyType::point,
       .unit = "m",
       .fallback = "origin of the body",
       .meaning = "where it acts" + form,
       .kinds = {"force"}},
      {.name = "point",
       .type = KeyType::point,
       .unit = "m",
       .meaning = "where both bodies hold it as drawn; needed, or `point_a` and `point_b`",
       .kinds = bushings},
      {.name = "point_a",
       .type = KeyType::point,
       .unit = "m",
       .required = true,
       .meaning = "the end on the first body" + form,
       .kinds = lines},
      {.name = "point_a",
       .type = KeyType::point,
       .unit = "m",
       .meaning = "instead of `point`: where the first body holds it",
       .kinds = bushings},
      {.name = "point_a",
       .type = KeyType::point,
       .unit = "m",
       .required = true,
       .meaning = "the point on the first body" + form,
       .kinds = {"bump_stop"}},
      {.name = "point_b", .type = KeyType::point, .unit = "m", .meaning = "the same as `point`", .kinds = {"force"}},
      {.name = "point_b",
       .type = KeyType::point,
       .unit = "m",
       .required = true,
       .meaning = "the end on the second body" + form,
       .kinds = lines},
      {.name = "point_b",
       .type = KeyType::point,
       .unit = "m",
       .meaning = "instead of `point`: where the second body holds it",
       .kinds = bushings},
      {.name = "point_b",
       .type = KeyType::point,
       .unit = "m",
       .required = true,
       .meaning = "the point on the second body" + form,
       .kinds = {"bump_stop"}}};
}

std::vector<Key> effect_keys() {
  const KindNames single{"force", "torque"}, bushings{"bushing", "planar_bushing"},
      springs{"spring_damper", "torsion_spring", "axial_spring", "joint_spring"};
  const std::string letter = ", `[x, y, z]` or `\"z\"`";
  return {
      {.name = "force",
       .type = KeyType::formulas,
       .unit = "N",
       .required = true,
       .meaning = "`[x, y, z]`, each a number or a formula in quotes",
       .kinds = {"force"}},
      {.name = "torque",
       .type = KeyType::formulas,
       .unit = "N m",
       .required = true,
       .meaning = "`[x, y, z]`, each a number or a formula in quotes",
       .kinds = {"torque"}},
      {.name = "in_body_axes",
       .type = KeyType::boolean,
       .fallback = "false",
       .meaning = "the components turn with the body",
       .kinds = single},
      {.name = "axis",
       .type = KeyType::direction,
       .required = true,
       .meaning = "the axis about which it turns" + letter,
       .kinds = {"torsion_spring"}},
      {.name = "axis",
       .type = KeyType::direction,
       .required = true,
       .meaning = "the axis of the first body along which it acts" + letter,
       .kinds = {"axial_spring"}},
      {.name = "axis", .type = KeyType::direction, .fallback = "z", .meaning = "its z axis", .kinds = {"bushing"}},
      {.name = "axis",
       .type = KeyType::direction,
       .required = true,
       .meaning = "the direction of the stop, fixed in the first body" + letter,
       .kinds = {"bump_stop"}},
      {.name = "axis",
       .type = KeyType::direction,
       .fallback = "y",
       .meaning = "the axle, to the left",
       .kinds = {"tyre", "standing_tyre"}},
      {.name = "axis_x",
       .type = KeyType::direction,
       .fallback = "x, made normal to z",
       .meaning = "its x axis",
       .kinds = bushings},
      {.name = "K",
       .type = KeyType::matrix,
       .unit = "N/m, N m/rad",
       .meaning = "stiffness: six rows (x, y, z, about x, y, z), of a planar one three (x, y, angle), or the numbers "
                  "of the diagonal",
       .kinds = bushings},
      {.name = "C",
       .type = KeyType::matrix,
       .unit = "N s/m, N m s/rad",
       .meaning = "damping, in the same form",
       .kinds = bushings},
      {.name = "angles",
       .type = KeyType::word,
       .fallback = "log",
       .meaning = "how rotations are measured",
       .words = words(bushing_angles),
       .kinds = {"bushing"}},
      {.name = "joint",
       .type = KeyType::name,
       .required = true,
       .meaning = "the joint or [[coordinate]] it acts on",
       .kinds = {"joint_spring", "joint_limit"}},
      {.name = "joints",
       .type = KeyType::names,
       .required = true,
       .meaning = "the two joints whose coordinates it couples, `[\"left\", \"right\"]`",
       .kinds = {"anti_roll_bar"}},
      joint_coordinate_key({"joint_spring", "joint_limit", "anti_roll_bar"}),
      {.name = "stiffness",
       .unit = "N/m, N m/rad",
       .fallback = "0",
       .meaning = "k, per length or angle",
       .kinds = springs},
      {.name = "stiffness",
       .unit = "N/m, N m/rad",
       .required = true,
       .meaning = "of the stop",
       .range = Range::above(0.0),
       .kinds = {"joint_limit"}},
      {.name = "stiffness",
       .unit = "N/m",
       .fallback = "0",
       .meaning = "k, per depth; it or `quadratic` must be > 0",
       .range = Range::from(0.0),
       .kinds = {"bump_stop"}},
      {.name = "stiffness",
       .unit = "N/m, N m/rad",
       .required = true,
       .meaning = "k of the bar",
       .kinds = {"anti_roll_bar"}},
      {.name = "stiffness",
       .unit = "N/m",
       .required = true,
       .meaning = "k_z, vertical",
       .range = Range::above(0.0),
       .kinds = {"tyre", "standing_tyre"}},
      {.name = "quadratic",
       .unit = "N/m²",
       .fallback = "0",
       .meaning = "k₂, per squared depth",
       .range = Range::from(0.0),
       .kinds = {"bump_stop"}},
      {.name = "damping",
       .unit = "N s/m, N m s/rad",
       .fallback = "0",
       .meaning = "c, per speed",
       .kinds = {"spring_damper", "torsion_spring", "axial_spring", "joint_spring", "joint_limit", "anti_roll_bar"}},
      {.name = "damping",
       .unit = "N s/m",
       .fallback = "0",
       .meaning = "c, per speed",
       .range = Range::from(0.0),
       .kinds = {"bump_stop", "tyre", "standing_tyre"}},
      {.name = "preload",
       .unit = "N, N m",
       .fallback = "0",
       .meaning = "force at the free value; > 0 pulls together, turns back",
       .kinds = springs},
      {.name = "free_length",
       .unit = "m",
       .fallback = "as drawn",
       .meaning = "ℓ₀ ≥ 0, without force",
       .kinds = {"spring_damper"}},
      {.name = "free_angle",
       .unit = "rad",
       .fallback = "as drawn",
       .meaning = "θ₀ without force",
       .kinds = {"torsion_spring"}},
      {.name = "free_displacement",
       .unit = "m",
       .fallback = "as drawn",
       .meaning = "x₀ without force",
       .kinds = {"axial_spring"}},
      {.name = "free_value",
       .unit = "m, rad",
       .fallback = "as drawn",
       .meaning = "free length, angle or displacement, whichever it has",
       .kinds = springs},
      {.name = "law",
       .type = KeyType::formula,
       .unit = "N",
       .meaning = "instead of all these: the force as a formula of `length` and `rate`",
       .kinds = {"spring_damper"}},
      {.name = "law",
       .type = KeyType::formula,
       .unit = "N m",
       .meaning = "instead of all these: the torque as a formula of `angle` and `rate`",
       .kinds = {"torsion_spring"}},
      {.name = "law",
       .type = KeyType::formula,
       .unit = "N",
       .meaning = "instead of all these: the force as a formula of `displacement` and `rate`",
       .kinds = {"axial_spring"}},
      {.name = "law",
       .type = KeyType::formula,
       .unit = "N, N m",
       .meaning = "instead of all these: the effort as a formula of `angle` or `displacement`, and `rate`",
       .kinds = {"joint_spring"}},
      {.name = "lower",
       .unit = "rad, m",
       .meaning = "where the lower stop begins; it or `upper` is needed",
       .kinds = {"joint_limit", "bump_stop"}},
      {.name = "upper",
       .unit = "rad, m",
       .meaning = "where the upper stop begins",
       .kinds = {"joint_limit", "bump_stop"}}};
}

}  // namespace

EntityKind force_kind() {
  return {{.name = "force",
           .is_list = true,
           .meaning = "A force, a torque, a spring, a stop or a tyre.",
           .keys = together(
               {{name_key(), {.name = "kind", .type = KeyType::word, .required = true, .words = words(force_kinds)}},
                end_keys(),
                effect_keys(),
                vehicle_keys()})},
          read_force};
}

}  // namespace trammel::detail
