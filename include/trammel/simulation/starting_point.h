// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <map>
#include <string>

namespace trammel {

/// Where a machine begins, in place of where it is drawn: by the names of the model, as results record it.
struct StartingPoint {
  struct Body {
    Eigen::Vector3d position = Eigen::Vector3d::Zero();               ///< of its origin, world [m]
    Eigen::Quaterniond orientation = Eigen::Quaterniond::Identity();  ///< R_WB
    Eigen::Vector3d velocity = Eigen::Vector3d::Zero();               ///< of its origin, world [m/s]
    Eigen::Vector3d angular_velocity = Eigen::Vector3d::Zero();       ///< body axes [rad/s]
  };
  struct Coordinate {
    double value = 0.0, rate = 0.0;
  };
  double t = 0.0;  ///< [s]
  std::map<std::string, Body> bodies;
  std::map<std::string, Coordinate> coordinates;  ///< massless ones
  std::map<std::string, Coordinate> angles;       ///< of joints, turns counted; not given: within half a turn as drawn
  std::map<std::string, double> states;           ///< of controls: "filter.output"

  /// As results keep it, and back with the same bits.
  std::string to_text() const;
  static StartingPoint from_text(const std::string& text);
};

}  // namespace trammel
