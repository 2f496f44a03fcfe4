// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>

#include "time_rounding.h"
#include "trammel/integrators/energy_decaying.h"
#include "trammel/nonlinear/newton.h"

// The equations of a step: damped Newton, and continuation where that fails.

namespace trammel {

using detail::epsilon;

namespace {

constexpr double decaying_rounding_margin = 64.0;
// A matrix costs a dozen simplified corrections: it is kept while at most this many of them are expected to remain.
// Patience for more than half a dozen saves little, as the rate, guessed from two corrections, gets worse.
constexpr int simplified_patience = 4;
// Damped steps: natural monotonicity asks |δ̄| ≤ (1 − λ/4)|δ|; below the smallest λ Newton has failed.
constexpr double smallest_damping = 1.0 / 256.0;
// Continuation begins where the step is nearly free motion, and gives up when it creeps. Parts grow by a factor of
// which a failure leaves the root and a success takes the power; as first guesses they need few digits.
constexpr double first_part = 1e-3, first_growth = 10.0, least_growth = 1.05, growth_power = 1.5, part_tol = 1e-4;

// Corrections fell from `size` to `next` by an unchanged matrix, and go on so.
bool serves_on(double size, double next, double tolerance) {
  return next < size && next * std::pow(next / size, simplified_patience) <= tolerance;
}

}  // namespace

int EnergyDecaying::most_iterations(const StepOptions& options) {
  return (options.newton_stop == NewtonStop::tolerance ? 2 : 1) * options.max_iterations;
}

// The scheme at the given step; where Newton fails, by continuation; then the variant of first order in the same ways.
Status EnergyDecaying::solve_step(double h, StepReport& report) {
  Status status;
  for (const double curvature : {1.0, 0.0}) {
    prepare(h, curvature);
    jump_.guess(y_, *jump_workspace_);
    status = iterate(h, 0.0, report);
    // An error-controlled run shortens its step instead: that is cheaper than any continuation.
    if (!status.ok() && status.outcome != Outcome::fatal && !options_.h) return status;
    if (!status.ok() && status.outcome != Outcome::fatal) {
      status = continue_in_h(h, curvature, report);
      if (status.ok()) {
        ++n_continued_;
        report.remedy = "continuation in h";
      }
    }
    if (status.ok() || status.outcome == Outcome::fatal) {
      if (status.ok() && curvature == 0.0) {
        ++n_first_order_;
        report.remedy = "the variant of first order";
      }
      return status;
    }
  }
  return status;
}

// Velocities and impulses of a part of the step are the first guess of a larger part.
Status EnergyDecaying::continue_in_h(double h, double curvature, StepReport& report) {
  const int n_impulses = 2 * jump_.n_multipliers();
  double part = first_part * h, growth = first_growth;
  prepare(part, curvature);
  jump_.guess(y_, *jump_workspace_);
  Status status = iterate(part, part_tol, report);
  if (!status.ok()) return status;
  Eigen::VectorXd reached = y_;
  while (part < h) {
    const double next = std::min(h, part * growth);
    prepare(next, curvature);
    y_ = reached;
    y_.tail(n_impulses) *= next / part;
    status = iterate(next, next < h ? part_tol : 0.0, report);
    if (status.ok()) {
      reached = y_;
      part = next;
      growth = std::min(first_growth, std::pow(growth, growth_power));
    } else {
      growth = std::sqrt(growth);
      if (growth < least_growth || status.outcome == Outcome::fatal) return status;
    }
  }
  return Status::success();
}

Status EnergyDecaying::refresh(StepReport& report) {
  const Pattern& pattern = jump_.pattern(*jump_workspace_);
  if (version_ != pattern.version) {
    version_ = pattern.version;
    plain_pattern_ = pattern_ = pattern;
    mass_unit_ = 0.0;
    plain_.assign(pattern.index.size(), 0.0);
    weight_.assign(static_cast<std::size_t>(pattern.n_cols), 0.0);
    const OrderingHint hint = make_hint();
    if (augmented_) pattern_ = augmented_->analyze(plain_pattern_, hint);
    // What `auto` takes searches for pivots, whatever the size.
    const Status status = exchanges_rows_ ? solver_->analyze(pattern_) : solver_->analyze(pattern_, hint);
    if (!status.ok()) return status;
  }
  ++report.linearizations, ++n_linearizations_;
  ++report.factorizations;
  if (const Status status = jump_.linearize(y_, plain_, *jump_workspace_); !status.ok()) return status;
  scale_matrix();
  if (augmented_)
    augmented_->make(weight_, plain_, values_, gains_);
  else
    values_ = plain_;
  return solver_->refactor(values_);
}

OrderingHint EnergyDecaying::make_hint() const {
  OrderingHint hint;
  hint.roles.insert(hint.roles.end(), 2 * jump_.nv(), UnknownRole::coordinate);
  hint.roles.insert(hint.roles.end(), 2 * jump_.nz(), UnknownRole::other);
  hint.roles.insert(hint.roles.end(), 2 * jump_.n_multipliers(), UnknownRole::multiplier);
  return hint;
}

// A power of two near the mean diagonal of M, which changes no digit. Unscaled it is 1 kg but of machines below a
// milligram, whose M would vanish beside B.
void EnergyDecaying::find_mass_unit() {
  constexpr double ordinary_mass = 1e-6;
  const int n_motion = 2 * jump_.nv();
  double sum = 0.0, largest = 0.0;
  for (int c = 0; c < n_motion; ++c)
    for (int k = plain_pattern_.start[c]; k < plain_pattern_.start[c + 1]; ++k) {
      if (plain_pattern_.index[k] < n_motion) largest = std::max(largest, std::abs(plain_[k]));
      if (plain_pattern_.index[k] == c) sum += std::abs(plain_[k]) / n_motion;
    }
  const auto power_near = [](double mass) { return mass > 0.0 ? std::exp2(std::floor(std::log2(mass))) : 1.0; };
  mass_unit_ = scaling_.is_physical      ? scaling_.m_ave.value_or(power_near(sum))
               : largest < ordinary_mass ? power_near(largest)
                                         : 1.0;
  if (!(mass_unit_ > 0.0)) mass_unit_ = 1.0;
}

// (6). The augmented term is ρ/s Ĉ·(rows of constraints) in these rows and columns.
void EnergyDecaying::scale_matrix() {
  const int n_motion = 2 * jump_.nv(), first_impulse = jump_.n() - 2 * jump_.n_multipliers();
  if (mass_unit_ == 0.0) find_mass_unit();
  const double length = scaling_.is_physical ? scaling_.l_ref : 1.0;
  if (mass_unit_ != 1.0 || length != 1.0)
    for (int c = 0; c < plain_pattern_.n_cols; ++c)
      for (int k = plain_pattern_.start[c]; k < plain_pattern_.start[c + 1]; ++k) {
        if (plain_pattern_.index[k] < n_motion) plain_[k] /= mass_unit_;
        if (plain_pattern_.index[k] >= first_impulse) plain_[k] /= length;
        if (c >= first_impulse) plain_[k] *= mass_unit_ / length;
      }
  std::fill(weight_.begin() + first_impulse, weight_.end(), scaling_.rho);
}

Status EnergyDecaying::solve(Vec x) {
  const double length = scaling_.is_physical ? scaling_.l_ref : 1.0;
  x.head(2 * jump_.nv()) /= mass_unit_;
  x.tail(2 * jump_.n_multipliers()) /= length;
  if (augmented_) augmented_->multiply(gains_, x);
  const Status status = solver_->solve(x);
  x.tail(2 * jump_.n_multipliers()) *= mass_unit_ / length;
  return status;
}

// Damped Newton: unknowns y of the step.
class EnergyDecaying::Iteration {
 public:
  Iteration(EnergyDecaying& method, double h, double rough_tol, StepReport& report)
      : m_(method),
        h_(h),
        rough_tol_(rough_tol),
        stop_(rough_tol > 0.0 || method.repeated_ ? NewtonStop::tolerance : method.options_.newton_stop),
        report_(report) {
    m_.corrections_.clear();
  }

  Status start() {
    ++m_.n_residuals_;
    return m_.jump_.residual(m_.y_, m_.r_, *m_.jump_workspace_);
  }

  Status prepare(int) { return serves_ ? Status::success() : m_.refresh(report_); }

  Status solve(int) {
    if (!serves_) {
      m_.delta_ = -m_.r_;
      if (const Status status = m_.solve(m_.delta_); !status.ok()) return status;
      serves_ = true;
    }
    ++report_.iterations;
    is_saturated_ = m_.saturated() && stop_ == NewtonStop::saturation;
    if (is_saturated_) return Status::success();
    size_ = m_.calc_norm(h_);
    tolerance_ = m_.calc_tolerance(h_, rough_tol_);
    rounding_ = decaying_rounding_margin * m_.calc_tolerance(h_, 0.0);
    return damp();
  }

  NewtonVerdict correct(int) {
    if (damping_ < smallest_damping) return NewtonVerdict::diverging;
    if (is_saturated_) return NewtonVerdict::converged;
    m_.y_ = m_.trial_;
    if (stop_ == NewtonStop::tolerance && is_settled()) {
      if (next_ < size_) m_.y_ += m_.next_delta_;
      return NewtonVerdict::converged;
    }
    serves_ = damping_ == 1.0 && serves_on(size_, next_, tolerance_);
    if (serves_)
      m_.delta_ = m_.next_delta_;
    else
      damping_ = std::min(1.0, 2.0 * damping_);
    return NewtonVerdict::go_on;
  }

  Status give_up(Cause cause) {
    if (cause == Cause::too_many_iterations && stop_ == NewtonStop::none) return Status::success();
    Eigen::Index row = 0;
    report_.worst_residual = m_.r_.cwiseAbs().maxCoeff(&row);
    report_.worst_row = static_cast<int>(row);
    return Status::recoverable(cause, report_.worst_row);
  }

 private:
  bool is_settled() const { return next_ <= tolerance_ || (size_ <= rounding_ && damping_ == 1.0); }

  // Natural monotonicity: the simplified correction at the new point, by the same matrix, is smaller.
  Status damp() {
    for (; damping_ >= smallest_damping; damping_ *= 0.5) {
      m_.trial_ = m_.y_ + damping_ * m_.delta_;
      ++m_.n_residuals_;
      Status status = m_.jump_.residual(m_.trial_, m_.r_, *m_.jump_workspace_);
      if (status.outcome == Outcome::fatal) return status;
      if (!status.ok()) continue;
      m_.next_delta_ = -m_.r_;
      if (status = m_.solve(m_.next_delta_); !status.ok()) return status;
      m_.delta_.swap(m_.next_delta_);
      next_ = m_.calc_norm(h_);
      m_.delta_.swap(m_.next_delta_);
      if (next_ <= (1.0 - 0.25 * damping_) * size_ || next_ <= tolerance_) break;
      if (size_ <= rounding_) break;  // what is left is rounding
    }
    return Status::success();
  }

  EnergyDecaying& m_;
  const double h_, rough_tol_;
  const NewtonStop stop_;
  StepReport& report_;
  bool serves_ = false;  // the matrix, and the correction at hand
  bool is_saturated_ = false;
  double damping_ = 1.0, size_ = 0.0, next_ = 0.0, tolerance_ = 0.0, rounding_ = 0.0;
};

Status EnergyDecaying::iterate(double h, double rough_tol, StepReport& report) {
  for (;;) {
    Iteration iteration(*this, h, rough_tol, report);
    Status status = iteration.start();
    if (status.ok()) status = solve_by_newton(iteration, most_iterations(options_));
    if (!status.ok() || !jump_.misses(y_, *jump_workspace_)) return status;
  }
}

// Sizes of the correction at hand in the scaled unknowns, and [bottasso2007 (33)] as of BDF.
bool EnergyDecaying::saturated() {
  const bool stops = options_.newton_stop == NewtonStop::saturation;
  if (!stops && !options_.records_corrections) return false;
  const double length = scaling_.is_physical ? scaling_.l_ref : 1.0;
  std::fill(column_.end() - 2 * jump_.n_multipliers(), column_.end(), mass_unit_ / length);
  corrections_.push_back(calc_field_sizes(jump_.layout().kinds(), delta_, column_));
  const std::size_t n = corrections_.size();
  return n > 1 && corrections_[n - 1].norm >= newton_decrease * corrections_[n - 2].norm;
}

// The largest |x_i|, positions and their rates in units of the machine's length.
double EnergyDecaying::largest(ConstVec x) const {
  const int nv = jump_.nv();
  double size = 0.0;
  for (Eigen::Index i = 0; i < x.size(); ++i) {
    const double value =
        std::abs(x[i]) * (dae_.layout().kinds()[i % nv] == Kind::rotation ? 1.0 : 1.0 / options_.length);
    if (!(value <= size)) size = value;
  }
  return size;
}

// The largest correction of a velocity, and of a state over h; impulses are linear in what velocities are.
double EnergyDecaying::calc_norm(double h) const {
  const int nv = jump_.nv(), nz = jump_.nz();
  double size = largest(delta_.head(2 * nv));
  if (nz > 0) size = std::max(size, delta_.segment(2 * nv, 2 * nz).lpNorm<Eigen::Infinity>() / h);
  return std::isfinite(size) ? size : std::numeric_limits<double>::infinity();
}

// Relative to the velocities; a correction also cannot be smaller than what rounding leaves of positions, over h.
double EnergyDecaying::calc_tolerance(double h, double rough_tol) const {
  // Steps that are repeated are solved to rounding: their iteration is damped, and has no count of its own.
  constexpr double nearly_rounding = 1e-14;
  const double of_errors = std::min(options_.newton_tol * 1e3, newton_fraction * options_.rtol);
  const double fine = repeated_ ? nearly_rounding : options_.h ? options_.newton_tol : of_errors;
  const double tol = std::max(fine, rough_tol);
  const int nv = jump_.nv();
  const double speed = nv > 0 ? largest(y_.head(2 * nv)) : 0.0;
  double place = nv > 0 ? largest(ends_.from.q) : 0.0;
  if (jump_.nz() > 0) place = std::max(place, ends_.from.z.lpNorm<Eigen::Infinity>());
  return tol * speed + 16.0 * epsilon * (1.0 + place) / h;
}

}  // namespace trammel
