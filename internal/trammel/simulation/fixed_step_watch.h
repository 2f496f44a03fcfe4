// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "trammel/integrators/motion_integrator.h"
#include "trammel/simulation/run_checks.h"
#include "trammel/simulation/violations.h"

namespace trammel {

class Memory;

/// Judges the length of a fixed step. Rotations that change their speed by half a turn per step within a step are not
/// resolved by it. Methods of order 2 err by h³/12 |v̈| of a position in each step, which adds up to how far it is off
/// at the end,
///
///   e = Σ h/12 |v_{n+1} − 2 v_n + v_{n−1}|        (ωh)²/12 · ωt times the amplitude of a vibration
///     + Σ h²/12 |ω × Δω|                          of rotations of bodies, whose axes turn
///
/// where it is large beside the way from end to end of the coordinate itself, x = Σ h v.
class FixedStepWatch {
 public:
  /// `checks` adds the errors up. Without a fixed step nothing is watched.
  FixedStepWatch(const Machine& machine, RunChecks& checks);

  /// The step of length h that ends at x; h = 0: the start.
  void note_step(const MotionVariables& x, double h);
  void sum_up(const Violations& violations, const MotionIntegrator::LeftBehind& behind, Summary& summary) const;
  void remember(Memory& memory);

 private:
  const SolverOptions& options_;
  const Assembly& full_;
  const Index3& index3_;
  RunChecks& checks_;
  double unresolved_turn_ = 0.0, unresolved_t_ = 0.0;  // largest |v̇| h² of a rotation, and when
  int unresolved_at_ = -1;                             // of which coordinate
  double largest_speed_ = 0.0;
};

}  // namespace trammel
