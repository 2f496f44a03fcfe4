// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "entities.h"
#include "trammel/mechanics/kinds/joint_descriptor.h"

namespace trammel::detail {

namespace {

enum class Law { linear, hunt_crossley, hertz, foundation };
const Choices<Law> laws{{"linear", Law::linear},
                        {"hunt_crossley", Law::hunt_crossley},
                        {"hertz", Law::hertz},
                        {"foundation", Law::foundation, "pressure by depth, for faces and meshes"}};
const Choices<FrictionLaw::Kind> frictions{{"none", FrictionLaw::Kind::none},
                                           {"coulomb", FrictionLaw::Kind::coulomb, "cheap, but creeps at rest"},
                                           {"lugre", FrictionLaw::Kind::lugre, "bristles that stick"}};

// A name, or a list of names.
std::vector<std::string> read_names(const Fields& fields, const Node& node, const std::string& key) {
  if (node.kind == NodeKind::string) return {fields.name_of(node, key)};
  std::vector<std::string> names;
  if (node.kind != NodeKind::array) {
    fields.report_type(node, key, "a name, or a list of names");
    return names;
  }
  for (const Node& item : node.items) names.push_back(fields.name_of(item, key));
  return names;
}

void read_sides(Fields& fields, ContactSpec& contact) {
  std::string which;
  const Node* node = fields.one_of({"between", "among"}, &which);
  if (node == nullptr)
    return fields.report(
        "it is not said what touches: the key 'between' = [\"a\", \"b\"] is missing (geometry, groups of it, or bodies "
        "with a shape), or 'among' = \"group\" for all pairs of a group");
  if (which == "among") {
    contact.a = read_names(fields, *node, "among");
    return;
  }
  if (node->kind != NodeKind::array || node->items.size() != 2)
    return fields.report(
        *node, fmt::format("'between' must be a list of two, such as [\"ball\", \"floor\"]; each may be a list "
                           "of names itself, not {}",
                           describe(*node)));
  contact.a = read_names(fields, node->items[0], "between");
  contact.b = read_names(fields, node->items[1], "between");
}

// Of both sides: a number, or one for each.
Eigen::Vector2d read_of_sides(Fields& fields, const std::string& key, double fallback) {
  const Node* node = fields.get(key);
  if (node == nullptr || node->kind != NodeKind::array) return Eigen::Vector2d::Constant(fields.number(key, fallback));
  const std::vector<double> values = fields.list_of(*node, key);
  if (values.size() == 2) {
    const bool first = fields.is_in_range(node->items[0], key, values[0]);
    const bool second = fields.is_in_range(node->items[1], key, values[1]);
    return first && second ? Eigen::Vector2d(values[0], values[1]) : Eigen::Vector2d::Constant(fallback);
  }
  fields.report(*node,
                fmt::format("'{}' is a list of {} numbers; it must be a number, or one for each of the two sides", key,
                            values.size()));
  return Eigen::Vector2d::Constant(fallback);
}

// 1/E = (1 − ν_a²)/E_a + (1 − ν_b²)/E_b.
double read_modulus(Fields& fields) {
  fields.require("poisson");
  const Eigen::Vector2d young = read_of_sides(fields, "young", 1.0), nu = read_of_sides(fields, "poisson", 0.3);
  double soft = 0.0;
  for (int side = 0; side < 2; ++side) soft += (1.0 - nu[side] * nu[side]) / young[side];
  return 1.0 / soft;
}

void read_hertz(Fields& fields, NormalLaw& normal) {
  normal.exponent = 1.5;
  std::string which;
  if (fields.one_of({"modulus", "young", "stiffness"}, &which) == nullptr) fields.report_missing("modulus");
  if (which == "young")
    normal.modulus = read_modulus(fields);
  else if (!which.empty())
    (which == "modulus" ? normal.modulus : normal.stiffness) = fields.number(which, 1.0);
  if (which != "young") fields.refuse("poisson", "without 'young'");
}

// By a factor, or by what is left of the speed: at a given speed, or at the one that occurs.
void read_damping(Fields& fields, NormalLaw& normal) {
  normal.damping = fields.number("damping_factor", 0.0);
  if (!fields.has("restitution")) {
    fields.refuse("impact_speed", "without 'restitution'");
    return fields.refuse("least_speed", "without 'restitution'");
  }
  if (fields.has("damping_factor"))
    fields.report(*fields.get("restitution"),
                  "'restitution' and 'damping_factor' exclude each other; give one of them");
  const double restitution = fields.number("restitution", 1.0);
  if (fields.has("impact_speed")) {
    normal.damping = damping_factor_of(restitution, fields.number("impact_speed", 1.0));
    return fields.refuse("least_speed", "beside 'impact_speed'");
  }
  normal.bounce = bounce_of(restitution);
  normal.speed = fields.number("least_speed", normal.speed);
}

void read_normal_law(Fields& fields, Law law, NormalLaw& normal) {
  normal.kind = law == Law::linear       ? NormalLaw::Kind::linear
                : law == Law::foundation ? NormalLaw::Kind::foundation
                                         : NormalLaw::Kind::hunt_crossley;
  if (law == Law::hertz) {
    read_hertz(fields, normal);
  } else {
    normal.stiffness = fields.number("stiffness", 1.0);
    if (law == Law::hunt_crossley) normal.exponent = fields.number("exponent", 1.0);
    if (law == Law::foundation) normal.transition = fields.number("transition", 0.0);
  }
  if (law == Law::linear)
    normal.damping = fields.number("damping", 0.0);
  else
    read_damping(fields, normal);
}

// False if there is no telling which law it is.
bool read_friction_law(Fields& fields, FrictionLaw& law) {
  law.kind = FrictionLaw::Kind::coulomb;
  if (!fields.kind(frictions, law.kind)) return false;
  if (law.kind == FrictionLaw::Kind::none) return true;
  std::string which;
  const Node* node = fields.one_of({"mu", "mu_k"}, &which);
  if (node == nullptr) fields.report_missing("mu");
  law.mu_k = node == nullptr ? 0.1 : fields.number(which, 0.1);
  law.mu_s = law.kind == FrictionLaw::Kind::lugre ? fields.number("mu_s", law.mu_k) : law.mu_k;
  law.v_s = fields.number("v_s", law.v_s);
  if (law.kind == FrictionLaw::Kind::coulomb) return true;
  law.gamma = fields.number("gamma", law.gamma);
  law.sigma0 = fields.number("sigma0", law.sigma0);
  law.sigma1 = fields.number("sigma1", law.sigma1);
  law.sigma2 = fields.number("sigma2", law.sigma2);
  return true;
}

void read_turning(Fields& fields, FrictionLaw& law) {
  if (law.kind == FrictionLaw::Kind::none) return;
  law.rolling_arm = fields.number("rolling_arm", 0.0);
  law.torsion_radius = fields.number("torsion_radius", 0.0);
  if (!law.resists_turning()) return fields.refuse("w_s", "without 'rolling_arm' or 'torsion_radius'");
  law.w_s = fields.number("w_s", law.w_s);
}

void read_contact(Fields& fields, const std::string& name, ModelDraft& model) {
  ContactSpec contact;
  contact.name = name;
  contact.source = fields.source();
  if (const Node* node = fields.get("among")) contact.source.fields["between"] = fields.findings().where(node->place);
  read_sides(fields, contact);
  Law law = Law::linear;
  if (!fields.kind(laws, law, "law")) return fields.findings().add_broken(name, contact.source);
  read_normal_law(fields, law, contact.law.normal);
  if (const Node* node = fields.get("friction"))
    if (std::optional<Fields> inner = fields.inner(*node, "friction"))
      if (read_friction_law(*inner, contact.law.friction)) {
        read_turning(*inner, contact.law.friction);
        inner->finish();
      }
  if (fields.has("capacity")) contact.capacity = fields.integer("capacity", 1);
  contact.locate = fields.boolean("locate", true);
  contact.by_pair = fields.boolean("by_pair", false);
  fields.finish();
  if (contact.a.empty()) return fields.findings().add_broken(name, contact.source);
  model.contacts.push_back(std::move(contact));
}

void read_friction(Fields& fields, const std::string& name, ModelDraft& model) {
  JointFrictionSpec friction;
  friction.name = name;
  friction.source = fields.source();
  const Node* joint = fields.get("joint");
  if (joint != nullptr) friction.joint = fields.name_of(*joint, "joint");
  if (!read_friction_law(fields, friction.law)) return fields.findings().add_broken(name, friction.source);
  const auto it = std::find_if(model.joints.begin(), model.joints.end(),
                               [&](const JointSpec& spec) { return spec.name == friction.joint; });
  friction.radius = fields.number("radius", 1.0);
  if (it != model.joints.end() && it->kind->coordinates.on_pin)
    fields.require("radius");
  else if (it != model.joints.end())
    fields.refuse("radius", "in a joint that does not turn on a pin");
  fields.finish();
  if (joint == nullptr) return fields.findings().add_broken(name, friction.source);
  add_joint_friction(model, friction);
}

// A contact without friction has kind "none"; in a joint the coefficient may also be 0.
std::vector<Key> friction_law_keys(const Range& of_mu) {
  const KindNames rubs{"coulomb", "lugre"}, lugre{"lugre"};
  return {{.name = "kind", .type = KeyType::word, .fallback = "coulomb", .words = words(frictions)},
          {.name = "mu", .meaning = "coefficient of sliding; needed, or `mu_k`", .range = of_mu, .kinds = rubs},
          {.name = "mu_k", .meaning = "the same by another name", .range = of_mu, .kinds = rubs},
          {.name = "mu_s",
           .fallback = "as `mu`",
           .meaning = "of sticking, at least that of sliding",
           .range = Range::from(0.0),
           .kinds = lugre},
          {.name = "v_s",
           .unit = "m/s",
           .fallback = "1e-3",
           .meaning = "width of the transition",
           .range = Range::above(0.0),
           .kinds = {"coulomb"}},
          {.name = "v_s",
           .unit = "m/s",
           .fallback = "1e-3",
           .meaning = "Stribeck velocity",
           .range = Range::above(0.0),
           .kinds = lugre},
          {.name = "gamma",
           .fallback = "2",
           .meaning = "exponent of the Stribeck curve",
           .range = Range::above(0.0),
           .kinds = lugre},
          {.name = "sigma0",
           .unit = "1/m",
           .fallback = "1e5",
           .meaning = "stiffness of the bristles per normal force",
           .range = Range::above(0.0),
           .kinds = lugre},
          {.name = "sigma1",
           .unit = "s/m",
           .fallback = "0",
           .meaning = "damping of the bristles",
           .range = Range::from(0.0),
           .kinds = lugre},
          {.name = "sigma2",
           .unit = "s/m",
           .fallback = "0",
           .meaning = "viscous friction",
           .range = Range::from(0.0),
           .kinds = lugre}};
}

std::vector<Key> turning_keys() {
  const KindNames rubs{"coulomb", "lugre"};
  return {{.name = "rolling_arm",
           .unit = "m",
           .fallback = "0",
           .meaning = "b, the arm of N against rolling",
           .range = Range::from(0.0),
           .kinds = rubs},
          {.name = "torsion_radius",
           .unit = "m",
           .fallback = "0",
           .meaning = "ρ, the radius at which friction acts against spinning about the normal",
           .range = Range::from(0.0),
           .kinds = rubs},
          {.name = "w_s",
           .unit = "rad/s",
           .fallback = "0.01",
           .meaning = "width of the transition of both",
           .range = Range::above(0.0),
           .kinds = rubs}};
}

std::vector<Key> normal_law_keys() {
  const KindNames curved{"hunt_crossley", "hertz", "foundation"};
  return {{.name = "stiffness",
           .unit = "N/m",
           .required = true,
           .meaning = "k of the surfaces (N/mᵖ with an `exponent` p)",
           .range = Range::above(0.0),
           .kinds = {"linear", "hunt_crossley"}},
          {.name = "stiffness",
           .unit = "N/m^1.5",
           .meaning = "instead of `modulus`: k",
           .range = Range::above(0.0),
           .kinds = {"hertz"}},
          {.name = "stiffness",
           .unit = "N/m³",
           .required = true,
           .meaning = "K, pressure over depth",
           .range = Range::above(0.0),
           .kinds = {"foundation"}},
          {.name = "transition",
           .unit = "m",
           .fallback = "1e-6 of the size",
           .meaning = "ε, depth over which a point comes to its stiffness",
           .range = Range::above(0.0),
           .kinds = {"foundation"}},
          {.name = "modulus",
           .unit = "N/m²",
           .meaning = "E of both surfaces, 1/E = (1 − ν_a²)/E_a + (1 − ν_b²)/E_b; needed, or `young`, or `stiffness`",
           .range = Range::above(0.0),
           .kinds = {"hertz"}},
          {.name = "young",
           .type = KeyType::matrix,
           .unit = "N/m²",
           .meaning = "instead of `modulus`: E of the materials, a number or one for each side `[E_a, E_b]`",
           .range = Range::above(0.0),
           .kinds = {"hertz"}},
          {.name = "poisson",
           .type = KeyType::matrix,
           .meaning = "with `young`: ν, a number or one for each side",
           .range = {.low = -1.0, .high = 0.5, .low_open = true, .high_open = false},
           .kinds = {"hertz"}},
          {.name = "exponent",
           .fallback = "1",
           .meaning = "p; `hertz` has 3/2",
           .range = Range::from(1.0),
           .kinds = {"hunt_crossley"}},
          {.name = "damping",
           .unit = "N s/m",
           .fallback = "0",
           .meaning = "c of the surfaces",
           .range = Range::from(0.0),
           .kinds = {"linear"}},
          {.name = "damping_factor",
           .unit = "s/m",
           .fallback = "0",
           .meaning = "μ, damping over the elastic force",
           .range = Range::from(0.0),
           .kinds = curved},
          {.name = "restitution",
           .meaning = "instead of `damping_factor`: what is left of the speed after an impact, with `impact_speed` or "
                      "with whatever speed occurs",
           .range = {.low = 0.0, .high = 1.0, .high_open = false},
           .kinds = curved},
          {.name = "impact_speed",
           .unit = "m/s",
           .meaning = "at which alone `restitution` holds",
           .range = Range::above(0.0),
           .kinds = curved},
          {.name = "least_speed",
           .unit = "m/s",
           .fallback = "0.01",
           .meaning = "without `impact_speed`: down to which `restitution` holds; slower impacts keep more",
           .range = Range::above(0.0),
           .kinds = curved}};
}

std::vector<Key> contact_keys() {
  return together({{name_key(),
                    {.name = "between",
                     .type = KeyType::any,
                     .meaning = "two sides, each a name or a list of names: `[\"ball\", \"floor\"]`, `[[\"a\", \"b\"], "
                                "\"floor\"]`"},
                    {.name = "among", .type = KeyType::any, .meaning = "instead: every two members of these may meet"},
                    {.name = "law", .type = KeyType::word, .fallback = "linear", .words = words(laws)}},
                   normal_law_keys(),
                   {{.name = "friction",
                     .type = KeyType::table,
                     .fallback = "none",
                     .meaning = "`{ kind = \"coulomb\", mu = 0.3 }`",
                     .inner = together({friction_law_keys(Range::above(0.0)), turning_keys()})},
                    {.name = "locate",
                     .type = KeyType::boolean,
                     .fallback = "true",
                     .meaning = "steps end where contact begins and ends"},
                    {.name = "by_pair",
                     .type = KeyType::boolean,
                     .fallback = "false",
                     .meaning = "forces, slip and pressure of every two pieces of geometry are recorded as well"},
                    {.name = "capacity",
                     .type = KeyType::integer,
                     .fallback = "enough",
                     .meaning = "places that may be near to touching at once",
                     .range = Range::from(1.0)}}});
}

}  // namespace

EntityKind contact_kind() {
  return {{.name = "contact",
           .is_list = true,
           .meaning = "What happens where geometry of two bodies meets.",
           .keys = contact_keys(),
           .kind_key = "law"},
          read_contact};
}

EntityKind friction_kind() {
  return {{.name = "friction",
           .is_list = true,
           .meaning = "Friction in a revolute or prismatic joint.",
           .keys = together({{name_key(),
                              {.name = "joint",
                               .type = KeyType::name,
                               .required = true,
                               .meaning = "the revolute or prismatic joint that it acts in"},
                              {.name = "radius",
                               .unit = "m",
                               .meaning = "of the pin on which the surfaces slide; needed in revolute joints",
                               .range = Range::above(0.0)}},
                             friction_law_keys(Range::from(0.0))})},
          read_friction};
}

}  // namespace trammel::detail
