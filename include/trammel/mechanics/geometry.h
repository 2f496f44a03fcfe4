// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "trammel/mechanics/kinds.h"

namespace trammel {

/// What a body looks like, and where it can be touched. Drawings have no effect on the motion, contacts have.
struct Shape {
  GeometryKind kind = GeometryKind::box;
  Eigen::Vector3d position = Eigen::Vector3d::Zero();         ///< [m] of the shape's centre, body axes, from its origin
  Eigen::Matrix3d orientation = Eigen::Matrix3d::Identity();  ///< R_BS, axes of the shape in the body
  Eigen::Vector3d size = Eigen::Vector3d::Ones();             ///< [m]
  double radius = 0.0, inner_radius = 0.0, length = 0.0;      ///< [m]
  double rounding = 0.0;                                      ///< [m] radius of the edges of a box or cylinder
  double pitch_radius = 0.0, angle = 0.0, arc = 0.0;          ///< [m], [rad] of a groove
  std::vector<Eigen::Vector2d> polygon = {};                  ///< [m] corners in order, not repeating the first
  bool smooth = false;                                        ///< extrusion: a closed cubic spline through `polygon`
  std::vector<Eigen::Vector3f> vertices = {};                 ///< [m]
  std::vector<std::array<int, 3>> triangles = {};             ///< corners, counter-clockwise seen from outside
  std::string color = {};                                     ///< "#rrggbb"; empty: chosen by whoever draws
  std::optional<double> opacity = {};                         ///< 0 … 1; none: chosen by whoever draws
};

}  // namespace trammel
