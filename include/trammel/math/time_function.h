// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "trammel/math/expression.h"
#include "trammel/math/input_signals.h"
#include "trammel/math/spline.h"
#include "trammel/math/step_bounds.h"

namespace trammel {

/// A function of time u(t) with its exact derivatives: what inputs and prescribed motions are made of.
///
/// A value: immutable, copies share the content. Derivatives are never differences; a constraint Φ(q, u(t)) needs u̇ and
/// ü for consistent velocities and accelerations.
class TimeFunction {
 public:
  struct Value {
    double u = 0.0, ud = 0.0, udd = 0.0;  ///< u(t), u̇(t), ü(t)
  };

  /// u = 0.
  TimeFunction();
  static TimeFunction constant(double value);
  /// u = c₀ + c₁ t + c₂ t² + …
  static TimeFunction polynomial(std::vector<double> coefficients);
  static TimeFunction table(std::shared_ptr<const CubicSpline> spline);
  /// The formula's only variable must be the time, with index 0; InputError otherwise.
  static TimeFunction expression(const Expression& formula);
  /// The same of the time and of signals: variable k ≥ 1 is number variables[k − 1] of them.
  static TimeFunction expression(const Expression& formula, std::shared_ptr<const InputSignals> signals,
                                 std::vector<int> variables);
  /// u is set from outside.
  static TimeFunction signal(std::shared_ptr<const InputSignals> signals, int number);
  /// A formula of `t` alone.
  static TimeFunction parse(std::string_view text);

  Value evaluate(double t) const;
  double operator()(double t) const { return evaluate(t).u; }

  /// The first instant after t at which u, u̇ or ü may jump; +∞ when there is none (that is known).
  double next_breakpoint(double t) const;

  bool is_constant() const;

  /// Adds the intervals of [start, end] in which it does what it did not do before (step_bounds.h).
  void find_surprises(double start, double end, StepBounds& bounds) const;

  /// What a kind of function must give.
  struct Kind {
    virtual ~Kind() = default;
    virtual Taylor2<double> at(double t) const = 0;
    virtual void find_surprises(double /*start*/, double /*end*/, StepBounds&) const {}
    BreakpointSet breakpoints;
    bool is_constant = false;
  };

 private:
  explicit TimeFunction(std::shared_ptr<const Kind> kind) : kind_(std::move(kind)) {}
  std::shared_ptr<const Kind> kind_;
};

}  // namespace trammel
