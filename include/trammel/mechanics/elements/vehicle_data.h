// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "trammel/mechanics/elements/magic_formula_data.h"

namespace trammel {

/// The data of vehicle forces beyond those that every force has (ForceSpec): docs/elements/vehicles.md.

/// A tyre by the Magic Formula: forces of its load F_z, slips and camber.
struct TyreSpec {
  double free_radius = 0.0;       ///< R₀ [m] > 0
  double rolling_radius = 0.0;    ///< R_e [m] > 0: speed of the wheel's rim when it rolls freely, per rad/s
  double nominal_load = 1.0;      ///< F_z0 [N] > 0
  double reference_speed = 16.7;  ///< V₀ [m/s], of rolling resistance
  double pressure = 1.0, nominal_pressure = 1.0;  ///< p, p₀ [Pa]
  /// σ_x, σ_y [m] > 0 at the nominal load; 0: of PTX1 …, or of the stiffnesses below.
  double longitudinal_relaxation = 0.0, lateral_relaxation = 0.0;
  double longitudinal_stiffness = 0.0, lateral_stiffness = 0.0;  ///< of the carcass [N/m]; 0: none are given
  double standstill_damping = 0.1;  ///< ratio, of the carcass with the nominal load as its mass; fades with speed
  bool combined = false;            ///< by G_xα, G_yκ; else by similarity, which keeps to the ellipse of friction
  bool mirrored = false;            ///< the data belong to a tyre of the other side
  MagicFormula formula = {};
};

struct VehicleSpec {
  std::string carrier = {};                                     ///< tyre: the body that the wheel turns on
  std::string road = {};                                        ///< tyres: the [[road]], empty: a plane
  TyreSpec tyre = {};                                           ///< tyre, standing_tyre
  double horizontal_stiffness = 0.0, horizontal_damping = 0.0;  ///< standing_tyre [N/m], [N s/m]
  double quadratic = 0.0;                                       ///< bump_stop: k₂ [N/m²]
  std::string other_joint = {};                                 ///< anti_roll_bar: the second joint
};

}  // namespace trammel
