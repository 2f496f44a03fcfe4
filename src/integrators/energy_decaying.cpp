// SPDX-License-Identifier: Apache-2.0
#include "trammel/integrators/energy_decaying.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "time_rounding.h"
#include "trammel/integrators/memory_check.h"
#include "trammel/linalg/guarded_ldlt.h"

namespace trammel {

using detail::epsilon, detail::kink_side;

namespace {

// What a rotation may fall behind without a word: a part of a turn that can be seen, and of all it turned.
constexpr double noticeable_angle = 0.1, noticeable_part = 0.01;
constexpr int max_halvings = 40;
// Of the tolerance of velocities, as in one-step methods.
constexpr double load_early_part = 0.1, load_velocity_part = 6.0;

}  // namespace

EnergyDecaying::EnergyDecaying(std::unique_ptr<const JumpSystem> jump, const SecondOrderDae& dae,
                               const StepOptions& options, LinearSolverChoice solver, const Scaling& scaling)
    : own_jump_(options.differences ? std::make_unique<DifferenceJump>(std::move(jump), *options.differences)
                                    : std::move(jump)),
      differences_(options.differences ? static_cast<const DifferenceJump*>(own_jump_.get()) : nullptr),
      jump_(*own_jump_),
      dae_(dae),
      options_(options),
      control_(step_rules::energy_decaying, options.h, options.hmin, options.hmax),
      solver_(make_guarded_solver<double>(solver, jump_.n())),
      jump_workspace_(jump_.make_workspace()),
      workspace_(dae.make_workspace()),
      scaling_(scaling),
      exchanges_rows_(solver.kind == LinearSolverKind::automatic) {
  if (scaling.rho > 0.0) augmented_ = std::make_unique<AugmentedTerm>();
  forget_pivots();
  const int nv = dae.nv(), nc = dae.nc();
  for (MotionVariables* x : {&ends_.from, &ends_.to, &middle_}) x->resize(nv, dae.nz(), nc);
  for (auto* x : {&ends_.q_rate_from, &ends_.q_rate_to, &a_middle_, &q_first_, &v_first_}) x->setZero(nv);
  for (auto* x : {&lam_middle_, &phi_dot_, &bias_}) x->setZero(nc);
  for (auto* x : {&turned_, &behind_}) x->setZero(nv);
  for (auto* x : {&memory_, &next_memory_}) x->setZero(jump_.n_memory());
  for (auto* x : {&y_, &trial_, &r_, &delta_, &next_delta_}) x->setZero(jump_.n());
  column_.assign(static_cast<std::size_t>(jump_.n()), 1.0);
}

Status EnergyDecaying::start(const MotionVariables& at, State& state) {
  if (!began_) t_first_ = at.t, q_first_ = at.q, v_first_ = at.v, began_ = true;
  ends_.to = at;
  pending_ = true;
  commit(state);
  jump_.calc_memory(ends_.from, state, memory_, *jump_workspace_);
  a_middle_ = at.a, lam_middle_ = at.lam;
  t_middle_ = at.t;
  has_middle_ = true;  // the start is as good a point to extrapolate from
  h_next_ = 0.0;
  ledger_ = {};
  return Status::success();
}

MotionIntegrator::JacobianReport EnergyDecaying::jacobians() const {
  JacobianReport report;
  report.function_calls = report.corrector_calls = n_residuals_;
  report.jacobians = n_linearizations_;
  report.handed_over = solver_->counters().n_handed_over;
  if (!differences_) return report;
  const DifferenceCounters& differences = differences_->counters(*jump_workspace_);
  report.function_calls += differences.evaluations;
  report.pattern_updates = differences.pattern_updates;
  report.groups = differences.groups;
  return report;
}

void EnergyDecaying::commit(State& state) {
  if (!pending_) return;
  pending_ = false;
  ends_.from = ends_.to;
  dae_.calc_inputs(ends_.from.t, inputs_);
  dae_.accepted(ends_.to.point(inputs_.view()), ends_.from.q, state, *workspace_);
}

// ---- a step --------------------------------------------------------------------------------------------------------

StepReport EnergyDecaying::advance(double t_end, State& state) {
  commit(state);
  const StepReport report = attempt(t_end, state);
  if (!report.status.ok()) ends_.to = ends_.from;  // what did not converge is shown to nobody
  return report;
}

StepReport EnergyDecaying::attempt(double t_end, const State& state) {
  StepReport report;
  report.status = jump_.begin(ends_.from, memory_, state, *jump_workspace_);
  if (!report.status.ok()) return report;
  const double smallest = control_.smallest(ends_.from.t, t_end);
  StepControl::Placed step =
      repeated_ ? StepControl::Placed(*repeated_) : control_.place(ends_.from.t, choose_step(t_end), t_end, h_bound_);
  const auto shrink = [&](double factor) {
    const bool can = control_.reject(report.status.cause, factor, smallest, step.h, report);
    step.t = ends_.from.t + step.h;
    return can && !repeated_;
  };
  for (int attempt = 0; attempt < StepControl::max_attempts; ++attempt) {
    const double h = report.attempted_h = step.h;
    t_trial_ = step.t;
    report.status = solve_step(h, report);
    if (report.status.outcome == Outcome::fatal) return report;
    if (!report.status.ok()) {
      if (!shrink(options_.h ? 0.5 : control_.rule().newton_shrink) || attempt >= max_halvings) return report;
      report.remedy = "a smaller step";
      continue;
    }
    if (!options_.h && !repeated_) {
      report.error = error_norm(h);
      const double factor = control_.factor(report.error, 3.0);
      if (report.error > 1.0) {
        report.status = Status::recoverable(Cause::error_test);
        if (!shrink(factor)) return report;
        continue;
      }
      h_next_ = report.rejected_newton > 0 ? std::min(h, h * factor) : h * factor;
    }
    report.status = accept(h, state);
    report.h = h;
    report.order = 2;
    report.corrections = corrections_;
    return report;
  }
  return report;
}

// What the last step proposes; at first, the motion by the acceleration within it stays small against the tolerance's
// cube root.
double EnergyDecaying::choose_step(double t_end) const {
  if (options_.h || h_next_ > 0.0) return h_next_;
  if (options_.h0) return *options_.h0;
  const double tol = std::cbrt(options_.atol + options_.rtol);
  const double rate = largest(ends_.from.v) + std::sqrt(largest(ends_.from.a));
  return std::min(0.1 * tol / (1e-3 + rate), 1e-2 * (t_end - ends_.from.t));
}

// A step that ends at a kink sees the inputs as they are before it.
double EnergyDecaying::input_time(double t) const {
  return dae_.next_breakpoint(ends_.from.t) <= t ? t - kink_side(t) : t;
}

void EnergyDecaying::prepare(double h, double curvature) {
  const double t = h == t_trial_ - ends_.from.t ? t_trial_ : ends_.from.t + h;  // or a part of it
  jump_.resize(h, curvature, options_.h ? t : input_time(t), *jump_workspace_);
}

// ---- norms ---------------------------------------------------------------------------------------------------------

// Θ of every rotation: coordinate, |Θ|, (5).
template <class Use>
void EnergyDecaying::for_each_turn(double h, Use&& use) const {
  const int nv = jump_.nv();
  const std::span<const Kind> kinds = dae_.layout().kinds();
  for (int i = 0; i < nv; ++i) {
    if (kinds[i] != Kind::rotation) continue;
    const int first = i;
    double square = 0.0;
    for (; i < nv && kinds[i] == Kind::rotation; ++i) square += std::pow(0.5 * h * (y_[i] + y_[nv + i]), 2);
    const double turn = std::sqrt(square);
    use(first, turn, turn - 2.0 * std::atan(0.5 * turn));
  }
}

MotionIntegrator::LeftBehind EnergyDecaying::left_behind() const {
  Eigen::Index worst = 0;
  if (behind_.size() == 0 || behind_.maxCoeff(&worst) < noticeable_angle ||
      behind_[worst] < noticeable_part * turned_[worst])
    return {};
  return {
      static_cast<int>(worst), behind_[worst] / turned_[worst], noticeable_part,
      fmt::format("the rotation fell behind by {:.3g} rad of {:.3g} rad, limit {:.0f} %: the scheme turns a body by "
                  "2 atan(θ/2) instead of θ in a step, an error that falls with the square of the step",
                  behind_[worst], turned_[worst], 100.0 * noticeable_part)};
}

double EnergyDecaying::error_norm(double h) {
  const int nv = jump_.nv(), nz = jump_.nz();
  double largest = 0.0;
  const double of_angles = options_.rotation_atol.value_or(options_.atol);
  for (int i = 0; i < nv; ++i) {
    const Kind kind = dae_.layout().kinds()[i];
    const double travelled = q_first_[i] + (ends_.from.t - t_first_) * v_first_[i];
    const double size = relative_size(kind, ends_.from.q[i], travelled, options_.extent);
    const double weight = (kind == Kind::rotation ? of_angles : options_.atol) + options_.rtol * size;
    largest = std::max(largest, 0.5 * h * std::abs(y_[i] - memory_[i]) / weight);
  }
  // Relative to the turn, so that over many steps the angle errs by rtol of all it turned.
  for_each_turn(h, [&](int, double turn, double behind) {
    const double weight = options_.rtol > 0.0 ? options_.rtol * turn : of_angles;
    if (behind > 0.0) largest = std::max(largest, behind / weight);
  });
  for (int i = 0; i < nz; ++i) {
    if (dae_.E()[i] == 0.0) continue;
    const double weight = options_.state_atol.value_or(options_.atol) + options_.rtol * std::abs(ends_.from.z[i]);
    largest = std::max(largest, 0.5 * std::abs(y_[2 * nv + i] - ends_.from.z[i]) / weight);
  }
  return std::max(largest, load_error_norm());
}

// A pulse changes velocities and hardly positions. What its bow does to them, h³F″/12, is in the step, but shows how
// well the step sees the pulse; the tolerance is that of one-step methods.
double EnergyDecaying::load_error_norm() {
  if (!jump_.calc_bow(trial_, *jump_workspace_) || !solve(trial_).ok()) return 0.0;
  const double time = std::max(ends_.from.t - t_first_, load_early_part * options_.span);
  const double per_time = time > 0.0 ? 1.0 / time : 0.0;
  const int nv = jump_.nv();
  double largest = 0.0;
  for (int i = 0; i < nv; ++i) {
    const Kind kind = dae_.layout().kinds()[i];
    const double travelled = q_first_[i] + (ends_.from.t - t_first_) * v_first_[i];
    const double place = relative_size(kind, ends_.from.q[i], travelled, options_.extent);
    const double atol = kind == Kind::rotation ? options_.rotation_atol.value_or(options_.atol) : options_.atol;
    const double speed = std::max(std::abs(ends_.from.v[i]), std::abs(y_[nv + i]));
    const double weight = load_velocity_part * (options_.rtol * speed + per_time * (atol + options_.rtol * place));
    if (weight > 0.0) largest = std::max(largest, std::abs(trial_[nv + i]) / weight);
  }
  return largest;
}

// ---- accepting -----------------------------------------------------------------------------------------------------

Status EnergyDecaying::accept(double h, const State& state) {
  MotionVariables& to = ends_.to;
  to.t = t_trial_;
  for_each_turn(h, [&](int i, double turn, double behind) { turned_[i] += turn, behind_[i] += behind; });
  jump_.finish(y_, to, next_memory_, ledger_, *jump_workspace_);
  memory_.swap(next_memory_);
  middle_.a = to.a, middle_.lam = to.lam;
  const double t_middle = ends_.from.t + 0.5 * h;
  if (has_middle_) {
    const double further = 0.5 * h / (t_middle - t_middle_);
    to.a += further * (middle_.a - a_middle_);
    to.lam += further * (middle_.lam - lam_middle_);
  }
  // accelerations jump at a kink of an input
  has_middle_ = options_.h || dae_.next_breakpoint(ends_.from.t) > to.t;
  a_middle_ = middle_.a, lam_middle_ = middle_.lam, t_middle_ = t_middle;
  has_q_rates_ = false;
  pending_ = true;
  return project(state);
}

// Velocities on the constraints, nearest to the scheme's in the kinetic energy.
Status EnergyDecaying::project(const State& state) {
  if (dae_.nc() == 0) return Status::success();
  MotionVariables& to = ends_.to;
  dae_.calc_inputs(options_.h ? to.t : input_time(to.t), inputs_);
  const MotionPoint p = to.point(inputs_.view());
  Status status = dae_.velocity_level(p, state, phi_dot_, bias_, *workspace_);
  if (status.ok()) status = projection_->setup(p, state, *workspace_);
  if (!status.ok()) return status;
  Vec delta = trial_.head(dae_.nv());
  status = projection_->solve(phi_dot_, delta);
  if (status.ok()) to.v += delta;
  return status;
}

void EnergyDecaying::interpolate(double t, MotionVariables& at) const {
  if (!has_q_rates_) {
    dae_.calc_q_rate(ends_.from.q, ends_.from.v, ends_.q_rate_from);
    dae_.calc_q_rate(ends_.to.q, ends_.to.v, ends_.q_rate_to);
    has_q_rates_ = true;
  }
  ends_.interpolate(t, at);
}

double EnergyDecaying::calc_condition() {
  SparseMatrix<double> A(pattern_);
  A.values = values_;
  if (pattern_.n_cols <= condition_svd_limit) return condition_number(A.to_dense());
  return estimate_condition(A, *solver_);
}

// ---- restarts ------------------------------------------------------------------------------------------------------

// Factors depend on the pivots of earlier ones: a run that was saved and one that is restored both begin with new ones.
void EnergyDecaying::forget_pivots() {
  version_ = 0;
  projection_ = std::make_unique<Projection>(dae_, LinearSolverKind::automatic, std::vector<char>{});
}

std::vector<double> EnergyDecaying::save() {
  forget_pivots();
  std::vector<double> numbers{
      pending_ ? 1.0 : 0.0, has_middle_ ? 1.0 : 0.0, h_next_, t_middle_, ends_.from.t, ends_.to.t, t_first_};
  const auto put = [&](const Eigen::VectorXd& x) { numbers.insert(numbers.end(), x.data(), x.data() + x.size()); };
  for (const MotionVariables* x : {&ends_.from, &ends_.to})
    for (const auto* y : {&x->q, &x->v, &x->a, &x->z, &x->zp, &x->lam}) put(*y);
  for (const auto* x : {&memory_, &a_middle_, &lam_middle_, &q_first_, &v_first_}) put(*x);
  return numbers;
}

void EnergyDecaying::restore(std::span<const double> numbers) {
  detail::check_memory(numbers, save());
  forget_pivots();
  has_q_rates_ = false;
  pending_ = numbers[0] != 0.0, has_middle_ = numbers[1] != 0.0;
  h_next_ = numbers[2], t_middle_ = numbers[3];
  ends_.from.t = numbers[4], ends_.to.t = numbers[5], t_first_ = numbers[6];
  const double* next = numbers.data() + 7;
  const auto take = [&](Eigen::VectorXd& x) {
    x = Eigen::Map<const Eigen::VectorXd>(next, x.size());
    next += x.size();
  };
  for (MotionVariables* x : {&ends_.from, &ends_.to})
    for (auto* y : {&x->q, &x->v, &x->a, &x->z, &x->zp, &x->lam}) take(*y);
  for (auto* x : {&memory_, &a_middle_, &lam_middle_, &q_first_, &v_first_}) take(*x);
  began_ = true;
}

}  // namespace trammel
