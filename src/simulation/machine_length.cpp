#include "trammel/simulation/machine_length.h"

#include <algorithm>
#include <cmath>

namespace trammel {

namespace {

constexpr double ordinary_length = 0.1;  // [m]

class Extent {
 public:
  explicit Extent(const Model& model) : model_(model) {}

  void add(const Eigen::Vector3d& point) { box_.extend(point); }
  void add(const PointSpec& point) {
    const BodySpec* body = find(point.body);
    add(body ? Eigen::Vector3d(body->position + body->orientation * point.at) : point.at);
  }
  void add_length(double length) { length_ = std::max(length_, length); }
  double length() const { return std::max(length_, box_.isEmpty() ? 0.0 : box_.diagonal().norm()); }

 private:
  const BodySpec* find(const std::string& name) const {
    const auto body =
        std::find_if(model_.bodies.begin(), model_.bodies.end(), [&](const BodySpec& b) { return b.name == name; });
    return body == model_.bodies.end() ? nullptr : &*body;
  }

  const Model& model_;
  Eigen::AlignedBox3d box_;
  double length_ = 0.0;
};

bool has_two_points(ForceKind kind) {
  return kind == ForceKind::spring_damper || kind == ForceKind::axial_spring || kind == ForceKind::bump_stop;
}

}  // namespace

double machine_length(const Model& model) {
  Extent extent(model);
  for (const BodySpec& body : model.bodies) {
    extent.add(Eigen::Vector3d(body.position + body.orientation * body.center_of_mass));
    if (body.mass > 0.0) extent.add_length(std::sqrt(std::max(0.0, body.inertia.diagonal().maxCoeff()) / body.mass));
  }
  for (const JointSpec& joint : model.joints) {
    extent.add(joint.point);
    if (joint.point_b) extent.add(*joint.point_b);
    extent.add_length(std::max({joint.length.value_or(0.0), joint.radius, joint.pitch}));
  }
  for (const ForceSpec& force : model.forces) {
    if (!has_two_points(force.kind)) continue;
    extent.add(force.point_a);
    extent.add(force.point_b);
  }
  if (!model.contacts.empty())
    for (const GeometrySpec& geometry : model.geometry)
      extent.add_length(std::max({geometry.shape.radius, geometry.shape.length}));
  // What has a size of its own, in metres, beyond bodies and joints.
  if (!model.tracks.empty() || !model.wheels.empty() || !model.coordinates.empty()) extent.add_length(ordinary_length);
  return extent.length();
}

double tolerance_scale(const Model& model) {
  const double length = machine_length(model);
  if (!(length > 0.0) || length >= ordinary_length) return 1.0;
  return std::pow(10.0, std::floor(std::log10(length)) + 1.0);
}

}  // namespace trammel
