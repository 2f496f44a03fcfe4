// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

namespace trammel {

/// The surface of a drawn shape, in the axes of its body from that body's origin.
struct Surface {
  int body = -1;  ///< as numbered in /frames/position; −1: the ground
  std::vector<Eigen::Vector3d> points = {};
  std::vector<std::vector<int>> polygons = {};
};

/// What is drawn of the bodies, from the scene that a run recorded (simulation/scene.h). What cannot be understood of
/// it is left out.
std::vector<Surface> read_surfaces(const std::string& scene, int n_bodies);

}  // namespace trammel
