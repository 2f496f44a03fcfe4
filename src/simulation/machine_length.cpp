// SPDX-License-Identifier: Apache-2.0
#include "trammel/simulation/machine_length.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <unordered_map>

#include "trammel/mechanics/kinds/force_descriptor.h"

namespace trammel {

namespace {

constexpr double ordinary_length = 0.1;  // [m]

class Extent {
 public:
  explicit Extent(const Model& model) {
    for (const BodySpec& body : model.bodies) bodies_.emplace(body.name, &body);
  }

  void add(const Eigen::Vector3d& point) { box_.extend(point); }
  void add(const PointSpec& point) {
    const auto found = bodies_.find(point.body);
    if (found == bodies_.end()) return add(point.at);
    add(Eigen::Vector3d(found->second->position + found->second->orientation * point.at));
  }
  void add_length(double length) { length_ = std::max(length_, length); }
  double length() const { return std::max(length_, box_.isEmpty() ? 0.0 : box_.diagonal().norm()); }

 private:
  std::unordered_map<std::string_view, const BodySpec*> bodies_;
  Eigen::AlignedBox3d box_;
  double length_ = 0.0;
};

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
    if (!force.kind->between_points) continue;
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
