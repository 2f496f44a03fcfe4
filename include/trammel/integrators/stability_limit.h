// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <vector>

#include "trammel/integrators/bdf_history.h"

namespace trammel {

/// Notices that the step size is held down by stability and not by accuracy.
///
/// BDF methods of order 3 to 6 amplify undamped oscillations over a wide range of hω (order 3: up to hω ≈ 2). On a
/// smooth motion of a stiff, hardly damped structure the step grows into that range, invisible oscillations grow out of
/// the tolerance, steps are rejected, and the method crawls along with hω ≪ 1 for ever; orders 1 and 2 are A-stable and
/// them. CVODE's detector estimates the dominant characteristic root from norms; here it is fitted to the third
/// differences d_n ≈ h³ y‴, where such an oscillation stands out of the smooth motion and of Newton's remainder:
///
///   (1) d_n ≈ a d_{n−1} − b d_{n−2}       least squares in the error norm over the last steps of equal size
///   (2) r = √b, cos θ = a/(2r)            modulus and angle of the pair of roots, if a² < 4b
///
/// A pair that has explained d_n for full turns without decaying is either a motion that the method resolves or one
/// that it keeps alive. Order 2 would lose it: at angle ϑ = f θ per step (f: the change of step it would need) it
/// reduces the amplitude by ϑ⁴/4 per step and, as its step grows with the falling amplitude, is rid of it within
///
///   (3) n = 3/ϑ⁴ steps.
///
/// The order falls to 2, for 2n steps, once the oscillation has been followed for n/4 steps and two turns: at worst the
/// work is a small multiple of the best, and well resolved oscillations (ϑ ≪ 1: thousands of tolerances large) are
/// left alone. Every step passes the error test in either case.
class StabilityLimit {
 public:
  static constexpr double min_modulus = 0.98;  ///< roots below decay by themselves
  static constexpr double max_remainder = 0.3;  ///< ‖d_n − a d_{n−1} + b d_{n−2}‖/‖d_n‖: one pair dominates
  static constexpr double memory = 0.8;         ///< weight of the fit's equations, per step back
  static constexpr int min_equations = 4;       ///< before a fit is believed
  static constexpr double turns = 2.0;
  static constexpr double patience = 0.25;      ///< followed for this part of (3) before the order falls
  static constexpr double max_steps = 10000.0;  ///< of (3); beyond, order 2 is no remedy

  void resize(int n) {
    for (auto& d : past_) d.assign(static_cast<std::size_t>(n), 0.0);
    reset();
  }
  void reset() {
    n_past_ = 0;
    phase_ = followed_ = second_ = 0.0;
  }

  /// Called with e of every accepted step, before it enters the history. Returns the number of steps that order 2
  /// should be held for, 0: no limit seen.
  int judge(ConstVec e, const BdfHistory& history, double h, int k, double second_order_estimate);

 private:
  struct Fit {
    double s00 = 0.0, s01 = 0.0, s02 = 0.0, s11 = 0.0, s12 = 0.0, s22 = 0.0;
    bool solve(double& modulus, double& angle) const;
  };
  void add_equation(ConstVec e, const BdfHistory& history);

  std::array<std::vector<double>, 2> past_;  // d_{n−1}, d_{n−2}
  int n_past_ = 0;                           // steps of equal size
  double h_ = 0.0;
  Fit fit_;
  double phase_ = 0.0;     // turned by the pair so far
  double followed_ = 0.0;  // steps meanwhile
  double second_ = 0.0;    // sum of squares of the error estimates of order 2 meanwhile
};

}  // namespace trammel
