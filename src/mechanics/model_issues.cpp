// SPDX-License-Identifier: Apache-2.0
#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "trammel/base/text.h"
#include "trammel/linalg/dense_decompositions.h"
#include "trammel/mechanics/kinds/shape_descriptor.h"
#include "trammel/mechanics/model_checks.h"

namespace trammel {

namespace detail {

const BodySpec* ModelChecks::find_body(const std::string& name) const {
  const SignalTable::Entry* entry = table.find(name);
  if (entry == nullptr || entry->entity != SignalTable::Entity::body) return nullptr;
  return &model.bodies[static_cast<std::size_t>(entry->index)];
}

const JointSpec* ModelChecks::find_joint(const std::string& name) const {
  const SignalTable::Entry* entry = table.find(name);
  if (entry == nullptr || entry->entity != SignalTable::Entity::joint) return nullptr;
  return &model.joints[static_cast<std::size_t>(entry->index)];
}

Eigen::Vector3d ModelChecks::drawn(const PointSpec& point) const {
  const BodySpec* body = find_body(point.body);
  if (body == nullptr) return point.at;
  return body->position + body->orientation * point.at;
}

Eigen::Vector3d ModelChecks::drawn(const AxisSpec& axis) const {
  const BodySpec* body = find_body(axis.body);
  return (body == nullptr ? axis.direction : Eigen::Vector3d(body->orientation * axis.direction)).stableNormalized();
}

std::string no_such(const ModelChecks& checks, SignalTable::Entity entity, const std::string& name) {
  if (name.empty()) return fmt::format("a {}'s name is missing", to_string(entity));
  if (const SignalTable::Entry* other = checks.table.find(name))
    return fmt::format("'{}' is a {}, not a {}", name, to_string(other->entity), to_string(entity));
  std::vector<std::string> names = checks.table.names(entity);
  std::string what(to_string(entity));
  if (entity == SignalTable::Entity::body) names.push_back(ground_name);
  if (entity == SignalTable::Entity::joint) {
    const std::vector<std::string> coordinates = checks.table.names(SignalTable::Entity::coordinate);
    names.insert(names.end(), coordinates.begin(), coordinates.end());
    what += " or coordinate";
  }
  const std::string near = did_you_mean(name, names);
  constexpr std::size_t few = 8;  // a short list is worth showing whole
  const std::string list = near.empty() && names.size() <= few ? "; there are " + join_quoted(names) : "";
  return fmt::format("there is no {} '{}'{}{}", what, name, near, list);
}

namespace {

// Names become words of formulas and parts of paths in result files.
std::string problem_of_name(const std::string& name) {
  if (name.empty()) return "it has no name";
  if (name == ground_name) return "'ground' is the name of what never moves; choose another name";
  if (name == "t" || name == "pi")
    return fmt::format("'{}' has a meaning of its own in formulas; choose another name", name);
  if (name.front() == ' ' || name.back() == ' ') return "a name must not begin or end with a blank";
  for (const char c : name)
    if (std::string("./'\"{}\\").find(c) != std::string::npos || static_cast<unsigned char>(c) < 0x20)
      return "a name must not contain any of . / ' \" { } \\";
  return "";
}

}  // namespace

void check_names(ModelChecks& checks) {
  struct First {
    std::string_view kind;
    std::string where;
  };
  std::unordered_map<std::string, First> first;
  for (const auto& [name, value] : checks.model.parameters) first.try_emplace(name, First{"parameter", ""});
  const auto check = [&](std::string_view kind, const auto& list) {
    for (const auto& spec : list) {
      const std::string problem = problem_of_name(spec.name);
      if (!problem.empty()) checks.report(kind, spec, "name", problem);
      if (spec.name.empty()) continue;
      const auto [it, fresh] = first.try_emplace(spec.name, First{kind, spec.source.at("name")});
      if (!fresh)
        checks.report(kind, spec, "name",
                      fmt::format("a {} has this name already{}; names must be different, because formulas use them",
                                  it->second.kind, it->second.where.empty() ? "" : " (" + it->second.where + ")"));
    }
  };
  check("body", checks.model.bodies);
  std::vector<FrameSpec> named;  // those of a body have its name before them
  for (const FrameSpec& frame : checks.model.frames)
    if (!frame.name.starts_with(frame.body + ".")) named.push_back(frame);
  check("frame", named);
  check("coordinate", checks.model.coordinates);
  check("joint", checks.model.joints);
  check("coupler", checks.model.couplers);
  check("motion", checks.model.motions);
  check("force", checks.model.forces);
  check("control", checks.model.controls);
  check("measure", checks.model.measures);
  check("event", checks.model.events);
  check("table", checks.model.tables);
  check("input", checks.model.inputs);
  check("beam", checks.model.beams);
  check("contact", checks.model.contacts);
  check("track", checks.model.tracks);
  check("wheel", checks.model.wheels);
  check("flange_stop", checks.model.flange_stops);
  check("road", checks.model.roads);
}

namespace {

/// A physical inertia J (about the centre of mass): symmetric, principal moments J₁ ≤ J₂ ≤ J₃ with J₁ ≥ 0 and
/// J₁ + J₂ ≥ J₃ (a flat body has equality).
void check_inertia(ModelChecks& checks, const BodySpec& body) {
  const Eigen::Matrix3d& J = body.inertia;
  constexpr double rounding = 1e-9;  // of the largest moment: what rounded input may violate
  if (!J.allFinite()) return checks.report("body", body, "inertia", "'inertia' is not finite");
  const double scale = J.cwiseAbs().maxCoeff();
  if ((J - J.transpose()).cwiseAbs().maxCoeff() > rounding * scale)
    return checks.report("body", body, "inertia",
                         fmt::format("'inertia' is not symmetric (xy {} and yx {}, xz {} and zx {}, yz {} and zy {})",
                                     J(0, 1), J(1, 0), J(0, 2), J(2, 0), J(1, 2), J(2, 1)));
  if (body.kind == BodyKind::planar) {
    const Eigen::Vector3d n = body.orientation.transpose() * body.plane_normal.stableNormalized();
    if (n.dot(J * n) < 0.0)
      checks.report("body", body, "inertia",
                    fmt::format("the moment of inertia about the normal is {} kg m² but must be ≥ 0", n.dot(J * n)));
    return;
  }
  const Eigen::Vector3d moments = calc_principal_axes(J).values;
  if (moments[0] < -rounding * scale)
    return checks.report("body", body, "inertia",
                         fmt::format("the principal moments of inertia are {:.6g}, {:.6g}, {:.6g} kg m²; none may be "
                                     "negative",
                                     moments[0], moments[1], moments[2]));
  if (moments[0] + moments[1] < moments[2] - rounding * scale)
    checks.report(
        "body", body, "inertia",
        fmt::format("no body has the principal moments of inertia {:.6g}, {:.6g}, {:.6g} kg m²: the sum of two "
                    "({:.6g}) must not be less than the third ({:.6g}); equal is a flat body",
                    moments[0], moments[1], moments[2], moments[0] + moments[1], moments[2]));
}

void check_plane(ModelChecks& checks, const BodySpec& body) {
  if (!body.plane_normal.allFinite() || body.plane_normal.norm() == 0.0)
    return checks.report("body", body, "plane_normal", "the normal of its plane is zero or not finite");
  const Eigen::Vector3d n = body.plane_normal.normalized();
  if (std::abs(n.dot(body.velocity)) > parallel_tol * body.velocity.norm())
    checks.report("body", body, "velocity",
                  fmt::format("'velocity' leaves the plane: its component along the normal is {} m/s but must be 0",
                              n.dot(body.velocity)));
  const Eigen::Vector3d w = body.orientation * body.angular_velocity;
  if (w.cross(n).norm() > parallel_tol * w.norm())
    checks.report("body", body,
                  body.source.fields.count("angular_velocity") > 0 ? "angular_velocity" : "angular_velocity_world",
                  "a planar body turns only about its normal; its angular velocity has another component");
}

}  // namespace

void check_bodies(ModelChecks& checks) {
  for (const BodySpec& body : checks.model.bodies) {
    if (!(body.mass > 0.0) || !std::isfinite(body.mass))
      checks.report("body", body, "mass", fmt::format("'mass' is {} kg but must be > 0 and finite", body.mass));
    const std::pair<const char*, const Eigen::Vector3d*> vectors[] = {{"center_of_mass", &body.center_of_mass},
                                                                      {"position", &body.position},
                                                                      {"velocity", &body.velocity},
                                                                      {"angular_velocity", &body.angular_velocity}};
    for (const auto& [key, vector] : vectors)
      if (!vector->allFinite()) checks.report("body", body, key, fmt::format("'{}' is not finite", key));
    if (body.kind == BodyKind::particle) continue;
    constexpr double rotation_tol = 1e-9;
    const Eigen::Matrix3d defect = body.orientation.transpose() * body.orientation - Eigen::Matrix3d::Identity();
    if (!(defect.norm() <= rotation_tol) || body.orientation.determinant() < 0.0)
      checks.report("body", body, "orientation", "its orientation is not a rotation matrix");
    if (body.kind == BodyKind::planar) check_plane(checks, body);
    check_inertia(checks, body);
  }
  for (const CoordinateSpec& coordinate : checks.model.coordinates) {
    if (!std::isfinite(coordinate.value)) checks.report("coordinate", coordinate, "value", "'value' is not finite");
    if (!std::isfinite(coordinate.rate)) checks.report("coordinate", coordinate, "rate", "'rate' is not finite");
  }
}

void check_beams(ModelChecks& checks) {
  for (const Beam& beam : checks.model.beams)
    for (const std::string& node : beam.nodes) {
      const BodySpec* body = checks.find_body(node);
      if (node != ground_name && (body == nullptr || body->kind != BodyKind::rigid))
        checks.report("beam", beam, "name", fmt::format("its node '{}' is not a rigid body of the model", node));
    }
}

void check_tables(ModelChecks& checks) {
  static const std::vector<std::string> extrapolations{"error", "constant", "linear"};
  for (const TableSpec& table : checks.model.tables) {
    const std::string data = table.source.fields.count("file") > 0 ? "file" : "x";
    const std::size_t n = table.x.size();
    if (n != table.y.size()) {
      checks.report("table", table, "y",
                    fmt::format("'x' has {} values and 'y' has {}; they must be as many", n, table.y.size()));
      continue;
    }
    if (n < 2) checks.report("table", table, data, fmt::format("it has {} points; a table needs at least two", n));
    for (std::size_t i = 0; i < n; ++i) {
      if (!std::isfinite(table.x[i]) || !std::isfinite(table.y[i])) {
        checks.report("table", table, data,
                      fmt::format("point {} is ({}, {}), which is not finite", i + 1, table.x[i], table.y[i]));
        break;
      }
      if (i > 0 && table.x[i] <= table.x[i - 1]) {
        checks.report(
            "table", table, data,
            fmt::format("'x' must increase, but point {} has x = {} after x = {}", i + 1, table.x[i], table.x[i - 1]));
        break;
      }
    }
    if (std::find(extrapolations.begin(), extrapolations.end(), table.extrapolation) == extrapolations.end())
      checks.report("table", table, "extrapolation",
                    "'extrapolation' is " + not_allowed(table.extrapolation, extrapolations));
  }
}

void check_geometry(ModelChecks& checks) {
  for (const GeometrySpec& geometry : checks.model.geometry) {
    check_body_reference(checks, "geometry", geometry, "body", geometry.body);
    const Shape& shape = geometry.shape;
    if (!shape.position.allFinite()) checks.report("geometry", geometry, "position", "'position' is not finite");
    shape.kind->check(checks, geometry);
    const int n = static_cast<int>(shape.vertices.size());
    for (const std::array<int, 3>& triangle : shape.triangles)
      if (*std::min_element(triangle.begin(), triangle.end()) < 0 ||
          *std::max_element(triangle.begin(), triangle.end()) >= n) {
        checks.report("geometry", geometry, "triangles",
                      fmt::format("a triangle joins the vertices {}, {} and {}; they must be 0 … {}", triangle[0],
                                  triangle[1], triangle[2], n - 1));
        break;
      }
  }
}

}  // namespace detail

std::vector<Issue> issues(const Model& model) {
  detail::ModelChecks checks(model);
  if (!model.gravity.allFinite()) checks.issues.push_back({"gravity", "'gravity' is not finite"});
  if (model.bodies.empty() && model.beams.empty() && model.coordinates.empty() && model.controls.empty())
    checks.issues.push_back(
        {"", "nothing moves: the model has no body, beam, coordinate or control; is it the right file?"});
  detail::check_names(checks);
  detail::check_bodies(checks);
  for (const FrameSpec& frame : model.frames) check_body_reference(checks, "frame", frame, "body", frame.body);
  detail::check_joints(checks);
  detail::check_couplers_and_motions(checks);
  detail::check_forces(checks);
  detail::check_tracks(checks);
  detail::check_roads(checks);
  detail::check_controls_and_measures(checks);
  detail::check_events(checks);
  detail::check_tables(checks);
  detail::check_beams(checks);
  detail::check_geometry(checks);
  detail::check_contacts(checks);
  detail::check_formulas(checks);
  detail::check_free_axes(checks);
  return std::move(checks.issues);
}

}  // namespace trammel
