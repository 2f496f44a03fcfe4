// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>

#include "trammel/integrators/runge_kutta.h"

// Where what decays fast holds the step of the pair of order 5: stages of Chebyshev's kind, and when.

namespace trammel {

namespace {

constexpr long window = 20, held_part = 15;  // steps
// h|σ| of the pair at its limit for what decays; what oscillates holds it at 1.
constexpr double decaying = 2.0;
// The pair's own step there, in 1/|σ|, and what it evaluates for it.
constexpr double pair_limit = 3.3, pair_evaluations = 6.0;
constexpr long first_wait = window, wait_growth = 4, longest_wait = 100000;
constexpr long renewal = 10;  // steps for which a radius serves

}  // namespace

Status RungeKutta::attempt_stabilized(double h, double t_last, const State& state) {
  Stabilized& s = *stabilized_;
  const auto rates = [this, &state](double t, ConstVec y, Vec yp) { return evaluate(t, y, state, yp); };
  const bool again = s.t == t_ && s.age > 0;  // what was known of the radius did not serve
  s.t = t_;
  if (s.age >= renewal || again) {
    if (const Status status = s.stages.update_radius(t_, y_, yp_, rates); !status.ok()) return status;
    s.age = 0;
  }
  s.h = h;
  s.n_stages = s.stages.stages(h);
  const Status status = s.stages.advance(t_, h, s.n_stages, y_, yp_, rates, stage_);
  return status.ok() ? evaluate(t_last, stage_, state, k_[6]) : status;
}

double RungeKutta::weighted_error_stabilized(Eigen::Index i) const {
  const double e = 0.8 * (y_[i] - stage_[i]) / stabilized_->h + 0.4 * (k_[0][i] + k_[6][i]);
  return e / weights_.weight(i, std::max(std::abs(y_[i]), std::abs(stage_[i])));
}

double RungeKutta::bound_stabilized() const {
  return is_stabilized() ? stabilized_->stages.longest_step() : std::numeric_limits<double>::infinity();
}

// After an accepted step: which stages the next one has.
void RungeKutta::judge_stabilized(StepReport& report) {
  Stabilized& s = *stabilized_;
  dense_is_cubic_ = s.on;
  if (s.on) report.stages = s.n_stages;
  ++s.steps, ++s.age;
  s.time += report.h;
  if (!s.on && report.stiffness >= decaying) ++s.held;
  // Whoever could go over to an implicit method need not while this helps.
  if (!s.on && s.wait <= first_wait) report.stiffness = 0.0;
  if (s.steps < window) return;
  const double evaluations = static_cast<double>(counters_.evaluations - s.evaluations);
  if (s.on) {
    const bool pays = s.time / evaluations * s.stages.radius() > pair_limit / pair_evaluations;
    s.wait = pays ? first_wait : std::min(longest_wait, wait_growth * s.wait);
    s.on = pays;
    if (!pays) h_next_ = std::min(h_next_, pair_limit / s.stages.radius());
  } else {
    s.waited += s.steps;
    s.on = s.held >= held_part && s.waited >= s.wait;
    if (s.on) {
      report.remedy = "what decays fast held the steps of the explicit pair: stages of Chebyshev's kind reach further";
      s.age = renewal, s.waited = 0;
    }
  }
  s.steps = s.held = 0;
  s.time = 0.0;
  s.evaluations = counters_.evaluations;
}

void RungeKutta::save_stabilized(std::vector<double>& numbers) const {
  const Stabilized& s = *stabilized_;
  numbers.push_back(s.on ? 1.0 : 0.0);
  for (const long n : {s.age, s.wait, s.waited, s.steps, s.held, counters_.evaluations - s.evaluations})
    numbers.push_back(static_cast<double>(n));
  numbers.push_back(s.time);
  s.stages.save(numbers);
}

void RungeKutta::restore_stabilized(std::span<const double> numbers) {
  Stabilized& s = *stabilized_;
  s.on = numbers[0] != 0.0;
  long* const counts[] = {&s.age, &s.wait, &s.waited, &s.steps, &s.held, &s.evaluations};
  for (int i = 0; i < 6; ++i) *counts[i] = static_cast<long>(numbers[1 + i]);
  s.evaluations = counters_.evaluations - s.evaluations;
  s.time = numbers[7];
  numbers = numbers.subspan(8);
  s.stages.restore(numbers);
}

}  // namespace trammel
