// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <utility>

#include "time_rounding.h"
#include "trammel/integrators/radau.h"
#include "trammel/integrators/repeated_newton.h"
#include "trammel/nonlinear/newton.h"

// Simplified Newton on all stages of a step.

namespace trammel {

using detail::epsilon;

namespace {

// New planes when Newton contracts less than this: each iteration costs s residuals and a solve per block, and the
// remainder must fall below some 1e-3 of the tolerance.
constexpr double radau_slow_rate = 0.03;
constexpr double radau_max_rate = 0.99;
// A fixed step cannot shrink and has a tolerance near rounding: a matrix of t_n that wins one digit per iteration must
// do.
constexpr int fixed_step_patience = 3;
// A correction of this many roundings of y cannot become smaller.
constexpr double radau_rounding_margin = 100.0;
// Newton converges linearly. Corrections that fell by this much at first and have stopped falling are what rounding
// leaves of the residuals; they are accepted where they are within the remainder that a loose tolerance is allowed.
constexpr double quick_fall = 0.1, largest_noise = 0.03;
// And a residual of this many roundings of y, through the matrix, cannot either.
constexpr double residual_margin = 32.0;

}  // namespace

int RadauOptions::most_iterations() const {
  const bool is_patient = fixed_h && newton_stop == NewtonStop::tolerance;
  return is_patient ? fixed_step_patience * max_iterations : max_iterations;
}

// Newton with the planes at hand, and once more with new ones if those were old.
Status Radau::correct(const State& state, RadauStep& step) {
  if (repeated_) return correct_as_recorded(state, step);
  const bool outdated = !blocks_.ready() || matrix_version_ != state.version || rate_ > radau_slow_rate ||
                        system_.matrix_outdated({t_, inputs_.view(), y_, yp_}, state, *workspace_);
  Status status = Status::success();
  if (outdated && !planes_are_new_)
    status = refresh(state, choose_refresh(state), step);
  else if (!blocks_.ready() || blocks_.h() != h_)
    status = refresh(state, Refresh::combine, step);
  if (!status.ok()) return status;
  status = iterate(state, step);
  // New planes may have missed entries, once, if their pattern is an estimate.
  const bool may_miss = system_.estimates_pattern() && !blocks_.planes().suspect;
  if (status.ok() || (planes_are_new_ && !may_miss) || status.outcome == Outcome::fatal) return status;

  status = refresh(state, Refresh::linearize, step, planes_are_new_);
  return status.ok() ? iterate(state, step) : status;
}

// Planes at hand serve a step of another size: to a step of the same size they would be what they are.
Status Radau::correct_as_recorded(const State& state, RadauStep& step) {
  Status status;
  if (repeated_->linearizations > 0 || !blocks_.ready() || matrix_version_ != state.version)
    status = refresh(state, Refresh::linearize, step);
  else if (repeated_->factorizations > 0 || blocks_.h() != h_)
    status = refresh(state, Refresh::combine, step);
  return status.ok() ? iterate(state, step) : status;
}

// Planes that follow the inputs are tried once more before they are taken anew.
Refresh Radau::choose_refresh(const State& state) const {
  const bool serves = options_.jacobian_update == JacobianUpdate::extended && !planes_follow_ && blocks_.ready() &&
                      matrix_version_ == state.version && blocks_.planes().t != t_ &&
                      !system_.matrix_outdated({t_, inputs_.view(), y_, yp_}, state, *workspace_);
  return serves ? Refresh::combine : Refresh::linearize;
}

Status Radau::refresh(const State& state, Refresh what, RadauStep& step, bool suspect) {
  if (options_.jacobian_update == JacobianUpdate::full && !planes_are_new_ && !repeated_) what = Refresh::linearize;
  Planes& planes = blocks_.planes();
  planes.typical.resize(y_.size());
  for (Eigen::Index i = 0; i < y_.size(); ++i) planes.typical[i] = tolerance_.weight(i, y_[i]);
  ++step.factorizations;
  ++counters_.factorizations;
  planes_follow_ = what == Refresh::combine;
  counters_.updates += planes_follow_;
  if (what == Refresh::linearize) {
    planes.suspect = suspect;
    ++step.linearizations;
    ++counters_.linearizations;
    rate_factor_ = 1.0;
  }
  const Status status = blocks_.setup({t_, inputs_.view(), y_, yp_}, state, h_, what, *workspace_);
  // An estimated pattern that misses entries may be what leaves no pivot.
  if (!status.ok() && what == Refresh::linearize && !suspect && system_.estimates_pattern())
    return refresh(state, what, step, true);
  if (what == Refresh::combine || !status.ok()) return status;
  matrix_version_ = state.version;
  planes_are_new_ = true;
  update_masks();  // the tested sets may follow the linearization
  update_weights();
  return status;
}

// The problem of a step: the stages Z.
class Radau::Iteration {
 public:
  Iteration(Radau& method, const State& state, RadauStep& step, int max_iterations)
      : m_(method),
        state_(state),
        step_(step),
        last_(max_iterations - 1),
        is_fixed_(method.options_.fixed_h.has_value()),
        noise_limit_(method.options_.newton_constant ? method.newton_limit_
                                                     : std::max(method.newton_limit_, largest_noise)),
        rounding_(radau_rounding_margin * epsilon * method.corrector_norm(method.y_)) {}

  Status prepare(int) {
    if (std::exchange(renews_, false))
      if (const Status status = m_.refresh(state_, Refresh::linearize, step_); !status.ok()) return status;
    m_.update_stages();
    ++step_.iterations;
    ++step_.accepted_iterations;
    return Status::success();
  }

  Status solve(int) { return m_.calc_corrections(state_); }

  NewtonVerdict correct(int m) {
    if (m_.saturated() && !m_.repeated_) return arrive(m);
    double norm = 0.0;
    for (int i = 0; i < m_.tableau_.stages(); ++i) norm = std::max(norm, m_.corrector_norm(m_.R_.col(i)));
    if (!std::isfinite(norm)) return NewtonVerdict::not_finite;
    m_.Z_ += m_.R_;
    const bool stops = m_.repeated_ || m_.options_.newton_stop == NewtonStop::tolerance;
    if (!stops && m == 1) m_.rate_ = norm / previous_;  // later ones are of rounding
    const NewtonVerdict verdict = m_.repeated_ ? judge_repeated(m) : stops ? judge(m, norm) : NewtonVerdict::go_on;
    previous_ = norm;
    return verdict == NewtonVerdict::converged ? arrive(m) : verdict;
  }

  Status give_up(Cause cause) {
    if (cause != Cause::too_many_iterations || m_.options_.newton_stop != NewtonStop::none)
      return Status::recoverable(cause);
    arrive(last_);
    return Status::success();
  }

 private:
  NewtonVerdict arrive(int m) {
    m_.last_iterations_ = m + 1;
    m_.update_stages();
    return NewtonVerdict::converged;
  }

  NewtonVerdict judge_repeated(int m) {
    using Verdict = RepeatedNewton::Verdict;
    double moved = 0.0;
    for (int i = 0; i < m_.tableau_.stages(); ++i)
      moved = std::max(moved, RepeatedNewton::calc_moved(m_.system_.layout().kinds(), m_.R_.col(i), m_.y_));
    const Verdict verdict = repeated_.judge(m, moved);
    renews_ = verdict == Verdict::renew;
    if (verdict == Verdict::not_finite) return NewtonVerdict::not_finite;
    const bool ends = verdict == Verdict::settled || verdict == Verdict::hold_rows;
    return ends ? NewtonVerdict::converged : NewtonVerdict::go_on;
  }

  NewtonVerdict judge(int m, double norm) {
    if (norm <= rounding_) return NewtonVerdict::converged;
    double& rate = m_.rate_;
    if (m > 0) {
      const double ratio = norm / previous_;
      rate = m == 1 ? ratio : std::sqrt(ratio * previous_ratio_);
      previous_ratio_ = ratio;
      fastest_ = std::min(fastest_, ratio);
      if (rate < radau_max_rate) m_.rate_factor_ = rate / (1.0 - rate);
      // Corrections below the tolerance that no longer fall are rounding.
      if (rate >= radau_max_rate && norm <= m_.newton_limit_) return NewtonVerdict::converged;
      const int left = last_ - m;
      const double remainder = m_.rate_factor_ * norm * std::pow(rate, left) / m_.newton_limit_;
      const bool hopeless = rate >= radau_max_rate || remainder >= 1.0;  // it would not converge in time
      // A first correction of coordinates says little of the multipliers: a step that cannot shrink goes on, and stops
      // where rounding does.
      if (hopeless && (!is_fixed_ || m >= fixed_step_patience)) {
        const bool stalls = fastest_ <= quick_fall && norm <= noise_limit_;
        if (is_fixed_ ? m_.residuals_are_rounding(state_) : stalls) {
          rate = 0.0, m_.rate_factor_ = 1.0;  // noise says nothing of the matrix
          return NewtonVerdict::converged;
        }
        if (rate < radau_max_rate)
          m_.newton_shrink_ = 0.8 * std::pow(std::clamp(remainder, 1e-4, 20.0), -1.0 / (4.0 + left));
        return NewtonVerdict::diverging;
      }
    }
    return m_.rate_factor_ * norm <= m_.newton_limit_ ? NewtonVerdict::converged : NewtonVerdict::go_on;
  }

  Radau& m_;
  const State& state_;
  RadauStep& step_;
  const int last_;
  const bool is_fixed_;
  const double noise_limit_, rounding_;
  double previous_ = 0.0, previous_ratio_ = 0.0, fastest_ = 1.0;
  RepeatedNewton repeated_{m_.repeated_ ? *m_.repeated_ : RepeatedStep()};
  bool renews_ = false;
};

Status Radau::iterate(const State& state, RadauStep& step) {
  predict();
  rate_factor_ = std::pow(std::max(rate_factor_, epsilon), 0.8);
  rate_ = 0.0;
  newton_shrink_ = control_.rule().newton_shrink;
  step.accepted_iterations = 0;
  corrections_.clear();
  const int max_iterations = repeated_ ? RepeatedNewton(*repeated_).most_iterations() : options_.most_iterations();
  const Status status = solve_by_newton(Iteration(*this, state, step, max_iterations), max_iterations);
  if (!status.ok()) rate_ = 1.0;
  return status;
}

// Sizes of the corrections at hand in the scaled unknowns, over all stages, and [bottasso2007 (33)] as of BDF.
bool Radau::saturated() {
  const bool stops = options_.newton_stop == NewtonStop::saturation;
  if (!stops && !options_.records_corrections) return false;
  FieldSizes all;
  for (int i = 0; i < tableau_.stages(); ++i) {
    const FieldSizes of = calc_field_sizes(system_.layout().kinds(), R_.col(i), blocks_.column_factors());
    all = {std::max(all.position, of.position), std::max(all.velocity, of.velocity),
           std::max(all.multiplier, of.multiplier), std::hypot(all.norm, of.norm)};
  }
  corrections_.push_back(all);
  const std::size_t n = corrections_.size();
  return stops && n > 1 && corrections_[n - 1].norm >= newton_decrease * corrections_[n - 2].norm;
}

// Rounding y, and with it y′ of (1), changes the rows of F by up to ε (|F_y||y| + |F_y′||A⁻¹||y|/h). Smaller residuals
// are noise, whatever they still correct: light and stiff parts at small steps move by more than any tolerance. |y| is
// the largest of its kind, since what vanishes by symmetry is known relative to the others, and 1 for rotations, of
// which frames are made.
bool Radau::residuals_are_rounding(const State& state) {
  const Planes& planes = blocks_.planes();
  const Pattern& pattern = planes.pattern;
  const std::span<const Kind> kinds = system_.layout().kinds();
  for (int i = 0; i < tableau_.stages(); ++i) {
    double largest[Tolerances::n_kinds] = {};
    largest[static_cast<int>(Kind::rotation)] = 1.0;
    for (Eigen::Index j = 0; j < y_.size(); ++j) {
      double& size = largest[static_cast<int>(kinds[j])];
      size = std::max(size, std::abs(Y_(j, i)));
    }
    const double per_step = tableau_.A_inverse().row(i).cwiseAbs().sum() / h_;
    noise_.setZero();
    for (int j = 0; j < pattern.n_cols; ++j) {
      const double y = largest[static_cast<int>(kinds[j])];
      for (std::size_t plane = 0; plane < planes.roles.size(); ++plane) {
        const double size = planes.roles[plane] == PlaneRole::y ? y : per_step * y;
        for (int k = pattern.start[j]; k < pattern.start[j + 1]; ++k)
          noise_[pattern.index[k]] += std::abs(planes.values[plane][k]) * size;
      }
    }
    e_ = F_.col(i);
    system_.to_matrix_rows(stage_point(i), state, e_, *workspace_);
    for (Eigen::Index k = 0; k < e_.size(); ++k)
      if (std::abs(e_[k]) > residual_margin * epsilon * noise_[k]) return false;
  }
  return true;
}

// R ← corrections of all Z_i. Each stage turns its rows and columns with its own rotations.
Status Radau::calc_corrections(const State& state) {
  const int s = tableau_.stages();
  for (int i = 0; i < s; ++i) {
    ++counters_.residuals;
    if (const Status status = system_.residual(stage_point(i), state, F_.col(i), *workspace_); !status.ok())
      return status;
    R_.col(i) = F_.col(i);
    system_.select_stage(i, *workspace_);
    system_.to_matrix_rows(stage_point(i), state, R_.col(i), *workspace_);
  }
  ++counters_.solves;
  if (const Status status = blocks_.solve(R_); !status.ok()) {
    for (Eigen::Index k = 0; k < F_.size(); ++k)
      if (!std::isfinite(F_.data()[k])) return Status::recoverable(Cause::not_finite, static_cast<int>(k % F_.rows()));
    return status;
  }
  for (int i = 0; i < s; ++i) {
    system_.select_stage(i, *workspace_);
    system_.from_matrix_columns(stage_point(i), state, R_.col(i), *workspace_);
  }
  return Status::success();
}

}  // namespace trammel
