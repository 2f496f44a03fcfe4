// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "trammel/dae/second_order_dae.h"

namespace trammel {

/// What was done to make the drawn machine consistent.
struct InitialReport {
  double position_change = 0.0;  ///< largest change of a coordinate [m or rad]
  int position_unknown = -1;     ///< which
  double velocity_change = 0.0;
  int velocity_unknown = -1;
  double position_residual = 0.0;  ///< largest |Φ| before the correction
  int position_row = -1;
  double velocity_residual = 0.0;  ///< largest |Φ̇| before the correction
  int velocity_row = -1;
  int iterations = 0;
};

/// Why no consistent start was found; empty `message`: found.
struct InitialFailure {
  std::string message;
  bool failed() const { return !message.empty(); }
};

/// Positions that satisfy Φ, nearest to the given ones in the metric of the mass matrix. Works with redundant rows.
InitialFailure project_positions(const SecondOrderDae& dae, const std::vector<char>& firm, MotionVariables& x,
                                 State& state, Workspace& workspace, InitialReport& report);

/// Velocities that satisfy Φ̇ = 0 (and A v + a = 0), nearest to the given ones.
InitialFailure project_velocities(const SecondOrderDae& dae, const std::vector<char>& firm, MotionVariables& x,
                                  const State& state, Workspace& workspace, InitialReport& report);

}  // namespace trammel
