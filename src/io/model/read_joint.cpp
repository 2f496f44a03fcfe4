#include <fmt/format.h>

#include <algorithm>

#include "entities.h"
#include "trammel/base/text.h"

namespace trammel::detail {

namespace {

const Choices<JointKind> joint_kinds{{"spherical", JointKind::spherical, "points coincide"},
                                     {"revolute", JointKind::revolute, "a hinge"},
                                     {"prismatic", JointKind::prismatic, "a slider"},
                                     {"cylindrical", JointKind::cylindrical, "turns and slides"},
                                     {"universal", JointKind::universal, "two crossed axes"},
                                     {"planar", JointKind::planar, "moves in a plane"},
                                     {"fixed", JointKind::fixed, "nothing moves"},
                                     {"screw", JointKind::screw, "slides as it turns"},
                                     {"point_on_line", JointKind::point_on_line},
                                     {"point_on_plane", JointKind::point_on_plane},
                                     {"distance", JointKind::distance, "a massless rod"},
                                     {"constant_orientation", JointKind::constant_orientation, "no relative rotation"},
                                     {"rolling_sphere", JointKind::rolling_sphere, "rolls on a plane"},
                                     {"rolling_disc", JointKind::rolling_disc, "rolls on a plane"},
                                     {"knife_edge", JointKind::knife_edge, "a blade"},
                                     {"track", JointKind::track, "travels along a [[track]]"}};

enum class CouplerKind { coupler, gear, speed_coupler };
const Choices<CouplerKind> coupler_kinds{{"coupler", CouplerKind::coupler, "of coordinates"},
                                         {"gear", CouplerKind::gear, "two joints and their ratio"},
                                         {"speed_coupler", CouplerKind::speed_coupler, "of rates: a nonholonomic row"}};

const Choices<JointCoordinate> joint_coordinates{{"angle", JointCoordinate::angle},
                                                 {"displacement", JointCoordinate::displacement}};

const BodySpec* find_body(const ModelDraft& model, const std::string& name) {
  const auto it = model.body_index.find(name);
  return it == model.body_index.end() ? nullptr : &model.bodies[it->second];
}

// In a planar model every hinge turns about the normal: it need not be said.
bool follows_plane(Fields& fields, JointSpec& joint, const ModelDraft& model) {
  if (joint.kind != JointKind::revolute || fields.has("axis")) return false;
  const BodySpec* body = find_body(model, joint.body_b);
  if (body == nullptr || body->kind != BodyKind::planar) body = find_body(model, joint.body_a);
  if (body != nullptr && body->kind == BodyKind::planar) {
    joint.axis.direction = body->plane_normal;
    return true;
  }
  joint.axis.direction = Eigen::Vector3d::UnitZ();
  return body == nullptr && !model.complete;
}

void read_joint_geometry(Fields& fields, JointSpec& joint, const ModelDraft& model) {
  const bool rolls = joint.kind == JointKind::rolling_sphere || joint.kind == JointKind::rolling_disc;
  const PointSpec origin{joint.body_b, Eigen::Vector3d::Zero()};
  joint.point = read_point(fields, "point").value_or(origin);
  joint.point_b = read_point(fields, "point_b");
  if (rolls && !joint.point_b) joint.point_b = origin;
  if (joint.point.body == ground_name) joint.point.body.clear();

  if (joint.kind == JointKind::distance && !fields.has("coordinate"))
    fields.refuse("axis", "without a 'coordinate' that carries the angle of the rod");
  else if (joint.kind == JointKind::distance ||
           (joint.kind == JointKind::revolute && !follows_plane(fields, joint, model)))
    fields.require("axis");
  if (const auto axis = read_axis(fields, "axis")) joint.axis = *axis;
  joint.axis_b = read_axis(fields, "axis_b");
}

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

// What a word for the kind of a [[joint]] means: a joint or, if there is a coupler, that.
struct JointOrCoupler {
  JointKind joint = JointKind::revolute;
  std::optional<CouplerKind> coupler = {};
  bool operator==(const JointOrCoupler&) const = default;
};

const Choices<JointOrCoupler>& kinds_of_joints() {
  static const Choices<JointOrCoupler> kinds = [] {
    Choices<JointOrCoupler> list;
    for (const Choice<JointKind>& choice : joint_kinds) list.push_back({choice.name, {choice.value}, choice.meaning});
    for (const Choice<CouplerKind>& choice : coupler_kinds)
      list.push_back({choice.name, {JointKind::revolute, choice.value}, "as [[coupler]]"});
    return list;
  }();
  return kinds;
}

void read_joint(Fields& fields, const std::string& name, ModelDraft& model) {
  JointSpec joint;
  joint.name = name;
  joint.source = fields.source();
  JointOrCoupler kind;
  if (!fields.kind(kinds_of_joints(), kind)) {
    fields.findings().add_broken(name, joint.source);
    model.joints.push_back(std::move(joint));
    return;
  }
  if (kind.coupler) return add_coupler(fields, name, *kind.coupler, model);
  joint.kind = kind.joint;
  read_bodies(fields, joint.body_a, joint.body_b);
  if (joint.body_b.empty()) fields.findings().add_broken(name, joint.source);
  read_joint_geometry(fields, joint, model);
  if (joint.kind == JointKind::distance) {
    joint.length = fields.optional_number("length");
    joint.squared = fields.boolean("squared", false);
  }
  if (joint.kind == JointKind::screw) joint.pitch = fields.number("pitch", 1.0);
  if (joint.kind == JointKind::rolling_sphere || joint.kind == JointKind::rolling_disc)
    joint.radius = fields.number("radius", 1.0);
  if (joint.kind == JointKind::track) read_track_joint(fields, joint);
  if (fields.knows("coordinate")) joint.coordinate = fields.name("coordinate", "");
  if (fields.has("loop")) joint.loop = fields.boolean("loop", false);
  fields.finish();
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

std::vector<Key> place_keys() {
  const std::string at = ", `[x, y, z]` in the world or `{ body = \"name\", at = [x, y, z] }`";
  const Kinds hinges{"spherical", "revolute", "cylindrical", "universal", "planar", "screw"},
      guides{"point_on_line", "point_on_plane"}, rolling{"rolling_sphere", "rolling_disc"};
  const auto point = [](std::string key, bool required, std::string fallback, std::string meaning, Kinds kinds) {
    return Key{.name = std::move(key),
               .type = KeyType::point,
               .unit = "m",
               .required = required,
               .fallback = std::move(fallback),
               .meaning = std::move(meaning),
               .kinds = std::move(kinds)};
  };
  const auto axis = [](std::string key, bool required, std::string meaning, Kinds kinds) {
    return Key{.name = std::move(key),
               .type = KeyType::direction,
               .required = required,
               .meaning = std::move(meaning),
               .kinds = std::move(kinds)};
  };
  const std::string of_second = "origin of the second body", letter = ", `[x, y, z]` or `\"z\"`";
  return {
      point("point", true, "",
            "where the joint sits" + at + ": on the first body, and on the second where both coincide as drawn",
            hinges),
      point("point", false, of_second, "where the joint sits" + at, {"prismatic"}),
      point("point", false, of_second, "where the reaction is given", {"fixed"}),
      point("point", true, "", "a point of the line or plane, and the point that stays on it" + at, guides),
      point("point", true, "", "the point on the first body" + at, {"distance"}),
      point("point", true, "", "a point of the plane it rolls on, fixed in the first body", rolling),
      point("point", true, "", "the point of the edge", {"knife_edge"}),
      point("point_b", false, "", "on the second body, where it is another point",
            {"spherical", "revolute", "prismatic", "cylindrical", "universal", "planar", "fixed", "screw",
             "point_on_line", "point_on_plane"}),
      point("point_b", true, "", "the point on the second body" + at, {"distance"}),
      point("point_b", false, of_second, "the centre of what rolls", rolling),
      axis("axis", false,
           "of the hinge, fixed in both bodies as drawn" + letter +
               "; needed unless a body is planar, whose normal it "
               "then is",
           {"revolute"}),
      axis("axis", true,
           "of the joint, fixed in the first body, and in the second where both coincide as drawn" + letter,
           {"prismatic", "cylindrical", "screw"}),
      axis("axis", true, "the first axis, fixed in the first body", {"universal"}),
      axis("axis", true, "the normal of the plane, fixed in the first body" + letter, {"planar", "point_on_plane"}),
      axis("axis", true, "the direction of the line, fixed in the first body" + letter, {"point_on_line"}),
      axis("axis", true, "the normal of the plane it rolls on" + letter, rolling),
      axis("axis", false, "about which the angle of a `coordinate` is measured", {"distance"}),
      axis("axis_b", false, "on the second body, where it is another direction",
           {"revolute", "prismatic", "cylindrical", "planar", "screw"}),
      axis("axis_b", true, "the second axis, fixed in the second body", {"universal"}),
      axis("axis_b", true, "the disc's axle", {"rolling_disc"}),
      axis("axis_b", true, "the direction in which the edge cannot move, fixed in the second body", {"knife_edge"})};
}

Kinds names_of(const Choices<JointKind>& choices) {
  Kinds names;
  for (const Choice<JointKind>& choice : choices) names.push_back(choice.name);
  return names;
}

std::vector<Key> coupler_keys() {
  const Kinds sums{"coupler", "speed_coupler"};
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

std::vector<Key> joint_keys() {
  const Kinds joints = names_of(joint_kinds);
  return together(
      {{name_key(), {.name = "kind", .type = KeyType::word, .required = true, .words = words(kinds_of_joints())}},
       bodies_keys(joints),
       place_keys(),
       {{.name = "length",
         .unit = "m",
         .fallback = "as drawn",
         .meaning = "of the massless rod, > 0",
         .kinds = {"distance"}},
        {.name = "squared",
         .type = KeyType::boolean,
         .fallback = "false",
         .meaning = "the row ‖d‖² − ℓ² [m²] in place of ‖d‖ − ℓ",
         .kinds = {"distance"}},
        {.name = "pitch", .unit = "m", .required = true, .meaning = "displacement per turn, not 0", .kinds = {"screw"}},
        {.name = "radius",
         .unit = "m",
         .required = true,
         .meaning = "the rolling radius",
         .range = Range::above(0.0),
         .kinds = {"rolling_sphere", "rolling_disc"}}},
       track_joint_keys(),
       {{.name = "coordinate",
         .type = KeyType::name,
         .meaning = "the [[coordinate]] that carries the joint's own",
         .kinds = {"revolute", "prismatic"}},
        {.name = "coordinate",
         .type = KeyType::name,
         .meaning = "the [[coordinate]] that carries the rod's angle about `axis`, zero as drawn",
         .kinds = {"distance"}},
        {.name = "loop",
         .type = KeyType::boolean,
         .fallback = "as the program chooses",
         .meaning = "in joint coordinates: `true`: closed by rows, `false`: part of the tree",
         .kinds = joints}},
       coupler_keys()});
}

}  // namespace

JointCoordinate read_joint_coordinate(Fields& fields) {
  return fields.choice("coordinate", joint_coordinates, JointCoordinate::automatic);
}

Key joint_coordinate_key(const Kinds& kinds) {
  return {.name = "coordinate",
          .type = KeyType::word,
          .fallback = "the only one",
          .meaning = "of the joint; cylindrical and screw joints have two",
          .words = words(joint_coordinates),
          .kinds = kinds};
}

EntityKind joint_kind() {
  return {{.name = "joint",
           .is_list = true,
           .meaning = "Connects two bodies, and leaves some motion between them free.",
           .keys = joint_keys()},
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
