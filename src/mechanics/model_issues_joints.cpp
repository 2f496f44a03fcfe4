// SPDX-License-Identifier: Apache-2.0
#include <Eigen/Geometry>
#include <cmath>
#include <map>
#include <tuple>

#include "trammel/base/text.h"
#include "trammel/mechanics/kinds/joint_descriptor.h"
#include "trammel/mechanics/model_checks.h"

namespace trammel::detail {

namespace {

void check_particles(ModelChecks& checks, const JointSpec& joint) {
  const auto check = [&](const std::string& field, const std::string& name, bool needs) {
    const BodySpec* body = checks.find_body(name);
    if (!needs || body == nullptr || body->kind != BodyKind::particle) return;
    checks.report(
        "joint", joint, "kind",
        fmt::format("'{}' ({}) is a particle and has no orientation that a {} joint could hold; particles take "
                    "spherical, distance and, as the second body, point_on_line and point_on_plane joints",
                    name, field, joint.kind.name()));
  };
  check("the first body", joint.body_a, joint.kind->needs.orientation_a);
  check("the second body", joint.body_b, joint.kind->needs.orientation_b);
}

// What a planar body with normal n can take: hinges about n, guides and blades in its plane.
void check_planar_body(ModelChecks& checks, const JointSpec& joint, const BodySpec& body) {
  const InPlane& in_plane = joint.kind->in_plane;
  if (in_plane.refused)
    return checks.report(
        "joint", joint, "kind",
        fmt::format("a {} joint makes no sense for the planar body '{}', which keeps its plane anyway; use "
                    "revolute, prismatic or fixed, or make it a rigid body",
                    joint.kind.name(), body.name));
  const Eigen::Vector3d n = body.plane_normal.stableNormalized();
  const auto check = [&](InPlane::Direction wanted, const std::string& key, std::string_view words,
                         const Eigen::Vector3d& u) {
    if (wanted == InPlane::Direction::within && !(std::abs(u.dot(n)) <= parallel_tol))
      checks.report(
          "joint", joint, key,
          fmt::format("{} must lie in the plane of the planar body '{}', normal to its 'normal'", words, body.name));
    if (wanted == InPlane::Direction::normal && !(u.cross(n).norm() <= parallel_tol))
      checks.report("joint", joint, key,
                    fmt::format("{} must be the normal of the planar body '{}'", words, body.name));
  };
  const Eigen::Vector3d u = checks.drawn(joint.axis);
  check(in_plane.axis, "axis", "'axis'", u);
  check(in_plane.axis_b, "axis_b", in_plane.axis_b_words, joint.axis_b ? checks.drawn(*joint.axis_b) : u);
}

// Whether its axes have directions.
bool check_place(ModelChecks& checks, const JointSpec& joint) {
  const JointNeeds& needs = joint.kind->needs;
  if (needs.point) check_point(checks, "joint", joint, "point", joint.point);
  if (joint.point_b) check_point(checks, "joint", joint, "point_b", *joint.point_b);
  bool axes_are_good = !needs.axis || check_axis(checks, "joint", joint, "axis", joint.axis);
  if (joint.axis_b) axes_are_good = check_axis(checks, "joint", joint, "axis_b", *joint.axis_b) && axes_are_good;
  if (needs.axis_b && !joint.axis_b) {
    checks.report("joint", joint, "axis_b", fmt::format("a {} joint needs 'axis_b'", joint.kind.name()));
    axes_are_good = false;
  }
  if (!axes_are_good) return false;
  for (const std::string& name : {joint.body_a, joint.body_b}) {
    const BodySpec* body = checks.find_body(name);
    if (body != nullptr && body->kind == BodyKind::planar) check_planar_body(checks, joint, *body);
  }
  return true;
}

void check_carried_coordinate(ModelChecks& checks, const JointSpec& joint, const std::string& field,
                              const std::string& coordinate, std::map<std::string, std::string>& carriers) {
  const SignalTable::Entry* entry = checks.table.find(coordinate);
  if (entry == nullptr || entry->entity != SignalTable::Entity::coordinate)
    return checks.report("joint", joint, field, no_such(checks, SignalTable::Entity::coordinate, coordinate));
  const auto [it, fresh] = carriers.try_emplace(coordinate, joint.name);
  if (!fresh)
    checks.report("joint", joint, field,
                  fmt::format("the coordinate '{}' already carries that of joint '{}'", coordinate, it->second));
}

// One relative coordinate by `coordinate`, several by `coordinates`.
void check_carried_coordinates(ModelChecks& checks, const JointSpec& joint,
                               std::map<std::string, std::string>& carriers) {
  const JointCoordinates& own = joint.kind->coordinates;
  const bool has_one = own.in_rows || own.carried == 1 || only_coordinate(joint.kind) != JointCoordinate::automatic;
  const std::size_t n = static_cast<std::size_t>(own.carried);
  if (!joint.coordinate.empty() && !has_one)
    checks.report("joint", joint, "coordinate",
                  n > 1 ? fmt::format("a {} joint has {} relative coordinates: name as many [[coordinate]]s in "
                                      "'coordinates'",
                                      joint.kind.name(), n)
                        : fmt::format("a {} joint has no single coordinate that '{}' could carry; revolute, prismatic, "
                                      "screw, planar, point_on_line and distance joints have one",
                                      joint.kind.name(), joint.coordinate));
  else if (!joint.coordinate.empty())
    check_carried_coordinate(checks, joint, "coordinate", joint.coordinate, carriers);
  if (joint.coordinates.empty()) return;
  if (n < 2 || joint.coordinates.size() != n)
    return checks.report("joint", joint, "coordinates",
                         n < 2 ? fmt::format("a {} joint has not several coordinates to carry; cylindrical, universal, "
                                             "planar and point_on_plane joints have",
                                             joint.kind.name())
                               : fmt::format("a {} joint has {} relative coordinates; 'coordinates' names {}",
                                             joint.kind.name(), n, joint.coordinates.size()));
  if (!joint.coordinate.empty())
    checks.report("joint", joint, "coordinates", "'coordinate' and 'coordinates' name the same; give one of them");
  for (const std::string& coordinate : joint.coordinates)
    check_carried_coordinate(checks, joint, "coordinates", coordinate, carriers);
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
    joint.kind->check(checks, joint, check_place(checks, joint));
    check_carried_coordinates(checks, joint, carriers);
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
