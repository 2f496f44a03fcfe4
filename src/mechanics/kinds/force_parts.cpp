// SPDX-License-Identifier: Apache-2.0
#include "trammel/mechanics/kinds/force_parts.h"

#include <cstdlib>

namespace trammel {

using detail::ModelChecks;

namespace {

const std::string form = ", `[x, y, z]` or `{ body = \"name\", at = [x, y, z] }`";

bool is_kind(const ModelChecks& checks, const std::string& name, BodyKind kind) {
  const BodySpec* body = checks.find_body(name);
  return body != nullptr && body->kind == kind;
}

}  // namespace

std::string_view own_coordinate(ForceKind kind) {
  switch (kind->strain) {
    case Strain::length:
      return "length";
    case Strain::angle:
      return "angle";
    case Strain::displacement:
      return "displacement";
    case Strain::none:
    case Strain::joint:
      break;
  }
  return "";
}

// ---- keys ----------------------------------------------------------------------------------------------------------

std::vector<Key> join_keys(std::initializer_list<std::vector<Key>> parts) {
  std::vector<Key> keys;
  for (const std::vector<Key>& part : parts) keys.insert(keys.end(), part.begin(), part.end());
  return keys;
}

std::vector<Key> single_body_keys() {
  return {
      {.name = "body", .type = KeyType::name, .meaning = "the body it acts upon; needed"},
      {.name = "body_a", .type = KeyType::name, .fallback = "ground", .meaning = "the body that takes the reaction"},
      {.name = "body_b", .type = KeyType::name, .meaning = "the same as `body`"}};
}

std::vector<Key> two_bodies_keys() {
  return {
      {.name = "bodies",
       .type = KeyType::names,
       .meaning = "the two bodies, `[\"a\", \"b\"]`; `[\"b\"]`: the first is the ground; between points of bodies it "
                  "need not be said"},
      {.name = "body_a", .type = KeyType::name, .fallback = "ground", .meaning = "instead of `bodies`: the first body"},
      {.name = "body_b", .type = KeyType::name, .meaning = "instead of `bodies`: the second body"}};
}

Key in_body_axes_key() {
  return {.name = "in_body_axes",
          .type = KeyType::boolean,
          .fallback = "false",
          .meaning = "the components turn with the body"};
}

std::vector<Key> end_keys() {
  return {point_key("point_a", true, "", "the end on the first body" + form),
          point_key("point_b", true, "", "the end on the second body" + form)};
}

Key damping_key() {
  return {.name = "damping", .unit = "N s/m, N m s/rad", .fallback = "0", .meaning = "c, per speed"};
}

Key positive_damping_key() {
  return {.name = "damping", .unit = "N s/m", .fallback = "0", .meaning = "c, per speed", .range = Range::from(0.0)};
}

std::vector<Key> spring_keys() {
  return {{.name = "stiffness", .unit = "N/m, N m/rad", .fallback = "0", .meaning = "k, per length or angle"},
          damping_key(),
          {.name = "preload",
           .unit = "N, N m",
           .fallback = "0",
           .meaning = "force at the free value; > 0 pulls together, turns back"}};
}

Key free_key(std::string name, std::string unit, std::string meaning) {
  return {.name = std::move(name), .unit = std::move(unit), .fallback = "as drawn", .meaning = std::move(meaning)};
}

Key free_value_key() {
  return free_key("free_value", "m, rad", "free length, angle or displacement, whichever it has");
}

Key law_key(std::string unit, std::string meaning) {
  return {
      .name = "law", .type = KeyType::formula, .unit = std::move(unit), .meaning = "instead of all these: " + meaning};
}

Key on_joint_key() {
  return {
      .name = "joint", .type = KeyType::name, .required = true, .meaning = "the joint or [[coordinate]] it acts on"};
}

std::vector<Key> limit_keys() {
  return {{.name = "lower", .unit = "rad, m", .meaning = "where the lower stop begins; it or `upper` is needed"},
          {.name = "upper", .unit = "rad, m", .meaning = "where the upper stop begins"}};
}

std::vector<Key> bushing_keys(bool planar) {
  std::vector<Key> keys = two_bodies_keys();
  keys.push_back(
      point_key("point", false, "", "where both bodies hold it as drawn; needed, or `point_a` and `point_b`"));
  keys.push_back(point_key("point_a", false, "", "instead of `point`: where the first body holds it"));
  keys.push_back(point_key("point_b", false, "", "instead of `point`: where the second body holds it"));
  if (!planar) keys.push_back({.name = "axis", .type = KeyType::direction, .fallback = "z", .meaning = "its z axis"});
  keys.push_back(
      {.name = "axis_x", .type = KeyType::direction, .fallback = "x, made normal to z", .meaning = "its x axis"});
  keys.push_back({.name = "K",
                  .type = KeyType::matrix,
                  .unit = "N/m, N m/rad",
                  .meaning =
                      "stiffness: six rows (x, y, z, about x, y, z), of a planar one three (x, y, angle), or the "
                      "numbers of the diagonal"});
  keys.push_back(
      {.name = "C", .type = KeyType::matrix, .unit = "N s/m, N m s/rad", .meaning = "damping, in the same form"});
  if (!planar)
    keys.push_back({.name = "angles",
                    .type = KeyType::word,
                    .fallback = "log",
                    .meaning = "how rotations are measured",
                    .words = {{"log", "exact"}, {"printed", "projection angles"}}});
  return keys;
}

std::vector<Key> tyre_keys(bool required) {
  return {{.name = "axis", .type = KeyType::direction, .fallback = "y", .meaning = "the axle, to the left"},
          {.name = "stiffness",
           .unit = "N/m",
           .required = required,
           .meaning = required ? "k_z, vertical" : "k_z, vertical; needed without `data`",
           .range = Range::above(0.0)},
          positive_damping_key()};
}

Key wheel_key() {
  return {.name = "wheel", .type = KeyType::name, .required = true, .meaning = "the body with the tyre"};
}

Key road_key() {
  return {.name = "road",
          .type = KeyType::name,
          .fallback = "ground",
          .meaning = "a body whose upper side is the road, or a [[road]]"};
}

Key center_key() { return point_key("center", false, "the wheel's origin", "the wheel centre"); }

Key number_key(std::string name, std::string unit, std::string fallback, std::string meaning, Range range) {
  return {.name = std::move(name),
          .unit = std::move(unit),
          .required = fallback.empty(),
          .fallback = fallback,
          .meaning = std::move(meaning),
          .range = range};
}

// ---- reading -------------------------------------------------------------------------------------------------------

void read_single_body(KindFields& fields, ForceSpec& force) {
  const std::string key = fields.one_of({"body", "body_b"});
  force.body_a = fields.name("body_a", ground_name);
  if (key.empty()) {
    fields.require("body");
    fields.give_up();
    return;
  }
  force.body_b = fields.name(key, "");
  fields.said_at("body_b", key);
}

void read_spring_ends(KindFields& fields, ForceSpec& force) {
  if (const auto a = fields.point("point_a")) force.point_a = *a;
  if (const auto b = fields.point("point_b")) force.point_b = *b;
  const bool from_points = !fields.has("bodies") && !fields.has("body_b") && !force.point_b.body.empty();
  if (from_points) {
    force.body_b = force.point_b.body;
    force.body_a = fields.name("body_a", force.point_a.body.empty() ? ground_name : force.point_a.body);
  } else {
    fields.bodies(force.body_a, force.body_b);
  }
}

void read_law(KindFields& fields, ForceSpec& force, const std::string& free_key) {
  force.law = fields.formula("law");
  const std::vector<std::string> free_keys =
      free_key.empty() ? std::vector<std::string>{"free_value"} : std::vector<std::string>{free_key, "free_value"};
  const std::string which = fields.one_of(free_keys);
  if (!which.empty()) {
    force.free_value = fields.number(which, 0.0);
    fields.said_at("free_value", which);
  }
  force.stiffness = fields.number("stiffness", 0.0);
  force.damping = fields.number("damping", 0.0);
  force.preload = fields.number("preload", 0.0);
  if (force.law.given()) {
    for (const std::string& key : {std::string("stiffness"), std::string("damping"), std::string("preload"), which})
      if (!key.empty() && fields.has(key))
        fields.report_at(key, fmt::format("'{}' and 'law' exclude each other; the law is the whole force", key));
  } else if (!fields.has("stiffness") && !fields.has("damping") && !fields.has("preload")) {
    fields.report("it has no effect: give 'stiffness', 'damping' or 'preload', or a 'law'");
  }
}

JointCoordinate read_joint_coordinate(KindFields& fields) {
  const std::string word = fields.word("coordinate", "");
  return word == "angle"          ? JointCoordinate::angle
         : word == "displacement" ? JointCoordinate::displacement
                                  : JointCoordinate::automatic;
}

void read_joint_reference(KindFields& fields, ForceSpec& force) {
  force.joint = fields.name("joint", "");
  if (!fields.has("joint")) fields.give_up();
  force.coordinate = read_joint_coordinate(fields);
}

void read_bushing(KindFields& fields, ForceSpec& force, bool planar) {
  fields.bodies(force.body_a, force.body_b);
  const bool both = fields.has("point"), a = fields.has("point_a"), b = fields.has("point_b");
  if (both && (a || b))
    fields.report_at(a ? "point_a" : "point_b",
                     "'point' and 'point_a', 'point_b' exclude each other; give one or the other");
  else if (!both && (!a || !b))
    fields.report(
        "where it sits is missing: give 'point' (where both bodies hold it as drawn), or 'point_a' and 'point_b'");
  if (both) force.point_a = force.point_b = *fields.point("point");
  if (!both && a) force.point_a = *fields.point("point_a");
  if (!both && b) force.point_b = *fields.point("point_b");
  if (const auto axis = fields.axis("axis")) force.axis = *axis;
  force.axis_x = fields.axis("axis_x");
  if (!fields.has("K") && !fields.has("C"))
    fields.report("it has no effect: give its stiffness 'K' or its damping 'C'");
  force.K = fields.square("K", planar ? 3 : 6);
  force.C = fields.square("C", planar ? 3 : 6);
  if (!planar) force.angles = fields.word("angles", "log") == "printed" ? BushingAngles::printed : BushingAngles::log;
}

void read_tyre(KindFields& fields, ForceSpec& force) {
  if (fields.has("wheel")) {
    force.body_b = fields.name("wheel", "");
    fields.said_at("body_b", "wheel");
  } else {
    fields.give_up();
  }
  force.body_a = fields.name("road", ground_name);
  if (fields.knows("carrier")) force.vehicle.carrier = fields.name("carrier", "");
  force.point_b = fields.point("center").value_or(PointSpec{force.body_b, {0, 0, 0}});
  // By default the road is at z = 0 in the world, wherever the part with the wheel is placed.
  if (const auto contact = fields.point("contact")) force.point_a = *contact;
  force.axis = fields.axis("axis").value_or(AxisSpec{"", Eigen::Vector3d::UnitY()});
  force.stiffness = fields.number("stiffness", 1.0);
  force.damping = fields.number("damping", 0.0);
  force.vehicle.tyre.free_radius = fields.number("free_radius", 1.0);
}

// ---- checks --------------------------------------------------------------------------------------------------------

void check_ends(ModelChecks& checks, const ForceSpec& force) {
  check_point(checks, "force", force, "point_a", force.point_a);
  check_point(checks, "force", force, "point_b", force.point_b);
}

void check_orientations(ModelChecks& checks, const ForceSpec& force, const std::string& what) {
  for (const std::string& name : {force.body_a, force.body_b})
    if (is_kind(checks, name, BodyKind::particle))
      checks.report("force", force, detail::body_key(force),
                    fmt::format("'{}' is a particle and has no orientation that {} could act on", name, what));
}

void check_positive(ModelChecks& checks, const ForceSpec& force, const char* key, double value, bool zero_allowed) {
  if (std::isfinite(value) && (value > 0.0 || (zero_allowed && value == 0.0))) return;
  checks.report("force", force, key, fmt::format("'{}' is {} but must be {} 0", key, value, zero_allowed ? "≥" : ">"));
}

void check_limits(ModelChecks& checks, const ForceSpec& force) {
  if (!force.lower && !force.upper)
    checks.report("force", force, "lower", "it has neither 'lower' nor 'upper'; give at least one stop");
  if (force.lower && force.upper && !(*force.lower < *force.upper))
    checks.report("force", force, "upper",
                  fmt::format("'upper' = {} must be greater than 'lower' = {}", *force.upper, *force.lower));
}

void check_bushing(ModelChecks& checks, const ForceSpec& force, bool planar) {
  const BodyKind wanted = planar ? BodyKind::planar : BodyKind::rigid;
  for (const std::string& name : {force.body_a, force.body_b})
    if (checks.find_body(name) != nullptr && !is_kind(checks, name, wanted))
      checks.report("force", force, detail::body_key(force),
                    fmt::format("a {} holds {} bodies (or the ground), and '{}' is none; use {}", force.kind.name(),
                                planar ? "planar" : "rigid", name,
                                planar ? "a bushing" : "a planar_bushing between planar bodies, or springs"));
  check_ends(checks, force);
  const bool axis = planar || check_axis(checks, "force", force, "axis", force.axis);
  const bool axis_x = !force.axis_x || check_axis(checks, "force", force, "axis_x", *force.axis_x);
  if (!planar && axis && axis_x && force.axis_x &&
      checks.drawn(force.axis).cross(checks.drawn(*force.axis_x)).norm() <= detail::parallel_tol)
    checks.report("force", force, "axis_x", "'axis_x' is parallel to 'axis'; x and z must be different directions");
  const Eigen::Index n = planar ? 3 : 6;
  const std::pair<const char*, const Eigen::MatrixXd*> matrices[] = {{"K", &force.K}, {"C", &force.C}};
  for (const auto& [key, matrix] : matrices) {
    if (matrix->size() > 0 && (matrix->rows() != n || matrix->cols() != n))
      checks.report("force", force, key,
                    fmt::format("'{}' is {} x {} but must be {} x {}", key, matrix->rows(), matrix->cols(), n, n));
    else if (!matrix->allFinite())
      checks.report("force", force, key, fmt::format("'{}' is not finite", key));
  }
}

void check_tyre(ModelChecks& checks, const ForceSpec& force) {
  check_ends(checks, force);
  check_orientations(checks, force, "a tyre");
  if (check_axis(checks, "force", force, "axis", force.axis)) {
    const Eigen::Vector3d axle = checks.drawn(force.axis).normalized();
    if (std::abs(axle.z()) > 0.9)
      checks.report("force", force, "axis", "the axle is nearly vertical as drawn, and z is up for tyres");
  }
  check_positive(checks, force, "stiffness", force.stiffness, false);
  check_positive(checks, force, "damping", force.damping, true);
  check_positive(checks, force, "free_radius", force.vehicle.tyre.free_radius, false);
  if (const std::string& road = force.vehicle.road; !road.empty()) {
    const SignalTable::Entry* entry = checks.table.find(road);
    if (entry == nullptr || entry->entity != SignalTable::Entity::road)
      checks.report("force", force, "road", no_such(checks, SignalTable::Entity::road, road));
  }
}

// ---- elements ------------------------------------------------------------------------------------------------------

TyrePlace place_tyre(ForceElements& elements, const ForceSpec& force, int carrier) {
  const int road = elements.a();
  TyrePlace place;
  place.surface = elements.road(force.vehicle.road);
  // x and y of a [[road]] are those of the world, and only the height of the point counts.
  Eigen::Vector3d origin = elements.world(force.point_a);
  if (place.surface) origin.head<2>().setZero();
  place.s_road = elements.place(road).local_point(origin);
  place.axes = elements.place(road).R.transpose();
  place.axle = elements.axis_in(carrier, force.axis);
  place.center = elements.point_on(carrier, force.point_b);
  place.free_radius = force.vehicle.tyre.free_radius;
  place.stiffness = force.stiffness, place.damping = force.damping;
  return place;
}

void assemble_components(ForceElements& elements, const ForceSpec& force, FormulaGroup::Output output) {
  FormulaGroup::Element element;
  element.output = output;
  element.frame[0] = elements.a(), element.frame[1] = elements.b();
  element.s_b = elements.point_on(elements.b(), force.point_b);
  element.in_body_axes = force.in_body_axes;
  elements.add_formulas(std::move(element), force.components);
}

void assemble_on_strain(ForceElements& elements, const ForceSpec& force, bool stop) {
  const CoordinateTerm& term = elements.strain();
  if (force.law.given()) {
    FormulaGroup::Element element;
    element.output = FormulaGroup::Output::coordinate;
    element.x = term.x;
    element.frame[0] = term.frame[0], element.frame[1] = term.frame[1];
    return elements.add_formulas(std::move(element), {&force.law, 1});
  }
  CoordinateForce::Params params;
  params.x = term.x;
  params.stop = stop;
  params.stiffness = force.stiffness;
  params.damping = force.damping;
  params.free_value = force.free_value.value_or(0.0);
  params.preload = force.preload;
  params.lower = force.lower.value_or(-unlimited);
  params.upper = force.upper.value_or(unlimited);
  if (stop)
    elements.switches().add_stop({.x = params.x,
                                  .frame = {term.frame[0], term.frame[1]},
                                  .branch = term.branch,
                                  .stiffness = params.stiffness,
                                  .damping = params.damping,
                                  .ramp = params.depth},
                                 params.lower, params.upper);
  elements.add<CoordinateForce>(params, {term.frame[0], term.frame[1]}, {term.branch});
}

void assemble_bushing(ForceElements& elements, const ForceSpec& force, bool planar) {
  const int a = elements.a(), b = elements.b();
  Bushing::Params params;
  params.s_a = elements.point_on(a, force.point_a), params.s_b = elements.point_on(b, force.point_b);
  const Placement& place = elements.place(b).planar ? elements.place(b) : elements.place(a);
  const Eigen::Vector3d z = planar && place.planar ? place.normal : elements.world(force.axis);
  Eigen::Vector3d x = force.axis_x ? elements.world(*force.axis_x) : Eigen::Vector3d::UnitX().eval();
  x -= z * z.dot(x);
  if (x.norm() < 1e-6) x = Eigen::Vector3d::UnitY() - z * z.y();
  x.normalize();
  Eigen::Matrix3d axes;
  axes << x, z.cross(x), z;
  params.Q_a = elements.place(a).R.transpose() * axes;
  params.Q_b = elements.place(b).R.transpose() * axes;
  params.K.setZero();
  params.C.setZero();
  if (planar) {  // (x, y, rotation about the normal)
    static constexpr int index_of[3] = {0, 1, 5};
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) {
        params.K(index_of[i], index_of[j]) = force.K(i, j);
        params.C(index_of[i], index_of[j]) = force.C(i, j);
      }
  } else {
    params.K = force.K;
    params.C = force.C;
  }
  params.printed = force.angles == BushingAngles::printed;
  elements.add<Bushing>(params, {a, b});
}

Directors bushing_directors(const ForceSpec& force) {
  const bool potential = force.angles == BushingAngles::log && force.K.isApprox(force.K.transpose());
  return {potential ? Directors::Form::elastic : Directors::Form::load};
}

Picture bushing_picture(Picture::Along along) {
  return {.parts = {{.shape = Picture::Shape::torus, .size = {1.25, 1.25, 2.0}, .along = along, .color = "#3d434b"}}};
}

}  // namespace trammel
