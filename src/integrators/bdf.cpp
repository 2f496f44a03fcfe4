// SPDX-License-Identifier: Apache-2.0
#include "trammel/integrators/bdf.h"

#include <fmt/format.h>

#include <cmath>

#include "time_rounding.h"
#include "trammel/integrators/memory_check.h"
#include "trammel/integrators/relative_size.h"

namespace trammel {

using detail::epsilon;

namespace {

// The part of the largest multiplier that Newton settles at least.
constexpr double multiplier_part = 1e-3;

// Of an unknown with a tolerance that is relative to its size, what counts as its size.
double part_of(Kind kind, double y, double changed, double travelled, double extent) {
  if (kind == Kind::velocity) return relative_speed(y, changed);
  return kind == Kind::position ? relative_size(kind, y, travelled, extent) : y;
}

BdfOptions checked(const DaeSystem& system, BdfOptions options) {
  std::vector<Issue> found = options.issues(system.layout());
  if (!found.empty()) throw InputError(std::move(found));
  return options;
}

}  // namespace

std::string_view describe(Rung rung) {
  switch (rung) {
    case Rung::none:
      return "an ordinary step";
    case Rung::fresh_matrix:
      return "a new iteration matrix";
    case Rung::smaller_step:
      return "a smaller step";
    case Rung::restart:
      return "a restart at order 1";
    case Rung::modified_corrector:
      return "the modified corrector";
  }
  return "unknown";
}

Bdf::Bdf(const DaeSystem& system, BdfOptions options, std::unique_ptr<IterationOperator> iteration_operator)
    : system_(system),
      options_(checked(system, std::move(options))),
      operator_(std::move(iteration_operator)),
      workspace_(system.make_workspace()),
      tolerance_(system.layout(), options_.tolerances),
      control_(step_rules::bdf, options_.fixed_h, options_.hmin, options_.hmax),
      corrector_(options_.corrector) {
  const int n = system.layout().n();
  history_.resize(n);
  stability_.resize(n);
  for (Eigen::VectorXd* x : {&y_, &yp_, &e_, &F_, &x_, &corrector_factor_, &y_first_, &yp_first_, &changed_})
    x->setZero(n);
  error_mask_.assign(static_cast<std::size_t>(n), 1.0);
  corrector_mask_ = error_mask_;
  corrections_.reserve(static_cast<std::size_t>(options_.max_iterations));
  const bool own_tolerance = options_.tolerances.kinds[static_cast<std::size_t>(Kind::multiplier)].has_value();
  std::vector<int> index(static_cast<std::size_t>(n), 1);
  system.calc_indices(index);
  for (int i = 0; i < n; ++i)
    if (system.layout().kinds()[i] == Kind::velocity && index[static_cast<std::size_t>(i)] > 1)
      derived_velocities_.push_back(i);
  if (options_.guards_multipliers && !own_tolerance && !options_.fixed_h) {
    forces_ = system.forces();
    for (int i = 0; i < n; ++i)
      if (system.layout().kinds()[i] == Kind::multiplier)
        guarded_.push_back({i, index[static_cast<std::size_t>(i)] - 1, 0.0});
  }
  points_.setZero(static_cast<Eigen::Index>(system.chart_unknowns().size()), BdfHistory::max_order + 1);
}

Bdf::Bdf(const DaeSystem& system, BdfOptions options, LinearSolverChoice solver)
    : Bdf(system, options, [&] {
        auto matrix = std::make_unique<MatrixOperator>(system, solver);
        if (options.jacobian_update == JacobianUpdate::extended) matrix->follow_inputs();
        return matrix;
      }()) {}

// ---- start
// -----------------------------------------------------------------------------------------------------------

Status Bdf::start(double t, ConstVec y, ConstVec yp, State& /*state*/) {
  t_ = t_trial_ = t;
  y_ = y;
  yp_ = yp;
  restart_ = true;
  inconsistent_ = pending_ = false;
  k_ = 1;
  order_cap_ = BdfHistory::max_order;
  cap_steps_ = cap_length_ = 0;
  free_steps_ = 0;
  corrector_ = options_.corrector;
  relaxed_steps_ = relaxed_length_ = 0;
  operator_->invalidate();
  system_.calc_inputs(t_, inputs_);
  history_.start(t, y, yp, 1.0);  // the true first step is not known yet
  h_ = options_.fixed_h.value_or(1.0);
  if (!began_) t_first_ = t, y_first_ = y, yp_first_ = yp, began_ = true;
  note_multipliers(true);
  update_masks();
  update_weights();
  return y_.allFinite() && yp_.allFinite() ? Status::success() : Status::fatal(Cause::not_finite);
}

Status Bdf::start(std::span<const double> times, const Eigen::Ref<const Eigen::MatrixXd>& points, State& state) {
  const Eigen::VectorXd y = points.col(0), zero = Eigen::VectorXd::Zero(y.size());
  const Status status = start(times[0], y, zero, state);
  const std::size_t n = std::min(times.size(), static_cast<std::size_t>(options_.max_order) + 1);
  history_.start(times.first(n), points.leftCols(static_cast<Eigen::Index>(n)));
  history_.interpolate(t_, y_, yp_);
  restart_ = start_phase_ = false;
  k_ = static_cast<int>(n) - 1;
  h_ = options_.fixed_h.value_or(times[0] - times[1]);
  return status;
}

// ---- a step
// ----------------------------------------------------------------------------------------------------------

BdfStep Bdf::advance(double t_stop, State& state) {
  if (!(t_stop > t_)) throw Error(fmt::format("BDF stands at t = {} s and cannot advance to {} s", t_, t_stop));
  BdfStep step;
  commit(state);
  const double breakpoint = system_.next_breakpoint(t_), t_limit = std::min(t_stop, breakpoint);
  const double smallest = control_.smallest(t_, t_limit);
  if (restart_) {
    if (inconsistent_) step.status = system_.make_consistent(t_, state, y_, yp_, *workspace_);
    if (!step.status.ok()) return step;
    const double h = std::max(shortest_start(t_limit), inconsistent_ ? step_behind_kink(t_limit) : first_step(t_limit));
    begin_anew(repeated_ ? repeated_->h : options_.fixed_h.value_or(options_.h0.value_or(h)));
    step.restarted = true;
  }
  update_weights();
  attempt_error_failures_ = attempt_convergence_failures_ = 0;
  if (const int i = find_unresolvable(); i >= 0) {
    step.status = Status::fatal(Cause::impossible_tolerance, i);
    return step;
  }
  const double bound = std::min(h_bound_, system_.step_bound({t_, inputs_.view(), y_, yp_}, k_, state));
  for (;;) {
    const StepControl::Placed placed =
        repeated_ ? StepControl::Placed(*repeated_) : control_.place(t_, h_, t_limit, bound);
    h_ = placed.h, t_trial_ = placed.t;
    if (repeated_) k_ = std::clamp(repeated_->order, 1, history_.last_order() + 1);
    history_.begin(h_, k_);
    // A step that ends at a kink sees the inputs as they are before it.
    system_.calc_inputs(t_trial_ >= breakpoint ? t_trial_ - detail::kink_side(t_trial_) : t_trial_, inputs_);
    predict(state);
    step.attempted_h = h_;
    step.order = k_;
    Status status = correct(state, step);
    BdfHistory::Estimates estimates;
    Choice choice{k_, 0.0};
    if (status.ok()) {
      settle();
      if (repeated_) {
        accept(breakpoint, step);
        return step;
      }
      estimates = history_.calc_estimates(e_);
      choice = keep_or_lower(estimates);
      step.error = history_.error_constant() * estimates.e;
      if (options_.fixed_h || step.error <= 1.0) {
        choose_next(choice, estimates, step);
        accept(breakpoint, step);
        return step;
      }
      status = Status::recoverable(Cause::error_test);
    }
    find_worst(step);
    history_.undo();
    start_phase_ = false;
    step.failure = status.cause;
    const bool retry =
        status.outcome != Outcome::fatal && !repeated_ &&
        (options_.fixed_h ? relax_corrector(step)
                          : shrink(status, choice, smallest, step) || climb_ladder(t_limit, smallest, state, step));
    if (!retry) {
      history_.interpolate(t_, y_, yp_);
      step.status = status;
      if (status.row < 0) step.status.row = step.worst_unknown;
      return step;
    }
  }
}

BdfStep Bdf::integrate(double t_end, State& state, const std::function<void(const BdfStep&)>& on_step) {
  BdfStep step;
  step.t = t_;
  while (t_ < t_end) {
    step = advance(t_end, state);
    if (on_step) on_step(step);
    if (!step.status.ok()) break;
  }
  return step;
}

void Bdf::predict(const State& state) {
  predicted_norm_ = history_.predict(y_, yp_);
  e_.setZero();
  if (options_.newton_start == NewtonStart::previous) {
    history_.calc_change(e_);
    for (int i = 0; i < history_.n(); ++i) y_[i] = history_.y(i);
    yp_ += history_.alpha() * e_;
    return;
  }
  if (!system_.predicted(t_trial_, state, y_, yp_, *workspace_)) return;
  history_.predict(x_, yp_);
  e_ = y_ - x_;
  yp_ += history_.alpha() * e_;
}

// What follows from the converged unknowns.
void Bdf::settle() {
  x_ = y_;
  if (!system_.corrected(y_, *workspace_)) return;
  x_ = y_ - x_;
  e_ += x_;
  yp_ += history_.alpha() * x_;
}

void Bdf::accept(double breakpoint, BdfStep& step) {
  history_.accept(e_, t_trial_);
  step.h = history_.last_h();
  step.corrections = corrections_;
  step.moved_charts = moved_charts_;
  moved_charts_ = false;
  t_ = step.t = t_trial_;
  pending_ = true;
  ++planes_age_;
  ++counters_.steps;
  if (corrector_ != options_.corrector && !options_.fixed_h && --relaxed_steps_ <= 0) {
    corrector_ = options_.corrector;  // what multipliers could not pass is over, or comes again
    update_means();
  }
  if (t_ >= breakpoint) restart_ = inconsistent_ = true;
}

void Bdf::commit(State& state) {
  if (!pending_) return;
  pending_ = false;
  system_.calc_inputs(t_, inputs_);
  system_.accepted({t_, inputs_.view(), y_, yp_}, state, *workspace_);
  const std::span<const int> unknowns = system_.chart_unknowns();
  if (restart_ || unknowns.empty()) return;
  if (!(repeated_ ? repeated_->moves_charts : system_.wants_rebase(y_, state))) return;
  moved_charts_ = true;
  const auto points = points_.leftCols(history_.n_points());
  history_.calc_points(unknowns, points);
  system_.rebase(points, state, *workspace_);
  history_.set_points(unknowns, points);
  history_.interpolate(t_, y_, yp_);
}

// ---- weights and reports
// ---------------------------------------------------------------------------------------------

void Bdf::update_masks() {
  system_.tested(Purpose::error, error_mask_, *workspace_);
  system_.tested(Purpose::corrector, corrector_mask_, *workspace_);
  update_means();
}

void Bdf::update_means() {
  error_mean_ = WeightedNorm::mean_factor(error_mask_);
  corrector_mean_ = WeightedNorm::mean_factor(corrector_ == Corrector::modified ? error_mask_ : corrector_mask_);
}

// What rtol is a part of.
double Bdf::size_of(int i, double y) const {
  if (!std::isfinite(options_.extent)) return y;
  return part_of(system_.layout().kinds()[i], y, changed_[i], y_first_[i] + (t_ - t_first_) * yp_first_[i],
                 options_.extent);
}

void Bdf::update_weights() {
  const double* of_corrector = corrector_ == Corrector::modified ? error_mask_.data() : corrector_mask_.data();
  const std::span<const Kind> kinds = system_.layout().kinds();
  const bool relative = std::isfinite(options_.extent);
  for (int i = 0; i < history_.n(); ++i) {
    if (error_mask_[i] == 0.0 && of_corrector[i] == 0.0) {  // in no test
      history_.set_factor(i, 0.0);
      corrector_factor_[i] = 0.0;
      continue;
    }
    const double y = history_.y(i);
    changed_[i] = std::max(changed_[i], std::abs(y - y_first_[i]));
    const double travelled = y_first_[i] + (t_ - t_first_) * yp_first_[i];
    const double size = relative ? part_of(kinds[i], y, changed_[i], travelled, options_.extent) : y;
    const double inverse = 1.0 / tolerance_.weight(i, size);
    history_.set_factor(i, error_mask_[i] * error_mean_ * inverse);
    corrector_factor_[i] = of_corrector[i] * corrector_mean_ * inverse;
  }
  // An unknown of index 1 + m ≤ 3 moves the states by hᵐ of what Newton leaves of it, and cannot be settled to more
  // than ε/hᵐ: first steps are small. The modified corrector does not wait for them, but takes the second look: what
  // it leaves of them is left in Φ as well, where it is a force in whatever is stiff, long before positions show it.
  const double h = std::min(h_, 1.0), powers[] = {1.0, h, h * h};
  for (Guarded& g : guarded_) {
    const bool force = g.unknown >= forces_.first && g.unknown < forces_.first + forces_.size;
    const double size = force ? multiplier_size_ : std::abs(history_.y(g.unknown));
    const double plain = tolerance_.weight(g.unknown, size), loose = plain / powers[g.power];
    const double weight = force ? std::max(plain, std::min(loose, multiplier_part * multiplier_size_)) : loose;
    g.factor = corrector_mask_[g.unknown] / weight;
    corrector_factor_[g.unknown] = of_corrector[g.unknown] * corrector_mean_ / weight;
  }
}

// The unknown with the largest share if the tolerance is below the rounding of the tested values, else −1.
int Bdf::find_unresolvable() const {
  double square = 0.0;
  for (int i = 0; i < history_.n(); ++i) {
    if (history_.factor(i) == 0.0) continue;
    const double size = history_.y(i) * history_.factor(i);
    square += size * size;
  }
  if (rounding_margin * epsilon * std::sqrt(square) <= 1.0) return -1;
  int worst = 0;
  const auto share = [this](int i) { return std::abs(history_.y(i) * history_.factor(i)); };
  for (int i = 1; i < history_.n(); ++i)
    if (share(i) > share(worst)) worst = i;
  return worst;
}

void Bdf::find_worst(BdfStep& step) const {
  step.worst_residual = step.worst_correction = step.worst_limit = 0.0;
  double largest = 0.0;
  const bool has_set = corrector_factor_.maxCoeff() > 0.0;
  for (Eigen::Index i = 0; i < F_.size(); ++i) {
    if (std::abs(F_[i]) > step.worst_residual) {
      step.worst_residual = std::abs(F_[i]);
      step.worst_row = static_cast<int>(i);
    }
    const int unknown = static_cast<int>(i);
    const double limit = tolerance_.weight(i, size_of(unknown, history_.y(unknown)));
    const double moved = x_[i];
    if ((!has_set || corrector_factor_[i] > 0.0) && std::abs(moved) / limit > largest) {
      largest = std::abs(moved) / limit;
      step.worst_unknown = static_cast<int>(i);
      step.worst_correction = moved;
      step.worst_limit = limit;
    }
  }
}

// ---- memory
// ----------------------------------------------------------------------------------------------------------

std::vector<double> Bdf::save() {
  std::vector<double> numbers{t_,
                              h_,
                              static_cast<double>(k_),
                              static_cast<double>(start_phase_),
                              static_cast<double>(restart_),
                              static_cast<double>(inconsistent_),
                              static_cast<double>(pending_),
                              static_cast<double>(corrector_),
                              static_cast<double>(growth_pause_),
                              static_cast<double>(order_cap_),
                              static_cast<double>(cap_steps_),
                              static_cast<double>(cap_length_),
                              static_cast<double>(free_steps_),
                              static_cast<double>(relaxed_steps_),
                              static_cast<double>(relaxed_length_)};
  history_.append(numbers);
  numbers.insert(numbers.end(), y_.begin(), y_.end());
  numbers.insert(numbers.end(), yp_.begin(), yp_.end());
  numbers.insert(numbers.end(), error_mask_.begin(), error_mask_.end());
  numbers.insert(numbers.end(), corrector_mask_.begin(), corrector_mask_.end());
  numbers.push_back(multiplier_size_);
  numbers.push_back(t_first_);
  for (const auto* x : {&y_first_, &yp_first_, &changed_}) numbers.insert(numbers.end(), x->begin(), x->end());
  operator_->invalidate();
  was_slow_ = false;
  stability_.reset();
  return numbers;
}

void Bdf::restore(std::span<const double> numbers) {
  detail::check_memory(numbers, save());
  const double* next = numbers.data();
  t_ = t_trial_ = *next++;
  h_ = *next++;
  k_ = static_cast<int>(*next++);
  for (bool* flag : {&start_phase_, &restart_, &inconsistent_, &pending_}) *flag = *next++ != 0.0;
  corrector_ = *next++ == static_cast<double>(Corrector::classical) ? Corrector::classical : Corrector::modified;
  for (int* x : {&growth_pause_, &order_cap_, &cap_steps_, &cap_length_}) *x = static_cast<int>(*next++);
  free_steps_ = static_cast<long>(*next++);
  for (int* x : {&relaxed_steps_, &relaxed_length_}) *x = static_cast<int>(*next++);
  next = history_.read(next);
  for (double& x : y_) x = *next++;
  for (double& x : yp_) x = *next++;
  for (double& x : error_mask_) x = *next++;
  for (double& x : corrector_mask_) x = *next++;
  multiplier_size_ = *next++;
  t_first_ = *next++;
  for (auto* of_first : {&y_first_, &yp_first_, &changed_})
    for (double& x : *of_first) x = *next++;
  began_ = true;
  update_means();
  operator_->invalidate();
  was_slow_ = false;
  stability_.reset();
}

}  // namespace trammel
