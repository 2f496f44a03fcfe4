// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "kind_fields.h"
#include "trammel/base/text.h"
#include "trammel/mechanics/kinds/joint_descriptor.h"
#include "trammel/mechanics/kinds/keys.h"

namespace trammel::detail {

namespace {

const Choices<CouplerKind> coupler_kinds{{"coupler", CouplerKind::coupler, "of coordinates"},
                                         {"gear", CouplerKind::gear, "two joints and their ratio"},
                                         {"speed_coupler", CouplerKind::speed_coupler, "of rates: a nonholonomic row"}};

const Choices<JointCoordinate> joint_coordinates{{"angle", JointCoordinate::angle},
                                                 {"displacement", JointCoordinate::displacement}};

CouplerTerm read_term(Fields& outer, const Node& node) {
  CouplerTerm term;
  std::optional<Fields> fields = outer.inner(node, "terms");
  if (!fields) return term;
  if (const Node* joint = fields->get("joint")) term.name = fields->name_of(*joint, "joint");
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
  if (kind == CouplerKind::gear) {
    if (coupler.terms.size() != 2)
      return fields.report(
          joints, fmt::format("a gear couples two joints, not {}; use kind = \"coupler\"", coupler.terms.size()));
    coupler.terms[1].factor = -fields.number("ratio", 1.0);
  } else if (const Node* node = fields.require("factors")) {
    const std::vector<double> factors = fields.list_of(*node, "factors");
    if (factors.size() != coupler.terms.size())
      return fields.report(*node, fmt::format("'factors' has {} numbers for {} joints; give one for each",
                                              factors.size(), coupler.terms.size()));
    for (std::size_t i = 0; i < factors.size(); ++i) coupler.terms[i].factor = factors[i];
  }
}

void add_coupler(Fields& fields, const std::string& name, CouplerKind kind, ModelDraft& model) {
  CouplerSpec coupler;
  coupler.name = name;
  coupler.source = fields.source();
  coupler.velocity_level = kind == CouplerKind::speed_coupler || fields.boolean("velocity_level", false);
  const bool gear = kind == CouplerKind::gear;
  std::string which;
  const Node* node = gear ? fields.get("joints") : fields.one_of({"terms", "joints"}, &which);
  fields.ignore(gear ? "ratio" : "factors");
  if (which != "joints" && !gear && !fields.has("joints")) fields.refuse("factors", "without 'joints'");
  if (node == nullptr) {
    if (!gear)
      fields.report(
          "what it couples is missing: give 'terms' = [{ joint = \"a\", factor = 1 }, ...] or 'joints' and "
          "'factors'");
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

void read_coupler(Fields& fields, const std::string& name, ModelDraft& model) {
  CouplerKind kind = CouplerKind::coupler;
  if (fields.kind(coupler_kinds, kind)) return add_coupler(fields, name, kind, model);
  fields.findings().add_broken(name, fields.source());
}

// How many a kind carries is the model's own check.
void read_carried_coordinates(Fields& fields, JointSpec& joint) {
  const Node* names = fields.get("coordinates");
  if (names == nullptr) return;
  if (names->kind != NodeKind::array || names->items.empty())
    return fields.report_type(*names, "coordinates", "a list of names of [[coordinate]]s");
  for (const Node& item : names->items) joint.coordinates.push_back(fields.name_of(item, "coordinates"));
}

void read_joint(Fields& fields, const std::string& name, ModelDraft& model) {
  JointSpec joint;
  joint.name = name;
  joint.source = fields.source();
  JointOrCoupler kind;
  if (!fields.kind(model.joint_kinds, kind)) {
    fields.findings().add_broken(name, joint.source);
    model.joints.push_back(std::move(joint));
    return;
  }
  if (kind.coupler) return add_coupler(fields, name, *kind.coupler, model);
  joint.kind = kind.joint;
  read_bodies(fields, joint.body_a, joint.body_b);
  if (joint.body_b.empty()) fields.findings().add_broken(name, joint.source);
  ModelKindFields own(fields, model, name, joint.source);
  joint.kind->read(own, joint);
  if (fields.knows("coordinate")) joint.coordinate = fields.name("coordinate", "");
  if (own.knows("coordinates")) read_carried_coordinates(fields, joint);
  if (fields.has("loop")) joint.loop = fields.boolean("loop", false);
  fields.finish();
  model.joint_index.try_emplace(name, model.joints.size());
  model.joints.push_back(std::move(joint));
}

void read_motion(Fields& fields, const std::string& name, ModelDraft& model) {
  MotionSpec motion;
  motion.name = name;
  motion.source = fields.source();
  if (const Node* joint = fields.get("joint"))
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

std::vector<Key> coupler_keys() {
  const KindNames sums{"coupler", "speed_coupler"};
  return {{.name = "terms",
           .type = KeyType::table_list,
           .meaning = "one to three: `[{ joint = \"a\", coordinate = \"angle\", factor = 2 }, …]`",
           .kinds = sums,
           .inner = {{.name = "joint",
                      .type = KeyType::name,
                      .required = true,
                      .meaning = "the joint or [[coordinate]] of this term"},
                     joint_coordinate_key(),
                     {.name = "factor", .fallback = "1", .meaning = "of the coordinate"}}},
          {.name = "joints",
           .type = KeyType::names,
           .meaning = "the short form of `terms`: `joints = [\"a\", \"b\"]`, `factors = [1, -2]`",
           .kinds = sums},
          {.name = "joints",
           .type = KeyType::names,
           .required = true,
           .meaning = "the two joints whose coordinates are geared",
           .kinds = {"gear"}},
          {.name = "factors", .type = KeyType::numbers, .meaning = "one number for each of `joints`", .kinds = sums},
          {.name = "ratio",
           .required = true,
           .meaning = "coordinate of the first joint / coordinate of the second; negative for wheels that turn against "
                      "each other",
           .kinds = {"gear"}},
          {.name = "value",
           .type = KeyType::formula,
           .fallback = "as drawn, of rates 0",
           .meaning = "right-hand side, a formula of `t`",
           .kinds = {"coupler", "gear", "speed_coupler"}},
          {.name = "velocity_level",
           .type = KeyType::boolean,
           .fallback = "false",
           .meaning = "a coupler of rates; the same as `speed_coupler`",
           .kinds = {"coupler", "gear"}}};
}

std::vector<Key> joint_keys(const Kinds& kinds) {
  KindNames joints;
  for (const JointKind kind : kinds.joints) joints.emplace_back(kind->name);
  return together(
      {{name_key(), {.name = "kind", .type = KeyType::word, .required = true, .words = words(kinds_of_joints(kinds))}},
       bodies_keys(joints),
       keys_of(kinds.joints),
       {{.name = "loop",
         .type = KeyType::boolean,
         .fallback = "as the program chooses",
         .meaning = "in joint coordinates: `true`: closed by rows, `false`: part of the tree",
         .kinds = joints}},
       coupler_keys()});
}

}  // namespace

Choices<JointOrCoupler> kinds_of_joints(const Kinds& kinds) {
  Choices<JointOrCoupler> list;
  for (const JointKind kind : kinds.joints)
    list.push_back({std::string(kind->name), {kind}, std::string(kind->meaning)});
  for (const Choice<CouplerKind>& choice : coupler_kinds)
    list.push_back({choice.name, {JointKind::revolute, choice.value}, "as [[coupler]]"});
  return list;
}

JointCoordinate read_joint_coordinate(Fields& fields) {
  return fields.choice("coordinate", joint_coordinates, JointCoordinate::automatic);
}

EntityKind joint_kind(const Kinds& kinds) {
  return {{.name = "joint",
           .is_list = true,
           .meaning = "Connects two bodies, and leaves some motion between them free.",
           .keys = joint_keys(kinds)},
          read_joint};
}

EntityKind coupler_kind() {
  return {
      {.name = "coupler",
       .is_list = true,
       .meaning = "Σ factor · coordinate = constant as drawn, or Σ factor · rate = `value`.",
       .keys = together(
           {{name_key(), {.name = "kind", .type = KeyType::word, .fallback = "coupler", .words = words(coupler_kinds)}},
            coupler_keys()})},
      read_coupler};
}

EntityKind motion_kind() {
  return {{.name = "motion",
           .is_list = true,
           .meaning = "Prescribes a joint's free coordinate; zero is as drawn.",
           .keys = {name_key(),
                    {.name = "joint",
                     .type = KeyType::name,
                     .required = true,
                     .meaning = "the joint or [[coordinate]] that is driven"},
                    joint_coordinate_key(),
                    {.name = "function",
                     .type = KeyType::formula,
                     .unit = "rad, m",
                     .meaning = "a formula of `t`, with parameters and tables"},
                    {.name = "velocity",
                     .type = KeyType::formula,
                     .unit = "rad/s, m/s",
                     .meaning = "instead of `function`: a formula of `t` for the rate"},
                    {.name = "table",
                     .type = KeyType::name,
                     .meaning = "instead of `function`: a [[table]] of the coordinate over the time"}}},
          read_motion};
}

}  // namespace trammel::detail
