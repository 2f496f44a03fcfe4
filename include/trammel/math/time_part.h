// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "trammel/math/expression.h"
#include "trammel/math/step_bounds.h"

namespace trammel {

/// A sub-expression that depends on the time alone, as a function: the pulse of "20*exp(-((t -
/// 3)/0.01)^2)*cos(arm.angle)". Such factors can be examined before a run; what they are multiplied with cannot.
class TimePart {
 public:
  double operator()(double t) const;

  /// Whether its shape rules out features that a step control could miss: polynomials, sin and cos of a·t + b, sums of
  /// them and products of a few. They need no examination.
  bool is_gradual() const;

  /// Instants that the formula itself points at, within [start, end]: where the argument of exp, tanh, a power, a
  /// comparison … passes zero or an extremum. However narrow a feature is, its argument is wide.
  std::vector<double> calc_seeds(double start, double end) const;

  /// A table in it with many points asks for as many samples.
  int min_samples() const;

  const BreakpointSet& breakpoints() const { return breakpoints_; }

  /// The largest sub-expressions that depend on variable `time` alone, and are not constant.
  static std::vector<TimePart> find(const Expression& formula, int time);

 private:
  std::shared_ptr<const detail::ExpressionProgram> program_;
  int time_ = 0, root_ = -1;
  std::vector<int> nodes_;  // of the sub-expression, children first
  BreakpointSet breakpoints_;
};

/// Examines u between neighbouring breakpoints, at which steps end anyway.
void find_surprises(const std::function<double(double)>& u, const BreakpointSet& breakpoints, double start, double end,
                    std::span<const double> seeds, int min_samples, StepBounds& bounds);

/// Examines a part of a formula.
void find_surprises(const TimePart& part, double start, double end, StepBounds& bounds);

}  // namespace trammel
