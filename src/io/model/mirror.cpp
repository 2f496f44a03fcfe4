// SPDX-License-Identifier: Apache-2.0
#include "mirror.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "trammel/mechanics/kinds/force_descriptor.h"
#include "trammel/mechanics/kinds/joint_descriptor.h"

namespace trammel::detail {

namespace {

// Adds a mass with moments J about its centre c (body axes) to a body; a negative one takes it away.
void add_mass(BodySpec& body, double mass, const Eigen::Vector3d& c, const Eigen::Matrix3d& J) {
  const double total = body.mass + mass;
  if (total == 0.0) return;
  const Eigen::Vector3d center = (body.mass * body.center_of_mass + mass * c) / total;
  const auto moved = [&](double m, const Eigen::Vector3d& from) {
    const Eigen::Vector3d d = from - center;
    return Eigen::Matrix3d(m * (d.squaredNorm() * Eigen::Matrix3d::Identity() - d * d.transpose()));
  };
  body.inertia = (body.inertia + moved(body.mass, body.center_of_mass) + J + moved(mass, c)).eval();
  body.mass = total, body.center_of_mass = center;
}

std::string words_of(const Eigen::Vector3d& signs) {
  std::string words;
  for (int i = 0; i < 3; ++i)
    if (signs[i] < 0.0) words += fmt::format("{}{}", words.empty() ? "" : "\" and \"", "xyz"[i]);
  return words;
}

}  // namespace

/// One part's plane, applied to the descriptions of things.
class Mirror::Reflection {
 public:
  Reflection(const Part& part, const std::unordered_map<std::string, const Part*>& part_of_body)
      : H_(part.reflection()),
        p_(part.position),
        B_(part.mirror.asDiagonal()),
        delta_(part.mirror.prod()),
        part_(part),
        part_of_body_(part_of_body) {}

  double sign() const { return delta_; }
  const Eigen::Vector3d& signs() const { return part_.mirror; }

  /// Does it map the world's plane y = 0 (x = 0) and its origin onto themselves, and nothing else of the axes?
  bool keeps_world_but(int axis) const {
    Eigen::Vector3d only = Eigen::Vector3d::Ones();
    only[axis] = -1.0;
    return signs() == only && (H_ - Eigen::Matrix3d(only.asDiagonal())).norm() < 1e-12 && std::abs(p_[axis]) < 1e-12;
  }

  void apply(BodySpec& body) const {
    body.position = p_ + H_ * (body.position - p_);
    body.velocity = H_ * body.velocity;
    if (body.kind != BodyKind::particle) body.orientation = H_ * body.orientation * B_;
    body.center_of_mass = B_ * body.center_of_mass;
    body.inertia = B_ * body.inertia * B_;
    body.angular_velocity = delta_ * B_ * body.angular_velocity;
    body.plane_normal = delta_ * H_ * body.plane_normal;
  }

  void apply(JointSpec& joint) const {
    const JointCoordinates& own = joint.kind->coordinates;
    const bool carries_angles = own.carries_angles && !joint.coordinates.empty();
    const bool turns = (own.angle && !own.displacement) || own.in_rows || carries_angles;
    apply(joint.point);
    if (joint.point_b) apply(*joint.point_b);
    apply(joint.axis, turns);
    if (joint.axis_b) apply(*joint.axis_b, turns);
    joint.pitch *= delta_;
  }

  void apply(ForceSpec& force, const ModelDraft& model) const {
    const bool is_bushing = force.K.size() > 0 || force.C.size() > 0;
    if (is_bushing && !force.axis_x) force.axis_x = AxisSpec{"", default_x(force, model)};
    apply(force.point_a);
    apply(force.point_b);
    const bool turns =
        force.kind->strain == Strain::angle || force.kind == ForceKind::tyre || force.kind == ForceKind::standing_tyre;
    apply(force.axis, turns);
    if (delta_ < 0.0 && force.kind == ForceKind::tyre) force.vehicle.tyre.mirrored = !force.vehicle.tyre.mirrored;
    if (force.axis_x) apply(*force.axis_x, false);
    apply_components(force);
    if (force.K.rows() == 6 || force.C.rows() == 6) {
      const double d = delta_;
      const Eigen::VectorXd T = (Eigen::VectorXd(6) << 1.0, d, 1.0, d, 1.0, d).finished();
      for (Eigen::MatrixXd* K : {&force.K, &force.C})
        if (K->rows() == 6) *K = (T.asDiagonal() * *K * T.asDiagonal()).eval();
    }
  }

  /// [H, x₀, B_a, B_b]: what kinds/force_library.cpp makes of it.
  void apply_to_law(ForceSpec& force, const ModelDraft& model) const {
    force.K.resize(3, 10);
    force.K << H_, p_ - H_ * p_, axes_of(force.body_a, model), axes_of(force.body_b, model);
  }

  void apply(Beam& beam) const {
    const Eigen::Vector3d t(1.0, delta_, 1.0);
    const Eigen::Matrix3d T = t.asDiagonal();
    const Eigen::Matrix<double, 6, 1> T6 = (Eigen::Matrix<double, 6, 1>() << t, delta_ * t).finished();
    for (Beam::Place& place : beam.places) {
      place.position = p_ + H_ * (place.position - p_);
      place.axes = H_ * place.axes * T;
    }
    BeamSection& section = beam.section;
    section.stiffness = (T6.asDiagonal() * section.stiffness * T6.asDiagonal()).eval();
    section.center_of_mass = T * section.center_of_mass;
    section.inertia = T * section.inertia * T;
    beam.pre_stress = T6.cwiseProduct(beam.pre_stress);
  }

  /// What a beam put on a body outside the part.
  void apply(const Added& added, BodySpec& body) const {
    if (is_own(body.name)) return;
    const Eigen::Matrix3d A = body.orientation.transpose() * H_ * body.orientation;
    const Eigen::Vector3d from = body.orientation.transpose() * (p_ - body.position);
    add_mass(body, -added.mass, added.center, -added.inertia);
    add_mass(body, added.mass, from + A * (added.center - from), A * added.inertia * A);
  }
  void apply_of_beam(ForceSpec& force, const ModelDraft& model) const {
    if (!force.in_body_axes || is_own(force.body_b)) return;
    reflect_components(force, axes_of(force.body_b, model));
  }
  void apply_of_beam(GeometrySpec& geometry, const ModelDraft& model) const {
    const auto it = model.body_index.find(geometry.body);
    if (it == model.body_index.end() || is_own(geometry.body)) return;
    const BodySpec& body = model.bodies[it->second];
    const Eigen::Matrix3d A = axes_of(geometry.body, model);
    const Eigen::Vector3d from = body.orientation.transpose() * (p_ - body.position);
    geometry.shape.position = from + A * (geometry.shape.position - from);
    geometry.shape.orientation = A * geometry.shape.orientation * Eigen::Vector3d(1.0, 1.0, delta_).asDiagonal();
  }

  /// In the body's axes, or in the world; refuse_plane() has seen to the plane.
  void apply(RoadSpec& road) const {
    const Eigen::Vector3d& only = signs();
    road.bank *= only.y();
    road.slope *= only.x();
    const std::size_t nx = road.x.size(), ny = std::max<std::size_t>(1, road.y.size());
    if (only.y() < 0.0 && !road.y.empty()) {
      reverse(road.y);
      for (std::size_t i = 0; i < nx; ++i)
        std::reverse(road.z.begin() + static_cast<long>(i * ny), road.z.begin() + static_cast<long>((i + 1) * ny));
    }
    if (only.x() > 0.0) return;
    road.start = -road.start - road.length;
    reverse(road.x);
    std::vector<double> z;
    for (std::size_t i = nx; i-- > 0;)
      z.insert(z.end(), road.z.begin() + static_cast<long>(i * ny), road.z.begin() + static_cast<long>((i + 1) * ny));
    road.z = std::move(z);
  }

  void apply(MeasureSpec& measure) const {
    apply(measure.point_a);
    apply(measure.point_b);
  }

  // A shape is equal to its image in its own plane z = 0; planes and cones, which have a side, in x = 0.
  void apply(GeometrySpec& geometry) const {
    Shape& shape = geometry.shape;
    const bool has_side =
        shape.kind == GeometryKind::plane || shape.kind == GeometryKind::cone || shape.kind == GeometryKind::groove;
    Eigen::Matrix3d D = Eigen::Matrix3d::Identity();
    D(has_side ? 0 : 2, has_side ? 0 : 2) = delta_;
    if (geometry.body == ground_name) {
      shape.position = p_ + H_ * (shape.position - p_);
      shape.orientation = H_ * shape.orientation * D;
      geometry.surface_velocity = H_ * geometry.surface_velocity;
    } else if (is_own(geometry.body)) {
      shape.position = B_ * shape.position;
      shape.orientation = B_ * shape.orientation * D;
      geometry.surface_velocity = B_ * geometry.surface_velocity;
    } else {
      return;
    }
    if (delta_ > 0.0) return;
    for (Eigen::Vector3f& vertex : shape.vertices) vertex.z() = -vertex.z();
    for (std::array<int, 3>& triangle : shape.triangles) std::swap(triangle[1], triangle[2]);
  }

 private:
  bool is_own(const std::string& body) const {
    const auto it = part_of_body_.find(body);
    return it != part_of_body_.end() && it->second->mirror == part_.mirror;
  }

  void apply(PointSpec& point) const {
    if (point.body.empty())
      point.at = p_ + H_ * (point.at - p_);
    else if (is_own(point.body))
      point.at = B_ * point.at;
  }

  void apply(AxisSpec& axis, bool turns) const {
    const double sign = turns ? delta_ : 1.0;
    if (axis.body.empty())
      axis.direction = sign * H_ * axis.direction;
    else if (is_own(axis.body))
      axis.direction = sign * B_ * axis.direction;
  }

  // B of a body's axes: those of the part; others as drawn, so that their image in the world has axes of its own.
  Eigen::Matrix3d axes_of(const std::string& body, const ModelDraft& model) const {
    if (is_own(body)) return B_;
    const auto it = model.body_index.find(body);
    if (it == model.body_index.end()) return H_;
    const Eigen::Matrix3d& R = model.bodies[it->second].orientation;
    return R.transpose() * H_ * R;
  }

  static void reverse(std::vector<double>& values) {
    std::reverse(values.begin(), values.end());
    for (double& value : values) value = -value;
  }

  // The x axis that a bushing has if none is given: that of the world, or y if its own z is there.
  static Eigen::Vector3d default_x(const ForceSpec& force, const ModelDraft& model) {
    Eigen::Vector3d z = force.axis.direction;
    const auto body = model.body_index.find(force.axis.body);
    if (body != model.body_index.end()) z = model.bodies[body->second].orientation * z;
    for (const std::string& name : {force.body_a, force.body_b})
      if (const auto it = model.body_index.find(name); it != model.body_index.end())
        if (const BodySpec& held = model.bodies[it->second]; held.kind == BodyKind::planar) z = held.plane_normal;
    const bool along_x = z.stableNormalized().cross(Eigen::Vector3d::UnitX()).norm() < 1e-6;
    return along_x ? Eigen::Vector3d::UnitY() : Eigen::Vector3d::UnitX();
  }

  // F = M F', each row a formula; M is diagonal for most planes.
  void apply_components(ForceSpec& force) const {
    if (!force.components[0].given()) return;
    if (force.in_body_axes && !is_own(force.body_b)) return;
    reflect_components(force, force.in_body_axes ? B_ : H_);
  }

  void reflect_components(ForceSpec& force, const Eigen::Matrix3d& axes) const {
    const Eigen::Matrix3d M = force.kind == ForceKind::torque ? Eigen::Matrix3d(delta_ * axes) : axes;
    const std::array<Formula, 3> drawn = force.components;
    for (int i = 0; i < 3; ++i) {
      std::string text;
      for (int j = 0; j < 3; ++j) {
        const double m = M(i, j);
        if (std::abs(m) < 1e-15) continue;
        const std::string& part = drawn[static_cast<std::size_t>(j)].text;
        text += fmt::format("{}{}({})", text.empty() ? "" : " + ", m == 1.0 ? "" : fmt::format("({})*", m), part);
      }
      force.components[static_cast<std::size_t>(i)].text = text;
    }
  }

  Eigen::Matrix3d H_;
  Eigen::Vector3d p_;
  Eigen::Matrix3d B_;
  double delta_;
  const Part& part_;
  const std::unordered_map<std::string, const Part*>& part_of_body_;
};

Mirror::Sizes Mirror::sizes() const {
  return {model_.bodies.size(), model_.joints.size(),   model_.couplers.size(), model_.motions.size(),
          model_.forces.size(), model_.measures.size(), model_.geometry.size(), model_.solids.size(),
          model_.beams.size(),  model_.tracks.size(),   model_.wheels.size(),   model_.flange_stops.size(),
          model_.roads.size()};
}

void Mirror::begin(const std::string& kind) {
  before_ = sizes();
  if (kind == "beam") bodies_before_ = model_.bodies;
}

void Mirror::end(const std::string& kind, const Part& part) {
  if (kind == "frame") return;  // frames know where they are
  Range range{&part, before_, sizes()};
  for (std::size_t i = 0; kind == "beam" && i < bodies_before_.size(); ++i) {
    BodySpec with = model_.bodies[i];
    const BodySpec& without = bodies_before_[i];
    if (with.mass == without.mass || model_.heavy.count(with.name) > 0) continue;
    const double mass = with.mass - without.mass;
    const Eigen::Vector3d center = (with.mass * with.center_of_mass - without.mass * without.center_of_mass) / mass;
    add_mass(with, -without.mass, without.center_of_mass, -without.inertia);  // what is left is the beam's
    range.added.push_back({i, mass, center, with.inertia});
  }
  ranges_.push_back(std::move(range));
}

void Mirror::refuse_angle(const std::string& place, const std::string& what, const std::string& joint,
                          JointCoordinate coordinate) {
  if (coordinate != JointCoordinate::angle) return;
  const auto it = model_.joint_index.find(joint);
  if (it == model_.joint_index.end() || !model_.joints[it->second].kind->coordinates.displacement) return;
  findings_.add(place, fmt::format("{}: the joint '{}' turns and slides; in a mirrored part it keeps the sign of its "
                                   "displacement and not that of its angle. Use the displacement, or two joints",
                                   what, joint));
}

void Mirror::refuse_plane(const Range& range, const std::string& place, const std::string& what,
                          const std::string& body, const char* reason) {
  findings_.add(place, fmt::format("{} stands in a part with mirror = \"{}\"{}: {}", what, words_of(range.part->mirror),
                                   body.empty() ? "" : fmt::format(" on '{}'", body), reason));
}

// Beams, and what lies along x.
void Mirror::apply_to_lines(const Range& range, const Reflection& reflection) {
  for (std::size_t i = range.from.beams; i < range.to.beams; ++i) reflection.apply(model_.beams[i]);
  for (const Added& added : range.added) reflection.apply(added, model_.bodies[added.body]);
  const bool in_y = reflection.keeps_world_but(1), in_x = reflection.keeps_world_but(0);
  const char* of_track =
      "a track runs along x from the world's origin with z up, and only its image in the world's plane y = 0 does; "
      "mirror "
      "there, or put it into the including file";
  for (std::size_t i = range.from.joints; i < range.to.joints; ++i)
    if (const JointSpec& joint = model_.joints[i]; joint.kind == JointKind::track && !in_y)
      refuse_plane(range, joint.source.entity, fmt::format("joint '{}'", joint.name), "", of_track);
  for (std::size_t i = range.from.tracks; i < range.to.tracks; ++i) {
    TrackSpec& track = model_.tracks[i];
    if (!in_y) refuse_plane(range, track.source.entity, fmt::format("track '{}'", track.name), "", of_track);
    for (double& change : track.changes) change = -change;
    track.curvature = -track.curvature;
  }
  for (std::size_t i = range.from.wheels; i < range.to.wheels; ++i) {
    WheelRailSpec& wheel = model_.wheels[i];
    if (!in_y) refuse_plane(range, wheel.source.entity, fmt::format("wheel '{}'", wheel.name), "", of_track);
    wheel.left = !wheel.left;
  }
  for (std::size_t i = range.from.flange_stops; i < range.to.flange_stops; ++i)
    if (const FlangeStopSpec& stop = model_.flange_stops[i]; !in_y)
      refuse_plane(range, stop.source.entity, fmt::format("flange_stop '{}'", stop.name), "", of_track);
  for (std::size_t i = range.from.roads; i < range.to.roads; ++i) {
    RoadSpec& road = model_.roads[i];
    const bool reversible = road.kind != RoadKind::sweep && road.kind != RoadKind::random;
    const bool on_ground = road.body == ground_name;
    const Eigen::Vector3d& signs = reflection.signs();
    const bool y = on_ground ? in_y : signs == Eigen::Vector3d(1, -1, 1);
    const bool x = on_ground ? in_x : signs == Eigen::Vector3d(-1, 1, 1);
    if (y || (x && reversible))
      reflection.apply(road);
    else
      refuse_plane(range, road.source.entity, fmt::format("road '{}'", road.name), on_ground ? "" : road.body,
                   "a road is a height over x and y, and waves and random profiles run along x; only an image in "
                   "y = 0 (of others in x = 0 as well) through the origin of its axes is one");
  }
}

// Angles keep their sign in a mirrored part where a joint only turns, displacements where it only slides along its
// axis.
void Mirror::refuse_carried(const JointSpec& joint) {
  const JointCoordinates& own = joint.kind->coordinates;
  const bool turns_and_slides = !joint.coordinate.empty() && own.angle && own.displacement;
  if (!turns_and_slides && (joint.coordinates.empty() || own.carries_angles)) return;
  findings_.add(
      joint.source.entity,
      fmt::format("joint '{}': what it carries turns and slides, and cannot keep both signs in a mirrored part. "
                  "Use two joints",
                  joint.name));
}

void Mirror::apply() {
  std::unordered_map<std::string, const Part*> part_of_body;
  for (const Range& range : ranges_)
    for (std::size_t i = range.from.bodies; i < range.to.bodies; ++i)
      part_of_body.try_emplace(model_.bodies[i].name, range.part);
  for (const Range& range : ranges_) {
    const Reflection reflection(*range.part, part_of_body);
    const bool odd = reflection.sign() < 0.0;
    for (std::size_t i = range.from.couplers; odd && i < range.to.couplers; ++i)
      for (const CouplerTerm& term : model_.couplers[i].terms)
        refuse_angle(model_.couplers[i].source.entity, fmt::format("coupler '{}'", model_.couplers[i].name), term.name,
                     term.coordinate);
    for (std::size_t i = range.from.motions; odd && i < range.to.motions; ++i)
      refuse_angle(model_.motions[i].source.entity, fmt::format("motion '{}'", model_.motions[i].name),
                   model_.motions[i].joint, model_.motions[i].coordinate);
    for (std::size_t i = range.from.forces; i < range.to.forces; ++i) {
      ForceSpec& force = model_.forces[i];
      const std::string what = fmt::format("force '{}'", force.name);
      if (odd) refuse_angle(force.source.entity, what, force.joint, force.coordinate);
      if (range.to.beams > range.from.beams) reflection.apply_of_beam(force, model_);
      reflection.apply(force, model_);
      if (odd && force.kind == ForceKind::library) reflection.apply_to_law(force, model_);
    }
    apply_to_lines(range, reflection);
    for (std::size_t i = range.from.joints; i < range.to.joints; ++i) {
      if (odd) refuse_carried(model_.joints[i]);
      reflection.apply(model_.joints[i]);
    }
    for (std::size_t i = range.from.measures; i < range.to.measures; ++i) reflection.apply(model_.measures[i]);
    for (std::size_t i = range.from.geometry; i < range.to.geometry; ++i) reflection.apply(model_.geometry[i]);
    for (std::size_t i = range.from.solids; i < range.to.solids; ++i) {
      reflection.apply(model_.solids[i]);
      if (range.to.beams > range.from.beams) reflection.apply_of_beam(model_.solids[i], model_);
    }
  }
  for (const Range& range : ranges_) {
    const Reflection reflection(*range.part, part_of_body);
    for (std::size_t i = range.from.bodies; i < range.to.bodies; ++i) reflection.apply(model_.bodies[i]);
  }
}

}  // namespace trammel::detail
