// SPDX-License-Identifier: Apache-2.0
#include "trammel/integrators/one_step.h"

#include <algorithm>
#include <cmath>

#include "time_rounding.h"
#include "trammel/nonlinear/newton.h"

// Simplified Newton on the scaled equations of a step.

namespace trammel {

using detail::epsilon;

namespace {

constexpr double rounding_margin = 16.0;  // a chain of 10 000 links stagnates at 4 ε max|q|
// An old matrix is renewed when it converges slowly and needs more further iterations than `patience`. A new one costs
// as much as 8 (particles) to 15 iterations (bodies in space), so that more patience would be a little faster, but slow
// iterations also leave a remainder of the size of the tolerance, which the steps of a small h add up in the
// velocities.
constexpr double slow_rate = 0.2, patience = 2.0;
// Errors of positions below this multiple of what rounding leaves of Φ are not seen: δ in q is δ/(β h²) in v̇, which
// rings on, and some δ in the estimate, δ is larger than what is left of Φ by 1/σ near a position where G loses rank
// (0.15 rad before it is passed), and no shorter step has less of it.
constexpr double rounding_in_error = 16.0;
// Corrections may exceed the tolerance by this much when the equations are solved to rounding already.
constexpr double rounding_growth = 1e3;
// What is left in q, δ, is seen as δ/h in the estimate of the velocity's error: the tolerance stays below this part of
// that error's.
constexpr double newton_velocity_part = 0.05;

}  // namespace

Status OneStep::refresh(double h, const State& state, StepReport& report, MotionOperator::Refresh what) {
  const bool linearizes = what == MotionOperator::Refresh::linearize;
  report.linearizations += linearizes;
  n_updates_ += !linearizes;
  ++report.factorizations;
  test_.forget();
  operator_.set_turning(axes_.turns());
  const Status status = setup_matrix(h, state, what);
  const MotionPlanes& planes = operator_.planes();
  double mass = 0.0;
  for (int i = 0; i < dae_.nv(); ++i) mass += planes.M[planes.motion.slot(i, i)];
  force_scale_ = std::max(operator_.scaling().multiplier, mass / (std::max(dae_.nv(), 1) * h * h));
  return status;
}

// The problem of a step: unknowns (q, z, λ) of its end.
class OneStep::Iteration {
 public:
  Iteration(OneStep& method, double h, const State& state, StepReport& report)
      : m_(method), h_(h), state_(state), report_(report), last_(method.options_.max_iterations - 1) {}

  /// The matrix serves while it belongs to this h and to the system as it is.
  Status start() {
    if (m_.repeated_) return start_as_recorded();
    is_fresh_ = !m_.operator_.ready() || state_.version != m_.matrix_version_;
    if (is_fresh_ || m_.operator_.coefficients() != m_.coefficients(h_)) {
      using Refresh = MotionOperator::Refresh;
      // What old planes leave of the equations is noise in the error's estimate: a rejected step gets new ones.
      is_fresh_ = is_fresh_ || m_.options_.jacobian_update == JacobianUpdate::full || report_.rejected_error > 0;
      if (is_fresh_) m_.axes_.replaced();
      const Status status = m_.refresh(h_, state_, report_, is_fresh_ ? Refresh::linearize : Refresh::combine);
      if (!status.ok()) return status;
      m_.matrix_version_ = state_.version;
    }
    m_.remainder_ = 1.0;
    begin();
    return Status::success();
  }

  Status prepare(int k) {
    const bool as_recorded = m_.repeated_ && (is_outdated_ || (k > 0 && m_.repeated_->renews_matrix()));
    if (!renews_ && !as_recorded && !(k == 0 && is_outdated_)) return Status::success();
    is_outdated_ = false;
    return m_.refresh(h_, state_, report_);
  }

  Status solve(int) {
    const int nv = m_.dae_.nv(), nz = m_.dae_.nz(), nc = m_.dae_.nc();
    Eigen::VectorXd& r = m_.residual_;
    ++m_.n_residuals_;
    if (const Status status = m_.calc_residual(state_, r.head(nv), r.segment(nv, nz), r.tail(nc)); !status.ok())
      return status;
    if (holds_rows_) r.tail(nc).setZero();
    m_.x_ = r;
    m_.operator_.update_axes(m_.ends_.to.q, state_);
    m_.operator_.to_matrix(m_.x_);
    const Status status = m_.operator_.solve(m_.x_);  // J δ = −r
    m_.dlam_ = m_.x_.tail(nc);
    m_.operator_.to_here(m_.x_);
    report_.iterations += status.ok();
    report_.accepted_iterations += status.ok();
    return status;
  }

  NewtonVerdict correct(int k) {
    const int nv = m_.dae_.nv(), nz = m_.dae_.nz(), nc = m_.dae_.nc();
    if (m_.saturated() && !m_.repeated_) return NewtonVerdict::converged;
    m_.correct(h_, m_.x_.head(nv), m_.x_.segment(nv, nz));
    m_.ends_.to.lam += m_.x_.tail(nc);
    if (m_.repeated_) return judge_repeated(k);
    if (m_.options_.newton_stop != NewtonStop::tolerance) return NewtonVerdict::go_on;
    const double norm = m_.correction_norm(report_);
    const NewtonVerdict verdict = m_.test_.judge(norm);
    if ((polishes_ && norm <= 1.0) || verdict == NewtonVerdict::converged) return settle(k, norm);
    const bool stuck = verdict == NewtonVerdict::diverging || k == last_;
    const bool slow = stuck || (m_.test_.rate() > slow_rate && m_.test_.remaining_iterations() > patience);
    if (stuck && k > 0 && m_.options_.newton_test == NewtonTest::motion && norm <= rounding_growth &&
        m_.is_solved_to_rounding())
      return NewtonVerdict::converged;
    if (slow && !is_fresh_ && k > 0) {  // the matrix is old
      is_fresh_ = is_outdated_ = true;
      m_.axes_.aged();
      return begin_again();
    }
    if (stuck && m_.options_.h && !renews_ && k > 0) {  // nor can a fixed step be made smaller
      renews_ = true;
      return begin_again();
    }
    return renews_ ? NewtonVerdict::go_on : verdict;
  }

  Status give_up(Cause cause) {
    if (m_.options_.newton_stop == NewtonStop::none) return Status::success();
    m_.find_worst_row(report_);
    return Status::recoverable(cause, report_.worst_row);
  }

 private:
  void begin() {
    m_.test_.start();
    m_.corrections_.clear();
    report_.accepted_iterations = 0;
  }

  // Planes at hand serve a step of another size: to a step of the same size they would be what they are.
  Status start_as_recorded() {
    using Refresh = MotionOperator::Refresh;
    const RepeatedStep& step = *m_.repeated_;
    is_fresh_ = step.linearizations > 0 || !m_.operator_.ready() || state_.version != m_.matrix_version_;
    Status status;
    if (is_fresh_ || step.factorizations > 0 || m_.operator_.coefficients() != m_.coefficients(h_))
      status = m_.refresh(h_, state_, report_, is_fresh_ ? Refresh::linearize : Refresh::combine);
    m_.matrix_version_ = state_.version;
    begin();
    return status;
  }

  NewtonVerdict judge_repeated(int k) {
    const int nv = m_.dae_.nv(), nz = m_.dae_.nz();
    using Verdict = RepeatedNewton::Verdict;
    const auto kinds = m_.dae_.layout().kinds();
    const double moved = std::max(RepeatedNewton::calc_moved(kinds, m_.x_.head(nv), m_.ends_.to.q),
                                  RepeatedNewton::calc_moved(kinds.subspan(nv), m_.x_.segment(nv, nz), m_.ends_.to.z));
    const Verdict verdict = m_.x_.allFinite() ? m_.repeated_newton_.judge(k, moved) : Verdict::not_finite;
    is_outdated_ = verdict == Verdict::renew;
    holds_rows_ = holds_rows_ || verdict == Verdict::hold_rows;
    if (verdict == Verdict::not_finite) return NewtonVerdict::not_finite;
    return verdict == Verdict::settled ? NewtonVerdict::converged : NewtonVerdict::go_on;
  }

  NewtonVerdict begin_again() {
    m_.extrapolate(h_);
    begin();
    return NewtonVerdict::again;
  }

  // What is left over. Rounding bounds the tolerance, not yet the iteration: a first correction is followed by a
  // second. That may be rounding itself, which no further one makes smaller.
  NewtonVerdict settle(int k, double norm) {
    const double rate = std::max(m_.test_.rate(), ConvergenceTest::trusted_rate);
    double& left = m_.remainder_;
    left = std::min(1.0, rate < 0.5 ? rate / (1.0 - rate) * norm : norm);
    polishes_ = k == 0 && left > m_.finest_ && last_ > 0;
    if (k > 0 && left > m_.finest_) left = std::min(1.0, norm);
    if (polishes_) return NewtonVerdict::go_on;
    if (renews_) report_.remedy = "a new matrix in every iteration";
    return NewtonVerdict::converged;
  }

  OneStep& m_;
  const double h_;
  const State& state_;
  StepReport& report_;
  const int last_;
  bool is_fresh_ = false, is_outdated_ = false;  // the matrix: of this step; to be made before the next iteration
  bool renews_ = false, polishes_ = false;
  bool holds_rows_ = false;  // of a repeated step: they are solved to rounding
};

Status OneStep::iterate(double h, const State& state, StepReport& report) {
  if (repeated_) repeated_newton_ = RepeatedNewton(*repeated_);
  Iteration iteration(*this, h, state, report);
  if (const Status status = iteration.start(); !status.ok()) return status;
  return solve_by_newton(iteration, repeated_ ? repeated_newton_.most_iterations() : options_.max_iterations);
}

// Sizes of the correction at hand in the scaled unknowns, and [bottasso2007 (33)]: ‖x̂^{j+1}‖ ≥ ‖x̂^j‖, nearly.
bool OneStep::saturated() {
  const bool stops = options_.newton_stop == NewtonStop::saturation;
  if (!stops && !options_.records_corrections) return false;
  std::fill(column_.end() - dae_.nc(), column_.end(), operator_.scaling().multiplier);
  corrections_.push_back(calc_field_sizes(dae_.layout().kinds(), x_, column_));
  const std::size_t n = corrections_.size();
  return stops && n > 1 && corrections_[n - 1].norm >= newton_decrease * corrections_[n - 2].norm;
}

// The residual of this iteration is what rounding leaves: constraints to some ε of the coordinates, forces within their
// tolerance. Near a singular position the matrix makes larger corrections of it than the tolerance, again and again.
bool OneStep::is_solved_to_rounding() const {
  const int nv = dae_.nv(), nz = dae_.nz(), nc = dae_.nc();
  constexpr double rounding = 64.0 * epsilon;
  const double q_limit = rounding * (1.0 + ends_.to.q.lpNorm<Eigen::Infinity>());
  const double v_limit = rounding * (1.0 + ends_.to.v.lpNorm<Eigen::Infinity>());
  for (int r = 0; r < nc; ++r)
    if (!(std::abs(residual_[nv + nz + r]) <= (dae_.holonomic()[r] ? q_limit : v_limit))) return false;
  const double force_limit = (uses_newton_tol() ? options_.newton_tol : newton_fraction * options_.atol) * force_scale_;
  return nv == 0 || residual_.head(nv).lpNorm<Eigen::Infinity>() <= force_limit;
}

void OneStep::update_weights(double h) {
  const int nv = dae_.nv(), nz = dae_.nz();
  // Φ is a difference of positions: corrections cannot become smaller than what rounding leaves of it. In joint
  // coordinates these are as large as the machine, however small the coordinates are.
  const double size = std::max(nv > 0 ? ends_.from.q.lpNorm<Eigen::Infinity>() : 0.0,
                               dae_.nc() > 0 && std::isfinite(options_.extent) ? options_.extent : 0.0);
  const double rounding = rounding_margin * epsilon * size;
  unseen_ = dae_.nc() > 0 ? rounding_in_error * rounding : 0.0;
  sees_rounding_ = false;
  finest_ = 1.0;
  const auto absolute = [&](double atol, double unit) {
    return std::max(uses_newton_tol() ? options_.newton_tol * unit : newton_fraction * atol, rounding);
  };
  newton_absolute_ = absolute(options_.atol, options_.length);
  const double relative = uses_newton_tol() ? options_.newton_tol : newton_fraction * options_.rtol;
  const double of_angles = absolute(options_.rotation_atol.value_or(options_.atol), 1.0);
  const double of_states = absolute(options_.state_atol.value_or(options_.atol), 1.0);
  for (int i = 0; i < nv; ++i) {
    const double place = uses_newton_tol() ? std::abs(ends_.from.q[i]) : size_of(i, ends_.from);
    weight_[i] = (dae_.layout().kinds()[i] == Kind::rotation ? of_angles : newton_absolute_) + relative * place;
    if (uses_newton_tol()) continue;
    sees_rounding_ = sees_rounding_ || factor_ * (atol_[i] + options_.rtol * place) < unseen_;
    const double of_velocity = newton_velocity_part * h * velocity_tolerance(i, place, std::abs(ends_.from.v[i]));
    const double wanted = std::min(factor_ * weight_[i], of_velocity);
    weight_[i] = std::max(wanted, rounding);
    finest_ = std::min(finest_, wanted / weight_[i]);
  }
  for (int i = 0; i < nz; ++i)
    weight_[nv + i] = std::max(state_factor_ * (of_states + relative * std::abs(ends_.from.z[i])),
                               rounding_margin * epsilon * std::abs(ends_.from.z[i]));
}

// Largest weighted correction; NaN is the largest of all.
double OneStep::correction_norm(StepReport& report) {
  const int n_states = dae_.nv() + dae_.nz();
  double largest = 0.0;
  const auto judge = [&](int unknown, double limit) {
    const double size = std::abs(x_[unknown]) / limit;
    if (size <= largest) return;  // false for NaN
    largest = size;
    report.worst_unknown = unknown;
    report.worst_correction = x_[unknown];
    report.worst_limit = limit;
  };
  for (int i = 0; i < n_states; ++i) judge(i, weight_[i]);
  if (options_.newton_test == NewtonTest::motion) return force_norm(report, largest);
  const double unit = operator_.scaling().multiplier;  // λ = unit · λ̂
  for (int r = 0; r < dae_.nc(); ++r) judge(n_states + r, options_.newton_tol * (unit + std::abs(ends_.to.lam[r])));
  return largest;
}

// Multipliers are judged by what they do, the forces Gᵀδλ, as displacements Gᵀδλ/multiplier: in and near a singular
// position (a flat parallelogram) there are multipliers without any force, which rounding alone determines and no
// iteration can settle.
double OneStep::force_norm(StepReport& report, double largest) {
  const int nv = dae_.nv(), n_states = nv + dae_.nz();
  const double absolute = newton_absolute_;
  const double relative = uses_newton_tol() ? options_.newton_tol : newton_fraction * options_.rtol;
  const Pattern& columns = operator_.planes().constraint;
  const std::vector<double>& G = operator_.planes().G;
  turned_.tail(dae_.nc()) = ends_.to.lam;
  operator_.to_matrix(turned_);
  const auto lam = turned_.tail(dae_.nc());
  for (int i = 0; i < nv; ++i) {
    double force = 0.0, sum = 0.0, most = 0.0;
    int row = 0;
    for (int k = columns.start[i]; k < columns.start[i + 1]; ++k) {
      const int r = columns.index[k];
      const double term = G[k] * dlam_[r];
      force += term;
      sum += std::abs(G[k] * lam[r]);
      if (!(std::abs(term) <= most)) most = std::abs(term), row = r;
    }
    const double limit = absolute * force_scale_ + relative * sum, size = std::abs(force) / limit;
    if (size <= largest) continue;
    largest = size;
    report.worst_unknown = n_states + row;
    report.worst_correction = force;
    report.worst_limit = limit;
  }
  return largest;
}

void OneStep::find_worst_row(StepReport& report) const {
  const int nv = dae_.nv(), nz = dae_.nz();
  const ScalingFactors& f = operator_.scaling();
  double largest = -1.0;
  for (Eigen::Index i = 0; i < residual_.size(); ++i) {
    double factor = i < nv ? f.motion : 1.0;
    if (i >= nv + nz) factor = dae_.holonomic()[i - nv - nz] ? f.holonomic : f.nonholonomic;
    const double size = std::abs(residual_[i]) * factor;
    if (!(size <= largest)) {
      largest = size;
      report.worst_row = static_cast<int>(i);
      report.worst_residual = residual_[i];
    }
  }
}

}  // namespace trammel
