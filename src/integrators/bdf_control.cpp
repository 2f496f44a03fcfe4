// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <limits>

#include "time_rounding.h"
#include "trammel/integrators/bdf.h"

// Control of order and step size. The rules and numbers are DASSL's [Brenan, Campbell, Petzold, section 5.2.4].

namespace trammel {

using detail::epsilon;

namespace {

constexpr double bdf_min_reduction = 0.5, bdf_max_reduction = 0.9;  // after an accepted step
constexpr double failure_floor = 0.25, failure_margin = 0.9;
// (est/safety + tiny)^(−1/(k+1)): half the tolerance is aimed at, and no estimate makes the factor infinite.
double step_factor(double estimate, int order) {
  return std::pow(estimate / step_rules::bdf.safety + 1e-4, -1.0 / (order + 1));
}

// Order 2 is held twice as long if a stability limit is met again soon, but not longer than this.
constexpr int max_cap_length = 10000;
// Multipliers stay out of Newton's test for so many steps, and twice as many each time that it was needed again: left
// out for good, they would grow without any bound.
constexpr int first_relaxation = 20, max_relaxation = 10000;

}  // namespace

double Bdf::first_step(double t_limit) const {
  double h = std::isfinite(t_limit) ? 1e-3 * (t_limit - t_) : 1.0;
  double square = 0.0;
  for (int i = 0; i < history_.n(); ++i) square += std::pow(yp_[i] * history_.factor(i), 2);
  const double rate = std::sqrt(square);  // ‖y′‖
  if (rate > 0.5 / h) h = 0.5 / rate;
  return h;
}

// ‖h y′‖ ≤ ½ knows nothing of the motion. Behind a kink it goes on at about its pace, of which the last step was a
// part: the error of order 1, h²/2 y″ ∼ (h/T)² y, allows √(h T). Steps that are much shorter are not only dear: of
// index 3, λ has ε/h² in it and v has ε/h.
double Bdf::step_behind_kink(double t_limit) const {
  const double h = first_step(t_limit);
  return std::max(h, std::sqrt(h * std::min(history_.last_h(), t_limit - t_)));
}

// Velocities of index 2 are differences of positions: v = Δq/h has digits where ε L/h stays below its tolerance, L the
// size of the machine, by which Φ is rounded. Newton would wait in vain for corrections of shorter steps.
double Bdf::shortest_start(double t_limit) const {
  if (!std::isfinite(options_.extent)) return 0.0;
  double square = 0.0;
  for (const int i : derived_velocities_) square += corrector_factor_[i] * corrector_factor_[i];
  return std::min(rounding_margin * epsilon * options_.extent * std::sqrt(square), 1e-3 * (t_limit - t_));
}

void Bdf::begin_anew(double h) {
  history_.start(t_, y_, yp_, h);
  h_ = h;
  k_ = 1;
  start_phase_ = true;
  growth_pause_ = 0;
  restart_ = inconsistent_ = false;
  alpha_last_ = 0.0;
  stability_.reset();
  ++counters_.restarts;
}

// The order falls when a lower difference is smaller: the solution is rougher, or less stable, than the order assumes.
Bdf::Choice Bdf::keep_or_lower(const BdfHistory::Estimates& estimates) const {
  const Choice keep{k_, estimates.k}, lower{k_ - 1, estimates.k_minus_1};
  if (k_ == 1) return keep;
  const double term = (k_ + 1) * estimates.k, term_1 = k_ * estimates.k_minus_1,
               term_2 = (k_ - 1) * estimates.k_minus_2;
  const bool lowers = k_ == 2 ? term_1 <= 0.5 * term : std::max(term_1, term_2) <= term;
  return lowers ? lower : keep;
}

// Order and step after a success.
void Bdf::choose_next(Choice choice, const BdfHistory::Estimates& estimates, BdfStep& step) {
  const int k = k_, limit = order_limit();
  const bool just_raised = k - history_.last_order() == 1;
  const bool lowered = choice.order < k;
  if (lowered || k >= limit) start_phase_ = false;

  double h = h_;
  if (options_.fixed_h) {
    choice.order = std::min(k + 1, options_.max_order);
  } else if (start_phase_) {
    choice.order = k + 1;
    h = control_.rule().max_growth * h_;
  } else {
    if (!lowered && k < limit && history_.can_raise() && !just_raised) {
      const double term = (k + 1) * estimates.k, term_up = (k + 2) * estimates.k_plus_1;
      const double term_down = k * estimates.k_minus_1;
      if (k == 1) {
        if (term_up < 0.5 * term) choice = {2, estimates.k_plus_1};
      } else if (term_down <= std::min(term, term_up)) {
        choice = {k - 1, estimates.k_minus_1};
      } else if (term_up < term) {
        choice = {k + 1, estimates.k_plus_1};
      }
    }
    if (options_.detects_stability_limit) watch_stability(estimates, choice, step);
    const double factor = step_factor(choice.estimate, choice.order);
    if (attempt_error_failures_ > 0 && options_.pauses_growth) growth_pause_ = k + 2;
    growth_pause_ = std::max(growth_pause_ - 1, 0);
    if (factor >= control_.rule().keep_below)
      h = growth_pause_ == 0 ? control_.rule().max_growth * h_ : h_;
    else if (factor <= 1.0)
      h = h_ * std::clamp(factor, bdf_min_reduction, bdf_max_reduction);
  }
  k_ = choice.order;
  h_ = h;
}

// While a stability limit is being left behind the order is 2: order 1 damps more, but a change of its step shakes
// what is stiff.
void Bdf::watch_stability(const BdfHistory::Estimates& estimates, Choice& choice, BdfStep& step) {
  if (cap_steps_ > 0) {
    if (k_ == 2) choice = {2, estimates.k};
    if (--cap_steps_ == 0) {
      order_cap_ = BdfHistory::max_order;
      free_steps_ = 0;
    }
    return;
  }
  ++free_steps_;
  const int hold = stability_.judge(e_, history_, h_, k_, estimates.second);
  if (hold == 0) return;
  const bool soon = cap_length_ > 0 && free_steps_ < 2L * cap_length_;
  cap_length_ = std::clamp(soon ? 2 * cap_length_ : 0, hold, max_cap_length);
  cap_steps_ = cap_length_;
  order_cap_ = 2;
  choice = {2, estimates.second};
  step.order_lowered = true;
  ++counters_.orders_lowered;
}

// A smaller step, and after repeated failures of the error test a lower order. False: the step cannot be reduced.
bool Bdf::shrink(const Status& status, Choice choice, double smallest, BdfStep& step) {
  double factor = control_.rule().newton_shrink;
  bool gives_up = false;
  if (status.cause == Cause::error_test) {
    ++counters_.error_failures;
    gives_up = ++attempt_error_failures_ > options_.max_error_failures;
    k_ = attempt_error_failures_ > 2 ? 1 : choice.order;
    factor = failure_floor;
    if (attempt_error_failures_ == 1)
      factor = std::clamp(failure_margin * step_factor(choice.estimate, choice.order), failure_floor, failure_margin);
  } else {
    ++counters_.convergence_failures;
    gives_up = ++attempt_convergence_failures_ >= options_.max_convergence_failures;
    if (!gives_up) step.rung = std::max(step.rung, Rung::smaller_step);
  }
  return control_.reject(status.cause, factor, smallest, h_, step) && !gives_up;
}

// The only rung for a fixed step: multipliers carry ε/h² of the coordinates and may never pass their test.
bool Bdf::relax_corrector(BdfStep& step) {
  if (!options_.relaxes_corrector || corrector_ != Corrector::classical) return false;
  corrector_ = Corrector::modified;
  update_means();
  operator_->invalidate();
  step.rung = Rung::modified_corrector;
  return true;
}

// When smaller steps do not help: first a restart from consistent values, then without multipliers in the test.
bool Bdf::climb_ladder(double t_limit, double smallest, State& state, BdfStep& step) {
  const bool may_restart = options_.restarts && step.rung < Rung::restart;
  const bool may_relax = options_.relaxes_corrector && corrector_ == Corrector::classical;
  if (!may_restart && !may_relax) return false;
  step.rung = may_restart ? Rung::restart : Rung::modified_corrector;
  if (!may_restart) {
    corrector_ = Corrector::modified, update_means();
    relaxed_length_ = std::clamp(2 * relaxed_length_, first_relaxation, max_relaxation);
    relaxed_steps_ = relaxed_length_;
  }

  history_.interpolate(t_, y_, yp_);
  system_.calc_inputs(t_, inputs_);
  if (options_.restarts && !system_.make_consistent(t_, state, y_, yp_, *workspace_).ok()) return false;
  const double tiny = 1e-3;
  begin_anew(std::max(10.0 * smallest, std::min(tiny * std::max(history_.last_h(), smallest), first_step(t_limit))));
  update_weights();
  operator_->invalidate();
  attempt_error_failures_ = attempt_convergence_failures_ = 0;
  step.restarted = true;
  return true;
}

}  // namespace trammel
