#include "trammel/integrators/energy_decaying.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "one_step_control.h"
#include "time_rounding.h"
#include "trammel/integrators/memory_check.h"

namespace trammel {

namespace one_step = detail::one_step;
using detail::epsilon, detail::kink_side, detail::sliver;

namespace {

constexpr double decaying_rounding_margin = 64.0;
// A matrix costs a dozen simplified corrections: it is kept while at most this many of them are expected to remain.
// Patience for more than half a dozen saves little, as the rate, guessed from two corrections, gets worse.
constexpr int simplified_patience = 4;
// What a rotation may fall behind without a word: a part of a turn that can be seen, and of all it turned.
constexpr double noticeable_angle = 0.1, noticeable_part = 0.01;
// Damped steps: natural monotonicity asks |δ̄| ≤ (1 − λ/4)|δ|; below the smallest λ Newton has failed.
constexpr double smallest_damping = 1.0 / 256.0;
// Continuation begins where the step is nearly free motion, and gives up when it creeps. Parts grow by a factor of
// which a failure leaves the root and a success takes the power; as first guesses they need few digits.
constexpr double first_part = 1e-3, first_growth = 10.0, least_growth = 1.05, growth_power = 1.5, part_tol = 1e-4;
constexpr int max_halvings = 40;

// Corrections fell from `size` to `next` by an unchanged matrix, and go on so.
bool serves_on(double size, double next, double tolerance) {
  return next < size && next * std::pow(next / size, simplified_patience) <= tolerance;
}

}  // namespace

EnergyDecaying::EnergyDecaying(std::unique_ptr<const JumpSystem> jump, const SecondOrderDae& dae,
                               const StepOptions& options, LinearSolverKind solver)
    : own_jump_(std::move(jump)),
      jump_(*own_jump_),
      dae_(dae),
      options_(options),
      solver_(make_linear_solver<double>(solver, jump_.n())),
      jump_workspace_(jump_.make_workspace()),
      workspace_(dae.make_workspace()) {
  forget_pivots();
  const int nv = dae.nv(), nc = dae.nc();
  for (MotionVariables* x : {&ends_.from, &ends_.to, &middle_}) x->resize(nv, dae.nz(), nc);
  for (auto* x : {&ends_.q_rate_from, &ends_.q_rate_to, &a_middle_, &q_first_}) x->setZero(nv);
  for (auto* x : {&lam_middle_, &phi_dot_, &bias_}) x->setZero(nc);
  for (auto* x : {&turned_, &behind_}) x->setZero(nv);
  for (auto* x : {&memory_, &next_memory_}) x->setZero(jump_.n_memory());
  for (auto* x : {&y_, &trial_, &r_, &delta_, &next_delta_}) x->setZero(jump_.n());
}

Status EnergyDecaying::start(const MotionVariables& at, State& state) {
  if (!began_) q_first_ = at.q, began_ = true;
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
  t_end_ = t_end;
  double h = choose_step(t_end);
  for (int attempt = 0; attempt < one_step::max_attempts; ++attempt) {
    report.attempted_h = h;
    report.status = solve_step(h, report);
    if (report.status.outcome == Outcome::fatal) return report;
    if (!report.status.ok()) {
      ++report.rejected_newton;
      report.failure = report.status.cause;
      const double factor = options_.h ? 0.5 : one_step::newton_shrink;
      if (h * factor < smallest_step() || attempt >= max_halvings) return report;
      h *= factor;
      report.remedy = "a smaller step";
      continue;
    }
    if (!options_.h) {
      report.error = error_norm(h);
      const double factor = std::clamp(one_step::safety * std::cbrt(1.0 / std::max(report.error, 1e-10)),
                                       one_step::min_shrink, one_step::max_growth);
      if (report.error > 1.0) {
        ++report.rejected_error;
        report.status = Status::recoverable(Cause::error_test);
        report.failure = Cause::error_test;
        if (h * factor < smallest_step()) return report;
        h *= factor;
        continue;
      }
      h_next_ = report.rejected_newton > 0 ? std::min(h, h * factor) : h * factor;
    }
    report.status = accept(h, state);
    report.h = h;
    report.order = 2;
    return report;
  }
  return report;
}

double EnergyDecaying::smallest_step() const {
  return std::max(options_.hmin, 4.0 * std::numeric_limits<double>::epsilon() * std::abs(ends_.from.t));
}

double EnergyDecaying::choose_step(double t_end) const {
  const double remaining = t_end - ends_.from.t;
  double h = options_.h ? *options_.h : h_next_;
  if (h <= 0.0) {
    // First step: the motion by the acceleration within it stays small against the tolerance's cube root.
    const double tol = std::cbrt(options_.atol + options_.rtol);
    const double rate = largest(ends_.from.v) + std::sqrt(largest(ends_.from.a));
    h = options_.h0 ? *options_.h0 : std::min(0.1 * tol / (1e-3 + rate), 1e-2 * remaining);
  }
  if (!options_.h) h = std::max(std::min({h, options_.hmax, h_bound_}), smallest_step());
  if (h > remaining * (1.0 - sliver)) return remaining;
  if (!options_.h && h > 0.5 * remaining) return 0.5 * remaining;
  return h;
}

// A step that ends at a kink sees the inputs as they are before it.
double EnergyDecaying::input_time(double t) const {
  return dae_.next_breakpoint(ends_.from.t) <= t ? t - kink_side(t) : t;
}

void EnergyDecaying::prepare(double h, double curvature) {
  const double t = h == t_end_ - ends_.from.t ? t_end_ : ends_.from.t + h;
  jump_.resize(h, curvature, options_.h ? t : input_time(t), *jump_workspace_);
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
    pattern_ = pattern;
    mass_unit_ = 0.0;
    values_.assign(pattern.index.size(), 0.0);
    OrderingHint hint;
    for (const Kind kind : jump_.layout().kinds())
      hint.roles.push_back(kind == Kind::multiplier ? UnknownRole::multiplier : UnknownRole::coordinate);
    if (const Status status = solver_->analyze(pattern_, hint); !status.ok()) return status;
  }
  ++report.linearizations;
  ++report.factorizations;
  if (const Status status = jump_.linearize(y_, values_, *jump_workspace_); !status.ok()) return status;
  scale_matrix();
  return solver_->refactor(values_);
}

// M of a machine of micrograms vanishes beside B: rows of motion and impulses are counted in a power of two near its
// largest mass. From a milligram on, the unit is 1 kg.
void EnergyDecaying::scale_matrix() {
  constexpr double ordinary_mass = 1e-6;
  const int n_motion = 2 * jump_.nv(), first_impulse = jump_.n() - 2 * jump_.n_multipliers();
  if (mass_unit_ == 0.0) {
    double largest = 0.0;
    for (int c = 0; c < n_motion; ++c)
      for (int k = pattern_.start[c]; k < pattern_.start[c + 1]; ++k)
        if (pattern_.index[k] < n_motion) largest = std::max(largest, std::abs(values_[k]));
    mass_unit_ = largest > 0.0 && largest < ordinary_mass ? std::exp2(std::floor(std::log2(largest))) : 1.0;
  }
  if (mass_unit_ == 1.0) return;
  for (int c = 0; c < pattern_.n_cols; ++c)
    for (int k = pattern_.start[c]; k < pattern_.start[c + 1]; ++k) {
      if (pattern_.index[k] < n_motion) values_[k] /= mass_unit_;
      if (c >= first_impulse) values_[k] *= mass_unit_;
    }
}

Status EnergyDecaying::solve(Vec x) {
  x.head(2 * jump_.nv()) /= mass_unit_;
  const Status status = solver_->solve(x);
  x.tail(2 * jump_.n_multipliers()) *= mass_unit_;
  return status;
}

Status EnergyDecaying::iterate(double h, double rough_tol, StepReport& report) {
  const int max_iterations = 2 * options_.max_iterations;
  Status status = jump_.residual(y_, r_, *jump_workspace_);
  if (!status.ok()) return status;
  bool fresh = false;
  double damping = 1.0;
  for (int k = 0; k < max_iterations; ++k) {
    if (!fresh) {
      status = refresh(report);
      if (!status.ok()) return status;
      delta_ = -r_;
      status = solve(delta_);
      if (!status.ok()) return status;
      fresh = true;
    }
    ++report.iterations;
    const double size = calc_norm(h);
    const double tolerance = calc_tolerance(h, rough_tol), rounding = decaying_rounding_margin * calc_tolerance(h, 0.0);
    // natural monotonicity: the simplified correction at the new point, by the same matrix
    double next = 0.0;
    for (;; damping *= 0.5) {
      if (damping < smallest_damping) {
        Eigen::Index row = 0;
        report.worst_residual = r_.cwiseAbs().maxCoeff(&row);
        report.worst_row = static_cast<int>(row);
        return Status::recoverable(Cause::slow_convergence, report.worst_row);
      }
      trial_ = y_ + damping * delta_;
      status = jump_.residual(trial_, r_, *jump_workspace_);
      if (status.ok()) {
        next_delta_ = -r_;
        status = solve(next_delta_);
        if (!status.ok()) return status;
        delta_.swap(next_delta_);
        next = calc_norm(h);
        delta_.swap(next_delta_);
        if (next <= (1.0 - 0.25 * damping) * size || next <= tolerance) break;
        if (size <= rounding) break;  // what is left is rounding
      } else if (status.outcome == Outcome::fatal) {
        return status;
      }
    }
    y_ = trial_;
    if (next <= tolerance || (size <= rounding && damping == 1.0)) {
      if (next < size) y_ += next_delta_;
      return Status::success();
    }
    if (damping == 1.0 && serves_on(size, next, tolerance)) {
      delta_ = next_delta_;  // the matrix serves on
    } else {
      fresh = false;
      damping = std::min(1.0, 2.0 * damping);
    }
  }
  Eigen::Index row = 0;
  report.worst_residual = r_.cwiseAbs().maxCoeff(&row);
  report.worst_row = static_cast<int>(row);
  return Status::recoverable(Cause::too_many_iterations, report.worst_row);
}

// ---- norms ---------------------------------------------------------------------------------------------------------

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
  const double fine =
      options_.h ? options_.newton_tol : std::min(options_.newton_tol * 1e3, one_step::newton_fraction * options_.rtol);
  const double tol = std::max(fine, rough_tol);
  const int nv = jump_.nv();
  const double speed = nv > 0 ? largest(y_.head(2 * nv)) : 0.0;
  double place = nv > 0 ? largest(ends_.from.q) : 0.0;
  if (jump_.nz() > 0) place = std::max(place, ends_.from.z.lpNorm<Eigen::Infinity>());
  return tol * speed + 16.0 * epsilon * (1.0 + place) / h;
}

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

double EnergyDecaying::error_norm(double h) const {
  const int nv = jump_.nv(), nz = jump_.nz();
  double largest = 0.0;
  const double of_angles = options_.rotation_atol.value_or(options_.atol);
  for (int i = 0; i < nv; ++i) {
    const Kind kind = dae_.layout().kinds()[i];
    const double size = one_step::relative_size(kind, ends_.from.q[i], q_first_[i], options_.extent);
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
  return largest;
}

// ---- accepting -----------------------------------------------------------------------------------------------------

Status EnergyDecaying::accept(double h, const State& state) {
  MotionVariables& to = ends_.to;
  to.t = h == t_end_ - ends_.from.t ? t_end_ : ends_.from.t + h;
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
      pending_ ? 1.0 : 0.0, has_middle_ ? 1.0 : 0.0, h_next_, t_middle_, ends_.from.t, ends_.to.t};
  const auto put = [&](const Eigen::VectorXd& x) { numbers.insert(numbers.end(), x.data(), x.data() + x.size()); };
  for (const MotionVariables* x : {&ends_.from, &ends_.to})
    for (const auto* y : {&x->q, &x->v, &x->a, &x->z, &x->zp, &x->lam}) put(*y);
  for (const auto* x : {&memory_, &a_middle_, &lam_middle_, &q_first_}) put(*x);
  return numbers;
}

void EnergyDecaying::restore(std::span<const double> numbers) {
  detail::check_memory(numbers, save());
  forget_pivots();
  has_q_rates_ = false;
  pending_ = numbers[0] != 0.0, has_middle_ = numbers[1] != 0.0;
  h_next_ = numbers[2], t_middle_ = numbers[3];
  ends_.from.t = numbers[4], ends_.to.t = numbers[5];
  const double* next = numbers.data() + 6;
  const auto take = [&](Eigen::VectorXd& x) {
    x = Eigen::Map<const Eigen::VectorXd>(next, x.size());
    next += x.size();
  };
  for (MotionVariables* x : {&ends_.from, &ends_.to})
    for (auto* y : {&x->q, &x->v, &x->a, &x->z, &x->zp, &x->lam}) take(*y);
  for (auto* x : {&memory_, &a_middle_, &lam_middle_, &q_first_}) take(*x);
  began_ = true;
}

}  // namespace trammel
