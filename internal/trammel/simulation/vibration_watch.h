// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <vector>

#include "trammel/simulation/machine.h"
#include "trammel/simulation/run_checks.h"

namespace trammel {

class Memory;

/// What relatives of the trapezoidal rule make of free vibrations, coordinate by coordinate, where energies do not
/// tell: a machine that motions drive exchanges energy with them all the time, and what it drives may be a thousand
/// times as heavy as what rings.
///
/// Of a vibration x with the frequency ω a step h errs in the velocity by h³ x⁗/12, which is late, and by (γ − ½) h² x‴
/// of Newmark's method, which damps. With a = Δv/h, in a window of the length w, with sums over its steps,
///
///   (1)  ω² = Σ (Δa)²/h / Σ h a²
///   (2)  late by        τ = w/12 · Σ h (Δa)² / Σ h a²                = Σ h (ωh)²/12
///   (3)  smaller by     ρ = w (γ − ½)/2 · Σ (Δa)² / Σ h a²           = Σ (γ − ½) (ωh)²/2
///   (4)  off by         √(2 mean a²)/ω · (τ + ρ/ω)                   τ and ρ since it began to ring
///
/// Accelerations and not velocities, which what is slow has most of.
///
/// What motions force errs as well, but each swing anew: nothing adds up. A motion u forces at its own rates, and by
/// what the machine's geometry bends of it at multiples of them, the less of these the less u moves:
///
///   (5)  ω_u² = Σ (Δü)²/h / Σ h ü²,   the fastest of all
///
/// With ω above three times that the vibration is free. Anything else is not asked: motions that move far or turn,
/// forces that know the time, controls, roads, contacts. Where ω falls to ω_u the vibration has died out, and τ and ρ
/// begin anew; so they do behind a kink. Rotations of bodies are not asked: their velocities are known in axes that
/// turn with them, and what is steady in space vibrates there.
class VibrationWatch {
 public:
  explicit VibrationWatch(const Machine& machine);

  /// After every step; `smooth`: no kink, impact or restart since the last call.
  void note_step(const MotionVariables& x, bool smooth);
  /// (4) of the coordinate where it is the largest part of its own way.
  RunChecks::Unresolved find_late(std::span<const Kind> kinds, std::span<const int> charts) const;
  void remember(Memory& memory);

 private:
  void note_drives(double h, bool smooth);
  void close_window(double t);
  bool drives_are_small() const;

  const Index3& index3_;
  double dispersion_ = 0.0, damping_ = 0.0;  // of (2) and (3); both 0: not asked
  double window_ = 0.0;                      // w
  double far_ = 0.0;                         // motions that move by more are not small
  InputBuffer inputs_;
  int n_steps_ = 0;
  double t_ = 0.0, window_from_ = 0.0;
  bool window_is_smooth_ = true;
  double h_ = 0.0;                                           // of the last step
  Eigen::VectorXd v_, a_;                                    // at its end and in it
  Eigen::VectorXd accelerations_, jerks_, squares_, cubes_;  // Σ h a², Σ (Δa)²/h, Σ (Δa)², Σ h (Δa)² of the window
  Eigen::VectorXd late_, damped_, off_;                      // τ, ρ and the largest (4)
  Eigen::VectorXd way_, least_, most_;                       // Σ h v with its ends
  double off_t_ = 0.0;                                       // when off_ grew last
  /// Of an input: ü, Σ h ü², Σ (Δü)²/h, and the ends of u.
  struct Drive {
    double acceleration = 0.0, accelerations = 0.0, jerks = 0.0, lowest = 0.0, highest = 0.0;
  };
  std::vector<Drive> drives_;
};

}  // namespace trammel
