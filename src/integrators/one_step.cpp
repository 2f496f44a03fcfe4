#include "trammel/integrators/one_step.h"

#include <algorithm>
#include <cmath>

#include "one_step_control.h"
#include "time_rounding.h"
#include "trammel/integrators/memory_check.h"

namespace trammel {

namespace one_step = detail::one_step;
using detail::epsilon, detail::kink_side, detail::sliver;

namespace {

constexpr double keep_below = 1.3;        // a smaller growth is not worth a new matrix
constexpr double rounding_margin = 16.0;  // a chain of 10 000 links stagnates at 4 ε max|q|
// An old matrix is renewed when it converges slowly and needs more further iterations than `patience`. A new one costs
// as much as 8 (particles) to 15 iterations (bodies in space), so that more patience would be a little faster, but slow
// iterations also leave a remainder of the size of the tolerance, which the steps of a small h add up in the
// velocities.
constexpr double slow_rate = 0.2, patience = 2.0;
// Corrections may exceed the tolerance by this much when the equations are solved to rounding already.
constexpr double rounding_growth = 1e3;
// (1) Of an error of order hᵖ⁺¹ in every step, t/h steps make one of hᵖ ∼ tol^(p/(p+1)): the error of a run does not
// fall as its tolerance does. With tol (tol/loose_tol)^(1/p) instead it does [as RADAU5 does it for all its unknowns].
// Coordinates and velocities keep the tolerance itself down to the default one, and methods of first order, p = 1, that
// of p = 2: their steps are what an ordinary run costs.
constexpr double loose_tol = 1e-4, ordinary_tol = 1e-5;
// The first part of a run shows nothing yet of how fast velocities change: (2). With six times the tolerance of
// positions over T the steps of smooth motion stay what positions make them; a pulse then errs by five times as much as
// one as long as the motion itself, at most. Errors of first order (Newmark's) have the tolerance itself.
constexpr double early_part = 0.1, velocity_part = 6.0;
// What Newton's iteration leaves in q, δ, is seen as δ/h in the estimate of the velocity's error: its tolerance stays
// below this part of that error's, and that error's above this multiple of what the iteration did leave.
constexpr double newton_velocity_part = 0.05, newton_noise = 2.0;
// Errors of positions below this multiple of what rounding leaves of Φ are not seen: δ in q is δ/(β h²) in v̇, which
// rings on, and some δ in the estimate, δ is larger than what is left of Φ by 1/σ near a position where G loses rank
// (0.15 rad before it is passed), and no shorter step has less of it.
constexpr double rounding_in_error = 16.0;
// A change of h makes stiff springs swing, and an estimate sees it: where longer steps failed, growth waits for 0, 1,
// 3, … and at last 15 steps.
constexpr int longest_wait = 31;
// Smaller errors do not bound the growth of a step; nor does a velocity across the constraints, in units of q's
// tolerance over h, that makes a third of this.
constexpr double unbounding_error = 0.1, ringing_part = 0.3;
// In units of rounding of z: Newton's remainder is of that size, and no smaller error can be seen beside it.
constexpr double state_rounding = 1024.0;

double calc_factor(const StepOptions& options, double from, int order) {
  if (options.h || options.rtol == 0.0) return 1.0;  // an absolute tolerance alone has a unit
  const auto root = [&](double tol) { return std::min(1.0, std::sqrt(options.rtol / tol)); };
  return root(from) * (order > 1 ? 1.0 : root(ordinary_tol));
}

}  // namespace

OneStep::OneStep(const SecondOrderDae& dae, const StepOptions& options, LinearSolverKind solver,
                 const MotionScaling& scaling)
    : dae_(dae),
      operator_(dae, solver, scaling),
      workspace_(dae.make_workspace()),
      options_(options),
      acceleration_(dae, solver) {
  const int nv = dae.nv(), nz = dae.nz(), nc = dae.nc();
  ends_.from.resize(nv, nz, nc);
  ends_.to.resize(nv, nz, nc);
  settled_.resize(nv, nz, nc);
  for (auto* x : {&a_rate_, &a_old_, &ends_.q_rate_from, &ends_.q_rate_to, &variation_, &fastest_, &pace_, &q_first_})
    x->setZero(nv);
  for (auto* x : {&zp_rate_, &zp_old_}) x->setZero(nz);
  for (auto* x : {&lam_old_, &bias_}) x->setZero(nc);
  for (auto* x : {&x_, &residual_}) x->setZero(nv + nz + nc);
  weight_.setOnes(nv + nz + nc);
  atol_.resize(nv);
  for (int i = 0; i < nv; ++i)
    atol_[i] = dae.layout().kinds()[i] == Kind::rotation ? options.rotation_atol.value_or(options.atol) : options.atol;
  corrections_.reserve(static_cast<std::size_t>(options_.max_iterations));
  column_.assign(static_cast<std::size_t>(nv + nz + nc), 1.0);
}

// ---- start ---------------------------------------------------------------------------------------------------------

Status OneStep::start(const MotionVariables& at, State& state) {
  // The beginning of the step that was taken last: it is taken again, to an earlier end, and its size was good.
  const double h_again = !options_.h && at.t == ends_.from.t ? ends_.to.t - ends_.from.t : 0.0;
  factor_ = calc_factor(options_, ordinary_tol, order()), state_factor_ = calc_factor(options_, loose_tol, order());
  ends_.to = at;
  pending_ = true;
  commit(state);
  restart_ = true;
  after_kink_ = false;
  h_next_ = h_again, h_old_ = 0.0;
  return Status::success();
}

Status OneStep::restart(const MotionVariables& at, State& state) {
  const Status status = start(at, state);
  after_kink_ = true;
  return status;
}

// v̈ and z̈ from consistent accelerations a little before and after, along the motion; after a kink of an input
// (accelerations jump) from those after it alone.
Status OneStep::calc_rates(const State& state) {
  MotionVariables& x0 = ends_.from;
  if (after_kink_) {
    const double t = x0.t + kink_side(x0.t);
    if (!options_.h && dae_.nc() > 0) {
      // A velocity across the constraints, which the midpoint rule never forgets, is not handed over to what follows.
      AccelerationSolver::SettleLimits limits;
      limits.velocity = 0.0;
      if (const Status status = acceleration_.settle(x0, t, limits, state, *workspace_); !status.ok()) return status;
    } else {
      MotionVariables x = x0;
      x.t = t;
      if (const Status status = acceleration_.solve(x, state, *workspace_); !status.ok()) return status;
      x0.a = x.a, x0.zp = x.zp, x0.lam = x.lam;
    }
  }
  // A central difference loses ε/δ to rounding and δ² to truncation, relative to the time scale of the motion.
  const double rate = x0.v.size() ? std::sqrt(x0.v.squaredNorm() + std::abs(x0.v.dot(x0.a)) + x0.a.norm()) : 0.0;
  const double dt = 1e-5 / (1.0 + rate);
  MotionVariables x = x0;
  for (int side : {1, -1}) {
    const double s = side * dt;
    x.t = x0.t + s;
    x.q = x0.q + s * x0.v + 0.5 * s * s * x0.a;  // charts are centred: q̇ = v
    x.v = x0.v + s * x0.a;
    x.z = x0.z + s * x0.zp;
    x.a = x0.a, x.zp = x0.zp, x.lam = x0.lam;
    const Status status = acceleration_.solve(x, state, *workspace_);
    // Before a kink, or before the start of a table, there is another motion or none: forward difference.
    if (side < 0 && (after_kink_ || status.cause == Cause::not_finite)) {
      a_rate_ = (a_rate_ - x0.a) / dt;
      zp_rate_ = (zp_rate_ - x0.zp) / dt;
      break;
    }
    if (!status.ok()) return status;
    if (side > 0) {
      a_rate_ = x.a;
      zp_rate_ = x.zp;
    } else {
      a_rate_ = (a_rate_ - x.a) / (2.0 * dt);
      zp_rate_ = (zp_rate_ - x.zp) / (2.0 * dt);
    }
  }
  after_kink_ = false;
  a_old_ = x0.a, lam_old_ = x0.lam, zp_old_ = x0.zp;
  h_old_ = 0.0;
  return Status::success();
}

// ---- a step --------------------------------------------------------------------------------------------------------

StepReport OneStep::advance(double t_end, State& state) {
  commit(state);
  const StepReport report = attempt(t_end, state);
  if (!report.status.ok()) ends_.to = ends_.from;  // what did not converge is shown to nobody
  return report;
}

StepReport OneStep::attempt(double t_end, const State& state) {
  StepReport report;
  if (restart_) {
    report.status = calc_rates(state);
    if (!report.status.ok()) return report;
    begin();
    restart_ = false;
  }
  t_end_ = t_end;
  if (!options_.h) update_pace();
  const double hmin = smallest_step();
  double h = choose_step(t_end);
  for (int attempt = 0; attempt < one_step::max_attempts; ++attempt) {
    report.attempted_h = h;
    update_weights(h);
    resize_step(h);
    extrapolate(h);
    report.status = iterate(h, state, report);
    if (report.status.outcome == Outcome::fatal) return report;
    if (!report.status.ok()) {
      ++report.rejected_newton;
      report.failure = report.status.cause;
      if (options_.h || h * one_step::newton_shrink < hmin) return report;  // a fixed step stays what it is
      h *= one_step::newton_shrink;
      continue;
    }
    if (!options_.h) {
      report.error = error_norm(h);
      const double factor = std::clamp(one_step::safety * std::pow(std::max(report.error, 1e-10), -1.0 / (order() + 1)),
                                       one_step::min_shrink, one_step::max_growth);
      if (report.error > 1.0) {
        if (h > h_old_ && h_old_ > 0.0 && report.rejected_error == 0) {
          waits_for_ = std::min(2 * waits_for_ + 1, longest_wait);
          waited_ = 0;
        }
        ++report.rejected_error;
        report.status = Status::recoverable(Cause::error_test);
        report.failure = Cause::error_test;
        if (h * factor < hmin) {
          report.status.row = find_worst_error(h);
          return report;
        }
        h *= factor;
        continue;
      }
      if (h > h_old_ && report.rejected_error == 0) waits_for_ = 0;
      // Where rounding is all that is seen a shorter step only divides it by less: the step stays, and soon grows
      // again.
      const bool grows = factor >= (sees_rounding_ ? 1.0 : keep_below) && ++waited_ > waits_for_ / 2;
      h_next_ = (factor > 1.0 || sees_rounding_) && !grows ? h : h * factor;
      if (report.rejected_newton > 0) h_next_ = std::min(h_next_, h);
    }
    if (!options_.h && rings()) {
      report.status = project_velocities(h, state);
      if (!report.status.ok()) return report;
    }
    accept(h);
    report.corrections = corrections_;
    report.h = h;
    report.order = order();
    return report;
  }
  return report;
}

double OneStep::smallest_step() const { return std::max(options_.hmin, 4.0 * epsilon * std::abs(ends_.from.t)); }

double OneStep::choose_step(double t_end) {
  const double remaining = t_end - ends_.from.t;
  double h = options_.h ? *options_.h : h_next_;
  if (h <= 0.0) {
    // First step: the change of q by the third derivative stays below the tolerance, with a margin.
    double size = 0.0;
    for (Eigen::Index i = 0; i < a_rate_.size(); ++i)
      size =
          std::max(size, std::abs(a_rate_[i]) / (factor_ * (atol_[i] + options_.rtol * size_of(i, ends_.from.q[i]))));
    h = options_.h0 ? *options_.h0 : std::min(0.5 * std::cbrt(1.0 / (size + 1e-30)), 1e-2 * remaining);
  }
  if (!options_.h) h = std::max(std::min({h, options_.hmax, h_bound_}), smallest_step());
  // Reach t_end exactly, and do not leave a last sliver behind: t is a sum of n steps and has lost up to n² ε h.
  if (h > remaining * (1.0 - sliver)) return remaining;
  if (!options_.h && h > 0.5 * remaining) return 0.5 * remaining;
  return h;
}

// v̇, ż and λ along the last step; the rest follows from the formula.
void OneStep::extrapolate(double h) {
  const MotionVariables& x0 = ends_.from;
  MotionVariables& x = ends_.to;
  const double ratio = h_old_ > 0.0 ? h / h_old_ : 0.0;
  x.t = h == t_end_ - x0.t ? t_end_ : x0.t + h;
  x.a = x0.a + ratio * (x0.a - a_old_);
  x.zp = x0.zp + ratio * (x0.zp - zp_old_);
  x.lam = x0.lam + ratio * (x0.lam - lam_old_);
  // A step that ends at a kink sees the inputs as they are before it.
  const bool ends_at_kink = !options_.h && dae_.next_breakpoint(x0.t) <= x.t;
  dae_.calc_inputs(ends_at_kink ? x.t - kink_side(x.t) : x.t, inputs_);
  predict(h);
}

Status OneStep::calc_residual(const State& state, Vec motion, Vec internal, Vec constraint) {
  return dae_.residual(ends_.to.point(inputs_.view()), state, motion, internal, constraint, *workspace_);
}

Status OneStep::setup_matrix(double h, const State& state, MotionOperator::Refresh refresh) {
  return operator_.setup(ends_.to.point(inputs_.view()), state, coefficients(h), h, refresh, *workspace_);
}

Status OneStep::refresh(double h, const State& state, StepReport& report) {
  ++report.linearizations;
  ++report.factorizations;
  test_.forget();
  const Status status = setup_matrix(h, state, MotionOperator::Refresh::linearize);
  const MotionPlanes& planes = operator_.planes();
  double mass = 0.0;
  for (int i = 0; i < dae_.nv(); ++i) mass += planes.M[planes.motion.slot(i, i)];
  force_scale_ = std::max(operator_.scaling().multiplier, mass / (std::max(dae_.nv(), 1) * h * h));
  return status;
}

Status OneStep::iterate(double h, const State& state, StepReport& report) {
  const int nv = dae_.nv(), nz = dae_.nz(), nc = dae_.nc();
  bool fresh = !operator_.ready() || state.version != matrix_version_;
  if (fresh || operator_.coefficients() != coefficients(h)) {
    const Status status = refresh(h, state, report);
    if (!status.ok()) return status;
    matrix_version_ = state.version;
    fresh = true;
  }
  bool renews = false, polishes = false;
  remainder_ = 1.0;
  test_.start();
  corrections_.clear();
  for (int k = 0; k < options_.max_iterations; ++k) {
    Status status = renews ? refresh(h, state, report) : Status::success();
    if (status.ok()) status = calc_residual(state, residual_.head(nv), residual_.segment(nv, nz), residual_.tail(nc));
    if (!status.ok()) return status;
    x_ = residual_;
    status = operator_.solve(x_);  // J δ = −r
    if (!status.ok()) return status;
    ++report.iterations;
    if (saturated()) return Status::success();
    correct(h, x_.head(nv), x_.segment(nv, nz));
    ends_.to.lam += x_.tail(nc);
    if (options_.newton_stop != NewtonStop::tolerance) continue;
    const double norm = correction_norm(report);
    const ConvergenceTest::Verdict verdict = test_.judge(norm);
    if ((polishes && norm <= 1.0) || verdict == ConvergenceTest::Verdict::converged) {
      const double rate = std::max(test_.rate(), ConvergenceTest::trusted_rate);
      remainder_ = std::min(1.0, rate < 0.5 ? rate / (1.0 - rate) * norm : norm);
      // Rounding bounds the tolerance, not yet the iteration: a first correction is followed by a second. That may be
      // rounding itself, which no further one makes smaller.
      polishes = k == 0 && remainder_ > finest_ && options_.max_iterations > 1;
      if (k > 0 && remainder_ > finest_) remainder_ = std::min(1.0, norm);
      if (polishes) continue;
      if (renews) report.remedy = "a new matrix in every iteration";
      return Status::success();
    }
    const bool exhausted = k + 1 == options_.max_iterations;
    const bool stuck = verdict == ConvergenceTest::Verdict::diverging || exhausted;
    const bool slow = stuck || (test_.rate() > slow_rate && test_.remaining_iterations() > patience);
    if (stuck && k > 0 && options_.newton_test == NewtonTest::motion && norm <= rounding_growth &&
        is_solved_to_rounding())
      return Status::success();
    if (slow && !fresh && k > 0) {
      // The matrix is old: begin the step again with a new one.
      extrapolate(h);
      status = refresh(h, state, report);
      if (!status.ok()) return status;
      fresh = true;
      test_.start();
      corrections_.clear();
      k = -1;
    } else if (stuck && options_.h && !renews && k > 0) {
      // Nor can a fixed step be made smaller: once more, with a new matrix in every iteration.
      extrapolate(h);
      renews = true;
      test_.start();
      corrections_.clear();
      k = -1;
    } else if (verdict == ConvergenceTest::Verdict::diverging && !renews) {
      find_worst_row(report);
      return Status::recoverable(Cause::slow_convergence, report.worst_row);
    }
  }
  if (options_.newton_stop == NewtonStop::none) return Status::success();
  find_worst_row(report);
  return Status::recoverable(Cause::too_many_iterations, report.worst_row);
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
  const double force_limit =
      (uses_newton_tol() ? options_.newton_tol : one_step::newton_fraction * options_.atol) * force_scale_;
  return nv == 0 || residual_.head(nv).lpNorm<Eigen::Infinity>() <= force_limit;
}

// ---- norms ---------------------------------------------------------------------------------------------------------

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
    return std::max(uses_newton_tol() ? options_.newton_tol * unit : one_step::newton_fraction * atol, rounding);
  };
  newton_absolute_ = absolute(options_.atol, options_.length);
  const double relative = uses_newton_tol() ? options_.newton_tol : one_step::newton_fraction * options_.rtol;
  const double of_angles = absolute(options_.rotation_atol.value_or(options_.atol), 1.0);
  const double of_states = absolute(options_.state_atol.value_or(options_.atol), 1.0);
  for (int i = 0; i < nv; ++i) {
    const double place = uses_newton_tol() ? std::abs(ends_.from.q[i]) : size_of(i, ends_.from.q[i]);
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
double OneStep::correction_norm(StepReport& report) const {
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
double OneStep::force_norm(StepReport& report, double largest) const {
  const int nv = dae_.nv(), n_states = nv + dae_.nz();
  const double absolute = newton_absolute_;
  const double relative = uses_newton_tol() ? options_.newton_tol : one_step::newton_fraction * options_.rtol;
  const Pattern& columns = operator_.planes().constraint;
  const std::vector<double>& G = operator_.planes().G;
  for (int i = 0; i < nv; ++i) {
    double force = 0.0, sum = 0.0, most = 0.0;
    int row = 0;
    for (int k = columns.start[i]; k < columns.start[i + 1]; ++k) {
      const int r = columns.index[k];
      const double term = G[k] * x_[n_states + r];
      force += term;
      sum += std::abs(G[k] * ends_.to.lam[r]);
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

double OneStep::error_norm(double h) {
  double largest = dae_.nz() > 0 ? state_error_norm(h) : 0.0;
  const auto of_position = [&](Eigen::Index i) { return local_error(h, i); };
  largest = motion_error_norm(largest, false, of_position, [&](Eigen::Index i) { return position_limit(i); });
  const auto of_velocity = [&](Eigen::Index i) { return velocity_error(h, i); };
  return motion_error_norm(largest, true, of_velocity, [&](Eigen::Index i) { return velocity_limit(h, i); });
}

double OneStep::size_of(Eigen::Index i, double q) const {
  return one_step::relative_size(dae_.layout().kinds()[i], q, q_first_[i], options_.extent);
}

double OneStep::position_limit(Eigen::Index i) const {
  const double place = std::max(size_of(i, ends_.from.q[i]), size_of(i, ends_.to.q[i]));
  return std::max({factor_ * (atol_[i] + options_.rtol * place), calc_noise(i), unseen_});
}

double OneStep::velocity_limit(double h, Eigen::Index i) const {
  const double place = std::max(size_of(i, ends_.from.q[i]), size_of(i, ends_.to.q[i]));
  const double speed = std::max(std::abs(ends_.from.v[i]), std::abs(ends_.to.v[i]));
  return std::max(velocity_tolerance(i, place, speed), calc_noise(i) / h);
}

// Newton's tolerance is not below what rounding may leave of the constraints of a long chain. What is left is less, as
// a rule, and is estimated by the last correction, which has its own rounding in it.
double OneStep::calc_noise(Eigen::Index i) const { return newton_noise * remainder_ * weight_[i]; }

int OneStep::find_worst_error(double h) const {
  const int nv = dae_.nv(), nz = dae_.nz();
  int worst = -1;
  double largest = -1.0;
  const auto look = [&](int unknown, double size) {
    if (!(size <= largest)) largest = size, worst = unknown;
  };
  for (int i = 0; i < nv; ++i) {
    look(i, std::abs(local_error(h, i)) / position_limit(i));
    look(i, std::abs(velocity_error(h, i)) / velocity_limit(h, i));
  }
  for (int i = 0; i < nz; ++i)
    if (dae_.E()[i] != 0.0)
      look(nv + i,
           std::abs(integral_error(h, {zp_old_[i], ends_.from.zp[i], ends_.to.zp[i], zp_rate_[i]})) / state_weight(i));
  return worst;
}

// (2) Of an error e of a velocity a machine whose time is T makes one of e T in positions: velocities have the
// tolerance of positions over T, and a relative one of their own. T is the time in which a velocity changes by as much
// as it has been at most, on the average of the run so far,
//
//   1/T = Σ|Δv| / (max|v| t),
//
// beginning at rest, so that 1/T ≥ 1/t. In a motion of one frequency ω it is ω, nearly, and the test says what that of
// positions says. A pulse, a blow or a stop, over in a hundredth of that time, changes velocities as much and positions
// hardly: what the time of the moment would be forgiven there stays in the velocity for the rest of the run.
void OneStep::update_pace() {
  const double t = std::max(ends_.from.t - t_first_, early_part * options_.span);
  for (Eigen::Index i = 0; i < pace_.size(); ++i)
    pace_[i] = t > 0.0 ? std::max(fastest_[i] > 0.0 ? variation_[i] / fastest_[i] : 1.0, 1.0) / t : 0.0;
}

double OneStep::velocity_tolerance(Eigen::Index i, double place, double speed) const {
  return (order() > 1 ? velocity_part : 1.0) * factor_ *
         (options_.rtol * speed + pace_[i] * (atol_[i] + options_.rtol * place));
}

// Accelerations across the constraints, and those of springs too stiff for h, ring: an estimate that would bound the
// step is led through the matrix. J⁻¹ (a M e, 0, 0) is e for slow motion along the constraints, nothing across them,
// and e/(hω)² for what h does not resolve.
template <class Error, class Weight>
double OneStep::motion_error_norm(double others, bool filters, Error&& error, Weight&& weight) {
  const int nv = dae_.nv();
  double largest = others;
  for (int i = 0; i < nv; ++i) {
    residual_[i] = error(i);
    const double size = std::abs(residual_[i]) / weight(i);
    if (!(size <= largest)) largest = size;
  }
  if (!filters || largest <= std::max(others, unbounding_error)) return largest;
  const MotionPlanes& planes = operator_.planes();
  const double a = operator_.coefficients().a;
  x_.setZero();
  for (int i = 0; i < nv; ++i)
    for (int k = planes.motion.start[i]; k < planes.motion.start[i + 1]; ++k)
      x_[planes.motion.index[k]] += a * planes.M[k] * residual_[i];
  if (!operator_.solve(x_).ok()) return largest;
  double filtered = others;
  for (int i = 0; i < nv; ++i) filtered = std::max(filtered, std::abs(x_[i]) / weight(i));
  return std::min(largest, filtered);
}

double OneStep::state_weight(Eigen::Index i) const {
  const double size = std::max(std::abs(ends_.from.z[i]), std::abs(ends_.to.z[i]));
  const double atol = options_.state_atol.value_or(options_.atol);
  return std::max(state_factor_ * (atol + options_.rtol * size), state_rounding * epsilon * size);
}

// A component of z whose time constant T is much shorter than h shows its errors in ż = g divided by T, so that what
// derivatives say is larger than it by h/T. The matrix knows: (E c − g_z)⁻¹ E c e, c = ∂ż/∂z, is e for slow components
// and e T/h for fast ones. Rates that are differences of z need no such filter.
double OneStep::state_error_norm(double h) {
  const int nv = dae_.nv(), nz = dae_.nz();
  const double rate = operator_.coefficients().zp;
  double largest = 0.0;
  x_.setZero();
  for (int i = 0; i < nz; ++i) {
    if (dae_.E()[i] == 0.0) continue;
    const double error = integral_error(h, {zp_old_[i], ends_.from.zp[i], ends_.to.zp[i], zp_rate_[i]});
    x_[nv + i] = rate * error;
    const double size = std::abs(error) / state_weight(i);
    if (!(size <= largest)) largest = size;
  }
  if (largest <= 1.0 || !has_end_rates() || !operator_.solve(x_).ok()) return largest;
  double filtered = 0.0;
  for (int i = 0; i < nz; ++i)
    if (dae_.E()[i] != 0.0) filtered = std::max(filtered, std::abs(x_[nv + i]) / state_weight(i));
  return std::min(largest, filtered);
}

// ---- accepting -----------------------------------------------------------------------------------------------------

// A velocity v across the constraints that changes its sign in every step makes accelerations of ± 2v/h, and h v/3 in
// the estimate of the error of positions: before it bounds the step it is taken away.
Status OneStep::project_velocities(double h, const State& state) {
  const int nv = dae_.nv();
  double tolerance = std::numeric_limits<double>::infinity();
  for (int i = 0; i < nv; ++i)
    tolerance = std::min(tolerance, factor_ * (atol_[i] + options_.rtol * size_of(i, ends_.from.q[i])));
  const Status status =
      dae_.velocity_level(ends_.to.point(inputs_.view()), state, x_.tail(dae_.nc()), bias_, *workspace_);
  if (!status.ok()) return status;
  if (h * x_.tail(dae_.nc()).lpNorm<Eigen::Infinity>() <= ringing_part * tolerance) return Status::success();
  AccelerationSolver::SettleLimits limits;
  limits.velocity = 0.0;
  settled_ = ends_.to;
  // Where constraints lose rank the velocity stays what it is.
  if (acceleration_.settle(settled_, settled_.t, limits, state, *workspace_).ok()) ends_.to.v = settled_.v;
  return Status::success();
}

void OneStep::accept(double h) {
  remember(h);
  a_old_ = ends_.from.a, lam_old_ = ends_.from.lam, zp_old_ = ends_.from.zp;
  h_old_ = h;
  has_q_rates_ = false;
  // A kink of an input ends the history: accelerations jump there.
  restart_ = after_kink_ = !options_.h && dae_.next_breakpoint(ends_.from.t) <= ends_.to.t;
  pending_ = true;
}

// Rates of charts are taken when somebody looks into the step: not every step is looked into.
void OneStep::interpolate(double t, MotionVariables& at) const {
  if (!has_q_rates_) {
    dae_.calc_q_rate(ends_.from.q, ends_.from.v, ends_.q_rate_from);
    dae_.calc_q_rate(ends_.to.q, ends_.to.v, ends_.q_rate_to);
    has_q_rates_ = true;
  }
  ends_.interpolate(t, at);
}

void OneStep::commit(State& state) {
  if (!pending_) return;
  pending_ = false;
  if (!began_) t_first_ = ends_.to.t, q_first_ = ends_.to.q;
  began_ = true;
  for (Eigen::Index i = 0; i < variation_.size(); ++i) {
    variation_[i] += std::abs(ends_.to.v[i] - ends_.from.v[i]);
    fastest_[i] = std::max(fastest_[i], std::abs(ends_.to.v[i]));
  }
  ends_.from = ends_.to;
  dae_.calc_inputs(ends_.from.t, inputs_);
  dae_.accepted(ends_.to.point(inputs_.view()), ends_.from.q, state, *workspace_);
}

MotionIntegrator::ScalingReport OneStep::scaling() const {
  const ScalingFactors& f = operator_.scaling();
  return {f.m, f.d, f.k, f.s};
}

// ---- restarts ------------------------------------------------------------------------------------------------------

std::vector<double> OneStep::save() {
  operator_.invalidate();
  std::vector<double> numbers{pending_ ? 1.0 : 0.0,
                              restart_ ? (after_kink_ ? 2.0 : 1.0) : 0.0,
                              h_next_,
                              h_old_,
                              ends_.from.t,
                              ends_.to.t,
                              t_first_,
                              static_cast<double>(waits_for_),
                              static_cast<double>(waited_)};
  for (const double* x : scalar_memory()) numbers.push_back(*x);
  const auto put = [&](const Eigen::VectorXd& x) { numbers.insert(numbers.end(), x.data(), x.data() + x.size()); };
  for (const MotionVariables* x : {&ends_.from, &ends_.to})
    for (const auto* y : {&x->q, &x->v, &x->a, &x->z, &x->zp, &x->lam}) put(*y);
  for (const auto* x : {&a_rate_, &zp_rate_, &a_old_, &lam_old_, &zp_old_, &variation_, &fastest_, &q_first_}) put(*x);
  for (const auto* x : memory()) put(*x);
  return numbers;
}

void OneStep::restore(std::span<const double> numbers) {
  detail::check_memory(numbers, save());
  has_q_rates_ = false;
  pending_ = numbers[0] != 0.0, restart_ = numbers[1] != 0.0, after_kink_ = numbers[1] == 2.0;
  h_next_ = numbers[2], h_old_ = numbers[3];
  ends_.from.t = numbers[4], ends_.to.t = numbers[5];
  t_first_ = numbers[6], began_ = true;
  waits_for_ = static_cast<int>(numbers[7]), waited_ = static_cast<int>(numbers[8]);
  const double* next = numbers.data() + 9;
  for (double* x : scalar_memory()) *x = *next++;
  const auto take = [&](Eigen::VectorXd& x) {
    x = Eigen::Map<const Eigen::VectorXd>(next, x.size());
    next += x.size();
  };
  for (MotionVariables* x : {&ends_.from, &ends_.to})
    for (auto* y : {&x->q, &x->v, &x->a, &x->z, &x->zp, &x->lam}) take(*y);
  for (auto* x : {&a_rate_, &zp_rate_, &a_old_, &lam_old_, &zp_old_, &variation_, &fastest_, &q_first_}) take(*x);
  for (auto* x : memory()) take(*x);
  operator_.invalidate();
}

}  // namespace trammel
