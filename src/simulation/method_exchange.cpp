// SPDX-License-Identifier: Apache-2.0
#include "trammel/simulation/method_exchange.h"

#include <algorithm>
#include <cmath>

namespace trammel {

namespace {

constexpr long window = 20;                       // steps of the explicit pair that are looked at together
constexpr double held_part = 0.75;                // of them at the limit
constexpr long first_wait = 40, wait_growth = 4;  // steps before a trial
constexpr long settling = 15, trial = 30;         // steps of Radau: its first ones are careful
constexpr double oscillating_limit = 0.9, above_accuracy = 1.3;
// Of an iteration of Radau (three stages) and of a linearization or factorization, in evaluations of the accelerations:
// by the recursion over a tree, or with the matrix of masses and rows.
constexpr double iteration_by_recursion = 6.0, matrix_by_recursion = 8.0, iteration_by_matrix = 1.0,
                 matrix_by_matrix = 1.0;

double calc_limit(double rtol) {
  return std::max(oscillating_limit, above_accuracy * std::pow(3600.0 * rtol, 1.0 / 6.0));
}

double evaluations(int order) { return order == 8 ? 12.0 : 6.0; }

}  // namespace

MethodExchange::MethodExchange(const Start& start)
    : explicit_(start.explicit_first),
      iteration_cost_(start.by_recursion ? iteration_by_recursion : iteration_by_matrix),
      matrix_cost_(start.by_recursion ? matrix_by_recursion : matrix_by_matrix),
      limit_(calc_limit(start.rtol)),
      explicit_speed_(start.rate > 0.0 ? 1.0 / (start.rate * evaluations(5)) : 0.0),
      wait_(first_wait) {}

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
               ? evaluations(report.order) * attempts
               : iteration_cost_ * report.iterations + matrix_cost_ * (report.linearizations + report.factorizations);
  bool changes = false;
  if (explicit_) {
    if (report.stiffness >= limit_) ++held_;
    if (window_ < window) return false;
    changes = steps_ >= wait_ && static_cast<double>(held_) >= held_part * static_cast<double>(window_);
    if (changes) explicit_speed_ = (t - t_window_) / cost_;
  } else {
    if (steps_ != settling && steps_ != trial) return false;
    if (steps_ == trial) {
      changes = (t - t_window_) / cost_ < explicit_speed_;
      settled_ = !changes;
      if (changes) wait_ *= wait_growth;
    }
  }
  if (changes) explicit_ = !explicit_;
  const long steps = steps_;
  begin_phase(t);
  if (!changes) steps_ = steps;
  return changes;
}

}  // namespace trammel
