// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Geometry>
#include <span>
#include <utility>

#include "trammel/mechanics/model.h"

namespace trammel {

/// A frame as drawn: its origin is the centre of mass.
struct Placement {
  Eigen::Vector3d p = Eigen::Vector3d::Zero();
  Eigen::Matrix3d R = Eigen::Matrix3d::Identity();
  bool planar = false;
  Eigen::Vector3d normal = Eigen::Vector3d::UnitZ();
  Eigen::Vector3d com = Eigen::Vector3d::Zero();  ///< from the body's origin, body axes

  Eigen::Vector3d origin() const { return p - R * com; }
  Eigen::Vector3d local_point(const Eigen::Vector3d& p_W) const { return R.transpose() * (p_W - p); }
  Eigen::Vector3d local_axis(const Eigen::Vector3d& n_W) const { return R.transpose() * n_W; }
};
Placement place_body(const BodySpec& body);

/// A joint in the drawn world, between two frames.
struct DrawnJoint {
  int a = 0, b = 0;
  Eigen::Vector3d point, point_b, axis, axis_b;
  bool planar = false;  ///< both bodies move in one plane
  Eigen::Vector3d normal = Eigen::Vector3d::UnitZ();
};
/// `world` makes world coordinates of points and unit vectors of axes; `places` are those of the frames.
template <class World>
DrawnJoint draw_joint(const JointSpec& spec, bool center_b, int a, int b, std::span<const Placement> places,
                      const World& world) {
  DrawnJoint j;
  j.a = a, j.b = b;
  j.point = world(spec.point);
  j.point_b = spec.point_b ? world(*spec.point_b) : center_b ? places[b].origin() : j.point;
  j.axis = world(spec.axis);
  j.axis_b = spec.axis_b ? world(*spec.axis_b) : j.axis;
  const Placement &pa = places[a], &pb = places[b];
  j.planar = (pa.planar || a == 0) && (pb.planar || b == 0);
  j.normal = pb.planar ? pb.normal : pa.normal;
  return j;
}

/// Two unit vectors that make a right-handed triad with the unit vector n; world axes are kept where possible.
std::pair<Eigen::Vector3d, Eigen::Vector3d> complete_triad(const Eigen::Vector3d& n);

}  // namespace trammel
