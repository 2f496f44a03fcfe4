// SPDX-License-Identifier: Apache-2.0
#include "trammel/integrators/one_step.h"

#include <algorithm>
#include <cmath>

#include "time_rounding.h"
#include "trammel/integrators/memory_check.h"

namespace trammel {

using detail::epsilon, detail::kink_side;

namespace {

// (1) Of an error of order hᵖ⁺¹ in every step, t/h steps make one of hᵖ ∼ tol^(p/(p+1)): the error of a run does not
// fall as its tolerance does. With tol (tol/loose_tol)^(1/p) instead it does [as RADAU5 does it for all its unknowns].
// Coordinates and velocities keep the tolerance itself down to the default one, and methods of first order, p = 1, that
// of p = 2: their steps are what an ordinary run costs.
constexpr double loose_tol = 1e-4, ordinary_tol = 1e-5;
// A change of h makes stiff springs swing, and accelerations across constraints ring, and an estimate sees it: where
// longer steps failed, growth waits for 0, 1, 3, … and at last 15 steps. A longer step has failed as well if it is
// taken back within the next steps: they would grow and fall in turn, with new factors each time.
constexpr int longest_wait = 31, growth_lasts = 2;

double calc_factor(const StepOptions& options, double from, int order) {
  if (options.h || options.rtol == 0.0) return 1.0;  // an absolute tolerance alone has a unit
  const auto root = [&](double tol) { return std::min(1.0, std::sqrt(options.rtol / tol)); };
  return root(from) * (order > 1 ? 1.0 : root(ordinary_tol));
}

}  // namespace

OneStep::OneStep(const SecondOrderDae& dae, const StepOptions& options, LinearSolverChoice solver,
                 const MotionScaling& scaling)
    : dae_(dae),
      differences_(options.differences ? std::make_unique<DifferenceMotion>(dae, *options.differences) : nullptr),
      operator_(differences_ ? static_cast<const SecondOrderDae&>(*differences_) : dae, solver, scaling),
      workspace_(dae.make_workspace()),
      options_(options),
      control_(step_rules::one_step, options.h, options.hmin, options.hmax),
      acceleration_(dae, solver) {
  if (differences_) difference_workspace_ = differences_->make_workspace();
  if (options.jacobian_update == JacobianUpdate::extended) operator_.follow_inputs();
  const int nv = dae.nv(), nz = dae.nz(), nc = dae.nc();
  ends_.from.resize(nv, nz, nc);
  ends_.to.resize(nv, nz, nc);
  settled_.resize(nv, nz, nc);
  for (auto* x : {&a_rate_, &a_old_, &ends_.q_rate_from, &ends_.q_rate_to, &variation_, &fastest_, &pace_, &q_first_,
                  &v_first_, &changed_})
    x->setZero(nv);
  for (auto* x : {&zp_rate_, &zp_old_}) x->setZero(nz);
  for (auto* x : {&lam_old_, &bias_, &dlam_}) x->setZero(nc);
  for (auto* x : {&x_, &residual_, &turned_}) x->setZero(nv + nz + nc);
  weight_.setOnes(nv + nz + nc);
  atol_.resize(nv);
  for (int i = 0; i < nv; ++i)
    atol_[i] = dae.layout().kinds()[i] == Kind::rotation ? options.rotation_atol.value_or(options.atol) : options.atol;
  corrections_.reserve(static_cast<std::size_t>(options_.max_iterations));
  column_.assign(static_cast<std::size_t>(nv + nz + nc), 1.0);
  // Momentum that controlled steps keep to their tolerance is kept to rounding by steps of a fixed size.
  const TurningVectors turning = dae.turning();
  axes_.allow(!turning.coordinates.empty() && !(options.h && turning.floats));
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
  if (!options_.h) update_pace();
  const double smallest = control_.smallest(ends_.from.t, t_end);
  StepControl::Placed step =
      repeated_ ? StepControl::Placed(*repeated_) : control_.place(ends_.from.t, choose_step(t_end), t_end, h_bound_);
  const auto shrink = [&](double factor) {
    const bool can = control_.reject(report.status.cause, factor, smallest, step.h, report);
    step.t = ends_.from.t + step.h;
    return can && !options_.h && !repeated_;  // a fixed step stays what it is
  };
  for (int attempt = 0; attempt < StepControl::max_attempts; ++attempt) {
    const double h = report.attempted_h = step.h;
    t_trial_ = step.t;
    update_weights(h);
    resize_step(h);
    extrapolate(h);
    report.status = iterate(h, state, report);
    if (report.status.outcome == Outcome::fatal) return report;
    if (!report.status.ok()) {
      if (!shrink(control_.rule().newton_shrink)) return report;
      continue;
    }
    if (!options_.h && !repeated_) {
      report.error = error_norm(h);
      // The filter of errors across the constraints is the matrix: old planes let the part of them through by which the
      // constraints have turned. They may accept a step, but not make one shorter.
      if (options_.jacobian_update != JacobianUpdate::full && report.linearizations == 0 &&
          control_.factor(report.error, order() + 1) < 1.0 && refresh(h, state, report).ok())
        report.error = error_norm(h);
      const double factor = control_.factor(report.error, order() + 1);
      if (report.error > 1.0) {
        if (((h > h_old_ && h_old_ > 0.0) || since_growth_ < growth_lasts) && report.rejected_error == 0) wait_longer();
        report.status = Status::recoverable(Cause::error_test);
        if (shrink(factor)) continue;
        report.status.row = find_worst_error(h);
        return report;
      }
      since_growth_ = h > h_old_ && report.rejected_error == 0 ? 0 : std::min(since_growth_ + 1, growth_lasts);
      if (factor < 1.0 && since_growth_ < growth_lasts)
        wait_longer();
      else if (since_growth_ == growth_lasts - 1)
        waits_for_ = 0;
      // Where rounding is all that is seen a shorter step only divides it by less: the step stays, and soon grows
      // again.
      const double keep_below = sees_rounding_ ? 1.0 : control_.rule().keep_below;
      const bool grows = factor >= keep_below && ++waited_ > waits_for_ / 2;
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

void OneStep::wait_longer() {
  waits_for_ = std::min(2 * waits_for_ + 1, longest_wait);
  waited_ = 0;
  since_growth_ = growth_lasts;
}

// What the last step proposes; at first, the change of q by the third derivative stays below the tolerance, with a
// margin.
double OneStep::choose_step(double t_end) const {
  if (options_.h || h_next_ > 0.0) return h_next_;
  if (options_.h0) return *options_.h0;
  double size = 0.0;
  for (Eigen::Index i = 0; i < a_rate_.size(); ++i)
    size = std::max(size, std::abs(a_rate_[i]) / (factor_ * (atol_[i] + options_.rtol * size_of(i, ends_.from))));
  return std::min(0.5 * std::cbrt(1.0 / (size + 1e-30)), 1e-2 * (t_end - ends_.from.t));
}

// v̇, ż and λ along the last step; the rest follows from the formula.
void OneStep::extrapolate(double h) {
  const MotionVariables& x0 = ends_.from;
  MotionVariables& x = ends_.to;
  const double ratio = h_old_ > 0.0 ? h / h_old_ : 0.0;
  x.t = t_trial_;
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
  return operator_.setup(ends_.to.point(inputs_.view()), state, coefficients(h), h, refresh, matrix_workspace());
}

// ---- accepting -----------------------------------------------------------------------------------------------------

void OneStep::accept(double h) {
  axes_.served();
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
  if (!began_) t_first_ = ends_.to.t, q_first_ = ends_.to.q, v_first_ = ends_.to.v;
  began_ = true;
  for (Eigen::Index i = 0; i < variation_.size(); ++i) {
    variation_[i] += std::abs(ends_.to.v[i] - ends_.from.v[i]);
    fastest_[i] = std::max(fastest_[i], std::abs(ends_.to.v[i]));
    changed_[i] = std::max(changed_[i], std::abs(ends_.to.v[i] - v_first_[i]));
  }
  ends_.from = ends_.to;
  dae_.calc_inputs(ends_.from.t, inputs_);
  dae_.accepted(ends_.to.point(inputs_.view()), ends_.from.q, state, *workspace_);
}

MotionIntegrator::JacobianReport OneStep::jacobians() const {
  JacobianReport report;
  report.function_calls = report.corrector_calls = n_residuals_;
  report.jacobians = operator_.linearizations();
  report.updates = n_updates_;
  report.input_derivatives = operator_.input_derivatives();
  report.handed_over = linear_solver().counters().n_handed_over;
  if (!differences_) return report;
  const DifferenceCounters& differences = differences_->counters(*difference_workspace_);
  report.function_calls += differences.evaluations;
  report.pattern_updates = differences.pattern_updates;
  report.groups = differences.groups;
  return report;
}

MotionIntegrator::ScalingReport OneStep::scaling() const {
  const ScalingFactors& f = operator_.scaling();
  return {f.m, f.d, f.k, f.s};
}

// ---- restarts ------------------------------------------------------------------------------------------------------

std::vector<double> OneStep::save() {
  operator_.invalidate();
  axes_.forget();
  std::vector<double> numbers{pending_ ? 1.0 : 0.0,
                              restart_ ? (after_kink_ ? 2.0 : 1.0) : 0.0,
                              h_next_,
                              h_old_,
                              ends_.from.t,
                              ends_.to.t,
                              t_first_,
                              static_cast<double>(waits_for_),
                              static_cast<double>(waited_),
                              static_cast<double>(since_growth_)};
  for (const double* x : scalar_memory()) numbers.push_back(*x);
  const auto put = [&](const Eigen::VectorXd& x) { numbers.insert(numbers.end(), x.data(), x.data() + x.size()); };
  for (const MotionVariables* x : {&ends_.from, &ends_.to})
    for (const auto* y : {&x->q, &x->v, &x->a, &x->z, &x->zp, &x->lam}) put(*y);
  for (const auto* x :
       {&a_rate_, &zp_rate_, &a_old_, &lam_old_, &zp_old_, &variation_, &fastest_, &q_first_, &v_first_, &changed_})
    put(*x);
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
  since_growth_ = static_cast<int>(numbers[9]);
  const double* next = numbers.data() + 10;
  for (double* x : scalar_memory()) *x = *next++;
  const auto take = [&](Eigen::VectorXd& x) {
    x = Eigen::Map<const Eigen::VectorXd>(next, x.size());
    next += x.size();
  };
  for (MotionVariables* x : {&ends_.from, &ends_.to})
    for (auto* y : {&x->q, &x->v, &x->a, &x->z, &x->zp, &x->lam}) take(*y);
  for (auto* x :
       {&a_rate_, &zp_rate_, &a_old_, &lam_old_, &zp_old_, &variation_, &fastest_, &q_first_, &v_first_, &changed_})
    take(*x);
  for (auto* x : memory()) take(*x);
  operator_.invalidate();
  axes_.forget();
}

}  // namespace trammel
