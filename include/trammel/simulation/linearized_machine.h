// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

#include "trammel/dae/linearization.h"

namespace trammel {

/// A machine's small motions, and how its measures follow them.
struct LinearizedMachine {
  Linearization motion;
  Eigen::MatrixXd C, D;               ///< of the measures
  std::vector<std::string> outputs;   ///< their names
  double largest_acceleration = 0.0;  ///< not zero: not a steady motion, a momentary linearization
};

}  // namespace trammel
