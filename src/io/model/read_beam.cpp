#include <fmt/format.h>

#include <array>
#include <cmath>
#include <memory>

#include "entities.h"
#include "trammel/base/text.h"
#include "trammel/math/expression.h"
#include "trammel/mechanics/make_beam.h"

namespace trammel::detail {

namespace {

enum class SectionKind { rectangle, circle, tube, given };
const Choices<SectionKind> section_kinds{{"rectangle", SectionKind::rectangle},
                                         {"circle", SectionKind::circle},
                                         {"tube", SectionKind::tube},
                                         {"given", SectionKind::given}};

BeamMaterial read_material(Fields& outer) {
  BeamMaterial material{1.0, 0.3, 1.0};
  const Node* node = outer.require("material", "{ young = [Pa], poisson = 0.3, density = [kg/m³] }");
  std::optional<Fields> fields = node == nullptr ? std::nullopt : outer.inner(*node, "material");
  if (!fields) return material;
  material.young = read_length(*fields, "young", "Young's modulus [Pa]");
  material.density = read_length(*fields, "density", "the density [kg/m³]");
  std::string which;
  if (const Node* shear = fields->one_of({"poisson", "shear"}, &which)) {
    const double value = fields->number_of(*shear, which, 0.3);
    material.poisson = which == "poisson" ? value : material.young / (2.0 * value) - 1.0;
    if (!(material.poisson > -1.0 && material.poisson <= 0.5)) {
      fields->report(*shear, fmt::format("'{}' = {} means Poisson's ratio {:.4g}, but it must be > -1 and ≤ 0.5", which,
                                         value, material.poisson));
      material.poisson = 0.3;
    }
  }
  fields->finish();
  return material;
}

// Six numbers on the diagonal, or a whole matrix.
Eigen::Matrix<double, 6, 6> read_stiffness(const Fields& fields, const Node& node) {
  Eigen::Matrix<double, 6, 6> K = Eigen::Matrix<double, 6, 6>::Identity();
  if (node.kind == NodeKind::array && !node.items.empty() && node.items[0].kind != NodeKind::array) {
    const std::vector<double> diagonal = fields.list_of(node, "stiffness");
    if (diagonal.size() == 6)
      K.diagonal() = Eigen::Map<const Eigen::Matrix<double, 6, 1>>(diagonal.data());
    else
      fields.report(node, fmt::format("'stiffness' has {} numbers; it must be [EA, GA2, GA3, GJ, EI2, EI3] or a 6 x 6 "
                                      "matrix",
                                      diagonal.size()));
    return K;
  }
  if (const auto matrix = fields.matrix_of(node, "stiffness", 6)) K = *matrix;
  return K;
}

BeamSection read_given(Fields& fields) {
  BeamSection section;
  section.stiffness.setIdentity(), section.inertia.setIdentity();
  if (const Node* node = fields.require("stiffness", "[EA, GA2, GA3, GJ, EI2, EI3] (N, N m²) or a 6 x 6 matrix"))
    section.stiffness = read_stiffness(fields, *node);
  section.mass = fields.required_number("mass", "the mass per length [kg/m]", 1.0);
  if (const Node* node = fields.require("inertia", "moments about e1, e2, e3 per length [kg m], or a 3 x 3 matrix")) {
    if (node->kind == NodeKind::array && !node->items.empty() && node->items[0].kind == NodeKind::array) {
      if (const auto matrix = fields.matrix_of(*node, "inertia", 3)) section.inertia = *matrix;
    } else {
      section.inertia = fields.vector_of(*node, "inertia", Eigen::Vector3d::Ones()).asDiagonal();
    }
  }
  section.center_of_mass = fields.vector("center_of_mass", Eigen::Vector3d::Zero());
  section.width = fields.number("width", 0.0), section.height = fields.number("height", 0.0);
  section.radius = fields.number("radius", 0.0);
  return section;
}

BeamSection read_section(Fields& outer) {
  BeamSection fallback;
  fallback.stiffness.setIdentity(), fallback.inertia.setIdentity(), fallback.mass = 1.0;
  const Node* node = outer.require("section",
                                   "{ kind = \"rectangle\", width = [m], height = [m] }, a 'circle', a 'tube' "
                                   "or 'given' stiffnesses");
  std::optional<Fields> fields = node == nullptr ? std::nullopt : outer.inner(*node, "section");
  if (!fields) {
    outer.ignore("material");
    return fallback;
  }
  const Node* named = fields->require("kind", "one of 'rectangle', 'circle', 'tube' and 'given'");
  bool good = named != nullptr;
  const SectionKind kind = fields->choice("kind", section_kinds, SectionKind::given, &good);
  if (!good) {
    outer.ignore("material");
    return fallback;
  }
  const BeamMaterial material = kind == SectionKind::given ? BeamMaterial{} : read_material(outer);
  BeamSection section;
  switch (kind) {
    case SectionKind::rectangle: {
      const double width = read_length(*fields, "width", "the measure along e2 [m]");
      section = rectangle_section(width, read_length(*fields, "height", "the measure along e3 [m]"), material);
      break;
    }
    case SectionKind::circle:
      section = circle_section(read_length(*fields, "radius", "the radius [m]"), material);
      break;
    case SectionKind::tube: {
      const double outer_radius = read_length(*fields, "radius", "the outer radius [m]");
      double inner_radius = read_length(*fields, "inner_radius", "the inner radius [m]");
      if (inner_radius >= outer_radius) {
        fields->report(
            *fields->get("inner_radius"),
            fmt::format("'inner_radius' is {} but must be less than 'radius' = {}", inner_radius, outer_radius));
        inner_radius = 0.5 * outer_radius;
      }
      section = tube_section(outer_radius, inner_radius, material);
      break;
    }
    case SectionKind::given:
      section = read_given(*fields);
      break;
  }
  if (kind != SectionKind::given) {
    if (fields->has("shear_factor")) {
      const double k = read_length(*fields, "shear_factor", ""),
                   GA = section.stiffness(0, 0) / material.young * material.young / (2.0 * (1.0 + material.poisson));
      section.stiffness(1, 1) = section.stiffness(2, 2) = k * GA;
    }
    if (fields->has("torsion_constant"))
      section.stiffness(3, 3) =
          read_length(*fields, "torsion_constant", "") * material.young / (2.0 * (1.0 + material.poisson));
  }
  fields->finish();
  return section;
}

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
        if (const std::optional<double> value = fields.scope().find(path[0])) return *value;
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

void read_elements(Fields& fields, BeamSpec& beam) {
  std::string which;
  const Node* node = fields.one_of({"elements", "stations"}, &which);
  if (node == nullptr) return fields.report("the key 'elements' is missing: how many elements the beam is cut into");
  if (which == "stations") {
    beam.stations = fields.list_of(*node, "stations");
    return;
  }
  if (node->kind != NodeKind::array) {
    beam.elements = {fields.integer("elements", 1)};
    return;
  }
  beam.elements.clear();
  for (const double n : fields.list_of(*node, "elements")) {
    if (n != std::floor(n)) fields.report(*node, fmt::format("'elements' contains {}; it must be whole numbers", n));
    beam.elements.push_back(static_cast<int>(n));
  }
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

}  // namespace

void read_beam(Fields& fields, const std::string& name, ModelDraft& model) {
  BeamSpec beam;
  beam.name = name;
  beam.source = fields.source();
  const std::size_t before = fields.findings().size();
  read_line(fields, beam);
  read_elements(fields, beam);
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

}  // namespace trammel::detail
