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
    const bool turns = (own.angle && !own.displacement) || own.in_rows;
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

  void apply(MeasureSpec& measure) const {
    apply(measure.point_a);
    apply(measure.point_b);
  }

  // A shape is equal to its image in its own plane z = 0; planes and cones, which have a side, in x = 0.
  void apply(GeometrySpec& geometry) const {
    Shape& shape = geometry.shape;
    const bool has_side = shape.kind == GeometryKind::plane || shape.kind == GeometryKind::cone;
    Eigen::Matrix3d D = Eigen::Matrix3d::Identity();
    D(has_side ? 0 : 2, has_side ? 0 : 2) = delta_;
    if (geometry.body == ground_name) {
      shape.position = p_ + H_ * (shape.position - p_);
      shape.orientation = H_ * shape.orientation * D;
    } else if (is_own(geometry.body)) {
      shape.position = B_ * shape.position;
      shape.orientation = B_ * shape.orientation * D;
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
    const double sign = force.kind == ForceKind::torque ? delta_ : 1.0;
    const Eigen::Matrix3d M = sign * (force.in_body_axes ? B_ : H_);
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
          model_.forces.size(), model_.measures.size(), model_.geometry.size(), model_.solids.size()};
}

void Mirror::begin() { before_ = sizes(); }

void Mirror::end(const std::string& kind, const Part& part) {
  if (kind != "frame") ranges_.push_back({&part, before_, sizes()});  // frames know where they are
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
      if (odd && force.kind == ForceKind::library)
        findings_.add(force.source.entity,
                      what + ": a law from a library cannot be mirrored: nobody knows its vectors");
      reflection.apply(force, model_);
    }
    for (std::size_t i = range.from.joints; i < range.to.joints; ++i) reflection.apply(model_.joints[i]);
    for (std::size_t i = range.from.measures; i < range.to.measures; ++i) reflection.apply(model_.measures[i]);
    for (std::size_t i = range.from.geometry; i < range.to.geometry; ++i) reflection.apply(model_.geometry[i]);
    for (std::size_t i = range.from.solids; i < range.to.solids; ++i) reflection.apply(model_.solids[i]);
  }
  for (const Range& range : ranges_) {
    const Reflection reflection(*range.part, part_of_body);
    for (std::size_t i = range.from.bodies; i < range.to.bodies; ++i) reflection.apply(model_.bodies[i]);
  }
}

}  // namespace trammel::detail
