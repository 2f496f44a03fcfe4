// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "time_rounding.h"
#include "trammel/integrators/bdf.h"
#include "trammel/integrators/repeated_newton.h"
#include "trammel/nonlinear/newton.h"

// The corrector: simplified Newton with a matrix that serves as long as it can.

namespace trammel {

using detail::epsilon;

namespace {

// DASSL: the matrix is kept while c = 2/(1 + α/α_J) keeps Newton's rate below ¼ for every eigenvalue.
constexpr double max_alpha_change = (1.0 - 0.25) / (1.0 + 0.25);
constexpr double bdf_max_rate = 0.9;
constexpr double presumed_rate = 0.1;           // the least of a matrix in its later steps
constexpr double max_second_correction = 10.0;  // beside the first, with derivatives at hand
// Independent errors of size 1 in the points make a difference of order k + 1 with √C(2k + 2, k + 1).
constexpr std::array<double, BdfHistory::max_order> noise_of_order{2.4, 4.5, 8.4, 15.9, 30.4, 58.6};
constexpr double full_noise = 22.0;  // between orders 4 and 5
constexpr double loosest_newton = 0.33;
// Planes of so few steps ago are recent: if Newton is slow with them, their pattern is suspected.
constexpr int recent_steps = 3;
constexpr double derived_rounding = 16.0;  // roundings of Φ that stay in coordinates: see is_rounding
constexpr int ordinary_iterations = 2;     // of a step with a new matrix: its rate must be seen once
// The growth of the largest multiplier that is believed from step to step.
constexpr double multiplier_growth = 1.1;

}  // namespace

// Newton with the matrix at hand, and once more with a new one if that was old.
Status Bdf::correct(const State& state, BdfStep& step) {
  if (repeated_) return correct_as_recorded(state, step);
  const double alpha = history_.alpha(), change = alpha / alpha_matrix_;
  const bool outdated = !operator_->ready() || matrix_version_ != state.version || change < max_alpha_change ||
                        change > 1.0 / max_alpha_change ||
                        (options_.matrix_cost > 0 && extra_iterations_ >= options_.matrix_cost) ||
                        system_.matrix_outdated(point(), state, *workspace_);
  std::optional<Refresh> made;
  if (outdated && options_.jacobian_pattern.empty()) {
    was_slow_ = was_slow_ || (options_.matrix_cost > 0 && extra_iterations_ >= options_.matrix_cost);
    made = cheapest_refresh(state);
    const Status status = refresh(state, step, *made);
    if (!status.ok()) return status;
  } else if (alpha != alpha_last_ || options_.fixed_h) {
    // A rate of earlier steps may be flattering: the error test would notice, but a fixed step has none.
    rate_factor_ = options_.first_rate_factor;
  }
  alpha_last_ = alpha;
  Status status = iterate(state, step);
  const auto is_final = [&] {
    return status.ok() || made == Refresh::linearize || status.outcome == Outcome::fatal ||
           !options_.jacobian_pattern.empty();
  };
  while (!is_final()) {  // a wrong α first, then old planes
    was_slow_ = was_slow_ || made || alpha == alpha_matrix_;
    made = made ? Refresh::linearize : cheapest_refresh(state);
    status = retry(state, step, *made);
  }
  was_slow_ = was_slow_ || !status.ok();
  return status;
}

Status Bdf::correct_as_recorded(const State& state, BdfStep& step) {
  const bool serves = operator_->ready() && matrix_version_ == state.version;
  Status status;
  if (options_.jacobian_pattern.empty() && (!serves || repeated_->linearizations > 0))
    status = refresh(state, step, Refresh::linearize);
  else if (options_.jacobian_pattern.empty() && repeated_->factorizations > 0)
    status = refresh(state, step, Refresh::combine);
  alpha_last_ = history_.alpha();
  return status.ok() ? iterate(state, step) : status;
}

// The planes at hand serve a new α, and new inputs if they are followed, as long as they belong to the system as it is.
Refresh Bdf::cheapest_refresh(const State& state) const {
  const bool follows = options_.jacobian_update == JacobianUpdate::extended;
  const bool serves = options_.jacobian_update != JacobianUpdate::full && operator_->ready() &&
                      matrix_version_ == state.version &&
                      (history_.alpha() != alpha_matrix_ || (follows && t_trial_ != t_matrix_)) &&
                      !system_.matrix_outdated(point(), state, *workspace_);
  return serves ? Refresh::combine : Refresh::linearize;
}

Status Bdf::retry(const State& state, BdfStep& step, Refresh kind) {
  predict(state);
  Status status = refresh(state, step, kind);
  if (status.ok()) status = iterate(state, step);
  if (status.ok()) step.rung = std::max(step.rung, Rung::fresh_matrix);
  return status;
}

// The problem of a step: (1) for y.
class Bdf::Iteration {
 public:
  Iteration(Bdf& method, const State& state, BdfStep& step) : m_(method), state_(state), step_(step) {}

  Status prepare(int m) {
    const std::string& pattern = m_.options_.jacobian_pattern;
    const bool by_pattern = !pattern.empty() && pattern[static_cast<std::size_t>(m) % pattern.size()] == 'T';
    const bool renews = by_pattern || std::exchange(renews_, false);
    return renews ? m_.refresh(state_, step_) : Status::success();
  }

  Status solve(int) {
    ++step_.iterations;
    ++step_.accepted_iterations;
    ++m_.counters_.residuals;
    if (const Status status = m_.system_.residual(m_.point(), state_, m_.F_, *m_.workspace_); !status.ok())
      return status;
    m_.x_ = m_.F_;
    const Status status = m_.operator_->solve(m_.point(), state_, m_.x_, *m_.workspace_);  // J δ = −F
    return status.ok() ? status : m_.find_not_finite(status);
  }

  NewtonVerdict correct(int m) {
    const RepeatedStep* recorded = m_.repeated_;
    if (m_.saturated() && !recorded) return NewtonVerdict::converged;
    const double norm = m_.apply_correction();
    if (!std::isfinite(norm)) return NewtonVerdict::not_finite;
    if (recorded) return judge_repeated(m);
    if (m_.options_.newton_stop != NewtonStop::tolerance) return NewtonVerdict::go_on;
    const NewtonVerdict verdict = m_.judge(m, norm);
    if (verdict == NewtonVerdict::converged) {
      m_.extra_iterations_ += std::max(0, m + 1 - ordinary_iterations);
      m_.note_multipliers(m > 0);
    }
    return verdict;
  }

  Status give_up(Cause cause) {
    if (cause == Cause::too_many_iterations && m_.options_.newton_stop == NewtonStop::none) return Status::success();
    const Status status = Status::recoverable(cause);
    return cause == Cause::not_finite ? m_.find_not_finite(status) : status;
  }

 private:
  NewtonVerdict judge_repeated(int m) {
    using Verdict = RepeatedNewton::Verdict;
    const Verdict verdict = repeated_.judge(m, RepeatedNewton::calc_moved(m_.system_.layout().kinds(), m_.x_, m_.y_));
    renews_ = verdict == Verdict::renew;
    if (verdict == Verdict::not_finite) return NewtonVerdict::not_finite;
    const bool ends = verdict == Verdict::settled || verdict == Verdict::hold_rows;
    return ends ? NewtonVerdict::converged : NewtonVerdict::go_on;
  }

  Bdf& m_;
  const State& state_;
  BdfStep& step_;
  RepeatedNewton repeated_{m_.repeated_ ? *m_.repeated_ : RepeatedStep()};
  bool renews_ = false;
};

Status Bdf::iterate(const State& state, BdfStep& step) {
  corrections_.clear();
  step.accepted_iterations = 0;
  const int most = repeated_ ? RepeatedNewton(*repeated_).most_iterations() : options_.max_iterations;
  return solve_by_newton(Iteration(*this, state, step), most);
}

// Sizes of the correction at hand in the scaled unknowns, and (33): ‖ẑ^{j+1}‖ ≥ ‖ẑ^j‖, nearly.
bool Bdf::saturated() {
  const bool stops = options_.newton_stop == NewtonStop::saturation;
  if (!stops && !options_.records_corrections) return false;
  corrections_.push_back(calc_field_sizes(system_.layout().kinds(), x_, operator_->column_factors()));
  const std::size_t n = corrections_.size();
  return stops && n > 1 && corrections_[n - 1].norm >= newton_decrease * corrections_[n - 2].norm;
}

Status Bdf::refresh(const State& state, BdfStep& step, Refresh kind) {
  Planes& planes = operator_->planes();
  planes.typical.resize(y_.size());
  for (Eigen::Index i = 0; i < y_.size(); ++i) planes.typical[i] = tolerance_.weight(i, y_[i]);
  const double alpha = history_.alpha();
  const Coefficients c = options_.unknown == BdfUnknown::y ? Coefficients{1.0, alpha} : Coefficients{1.0 / alpha, 1.0};
  const bool linearizes = kind == Refresh::linearize;
  planes.suspect = linearizes && was_slow_ && planes_age_ <= recent_steps && operator_->counters().linearizations > 0;
  if (linearizes) was_slow_ = false, planes_age_ = 0;
  step.linearizations += linearizes;
  ++step.factorizations;
  counters_.linearizations += linearizes;
  counters_.updates += !linearizes;
  ++counters_.factorizations;
  const Status status = operator_->setup(point(), state, c, h_, kind, *workspace_);
  // An estimated pattern that misses entries may be what leaves no pivot.
  const bool may_miss = !planes.suspect && operator_->counters().linearizations > 0 && system_.estimates_pattern();
  if (!status.ok() && linearizes && may_miss) {
    was_slow_ = true;
    return refresh(state, step, kind);
  }
  alpha_matrix_ = alpha;
  t_matrix_ = t_trial_;
  matrix_version_ = state.version;
  rate_factor_ = options_.first_rate_factor;
  extra_iterations_ = 0;
  if (status.ok()) {  // the tested sets may have followed the linearization
    update_masks();
    update_weights();
  }
  return status;
}

// y += c δ, y′ += α c δ, e += c δ with c of (2). Returns ‖c δ‖ over the corrector's set.
double Bdf::apply_correction() {
  const double alpha = history_.alpha();
  double c = 2.0 / (1.0 + alpha / alpha_matrix_);
  if (options_.unknown == BdfUnknown::yp) c /= alpha_matrix_;  // δy = δy′/α_J
  double square = 0.0;
  for (Eigen::Index i = 0; i < x_.size(); ++i) {
    const double delta = c * x_[i], weighted = delta * corrector_factor_[i];
    x_[i] = delta;
    y_[i] += delta;
    yp_[i] += alpha * delta;
    e_[i] += delta;
    square += weighted * weighted;
  }
  return std::sqrt(square);
}

// Velocities of index 2 are α times what coordinates moved by, multipliers of index 3 α² times: in short steps they go
// on moving by the rounding of Φ, ε L, when coordinates have come to rest. A correction that came after another one has
// a rate behind it, so that what was extrapolated of multipliers is gone.
bool Bdf::is_rounding(int iteration) const {
  if (iteration == 0 || derived_velocities_.empty() || !std::isfinite(options_.extent)) return false;
  const std::span<const Kind> kinds = system_.layout().kinds();
  const auto rounding = [&](Kind kind, double y) {
    return derived_rounding * epsilon * std::max(kind == Kind::rotation ? 1.0 : options_.extent, std::abs(y));
  };
  const double alpha = history_.alpha();
  for (const int i : derived_velocities_)
    if (std::abs(x_[i]) > alpha * rounding(Kind::velocity, 0.0)) return false;
  for (int i = 0; i < history_.n(); ++i)
    if ((kinds[i] == Kind::position || kinds[i] == Kind::rotation) && std::abs(x_[i]) > rounding(kinds[i], y_[i]))
      return false;
  return true;
}

NewtonVerdict Bdf::judge(int iteration, double norm) {
  if (norm <= rounding_margin * epsilon * predicted_norm_ || is_rounding(iteration)) return NewtonVerdict::converged;
  if (iteration == 0) {
    first_norm_ = norm;
  } else if (options_.fixed_h && iteration == 1 && norm > first_norm_) {
    first_norm_ = norm;  // multipliers predicted too well: Φ, of second order in h, shows in them divided by h²
  } else if (options_.jacobian_update != JacobianUpdate::full && iteration == 1 && norm > bdf_max_rate * first_norm_ &&
             norm < max_second_correction * first_norm_) {
    first_norm_ = norm;  // λ, predicted badly and corrected with an old Gᵀ, shows in v: once, and then it falls
  } else {
    const double rate = std::pow(norm / first_norm_, 1.0 / iteration);
    if (rate > bdf_max_rate) return NewtonVerdict::diverging;
    rate_factor_ = rate / (1.0 - rate);
  }
  // A new matrix may show a rate of 1e-9, which flatters the same matrix ten steps later. What that leaves of the
  // states is noise in their differences, which fails error tests and halves steps; what it leaves of multipliers would
  // be extrapolated, up to 2ᵏ⁺¹ − 1 times as large, and left again. Of multipliers the largest counts, not a mean with
  // the states: one among many grows like all.
  if (iteration == 0) {
    double largest = 0.0;
    for (const Guarded& g : guarded_) largest = std::max(largest, std::abs(x_[g.unknown]) * g.factor);
    if (presumed_rate * largest > newton_limit()) return NewtonVerdict::go_on;
    if (options_.presumes_rate && presumed_rate / (1.0 - presumed_rate) * norm > newton_limit())
      return NewtonVerdict::go_on;
  }
  return rate_factor_ * norm <= newton_limit() ? NewtonVerdict::converged : NewtonVerdict::go_on;
}

// What Newton may leave over. Its remainder is noise in the difference of order k + 1 that controls order and step:
// low orders bear more of it. `newton_constant` is meant for the highest.
double Bdf::newton_limit() const {
  const double looser = options_.newton_constant * std::max(1.0, full_noise / noise_of_order[k_ - 1]);
  return std::min(looser, std::max(options_.newton_constant, loosest_newton));
}

// Reactions that vanish by symmetry are known relative to the largest, which must not follow its own error: only an
// iteration that has shown its rate makes it larger at once.
void Bdf::note_multipliers(bool rate_is_shown) {
  const double largest = forces_.size > 0 ? y_.segment(forces_.first, forces_.size).lpNorm<Eigen::Infinity>() : 0.0;
  multiplier_size_ = rate_is_shown ? largest : std::min(largest, multiplier_growth * multiplier_size_);
}

Status Bdf::find_not_finite(const Status& otherwise) const {
  for (Eigen::Index i = 0; i < F_.size(); ++i)
    if (!std::isfinite(F_[i])) return Status::recoverable(Cause::not_finite, static_cast<int>(i));
  return otherwise;
}

}  // namespace trammel
