// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <limits>
#include <memory>

#include "entities.h"
#include "read_section.h"
#include "trammel/base/text.h"
#include "trammel/math/expression.h"
#include "trammel/mechanics/make_beam.h"

namespace trammel::detail {

namespace {

// Three formulas of s, from 0 to 1.
void read_curve(const Fields& fields, const Node& node, BeamSpec& beam) {
  const auto parsed = std::make_shared<std::array<Expression, 3>>(
      std::array{Expression::constant(0.0), Expression::constant(0.0), Expression::constant(0.0)});
  if (node.kind != NodeKind::array || node.items.size() != 3)
    return fields.report(
        node, fmt::format("'curve' must be three formulas of s, which goes from 0 to 1, not {}", describe(node)));
  for (std::size_t i = 0; i < 3; ++i) {
    const Formula formula = fields.formula_of(node.items[i], "curve");
    const NameResolver names = [&](const std::vector<std::string>& path) -> ResolvedName {
      if (path.size() == 1 && path[0] == "s") return 0;
      if (path.size() == 1)
        if (const Quantity* value = fields.scope().find(path[0]); value != nullptr && !value->is_vector)
          return value->number();
      return fmt::format("'{}' is not known here; a curve may use s and parameters", path[0]);
    };
    try {
      (*parsed)[i] = Expression::parse(formula.text, names);
    } catch (const ExpressionError& error) {
      return fields.report(node.items[i], fmt::format("'curve': {}", error.message()));
    }
  }
  const Part& part = fields.part();
  beam.curve = [parsed, R = part.rotation, p = part.position](double s) {
    const double variables[] = {s};
    Eigen::Vector3d x;
    for (int i = 0; i < 3; ++i) x[i] = (*parsed)[static_cast<std::size_t>(i)].evaluate<double>(variables);
    return Eigen::Vector3d(p + R * x);
  };
}

void read_line(Fields& fields, BeamSpec& beam) {
  std::string which;
  const Node* node = fields.one_of({"points", "curve"}, &which);
  if (node == nullptr)
    return fields.report(
        "its line is missing: 'points' = [[x, y, z], [x, y, z]] [m], or a 'curve' of three formulas of s");
  if (which == "curve") return read_curve(fields, *node, beam);
  if (node->kind != NodeKind::array) return fields.report_type(*node, "points", "a list of points [[x, y, z], …]");
  const Part& part = fields.part();
  for (const Node& item : node->items)
    beam.points.push_back(part.position + part.rotation * fields.vector_of(item, "points", Eigen::Vector3d::Zero()));
}

// Counted before anything is cut: a slip in a number may ask for more than fits into any memory.
void count_elements(const Fields& fields, const Node& node, BeamSpec& beam, ModelDraft& model) {
  double n = 0.0;
  for (const int of_piece : beam.elements) n += of_piece;
  if (beam.elements.size() == 1 && beam.points.size() > 2) n *= static_cast<double>(beam.points.size() - 1);
  if (n > model.elements_left)
    fields.report(node, fmt::format("this makes {:.6g} elements, and at most {:.6g} more are read; is a count wrong? "
                                    "'max_elements' at the top of the file allows more",
                                    n, model.elements_left));
  else
    model.elements_left -= n;
}

void read_elements(Fields& fields, BeamSpec& beam, ModelDraft& model) {
  std::string which;
  const Node* node = fields.one_of({"elements", "stations"}, &which);
  if (node == nullptr) return fields.report("the key 'elements' is missing: how many elements the beam is cut into");
  if (which == "stations") {
    beam.stations = fields.list_of(*node, "stations");
    return;
  }
  if (node->kind != NodeKind::array) {
    beam.elements = {fields.integer("elements", 1)};
    return count_elements(fields, *node, beam, model);
  }
  beam.elements.clear();
  for (const double n : fields.list_of(*node, "elements")) {
    const bool whole = n == std::floor(n) && std::abs(n) < std::numeric_limits<int>::max();
    if (!whole) fields.report(*node, fmt::format("'elements' contains {}; it must be whole numbers", n));
    beam.elements.push_back(whole ? static_cast<int>(n) : 1);
  }
  count_elements(fields, *node, beam, model);
}

void read_load(const Fields& outer, const Node& node, BeamSpec& beam) {
  std::optional<Fields> fields = outer.inner(node, "loads");
  if (!fields) return;
  BeamLoad load;
  load.follower = fields->boolean("follower", false);
  for (const bool moment : {false, true}) {
    const std::string key = moment ? "moment" : "force";
    const Node* components = fields->get(key);
    if (components == nullptr) continue;
    if (components->kind != NodeKind::array || components->items.size() != 3) {
      fields->report(*components,
                     fmt::format("'{}' must be a list of three, each a number or a formula in quotes", key));
      continue;
    }
    std::array<Formula, 3> drawn;
    for (std::size_t i = 0; i < 3; ++i) drawn[i] = fields->formula_of(components->items[i], key);
    const Eigen::Matrix3d R = load.follower ? Eigen::Matrix3d::Identity().eval() : outer.part().rotation;
    for (int i = 0; i < 3; ++i) {
      Formula& component = (moment ? load.moment : load.force)[i];
      component = drawn[static_cast<std::size_t>(i)];
      if (R == Eigen::Matrix3d::Identity()) continue;
      component.text = fmt::format("({}) * ({}) + ({}) * ({}) + ({}) * ({})", R(i, 0), drawn[0].text, R(i, 1),
                                   drawn[1].text, R(i, 2), drawn[2].text);
    }
  }
  fields->finish();
  beam.loads.push_back(std::move(load));
}

void read_beam(Fields& fields, const std::string& name, ModelDraft& model) {
  BeamSpec beam;
  beam.name = name;
  beam.source = fields.source();
  const std::size_t before = fields.findings().size();
  read_line(fields, beam);
  read_elements(fields, beam, model);
  beam.order = fields.integer("order", 3);
  beam.section = read_section(fields);
  if (const Node* node = fields.get("up")) beam.up = fields.part().rotation * read_direction(fields, *node, "up");
  beam.twist = fields.number("twist", 0.0);
  beam.damping = fields.number("damping", 0.0);
  if (const Node* node = fields.get("pre_stress")) {
    const std::vector<double> n = fields.list_of(*node, "pre_stress");
    if (n.size() == 6)
      beam.pre_stress = Eigen::Map<const Eigen::Matrix<double, 6, 1>>(n.data());
    else
      fields.report(*node, fmt::format("'pre_stress' has {} numbers; it must be [N1, N2, N3, M1, M2, M3]", n.size()));
  }
  beam.contact_radius = fields.number("contact_radius", 0.0);
  beam.start_body = fields.name("start_body", ""), beam.end_body = fields.name("end_body", "");
  if (const Node* node = fields.get("node_names")) {
    if (node->kind != NodeKind::array) fields.report_type(*node, "node_names", "a list of names");
    for (const Node& item : node->items)
      beam.node_names.push_back(fields.part().prefix + fields.text_of(item, "node_names"));
  }
  if (const Node* node = fields.get("loads")) {
    if (node->kind == NodeKind::array)
      for (const Node& item : node->items) read_load(fields, item, beam);
    else
      fields.report_type(*node, "loads", "a list of loads [{ force = [x, y, z] }]");
  }
  const Part& part = fields.part();
  beam.velocity = part.rotation * fields.vector("velocity", Eigen::Vector3d::Zero());
  beam.angular_velocity = part.rotation * fields.vector("angular_velocity_world", Eigen::Vector3d::Zero());
  beam.about = part.position + part.rotation * fields.vector("about", Eigen::Vector3d::Zero());
  fields.finish();

  if (fields.findings().size() == before) {
    const std::vector<Issue> found = issues(beam, model);
    for (const Issue& issue : found) fields.findings().add(issue.where, issue.message);
    if (found.empty()) {
      const std::size_t drawn = model.geometry.size(), bodies = model.bodies.size();
      add_beam(model, beam);
      for (std::size_t i = bodies; i < model.bodies.size(); ++i) model.body_index.try_emplace(model.bodies[i].name, i);
      for (std::size_t i = drawn; i < model.geometry.size(); ++i) model.solids.push_back(std::move(model.geometry[i]));
      model.geometry.resize(drawn);
      return;
    }
  }
  model.complete = false;  // what others say about its nodes would only confuse
}

std::vector<Key> load_keys() {
  return {{.name = "force", .type = KeyType::formulas, .unit = "N/m", .meaning = "`[x, y, z]` per length"},
          {.name = "moment", .type = KeyType::formulas, .unit = "N m/m", .meaning = "`[x, y, z]` per length"},
          {.name = "follower",
           .type = KeyType::boolean,
           .fallback = "false",
           .meaning = "in section axes, turning with them"}};
}

// How it moves at the start, and what its nodes are called.
std::vector<Key> start_keys() {
  return {{.name = "velocity",
           .type = KeyType::vector,
           .unit = "m/s",
           .fallback = "[0, 0, 0]",
           .meaning = "of the drawn beam as a whole at the start, world axes"},
          {.name = "angular_velocity_world",
           .type = KeyType::vector,
           .unit = "rad/s",
           .fallback = "[0, 0, 0]",
           .meaning = "and how it turns, world axes"},
          {.name = "about",
           .type = KeyType::vector,
           .unit = "m",
           .fallback = "[0, 0, 0]",
           .meaning = "the point that `velocity` belongs to, about which it turns"},
          {.name = "node_names",
           .type = KeyType::names,
           .fallback = "`NAME_0`, `NAME_1`, …",
           .meaning = "a name for each node"}};
}

std::vector<Key> beam_keys() {
  return together(
      {{name_key(),
        {.name = "points",
         .type = KeyType::matrix,
         .unit = "m",
         .meaning = "corners of the line, `[[x, y, z], …]`, two or more; corners are rigid"},
        {.name = "curve",
         .type = KeyType::formulas,
         .unit = "m",
         .meaning = "instead of `points`: three formulas of `s`, which goes from 0 to 1"},
        {.name = "elements",
         .type = KeyType::any,
         .meaning = "how many elements the beam is cut into, at least 1; of a line with corners per straight piece, or "
                    "a list"},
        {.name = "stations",
         .type = KeyType::numbers,
         .meaning = "instead of `elements`: where they end, `[0, …, 1]`, fractions of the line"},
        {.name = "order",
         .type = KeyType::integer,
         .fallback = "3",
         .meaning = "of the elements, which have 2, 3 or 4 nodes",
         .range = {.low = 1.0, .high = 3.0, .low_open = false, .high_open = false, .words = "1, 2 or 3"}},
        {.name = "section",
         .type = KeyType::table,
         .required = true,
         .meaning = "`{ kind = \"rectangle\", width = 0.01, height = 0.02 }`, a circle, a tube or given stiffnesses",
         .inner = section_keys()},
        {.name = "material",
         .type = KeyType::table,
         .meaning = "`{ young = 2.1e11, poisson = 0.3, density = 7850 }`; needed unless the section is `given`",
         .inner = material_keys()},
        {.name = "up",
         .type = KeyType::direction,
         .fallback = "z, or x for a beam along z",
         .meaning = "direction of e₃ of the sections, made normal to the beam"},
        {.name = "twist",
         .unit = "rad",
         .fallback = "0",
         .meaning = "angle by which the last section is turned about e₁, evenly"},
        {.name = "start_body",
         .type = KeyType::name,
         .fallback = "a node of its own",
         .meaning = "the beginning is a part of this body (`\"ground\"`: clamped), wherever its origin is: a rigid "
                    "offset without a joint; the body takes up the mass of the node"},
        {.name = "end_body", .type = KeyType::name, .fallback = "a node of its own", .meaning = "the same of the end"},
        {.name = "damping",
         .unit = "s",
         .fallback = "0",
         .meaning = "τ: stiffness-proportional, resultants C (e + τ ė)",
         .range = Range::from(0.0)},
        {.name = "contact_radius",
         .unit = "m",
         .fallback = "not touched",
         .meaning = "contacts by `foundation` touch it all along, as a round rope of this radius, under its name",
         .range = Range::above(0.0)},
        {.name = "pre_stress",
         .type = KeyType::numbers,
         .unit = "N, N m",
         .fallback = "0",
         .meaning = "`[N1, N2, N3, M1, M2, M3]` as drawn"},
        {.name = "loads",
         .type = KeyType::table_list,
         .meaning = "loads per length, `[{ force = [x, y, z], moment = [x, y, z], follower = false }]`",
         .inner = load_keys()}},
       start_keys()});
}

}  // namespace

EntityKind beam_kind() {
  return {{.name = "beam",
           .is_list = true,
           .meaning = "A slender flexible body, cut into elements whose nodes are bodies `NAME_0`, `NAME_1`, ….",
           .keys = beam_keys()},
          read_beam};
}

}  // namespace trammel::detail
