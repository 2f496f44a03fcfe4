#include <Eigen/Geometry>
#include <cmath>
#include <map>
#include <tuple>

#include "trammel/base/text.h"
#include "trammel/mechanics/model_checks.h"

namespace trammel::detail {

namespace {

std::string_view name_of(JointKind kind) {
  switch (kind) {
    case JointKind::spherical:
      return "spherical";
    case JointKind::revolute:
      return "revolute";
    case JointKind::prismatic:
      return "prismatic";
    case JointKind::cylindrical:
      return "cylindrical";
    case JointKind::universal:
      return "universal";
    case JointKind::planar:
      return "planar";
    case JointKind::fixed:
      return "fixed";
    case JointKind::screw:
      return "screw";
    case JointKind::point_on_line:
      return "point_on_line";
    case JointKind::point_on_plane:
      return "point_on_plane";
    case JointKind::distance:
      return "distance";
    case JointKind::constant_orientation:
      return "constant_orientation";
    case JointKind::rolling_sphere:
      return "rolling_sphere";
    case JointKind::rolling_disc:
      return "rolling_disc";
    case JointKind::knife_edge:
      return "knife_edge";
    case JointKind::track:
      return "track";
  }
  return "";
}

bool has_axis(JointKind kind) {
  switch (kind) {
    case JointKind::spherical:
    case JointKind::fixed:
    case JointKind::distance:
    case JointKind::constant_orientation:
    case JointKind::knife_edge:
    case JointKind::track:
      return false;
    default:
      return true;
  }
}

bool needs_axis_b(JointKind kind) {
  return kind == JointKind::universal || kind == JointKind::rolling_disc || kind == JointKind::knife_edge;
}

/// Whether the joint uses the orientation of its first (a) and of its second body (b).
std::pair<bool, bool> needs_orientation(JointKind kind) {
  switch (kind) {
    case JointKind::spherical:
    case JointKind::distance:
      return {false, false};
    case JointKind::point_on_line:
    case JointKind::point_on_plane:
      return {true, false};
    case JointKind::knife_edge:
      return {false, true};
    default:
      return {true, true};
  }
}

void check_particles(ModelChecks& checks, const JointSpec& joint) {
  const auto [needs_a, needs_b] = needs_orientation(joint.kind);
  const auto check = [&](const std::string& field, const std::string& name, bool needs) {
    const BodySpec* body = checks.find_body(name);
    if (!needs || body == nullptr || body->kind != BodyKind::particle) return;
    checks.report(
        "joint", joint, "kind",
        fmt::format("'{}' ({}) is a particle and has no orientation that a {} joint could hold; particles take "
                    "spherical, distance and, as the second body, point_on_line and point_on_plane joints",
                    name, field, name_of(joint.kind)));
  };
  check("the first body", joint.body_a, needs_a);
  check("the second body", joint.body_b, needs_b);
}

bool parallel(const Eigen::Vector3d& a, const Eigen::Vector3d& b) { return a.cross(b).norm() <= parallel_tol; }
bool normal(const Eigen::Vector3d& a, const Eigen::Vector3d& b) { return std::abs(a.dot(b)) <= parallel_tol; }

// What a planar body with normal n can take: hinges about n, guides and blades in its plane.
void check_planar_body(ModelChecks& checks, const JointSpec& joint, const BodySpec& body) {
  const Eigen::Vector3d n = body.plane_normal.stableNormalized();
  const Eigen::Vector3d u = checks.drawn(joint.axis);
  const Eigen::Vector3d w = joint.axis_b ? checks.drawn(*joint.axis_b) : u;
  const std::string in_plane =
      fmt::format("must lie in the plane of the planar body '{}', normal to its 'normal'", body.name);
  const std::string along = fmt::format("must be the normal of the planar body '{}'", body.name);
  switch (joint.kind) {
    case JointKind::revolute:
      if (!parallel(u, n)) checks.report("joint", joint, "axis", "'axis' " + along);
      break;
    case JointKind::prismatic:
    case JointKind::point_on_line:
    case JointKind::point_on_plane:
    case JointKind::rolling_sphere:
      if (!normal(u, n)) checks.report("joint", joint, "axis", "'axis' " + in_plane);
      break;
    case JointKind::rolling_disc:
      if (!normal(u, n)) checks.report("joint", joint, "axis", "'axis' " + in_plane);
      if (!parallel(w, n)) checks.report("joint", joint, "axis_b", "'axis_b', the axle, " + along);
      break;
    case JointKind::knife_edge:
      if (!normal(w, n)) checks.report("joint", joint, "axis_b", "'axis_b' " + in_plane);
      break;
    case JointKind::cylindrical:
    case JointKind::universal:
    case JointKind::planar:
    case JointKind::screw:
    case JointKind::track:
      checks.report("joint", joint, "kind",
                    fmt::format("a {} joint makes no sense for the planar body '{}', which keeps its plane anyway; use "
                                "revolute, prismatic or fixed, or make it a rigid body",
                                name_of(joint.kind), body.name));
      break;
    case JointKind::spherical:
    case JointKind::fixed:
    case JointKind::distance:
    case JointKind::constant_orientation:
      break;
  }
}

void check_geometry(ModelChecks& checks, const JointSpec& joint) {
  if (joint.kind != JointKind::constant_orientation) check_point(checks, "joint", joint, "point", joint.point);
  if (joint.point_b) check_point(checks, "joint", joint, "point_b", *joint.point_b);
  const bool turns = joint.kind == JointKind::distance && !joint.coordinate.empty();
  bool axes_are_good = !(has_axis(joint.kind) || turns) || check_axis(checks, "joint", joint, "axis", joint.axis);
  if (joint.axis_b) axes_are_good = check_axis(checks, "joint", joint, "axis_b", *joint.axis_b) && axes_are_good;
  if (needs_axis_b(joint.kind) && !joint.axis_b) {
    checks.report("joint", joint, "axis_b", fmt::format("a {} joint needs 'axis_b'", name_of(joint.kind)));
    axes_are_good = false;
  }
  if (!axes_are_good) return;
  if (joint.kind == JointKind::universal && parallel(checks.drawn(joint.axis), checks.drawn(*joint.axis_b)))
    checks.report("joint", joint, "axis_b",
                  "the two axes of a universal joint must cross; 'axis_b' is parallel to 'axis'");
  if (joint.kind == JointKind::rolling_disc && parallel(checks.drawn(joint.axis), checks.drawn(*joint.axis_b)))
    checks.report(
        "joint", joint, "axis_b",
        "the disc lies flat: its axle 'axis_b' is parallel to the plane's normal 'axis', and no rim point is lowest");
  if (turns && joint.point_b) {
    const Eigen::Vector3d rod = checks.drawn(*joint.point_b) - checks.drawn(joint.point);
    if (rod.norm() > 0.0 && parallel(rod.stableNormalized(), checks.drawn(joint.axis)))
      checks.report("joint", joint, "axis",
                    fmt::format("the rod lies along 'axis' as drawn, so that it has no angle about it that '{}' could "
                                "carry; turn the axis across the rod",
                                joint.coordinate));
    const BodySpec* first = checks.find_body(joint.body_a);
    if (first != nullptr && first->kind == BodyKind::particle)
      checks.report("joint", joint, "coordinate",
                    fmt::format("the angle of the rod is counted about an axis of its first body, but '{}' is a "
                                "particle and has none; exchange the bodies",
                                joint.body_a));
  }
  for (const std::string& name : {joint.body_a, joint.body_b}) {
    const BodySpec* body = checks.find_body(name);
    if (body != nullptr && body->kind == BodyKind::planar) check_planar_body(checks, joint, *body);
  }
}

void check_sizes(ModelChecks& checks, const JointSpec& joint) {
  if (joint.kind == JointKind::distance) {
    if (joint.length && !(*joint.length > 0.0 && std::isfinite(*joint.length)))
      checks.report("joint", joint, "length",
                    fmt::format("'length' is {} m but must be > 0; for points that coincide use a spherical joint",
                                *joint.length));
    const double drawn = joint.point_b ? (checks.drawn(*joint.point_b) - checks.drawn(joint.point)).norm() : 0.0;
    if (drawn == 0.0)
      checks.report(
          "joint", joint, "point_b",
          "the two points coincide as drawn, so that the rod between them has no direction; draw them apart, or "
          "use a spherical joint");
  }
  if (joint.kind == JointKind::screw && (joint.pitch == 0.0 || !std::isfinite(joint.pitch)))
    checks.report(
        "joint", joint, "pitch",
        fmt::format("'pitch' is {} m per turn but must not be 0; what only turns is a revolute joint, what only "
                    "slides a prismatic one",
                    joint.pitch));
  const bool rolls = joint.kind == JointKind::rolling_sphere || joint.kind == JointKind::rolling_disc;
  if (rolls && !(joint.radius > 0.0 && std::isfinite(joint.radius)))
    checks.report("joint", joint, "radius", fmt::format("'radius' is {} m but must be > 0", joint.radius));
}

void check_carried_coordinate(ModelChecks& checks, const JointSpec& joint,
                              std::map<std::string, std::string>& carriers) {
  if (joint.coordinate.empty()) return;
  const SignalTable::Entry* entry = checks.table.find(joint.coordinate);
  if (entry == nullptr || entry->entity != SignalTable::Entity::coordinate)
    return checks.report("joint", joint, "coordinate",
                         no_such(checks, SignalTable::Entity::coordinate, joint.coordinate));
  if (joint.kind != JointKind::distance && only_coordinate(joint.kind) == JointCoordinate::automatic)
    return checks.report(
        "joint", joint, "coordinate",
        fmt::format("a {} joint has no single coordinate that '{}' could carry; revolute, prismatic and "
                    "distance joints have one",
                    name_of(joint.kind), joint.coordinate));
  const auto [it, fresh] = carriers.try_emplace(joint.coordinate, joint.name);
  if (!fresh)
    checks.report("joint", joint, "coordinate",
                  fmt::format("the coordinate '{}' already carries that of joint '{}'", joint.coordinate, it->second));
}

}  // namespace

void check_joints(ModelChecks& checks) {
  std::map<std::string, std::string> carriers;
  for (const JointSpec& joint : checks.model.joints) {
    const bool a = check_body_reference(checks, "joint", joint, "body_a", joint.body_a);
    const bool b = check_body_reference(checks, "joint", joint, "body_b", joint.body_b);
    if (!a || !b)
      checks.joints_are_known = false;
    else if (joint.body_a == joint.body_b)
      checks.report("joint", joint, joint.source.fields.count("bodies") > 0 ? "bodies" : "body_b",
                    fmt::format("it connects '{}' with itself; a joint needs two different bodies", joint.body_a));
    else
      check_particles(checks, joint);
    if (joint.kind == JointKind::track) check_track_joint(checks, joint);
    check_geometry(checks, joint);
    check_sizes(checks, joint);
    check_carried_coordinate(checks, joint, carriers);
  }
}

void check_couplers_and_motions(ModelChecks& checks) {
  for (const CouplerSpec& coupler : checks.model.couplers) {
    const std::string field = coupler.source.fields.count("joints") > 0 ? "joints" : "terms";
    constexpr std::size_t most = 3;
    if (coupler.terms.empty() || coupler.terms.size() > most)
      checks.report("coupler", coupler, field,
                    fmt::format("it has {} terms; one to {} can be coupled", coupler.terms.size(), most));
    for (std::size_t i = 0; i < coupler.terms.size(); ++i) {
      const CouplerTerm& term = coupler.terms[i];
      check_joint_reference(checks, "coupler", coupler, field, term.name, term.coordinate);
      if (term.factor == 0.0 || !std::isfinite(term.factor)) {
        const bool geared = coupler.source.fields.count("ratio") > 0;
        checks.report("coupler", coupler, geared ? "ratio" : field,
                      fmt::format("{} is {}; it must be finite and not 0",
                                  geared ? "the ratio" : fmt::format("the factor of '{}'", term.name),
                                  geared ? std::abs(term.factor) : term.factor));
      }
      for (std::size_t j = 0; j < i; ++j)
        if (coupler.terms[j].name == term.name && coupler.terms[j].coordinate == term.coordinate)
          checks.report("coupler", coupler, field, fmt::format("'{}' appears twice; add the factors up", term.name));
    }
  }
  std::map<std::pair<std::string, JointCoordinate>, std::string> drivers;
  for (const MotionSpec& motion : checks.model.motions) {
    if (motion.function.given() == motion.velocity.given())
      checks.report("motion", motion, "function", "give either 'function' or 'velocity'");
    if (!check_joint_reference(checks, "motion", motion, "joint", motion.joint, motion.coordinate)) continue;
    const JointSpec* joint = checks.find_joint(motion.joint);
    const bool automatic = joint != nullptr && motion.coordinate == JointCoordinate::automatic;
    const JointCoordinate meant = automatic ? only_coordinate(joint->kind) : motion.coordinate;
    const auto [it, fresh] = drivers.try_emplace({motion.joint, meant}, motion.name);
    if (!fresh)
      checks.report("motion", motion, "joint",
                    fmt::format("motion '{}' drives the same coordinate of '{}' already", it->second, motion.joint));
  }
}

}  // namespace trammel::detail
