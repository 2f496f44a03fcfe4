#include <fmt/format.h>

#include "entities.h"

namespace trammel::detail {

namespace {

enum class Law { linear, hunt_crossley, hertz };
const Choices<Law> laws{{"linear", Law::linear}, {"hunt_crossley", Law::hunt_crossley}, {"hertz", Law::hertz}};
const Choices<FrictionLaw::Kind> frictions{
    {"none", FrictionLaw::Kind::none}, {"coulomb", FrictionLaw::Kind::coulomb}, {"lugre", FrictionLaw::Kind::lugre}};

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

// A number in place of a negative one, so that the search for mistakes goes on.
double read_positive(Fields& fields, const std::string& key, const std::string& meaning) {
  const double value = fields.required_number(key, meaning, 1.0);
  if (value > 0.0) return value;
  fields.report(*fields.get(key), fmt::format("'{}' is {} but must be > 0", key, value));
  return 1.0;
}

void read_normal_law(Fields& fields, NormalLaw& normal) {
  const Law law = fields.choice("law", laws, Law::linear);
  normal.kind = law == Law::linear ? NormalLaw::Kind::linear : NormalLaw::Kind::hunt_crossley;
  if (law == Law::hertz) {
    normal.exponent = 1.5;
    std::string which;
    if (const Node* node = fields.one_of({"modulus", "stiffness"}, &which); node == nullptr)
      fields.report(
          "the key 'modulus' [N/m²] is missing: 1/E = (1 − ν²)/E of either surface added (or 'stiffness' [N/m^1.5])");
    else if (which == "modulus")
      normal.modulus = read_positive(fields, "modulus", "");
    else
      normal.stiffness = read_positive(fields, "stiffness", "");
  } else {
    normal.stiffness = read_positive(fields, "stiffness", "of the surfaces [N/m]");
    if (law == Law::hunt_crossley) normal.exponent = fields.number("exponent", 1.0);
  }
  if (law == Law::linear) {
    normal.damping = fields.number("damping", 0.0);
    return;
  }
  const std::optional<double> factor = fields.optional_number("damping_factor");
  const std::optional<double> restitution = fields.optional_number("restitution");
  if (factor && restitution)
    fields.report(*fields.get("restitution"),
                  "'restitution' and 'damping_factor' exclude each other; give one of them");
  normal.damping = factor.value_or(0.0);
  if (!restitution) return;
  const double speed = read_positive(fields, "impact_speed", "the speed [m/s] at which 'restitution' holds");
  if (*restitution > 0.0 && *restitution <= 1.0)
    normal.damping = damping_factor_of(*restitution, speed);
  else
    fields.report(*fields.get("restitution"),
                  fmt::format("'restitution' is {} but must be > 0 and at most 1", *restitution));
}

void read_friction_law(Fields& fields, FrictionLaw& law) {
  law.kind = fields.choice("kind", frictions, FrictionLaw::Kind::coulomb);
  if (law.kind == FrictionLaw::Kind::none) return;
  std::string which;
  const Node* node = fields.one_of({"mu", "mu_k"}, &which);
  if (node == nullptr) fields.report("the key 'mu' is missing: the coefficient of friction (or 'mu_k' and 'mu_s')");
  law.mu_k = node == nullptr ? 0.1 : fields.number_of(*node, which, 0.1);
  law.mu_s = law.kind == FrictionLaw::Kind::lugre ? fields.number("mu_s", law.mu_k) : law.mu_k;
  law.v_s = fields.number("v_s", law.v_s);
  if (law.kind == FrictionLaw::Kind::coulomb) return;
  law.gamma = fields.number("gamma", law.gamma);
  law.sigma0 = fields.number("sigma0", law.sigma0);
  law.sigma1 = fields.number("sigma1", law.sigma1);
  law.sigma2 = fields.number("sigma2", law.sigma2);
}

}  // namespace

void read_contact(Fields& fields, const std::string& name, ModelDraft& model) {
  ContactSpec contact;
  contact.name = name;
  contact.source = fields.source();
  for (const char* key : {"among"})
    if (const Node* node = fields.get(key)) contact.source.fields["between"] = fields.findings().where(node->place);
  read_sides(fields, contact);
  read_normal_law(fields, contact.law.normal);
  if (const Node* node = fields.get("friction"))
    if (std::optional<Fields> inner = fields.inner(*node, "friction")) {
      read_friction_law(*inner, contact.law.friction);
      inner->finish();
    }
  if (fields.has("capacity")) contact.capacity = fields.integer("capacity", 1);
  contact.locate = fields.boolean("locate", true);
  fields.finish();
  if (contact.a.empty()) return fields.findings().add_broken(name, contact.source);
  model.contacts.push_back(std::move(contact));
}

void read_friction(Fields& fields, const std::string& name, ModelDraft& model) {
  JointFrictionSpec friction;
  friction.name = name;
  friction.source = fields.source();
  const Node* joint = fields.require("joint", "the revolute or prismatic joint that it acts in");
  if (joint != nullptr) friction.joint = fields.name_of(*joint, "joint");
  read_friction_law(fields, friction.law);
  bool revolute = false;
  for (const JointSpec& spec : model.joints)
    if (spec.name == friction.joint) revolute = spec.kind == JointKind::revolute;
  if (revolute) friction.radius = read_positive(fields, "radius", "of the pin [m], on which the surfaces slide");
  fields.finish();
  if (joint == nullptr) return fields.findings().add_broken(name, friction.source);
  add_joint_friction(model, friction);
}

}  // namespace trammel::detail
