// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <optional>

#include "trammel/mechanics/geometry.h"

namespace trammel {

/// A homogeneous solid of unit density.
struct Solid {
  double volume = 0.0;                                ///< [m³], its mass
  Eigen::Vector3d center = Eigen::Vector3d::Zero();   ///< of mass, body axes [m]
  Eigen::Matrix3d inertia = Eigen::Matrix3d::Zero();  ///< about that centre, body axes [m⁵]
};

/// The solid that a shape encloses, edges taken as sharp; nothing for planes and meshes, which need not enclose any.
std::optional<Solid> calc_solid(const Shape& shape);

/// Two solids as one: masses add, inertias about the common centre (Steiner).
Solid join(const Solid& a, const Solid& b);

}  // namespace trammel
