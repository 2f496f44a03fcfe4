// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "time_rounding.h"
#include "trammel/integrators/radau.h"

// Step sizes as in RADAU5 [Hairer & Wanner II, IV.8], and the weights of the tests.

namespace trammel {

using detail::epsilon;

namespace {

constexpr double largest_quotient = 1.0 / StepControl::min_shrink;
// The first step has no error before it to learn from.
constexpr double first_shrink = 0.1;
// In units of rounding: constraints are differences of coordinates.
constexpr double fixed_step_rounding = 16.0;
// Of the tolerance, that Newton may leave in a step; not of the estimate's limit where that is larger: remainders of
// some hundred steps add up, and would be most of the error (four-bar linkage: ten times the rest).
constexpr double largest_remainder = 0.03;
// The error of the predictive controller is not taken below this: one lucky step must not frighten the next.
constexpr double smallest_error = 1e-2;

}  // namespace

double Radau::first_step(double t_limit) const {
  double h = std::isfinite(t_limit) ? 1e-3 * (t_limit - t_) : 1.0;
  double square = 0.0;
  for (Eigen::Index i = 0; i < y_.size(); ++i)
    square += std::pow(error_mask_[i] * yp_[i] / (estimate_limit_ * tolerance_.weight(i, y_[i])), 2);
  const double rate = error_mean_ * std::sqrt(square);  // ‖y′‖
  // ‖h y′‖ ≤ ½ belongs to a method of order 1; an error of h^(s+1) allows the root of it.
  const double trusted = rate > 0.0 ? 0.5 / rate : h;
  return std::min(h, std::pow(trusted, 1.0 / tableau_.stages()) * std::pow(h, 1.0 - 1.0 / tableau_.stages()));
}

// The next step after a success [Gustafsson's predictive controller]; fewer Newton iterations allow longer steps.
double Radau::choose_next(const RadauStep& step) {
  if (options_.fixed_h) return *options_.fixed_h;
  const StepRule& rule = control_.rule();
  const double power = 1.0 / (tableau_.stages() + 1), error = std::max(step.error, StepControl::smallest_error);
  const double allowed = 2.0 * options_.max_iterations;
  const double factor = rule.safety * (1.0 + allowed) / (last_iterations_ + allowed);
  double quotient =
      std::clamp(std::pow(error, power) / std::min(rule.safety, factor), 1.0 / rule.max_growth, largest_quotient);
  if (h_accepted_ > 0.0) {
    const double predicted = h_accepted_ / h_ * std::pow(error * error / error_accepted_, power) / rule.safety;
    quotient = std::max(quotient, std::clamp(predicted, 1.0 / rule.max_growth, largest_quotient));
  }
  h_accepted_ = h_;
  error_accepted_ = std::max(smallest_error, error);
  double h = h_ / quotient;
  if (step.rejected_error + step.rejected_newton > 0) h = std::min(h, h_);
  return h > h_ && h < rule.keep_below * h_ ? h_ : h;
}

// A smaller step after a failure. False: it cannot be reduced.
bool Radau::shrink(const Status& status, double smallest, RadauStep& step) {
  double factor = newton_shrink_;
  if (status.cause == Cause::error_test) {
    const StepRule& rule = control_.rule();
    const double quotient = std::pow(step.error, 1.0 / (tableau_.stages() + 1)) / rule.safety;
    factor = restart_ && step.rejected_error == 0 ? first_shrink
                                                  : 1.0 / std::clamp(quotient, 1.0 / rule.safety, largest_quotient);
    ++counters_.error_failures;
  } else {
    ++counters_.convergence_failures;
  }
  return control_.reject(status.cause, factor, smallest, h_, step) && !options_.fixed_h;
}

// ---- weights -------------------------------------------------------------------------------------------------------

// In the error test: what the system says, and velocities of index 2 with their factor h. In Newton's test: everything.
void Radau::update_masks() {
  system_.tested(Purpose::error, error_mask_, *workspace_);
  system_.tested(Purpose::corrector, corrector_mask_, *workspace_);
  const std::span<const Kind> kinds = system_.layout().kinds();
  for (std::size_t i = 0; i < index_.size(); ++i)
    if (index_[i] > 1 && kinds[i] == Kind::velocity) error_mask_[i] = 1.0;
  error_mean_ = WeightedNorm::mean_factor(error_mask_);
  corrector_mean_ = WeightedNorm::mean_factor(corrector_mask_);
}

void Radau::update_weights() {
  const std::span<const Kind> kinds = system_.layout().kinds();
  double multiplier = 0.0, largest = 0.0;  // reactions that vanish by symmetry are known relative to the others
  for (Eigen::Index i = 0; i < y_.size(); ++i) {
    double& size = kinds[i] == Kind::multiplier ? multiplier : largest;
    size = std::max(size, std::abs(y_[i]));
  }
  int index = 1;
  double factor = 1.0;  // h^(index − 1)
  for (Eigen::Index i = 0; i < y_.size(); ++i) {
    const double size = kinds[i] == Kind::multiplier ? multiplier : std::abs(y_[i]);
    if (index_[i] != index) factor = std::pow(h_, (index = index_[i]) - 1);
    if (!options_.fixed_h) {
      weight_[i] = estimate_limit_ * tolerance_.weight(i, size) / factor;
      continue;
    }
    // What Newton leaves in v, and as a force in λ, adds up over all steps: one power of h less is conceded, but never
    // less than what rounding leaves of Φ.
    weight_[i] = std::max(options_.newton_tol * (1.0 + size) / (index_[i] > 1 ? factor / h_ : 1.0),
                          fixed_step_rounding * epsilon * (1.0 + largest) / factor);
  }
  const double rtol = std::max(estimate_limit_ * options_.tolerances.rtol, 1e-14);
  const double resolvable = 10.0 * epsilon / rtol;
  const double remainder = std::min(largest_remainder / estimate_limit_, std::sqrt(rtol));
  newton_limit_ = options_.fixed_h ? 1.0 : options_.newton_constant.value_or(std::max(resolvable, remainder));
}

double Radau::error_norm(ConstVec e) const {
  double square = 0.0;
  for (Eigen::Index i = 0; i < e.size(); ++i) square += std::pow(error_mask_[i] * e[i] / weight_[i], 2);
  return error_mean_ * std::sqrt(square);
}

int Radau::find_worst_error() const {
  int worst = -1;
  double largest = -1.0;
  for (Eigen::Index i = 0; i < e_.size(); ++i)
    if (const double size = std::abs(error_mask_[i] * e_[i] / weight_[i]); !(size <= largest))
      largest = size, worst = static_cast<int>(i);
  return worst;
}

double Radau::corrector_norm(ConstVec x) const {
  double square = 0.0;
  for (Eigen::Index i = 0; i < x.size(); ++i) square += std::pow(corrector_mask_[i] * x[i] / weight_[i], 2);
  return corrector_mean_ * std::sqrt(square);
}

void Radau::find_worst(RadauStep& step) const {
  step.worst_residual = step.worst_correction = step.worst_limit = 0.0;
  double largest = 0.0;
  for (int i = 0; i < tableau_.stages(); ++i)
    for (Eigen::Index k = 0; k < F_.rows(); ++k) {
      if (std::abs(F_(k, i)) > std::abs(step.worst_residual)) {
        step.worst_residual = F_(k, i);
        step.worst_row = static_cast<int>(k);
      }
      const double moved = corrector_mask_[k] * R_(k, i);
      if (std::abs(moved) / weight_[k] > largest) {
        largest = std::abs(moved) / weight_[k];
        step.worst_unknown = static_cast<int>(k);
        step.worst_correction = moved;
        step.worst_limit = weight_[k];
      }
    }
}

}  // namespace trammel
