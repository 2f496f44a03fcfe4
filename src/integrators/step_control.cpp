// SPDX-License-Identifier: Apache-2.0
#include "trammel/integrators/step_control.h"

#include <algorithm>
#include <cmath>

#include "time_rounding.h"

namespace trammel {

using detail::epsilon;

namespace {

constexpr double roundings_of_time = 4.0;  // that a step is at least
// A last step may be longer by this part of h: what a million fixed steps lose to rounding.
constexpr double sliver = 1e-4;

}  // namespace

double StepControl::smallest(double t, double t_limit) const {
  return std::max(hmin_, roundings_of_time * epsilon * std::max(std::abs(t), std::min(std::abs(t_limit), 1.0)));
}

StepControl::Placed StepControl::place(double t, double h, double t_limit, double bound) const {
  const double left = t_limit - t;
  h = fixed_h_ ? *fixed_h_ : std::max(std::min({h, hmax_, bound}), smallest(t, t_limit));
  if (h > left * (1.0 - sliver)) return {left, t_limit};
  if (!fixed_h_ && rule_.halves && h > 0.5 * left) h = 0.5 * left;
  return {h, t + h};
}

double StepControl::factor(double error, double p) const {
  return std::clamp(rule_.safety * std::pow(std::max(error, smallest_error), -1.0 / p), min_shrink, rule_.max_growth);
}

bool StepControl::reject(Cause cause, double factor, double smallest, double& h, StepReport& report) const {
  ++(cause == Cause::error_test ? report.rejected_error : report.rejected_newton);
  report.failure = cause;
  if (h * factor < smallest) return false;
  h *= factor;
  return true;
}

}  // namespace trammel
