// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "trammel/integrators/motion_integrator.h"

namespace trammel {

/// In what methods differ when they choose their steps; what they share stands in StepControl.
struct StepRule {
  double safety;         ///< of the step that the error would allow; of BDF: of the error that is aimed at
  double max_growth;     ///< from a step to the next
  double keep_below;     ///< a smaller growth is not worth new factors; 1: every one is
  double newton_shrink;  ///< after an iteration that did not converge
  bool halves;           ///< the last two steps before an instant are equal, instead of a long and a tiny one
};

namespace step_rules {

/// The error of generalized-α, HHT, Newmark and midpoint is seen in accelerations, which follow a change of h late:
/// a wide margin, slow growth.
inline constexpr StepRule one_step{
    .safety = 0.7, .max_growth = 1.5, .keep_below = 1.3, .newton_shrink = 0.25, .halves = true};
/// As above; its matrix is made anew in nearly every step, and there is nothing to keep.
inline constexpr StepRule energy_decaying{
    .safety = 0.7, .max_growth = 1.5, .keep_below = 1.0, .newton_shrink = 0.25, .halves = true};
/// RADAU5's; an iteration that is too slow proposes its own shrinkage, and half the step if it cannot.
inline constexpr StepRule radau{
    .safety = 0.9, .max_growth = 8.0, .keep_below = 1.2, .newton_shrink = 0.5, .halves = true};
/// DASSL's, whose counts are published: half the tolerance is aimed at, steps double or stay. A cut step costs new
/// coefficients twice, so that none is halved for the sake of an end.
inline constexpr StepRule bdf{
    .safety = 0.5, .max_growth = 2.0, .keep_below = 2.0, .newton_shrink = 0.25, .halves = false};
/// Dormand and Prince's. Steps of an explicit method cost the same whatever their size.
inline constexpr StepRule explicit_pair{
    .safety = 0.9, .max_growth = 8.0, .keep_below = 1.0, .newton_shrink = 0.25, .halves = true};

}  // namespace step_rules

/// Sizes of steps, the same for every method: their bounds, their ends, what an error says, and rejections.
class StepControl {
 public:
  /// No step is shortened to less at once: an error that asks for it was no estimate.
  static constexpr double min_shrink = 0.2;
  /// Smaller errors say no more than this one.
  static constexpr double smallest_error = 1e-10;
  static constexpr int max_attempts = 60;

  StepControl(const StepRule& rule, std::optional<double> fixed_h, double hmin, double hmax)
      : rule_(rule), fixed_h_(fixed_h), hmin_(hmin), hmax_(hmax) {}

  const StepRule& rule() const { return rule_; }

  /// Shorter steps are rounding of t; of a run that begins at 0, of its first second.
  double smallest(double t, double t_limit) const;

  /// A step from t: its size, and where it ends.
  struct Placed {
    Placed(double size, double end) : h(size), t(end) {}
    explicit Placed(const RepeatedStep& step) : h(step.h), t(step.t) {}
    double h, t;
  };
  /// Of about h (of the fixed size if there is one), at most `bound`, that does not pass t_limit and leaves no sliver
  /// before it.
  Placed place(double t, double h, double t_limit, double bound) const;

  /// What a step may be multiplied by for an error ∼ hᵖ of 1, ‖e‖ being that of this step.
  double factor(double error, double p) const;

  /// Counts a rejected attempt and shrinks its step. False: it would be too small.
  bool reject(Cause cause, double factor, double smallest, double& h, StepReport& report) const;

 private:
  StepRule rule_;
  std::optional<double> fixed_h_;
  double hmin_, hmax_;
};

}  // namespace trammel
