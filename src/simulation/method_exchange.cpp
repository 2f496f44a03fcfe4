// SPDX-License-Identifier: Apache-2.0
#include "trammel/simulation/method_exchange.h"

#include <algorithm>
#include <cmath>

namespace trammel {

namespace {

constexpr long window = 20;         // steps of the explicit pair that are looked at together
constexpr double held_part = 0.75;  // of them at the limit
// Steps before a trial, and of Radau in it, whose first half is careful and damps what is left. Both double: trials
// that fail cost a sixth of the run, and one comes that is long enough for what must be damped.
constexpr long first_wait = 80, first_trial = 8, growth = 2;
// Of a run that begins with Radau, before it is compared with what the explicit pair is expected to do.
constexpr long first_phase = 30;
// Where stability would ask the explicit pair for more steps than this, the first steps of a run tell nothing: what
// begins out of its equilibrium swings, and must be resolved until it is damped.
constexpr double clearly_stiff = 2e4;
constexpr long trial_of_stiff = 300;
// h|σ| of the explicit pair where stability holds its steps and the fastest motion oscillates.
constexpr double least_held = 0.8, most_held = 1.2;
constexpr double above_accuracy = 1.3;
// In evaluations of the accelerations, by the recursion over a tree or with the matrix of masses and rows: what every
// step costs beside its method (energies, doubts, frames), an iteration of Radau (three stages), its matrices. Counted
// in instructions on trees of 5 to 14 freedoms: 3 to 18, 2.7 to 5.3, 5.3 to 9.4.
constexpr MethodExchange::Costs by_recursion{.step = 6.0, .iteration = 3.5, .factors = 7.0};
constexpr MethodExchange::Costs by_matrix{.step = 2.0, .iteration = 1.0, .factors = 2.0};

double calc_limit(double rtol) { return std::max(least_held, above_accuracy * std::pow(3600.0 * rtol, 1.0 / 6.0)); }

double evaluations(int order, int stages = 0) { return stages > 0 ? stages : order == 8 ? 12.0 : 6.0; }

}  // namespace

MethodExchange::MethodExchange(const Start& start)
    : explicit_(start.explicit_first),
      begins_(!start.explicit_first),
      settled_(start.stays),
      costs_(start.by_recursion ? by_recursion : by_matrix),
      limit_(calc_limit(start.rtol)),
      explicit_speed_(start.by_recursion && start.rate > 0.0 ? 1.0 / (start.rate * (evaluations(5) + costs_.step))
                                                             : 0.0),
      wait_(first_wait),
      next_trial_(first_trial),
      trial_(start.rate * start.span > clearly_stiff ? trial_of_stiff : first_phase) {
  if (explicit_) trial_ = next_trial_;
}

void MethodExchange::begin_phase(double t) {
  steps_ = window_ = held_ = 0;
  cost_ = 0.0;
  t_window_ = t;
}

void MethodExchange::turn(double t) {
  explicit_ = !explicit_, begins_ = false;
  settled_ = !explicit_;
  begin_phase(t);
}

bool MethodExchange::judge(const StepReport& report, double t) {
  if (settled_) return false;
  if (steps_ == 0) t_window_ = t - report.h;
  ++steps_, ++window_;
  const int attempts = 1 + report.rejected_error + report.rejected_newton;
  cost_ += costs_.step + (explicit_ ? evaluations(report.order, report.stages) * attempts
                                    : costs_.iteration * report.iterations + costs_.factors * report.factorizations);
  bool changes = false;
  if (explicit_) {
    const double s = report.stiffness;
    if (s >= limit_ || (s >= least_held && s <= most_held)) ++held_;
    if (window_ < window) return false;
    changes = steps_ >= wait_ && static_cast<double>(held_) >= held_part * static_cast<double>(window_);
    if (changes) {
      explicit_speed_ = (t - t_window_) / cost_;
      trial_ = next_trial_;
      wait_ *= growth, next_trial_ *= growth;
    }
  } else {
    if (steps_ != trial_ / 2 && steps_ != trial_) return false;
    const double speed = (t - t_window_) / cost_;
    if (steps_ == trial_) {
      // What begins out of its equilibrium swings, and steps grow as that is damped: as long as they do they are taken
      // for what they will be in as many more, and are looked at again then.
      const double expected = begins_ ? speed * std::max(1.0, speed / speed_before_) : speed;
      changes = expected < explicit_speed_;
      const bool looks_again = !changes && speed < explicit_speed_;
      settled_ = !changes && !looks_again && trial_ >= first_phase;
      if (looks_again)
        trial_ *= growth;
      else if (!changes)
        trial_ = first_phase;  // a short trial that was won goes on to be a long one
    }
    speed_before_ = speed;
  }
  if (changes) explicit_ = !explicit_, begins_ = false;
  const long steps = steps_;
  begin_phase(t);
  if (!changes) steps_ = steps;
  return changes;
}

}  // namespace trammel
