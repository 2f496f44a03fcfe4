// SPDX-License-Identifier: Apache-2.0
#include "trammel/simulation/method_exchange.h"

#include <algorithm>
#include <cmath>

namespace trammel {

namespace {

constexpr long window = 20;                         // steps of the explicit pair that are looked at together
constexpr double held_part = 0.75;                  // of them at the limit
constexpr long first_wait = 40, wait_growth = 4;    // steps before a trial
constexpr long first_trial = 30, trial_growth = 2;  // steps of Radau; its first half is careful, and damps what is left
// Where stability would ask the explicit pair for more steps than this, the first steps of a run tell nothing: what
// begins out of its equilibrium swings, and must be resolved until it is damped.
constexpr double clearly_stiff = 2e4;
constexpr long trial_of_stiff = 300;
constexpr double oscillating_limit = 0.9, above_accuracy = 1.3;
// Of an iteration of Radau (three stages) and of a linearization or factorization, in evaluations of the accelerations:
// by the recursion over a tree, or with the matrix of masses and rows.
constexpr double iteration_by_recursion = 6.0, matrix_by_recursion = 8.0, iteration_by_matrix = 1.0,
                 matrix_by_matrix = 1.0;

double calc_limit(double rtol) {
  return std::max(oscillating_limit, above_accuracy * std::pow(3600.0 * rtol, 1.0 / 6.0));
}

double evaluations(int order, int stages = 0) { return stages > 0 ? stages : order == 8 ? 12.0 : 6.0; }

}  // namespace

MethodExchange::MethodExchange(const Start& start)
    : explicit_(start.explicit_first),
      settled_(start.stays),
      iteration_cost_(start.by_recursion ? iteration_by_recursion : iteration_by_matrix),
      matrix_cost_(start.by_recursion ? matrix_by_recursion : matrix_by_matrix),
      limit_(calc_limit(start.rtol)),
      explicit_speed_(start.by_recursion && start.rate > 0.0 ? 1.0 / (start.rate * evaluations(5)) : 0.0),
      wait_(first_wait),
      trial_(!start.explicit_first && start.rate * start.span > clearly_stiff ? trial_of_stiff : first_trial) {}

void MethodExchange::begin_phase(double t) {
  steps_ = window_ = held_ = 0;
  cost_ = 0.0;
  t_window_ = t;
}

void MethodExchange::turn(double t) {
  explicit_ = !explicit_;
  settled_ = !explicit_;
  begin_phase(t);
}

bool MethodExchange::judge(const StepReport& report, double t) {
  if (settled_) return false;
  if (steps_ == 0) t_window_ = t - report.h;
  ++steps_, ++window_;
  const int attempts = 1 + report.rejected_error + report.rejected_newton;
  cost_ += explicit_
               ? evaluations(report.order, report.stages) * attempts
               : iteration_cost_ * report.iterations + matrix_cost_ * (report.linearizations + report.factorizations);
  bool changes = false;
  if (explicit_) {
    if (report.stiffness >= limit_) ++held_;
    if (window_ < window) return false;
    changes = steps_ >= wait_ && static_cast<double>(held_) >= held_part * static_cast<double>(window_);
    if (changes) explicit_speed_ = (t - t_window_) / cost_;
  } else {
    if (steps_ != trial_ / 2 && steps_ != trial_) return false;
    if (steps_ == trial_) {
      changes = (t - t_window_) / cost_ < explicit_speed_;
      settled_ = !changes;
      if (changes) wait_ *= wait_growth, trial_ *= trial_growth;
    }
  }
  if (changes) explicit_ = !explicit_;
  const long steps = steps_;
  begin_phase(t);
  if (!changes) steps_ = steps;
  return changes;
}

}  // namespace trammel
