// SPDX-License-Identifier: Apache-2.0
#include "trammel/mechanics/kinds/drawn.h"

namespace trammel {

Placement place_body(const BodySpec& body) {
  Placement place;
  place.R = body.kind == BodyKind::particle ? Eigen::Matrix3d::Identity().eval() : body.orientation;
  place.com = body.center_of_mass;
  place.p = body.position + place.R * place.com;
  place.planar = body.kind == BodyKind::planar;
  if (place.planar) place.normal = body.plane_normal.normalized();
  return place;
}

std::pair<Eigen::Vector3d, Eigen::Vector3d> complete_triad(const Eigen::Vector3d& n) {
  int axis = 0;
  n.cwiseAbs().minCoeff(&axis);
  if (n.z() > 0.999999) axis = 0;  // z up: e₁ = x, e₂ = y
  const Eigen::Vector3d e1 = (Eigen::Vector3d::Unit(axis) - n * n[axis]).normalized();
  return {e1, n.cross(e1)};
}

}  // namespace trammel
