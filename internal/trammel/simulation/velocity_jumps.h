// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "trammel/dae/acceleration_solver.h"
#include "trammel/simulation/run_ledger.h"

namespace trammel {

class Memory;

/// Motions whose velocity jumps: an event with an impulse. It is computed in absolute coordinates, where every motion
/// has a row; joint coordinates may follow a motion by themselves.
class VelocityJumps {
 public:
  /// `solver` finds accelerations after kinks.
  VelocityJumps(const Machine& machine, Viewer& viewer, Motion& motion, AccelerationSolver& solver);

  struct Jump {
    int row = -1;  ///< of the constraint whose rate jumps most; −1: none does
    double size = 0.0;
  };
  Jump find(const MotionVariables& x);
  /// Velocities after it are those of impulse.h (1); the method begins anew with them.
  Status pass(const Jump& jump, MotionVariables x, RunLedger& ledger, std::vector<std::string>& notes);
  void sum_up(std::vector<std::string>& notes) const;
  void remember(Memory& memory);

 private:
  Status calc_velocities(double after, MotionVariables& x, double& energy);

  const Machine& machine_;
  const Assembly& full_;
  Viewer& viewer_;
  Motion& motion_;
  AccelerationSolver& solver_;
  std::size_t n_ = 0;
};

}  // namespace trammel
