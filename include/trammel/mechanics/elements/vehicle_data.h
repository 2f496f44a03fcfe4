// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace trammel {

/// The data of vehicle forces beyond those that every force has (ForceSpec): docs/elements/vehicles.md.

/// A tyre by Pacejka's formula for pure slip: of the wheel's load F_z, with the nominal load F_z0.
struct TyreSpec {
  double free_radius = 0.0;     ///< R₀ [m] > 0
  double rolling_radius = 0.0;  ///< R_e [m] > 0: speed of the wheel's rim when it rolls freely, per rad/s
  double nominal_load = 0.0;    ///< F_z0 [N] > 0
  /// Cornering stiffness K_y = slope F_z0 sin(2 atan(F_z/(load F_z0))), force D_y sin(C_y atan(K_y α/(C_y D_y))).
  double cornering_slope = 0.0, cornering_load = 1.0;
  double lateral_friction = 1.0, lateral_shape = 1.0;  ///< D_y/F_z, C_y
  double slip_stiffness = 0.0;                         ///< K_x/F_z
  double longitudinal_friction = 1.0, longitudinal_shape = 1.0;
  /// Pneumatic trail t = trail (F_z/F_z0) cos(trail_shape atan(trail_slope α)) [m].
  double trail = 0.0, trail_shape = 1.0, trail_slope = 0.0;
};

struct VehicleSpec {
  std::string carrier = {};                                     ///< tyre: the body that the wheel turns on
  TyreSpec tyre = {};                                           ///< tyre, standing_tyre
  double horizontal_stiffness = 0.0, horizontal_damping = 0.0;  ///< standing_tyre [N/m], [N s/m]
  double quadratic = 0.0;                                       ///< bump_stop: k₂ [N/m²]
  std::string other_joint = {};                                 ///< anti_roll_bar: the second joint
};

}  // namespace trammel
