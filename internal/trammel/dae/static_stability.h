// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "trammel/dae/second_order_dae.h"

namespace trammel {

/// Whether a machine that stands still stays where it is, by its stiffness on the directions that constraints leave
/// free:
///
///   (1)  δq = Z y,  G Z = 0;     Zᵀ M Z ÿ + Zᵀ (K + K_λ) Z y = 0
///   (2)  y = e exp(√(−μ) t) for a real eigenvalue μ < 0: it leaves, however slowly it is moved; damping cannot help
///
/// Coordinates are counted in `length` [m] for positions (`StaticUnits`), so that turns and moves are comparable.
/// States z are not asked: where forces depend on them (controllers, bristles) nothing is said.
struct StaticStability {
  bool tested = false;        ///< false: too large, forces of states, or no free direction
  double stiffness = 0.0;     ///< the least real eigenvalue μ of (1) [1/s²]
  bool unstable = false;      ///< μ < 0 beyond rounding
  int coordinate = -1;        ///< that moves most along it
  Eigen::VectorXd direction;  ///< Z e of it, largest entry 1 for rotations, a length for positions
};

/// At x, velocities and accelerations zero. Dense: machines of at most `max_size` coordinates.
Status calc_static_stability(const SecondOrderDae& dae, const MotionVariables& x, const State& state, double length,
                             int max_size, Workspace& workspace, StaticStability& result);

/// Z of (1), one column for each free direction, and the coordinate that each is named by (in which it is 1).
struct FreeDirections {
  Eigen::MatrixXd Z;
  std::vector<int> coordinates;
};
FreeDirections calc_free_directions(const MotionPlanes& planes, int nv, int nc);

}  // namespace trammel
