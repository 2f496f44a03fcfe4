// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "trammel/integrators/motion_integrator.h"

namespace trammel {

class Memory;

/// Whether a run that chose its method should go on with the other one.
///
/// The explicit pair pays a few evaluations per step and must resolve the fastest small motion, whether that matters or
/// not; Radau pays a matrix and iterations and passes over what does not matter. At the limit of its stability the
/// explicit pair meets
///
///   (1) h|σ| ≈ 1 where the fastest motion oscillates, ≈ 3.3 where it decays
///
/// in nearly every step. Motions that do matter are resolved with h|σ| ≈ (C rtol)^(1/6), C = 6!·5: where that is more
/// than (1), at loose tolerances, a step at (1) is held by stability whatever the motion matters. Then Radau is tried,
/// and after some steps both are compared by
///
///   (2) time advanced per cost, the cost counted in evaluations of the accelerations:
///
/// nothing depends on a clock. Where Radau does not win the explicit pair goes on, the next trial waits twice as long
/// and is twice as long itself, since vibrations that the explicit pair has kept alive must be damped first. A run
/// that begins with Radau compares it with what (1) would allow, unless loops are closed: every stage of the explicit
/// pair solves for their forces, and Radau needs fewer iterations than that has stages. There steps that grow count as
/// what they will be.
class MethodExchange {
 public:
  struct Start {
    bool explicit_first = true;
    double rtol = 0.0;
    double rate = 0.0;          ///< steps that stability asks of the explicit pair at the start [1/s]; 0: not known
    double span = 0.0;          ///< of the run [s]
    bool by_recursion = false;  ///< accelerations follow without any matrix
    bool stays = false;         ///< a trial would cost more than it could win: only a failure makes the other go on
  };
  /// Of a step beside its method, of an iteration of Radau and of its matrices, in evaluations.
  struct Costs {
    double step, iteration, factors;
  };
  explicit MethodExchange(const Start& start);

  /// After an accepted step that ends at t. true: the other method goes on from there.
  bool judge(const StepReport& report, double t);
  /// The method failed at t and the other one goes on, for good.
  void turn(double t);
  void remember(Memory& memory);

 private:
  void begin_phase(double t);

  bool explicit_, begins_, settled_ = false;  // begins_: the first phase is Radau's, and is not over
  Costs costs_;
  double limit_;                 // of h|σ|
  double explicit_speed_ = 0.0;  // (2)
  double speed_before_ = 0.0;    // of Radau, in the first half of its phase
  long wait_;                    // steps of the explicit phase before the next trial
  long next_trial_, trial_ = 0;  // of Radau in it, and of the present phase of Radau
  // Of the present phase, and of its window of steps.
  long steps_ = 0, window_ = 0, held_ = 0;
  double t_window_ = 0.0, cost_ = 0.0;
};

}  // namespace trammel
