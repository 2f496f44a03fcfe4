// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>

#include "trammel/integrators/runge_kutta.h"

// Where what decays fast holds the step of the pair of order 5: stages of Chebyshev's kind, and when.

namespace trammel {

namespace {

constexpr long window = 20, held_part = 15;  // steps
// h|σ| of the pair at its limit for what decays; what oscillates holds it at 1. Of a thousand contacts at once stages
// told 1.5 where steps stood at their limit, of a hundred that roll less than 1.2: from `suspicious` on the largest |σ|
// is looked for.
constexpr double decaying = 2.0, suspicious = 0.3;
// The pair's own step there, in 1/|σ|, and what it evaluates for it.
constexpr double pair_limit = 3.3, pair_evaluations = 6.0;
constexpr double near_limit = 0.75;  // of it
constexpr long first_wait = window, wait_growth = 4, longest_wait = 100000;
constexpr long renewal = 10;  // steps for which a radius serves
// Of the step that the error allows; smaller errors say no more than the smallest.
constexpr double safety = 0.8, smallest_error = 1e-6;

}  // namespace

Status RungeKutta::attempt_stabilized(double h, double t_last, const State& state) {
  Stabilized& s = *stabilized_;
  const auto rates = [this, &state](double t, ConstVec y, Vec yp) { return evaluate(t, y, state, yp); };
  const bool again = s.t == t_ && s.age > 0;  // what was known of the radius did not serve
  s.t = t_;
  if ((s.age >= renewal || again) && !repeated_) {
    if (const Status status = s.stages.update_radius(t_, y_, yp_, s.error, rates); !status.ok()) return status;
    s.age = 0;
  }
  s.h = h;
  s.n_stages = repeated_ ? repeated_->stages : s.stages.stages(h);
  Status status = s.stages.advance(t_, h, s.n_stages, y_, yp_, rates, stage_);
  if (status.ok()) status = evaluate(t_last, stage_, state, k_[6]);
  if (status.ok()) s.error = 0.8 / h * (y_ - stage_) + 0.4 * (k_[0] + k_[6]);
  return status;
}

double RungeKutta::weighted_error_stabilized(Eigen::Index i) const { return stabilized_->error[i] / weight(i); }

// Of Watts and Gustafsson, as in RKC: the error of a step says how far the last one's was from what is wanted, and how
// it changes. A controller that damps (the pair's) would hold the error at a tenth of the tolerance here, and the step
// at half of what it may be.
double RungeKutta::growth_stabilized(double error) {
  Stabilized& s = *stabilized_;
  const double e = std::cbrt(std::max(error, smallest_error)), h = h_taken_;
  double factor = safety / e;
  if (s.h_before > 0.0) factor = std::min(factor, factor * h / s.h_before * s.error_before / e);
  s.h_before = h, s.error_before = e;
  return factor;
}

double RungeKutta::bound_stabilized() const {
  return is_stabilized() ? stabilized_->stages.longest_step() : std::numeric_limits<double>::infinity();
}

// After an accepted step: which stages the next one has.
void RungeKutta::judge_stabilized(StepReport& report) {
  Stabilized& s = *stabilized_;
  dense_is_cubic_ = s.on;
  if (s.on) report.stages = s.n_stages;
  if (repeated_) return;
  ++s.steps, ++s.age;
  s.time += report.h;
  if (!s.on && report.stiffness >= decaying) ++s.held;
  if (!s.on && report.stiffness >= suspicious) ++s.suspected;
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
    s.on = s.waited >= s.wait && (s.held >= held_part || (s.suspected >= held_part && is_held()));
    if (s.on) {
      report.remedy = "what decays fast held the steps of the explicit pair: stages of Chebyshev's kind reach further";
      s.age = renewal, s.waited = 0;
      s.h_before = 0.0;
      s.error.setZero();
    }
  }
  s.steps = s.held = s.suspected = 0;
  s.time = 0.0;
  s.evaluations = counters_.evaluations;
}

// Whether the steps of the window are as long as the pair bears beside |σ|, which is looked for at its end.
bool RungeKutta::is_held() {
  Stabilized& s = *stabilized_;
  if (stale_rates_) return false;
  s.error.setZero();
  const auto rates = [this](double t, ConstVec y, Vec yp) { return evaluate(t, y, *state_, yp); };
  const Status status = s.stages.update_radius(t_, y_, yp_, s.error, rates);
  const double step = s.time / static_cast<double>(s.steps);
  const bool held = status.ok() && step * s.stages.radius() >= near_limit * pair_limit;
  if (!held) s.wait = std::min(longest_wait, wait_growth * std::max(first_wait, s.wait)), s.waited = 0;
  return held;
}

void RungeKutta::save_stabilized(std::vector<double>& numbers) const {
  const Stabilized& s = *stabilized_;
  numbers.push_back(s.on ? 1.0 : 0.0);
  for (const long n : {s.age, s.wait, s.waited, s.steps, s.held, s.suspected, counters_.evaluations - s.evaluations})
    numbers.push_back(static_cast<double>(n));
  for (const double x : {s.time, s.h_before, s.error_before}) numbers.push_back(x);
  for (const auto* x : {&s.error, &size_}) numbers.insert(numbers.end(), x->data(), x->data() + x->size());
  s.stages.save(numbers);
}

void RungeKutta::restore_stabilized(std::span<const double> numbers) {
  Stabilized& s = *stabilized_;
  s.on = numbers[0] != 0.0;
  long* const counts[] = {&s.age, &s.wait, &s.waited, &s.steps, &s.held, &s.suspected, &s.evaluations};
  for (int i = 0; i < 7; ++i) *counts[i] = static_cast<long>(numbers[1 + i]);
  s.evaluations = counters_.evaluations - s.evaluations;
  s.time = numbers[8], s.h_before = numbers[9], s.error_before = numbers[10];
  numbers = numbers.subspan(11);
  for (auto* x : {&s.error, &size_}) {
    std::copy_n(numbers.begin(), x->size(), x->data());
    numbers = numbers.subspan(static_cast<std::size_t>(x->size()));
  }
  s.stages.restore(numbers);
}

}  // namespace trammel
