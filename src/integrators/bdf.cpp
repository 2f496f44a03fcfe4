#include "trammel/integrators/bdf.h"

#include <fmt/format.h>

#include <cmath>

#include "time_rounding.h"
#include "trammel/integrators/memory_check.h"

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
// Multipliers: the growth of their size that is believed from step to step, and the part of it that Newton settles at
// least.
constexpr double multiplier_growth = 1.1, multiplier_part = 1e-3;
constexpr int ordinary_iterations = 2;  // of a step with a new matrix: its rate must be seen once
// A correction of this many roundings of y cannot become smaller.
constexpr double bdf_rounding_margin = 100.0;

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
      corrector_(options_.corrector) {
  const int n = system.layout().n();
  history_.resize(n);
  stability_.resize(n);
  events_.configure(system);
  for (Eigen::VectorXd* x : {&y_, &yp_, &e_, &F_, &x_, &corrector_factor_, &y_event_, &yp_event_}) x->setZero(n);
  error_mask_.assign(static_cast<std::size_t>(n), 1.0);
  corrector_mask_ = error_mask_;
  corrections_.reserve(static_cast<std::size_t>(options_.max_iterations));
  const bool own_tolerance = options_.tolerances.kinds[static_cast<std::size_t>(Kind::multiplier)].has_value();
  if (options_.guards_multipliers && !own_tolerance && !options_.fixed_h) {
    forces_ = system.forces();
    std::vector<int> index(static_cast<std::size_t>(n), 1);
    system.calc_indices(index);
    for (int i = 0; i < n; ++i)
      if (system.layout().kinds()[i] == Kind::multiplier)
        guarded_.push_back({i, index[static_cast<std::size_t>(i)] - 1});
  }
  points_.setZero(static_cast<Eigen::Index>(system.chart_unknowns().size()), BdfHistory::max_order + 1);
}

Bdf::Bdf(const DaeSystem& system, BdfOptions options, LinearSolverKind solver)
    : Bdf(system, options, [&] {
        auto matrix = std::make_unique<MatrixOperator>(system, solver);
        if (options.jacobian_update == JacobianUpdate::extended) matrix->follow_inputs();
        return matrix;
      }()) {}

// ---- start
// -----------------------------------------------------------------------------------------------------------

Status Bdf::start(double t, ConstVec y, ConstVec yp, State& state) {
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
  note_multipliers(true);
  update_masks();
  update_weights();
  events_.start(t_, [this, &state](double at, Vec g) {
    system_.calc_inputs(at, event_inputs_);
    system_.event_values({at, event_inputs_.view(), y_, yp_}, state, g, *workspace_);
  });
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
  const double hmin = std::max(options_.hmin, 4.0 * epsilon * std::max(std::abs(t_), std::min(std::abs(t_limit), 1.0)));
  if (restart_) {
    if (inconsistent_) step.status = system_.make_consistent(t_, state, y_, yp_, *workspace_);
    if (!step.status.ok()) return step;
    begin_anew(options_.fixed_h.value_or(options_.h0.value_or(first_step(t_limit))));
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
    limit_step(t_limit, bound);
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
      estimates = history_.calc_estimates(e_);
      choice = keep_or_lower(estimates);
      step.error = history_.error_constant() * estimates.e;
      if (options_.fixed_h || step.error <= 1.0) {
        choose_next(choice, estimates, step);
        accept(breakpoint, state, step);
        return step;
      }
      status = Status::recoverable(Cause::error_test);
    }
    find_worst(step);
    history_.undo();
    start_phase_ = false;
    step.last_failure = status;
    const bool retry =
        status.outcome != Outcome::fatal &&
        (options_.fixed_h ? relax_corrector(step)
                          : shrink(status, choice, hmin, step) || climb_ladder(t_limit, hmin, state, step));
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
    if (!step.status.ok() || step.stopped_by_event) break;
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

// Newton with the matrix at hand, and once more with a new one if that was old.
Status Bdf::correct(const State& state, BdfStep& step) {
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

Status Bdf::iterate(const State& state, BdfStep& step) {
  const std::string& pattern = options_.jacobian_pattern;
  corrections_.clear();
  for (int m = 0; m < options_.max_iterations; ++m) {
    if (!pattern.empty() && pattern[static_cast<std::size_t>(m) % pattern.size()] == 'T') {
      const Status status = refresh(state, step);
      if (!status.ok()) return status;
    }
    ++step.iterations;
    ++counters_.residuals;
    Status status = system_.residual(point(), state, F_, *workspace_);
    if (!status.ok()) return status;
    x_ = F_;
    status = operator_->solve(point(), state, x_, *workspace_);  // J δ = −F
    if (!status.ok()) return find_not_finite(status);
    if (saturated()) return Status::success();
    const double norm = apply_correction();
    if (!std::isfinite(norm)) return find_not_finite(Status::recoverable(Cause::not_finite));
    if (options_.newton_stop != NewtonStop::tolerance) continue;
    const Verdict verdict = judge(m, norm);
    if (verdict == Verdict::converged) {
      extra_iterations_ += std::max(0, m + 1 - ordinary_iterations);
      note_multipliers(m > 0);
      return Status::success();
    }
    if (verdict == Verdict::failed) return Status::recoverable(Cause::slow_convergence);
  }
  return options_.newton_stop == NewtonStop::none ? Status::success() : Status::recoverable(Cause::too_many_iterations);
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

Bdf::Verdict Bdf::judge(int iteration, double norm) {
  if (norm <= bdf_rounding_margin * epsilon * predicted_norm_) return Verdict::converged;
  if (iteration == 0) {
    first_norm_ = norm;
  } else if (options_.fixed_h && iteration == 1 && norm > first_norm_) {
    first_norm_ = norm;  // multipliers predicted too well: Φ, of second order in h, shows in them divided by h²
  } else if (options_.jacobian_update != JacobianUpdate::full && iteration == 1 && norm > bdf_max_rate * first_norm_ &&
             norm < max_second_correction * first_norm_) {
    first_norm_ = norm;  // λ, predicted badly and corrected with an old Gᵀ, shows in v: once, and then it falls
  } else {
    const double rate = std::pow(norm / first_norm_, 1.0 / iteration);
    if (rate > bdf_max_rate) return Verdict::failed;
    rate_factor_ = rate / (1.0 - rate);
  }
  // A new matrix may show a rate of 1e-9, which flatters the same matrix ten steps later. What that leaves of the
  // states is noise in their differences, which fails error tests and halves steps; what it leaves of multipliers would
  // be extrapolated, up to 2ᵏ⁺¹ − 1 times as large, and left again. Of multipliers the largest counts, not a mean with
  // the states: one among many grows like all.
  if (iteration == 0) {
    double largest = 0.0;  // in units of corrector_mean_
    for (const Guarded& g : guarded_)
      largest = std::max(largest, std::abs(x_[g.unknown]) * corrector_factor_[g.unknown]);
    if (presumed_rate * largest > corrector_mean_ * newton_limit()) return Verdict::go_on;
    if (options_.presumes_rate && presumed_rate / (1.0 - presumed_rate) * norm > newton_limit()) return Verdict::go_on;
  }
  return rate_factor_ * norm <= newton_limit() ? Verdict::converged : Verdict::go_on;
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

void Bdf::accept(double breakpoint, State& state, BdfStep& step) {
  history_.accept(e_, t_trial_);
  step.h = history_.last_h();
  step.corrections = corrections_;
  t_ = step.t = t_trial_;
  pending_ = true;
  ++planes_age_;
  ++counters_.steps;
  if (corrector_ != options_.corrector && !options_.fixed_h && --relaxed_steps_ <= 0) {
    corrector_ = options_.corrector;  // what multipliers could not pass is over, or comes again
    update_means();
  }
  if (t_ >= breakpoint) restart_ = inconsistent_ = true;
  handle_events(state, step);
}

void Bdf::commit(State& state) {
  if (!pending_) return;
  pending_ = false;
  system_.calc_inputs(t_, inputs_);
  system_.accepted({t_, inputs_.view(), y_, yp_}, state, *workspace_);
  const std::span<const int> unknowns = system_.chart_unknowns();
  if (restart_ || unknowns.empty() || !system_.wants_rebase(y_, state)) return;
  const auto points = points_.leftCols(history_.n_points());
  history_.calc_points(unknowns, points);
  system_.rebase(points, state, *workspace_);
  history_.set_points(unknowns, points);
  history_.interpolate(t_, y_, yp_);
}

// ---- events
// ----------------------------------------------------------------------------------------------------------

void Bdf::handle_events(State& state, BdfStep& step) {
  if (events_.n() == 0) return;
  const EventFinder::Values values = [this, &state](double at, Vec g) {
    history_.interpolate(at, y_event_, yp_event_);
    system_.calc_inputs(at, event_inputs_);
    system_.event_values({at, event_inputs_.view(), y_event_, yp_event_}, state, g, *workspace_);
  };
  const std::vector<EventHit>& hits = events_.find(t_, values);
  std::size_t n_hits = 0;
  for (; n_hits < hits.size(); ++n_hits) {
    const EventHit& hit = hits[n_hits];
    if (restart_ && hit.t > t_) break;  // what the step showed beyond a restart will not happen
    const EventAction action = system_.event_kind(hit.id).action;
    if (action == EventAction::record) continue;
    if (hit.t < t_) {
      history_.interpolate(hit.t, y_, yp_);
      t_ = t_trial_ = step.t = hit.t;
    }
    restart_ = true;
    if (action == EventAction::stop) step.stopped_by_event = true;
    if (action == EventAction::restart) {
      step.status = system_.apply_event(hit.id, hit.t, state, y_, yp_, *workspace_);
      if (!step.status.ok()) break;
    }
  }
  step.events = std::span(hits.data(), n_hits);
  if (!restart_) return;
  events_.start(t_, [this, &state](double at, Vec g) {
    system_.calc_inputs(at, event_inputs_);
    system_.event_values({at, event_inputs_.view(), y_, yp_}, state, g, *workspace_);
  });
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

void Bdf::update_weights() {
  const double* of_corrector = corrector_ == Corrector::modified ? error_mask_.data() : corrector_mask_.data();
  for (int i = 0; i < history_.n(); ++i) {
    const double inverse = 1.0 / tolerance_.weight(i, history_.y(i));
    history_.set_factor(i, error_mask_[i] * error_mean_ * inverse);
    corrector_factor_[i] = of_corrector[i] * corrector_mean_ * inverse;
  }
  // An unknown of index 1 + m ≤ 3 moves the states by hᵐ of what Newton leaves of it, and cannot be settled to more
  // than ε/hᵐ: first steps are small. What no test of the corrector looks at keeps its factor 0.
  const double h = std::min(h_, 1.0), powers[] = {1.0, h, h * h};
  for (const Guarded& g : guarded_) {
    if (of_corrector[g.unknown] == 0.0) continue;
    const bool force = g.unknown >= forces_.first && g.unknown < forces_.first + forces_.size;
    const double size = force ? multiplier_size_ : std::abs(history_.y(g.unknown));
    const double plain = tolerance_.weight(g.unknown, size), loose = plain / powers[g.power];
    const double weight = force ? std::max(plain, std::min(loose, multiplier_part * multiplier_size_)) : loose;
    corrector_factor_[g.unknown] = of_corrector[g.unknown] * corrector_mean_ / weight;
  }
}

Status Bdf::find_not_finite(const Status& otherwise) const {
  for (Eigen::Index i = 0; i < F_.size(); ++i)
    if (!std::isfinite(F_[i])) return Status::recoverable(Cause::not_finite, static_cast<int>(i));
  return otherwise;
}

// The unknown with the largest share if the tolerance is below the rounding of the tested values, else −1.
int Bdf::find_unresolvable() const {
  double square = 0.0;
  for (int i = 0; i < history_.n(); ++i) {
    const double size = history_.y(i) * history_.factor(i);
    square += size * size;
  }
  if (bdf_rounding_margin * epsilon * std::sqrt(square) <= 1.0) return -1;
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
    const double limit = tolerance_.weight(i, history_.y(static_cast<int>(i)));
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
  events_.append(numbers);
  numbers.insert(numbers.end(), y_.begin(), y_.end());
  numbers.insert(numbers.end(), yp_.begin(), yp_.end());
  numbers.insert(numbers.end(), error_mask_.begin(), error_mask_.end());
  numbers.insert(numbers.end(), corrector_mask_.begin(), corrector_mask_.end());
  numbers.push_back(multiplier_size_);
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
  next = events_.read(next);
  for (double& x : y_) x = *next++;
  for (double& x : yp_) x = *next++;
  for (double& x : error_mask_) x = *next++;
  for (double& x : corrector_mask_) x = *next++;
  multiplier_size_ = *next++;
  update_means();
  operator_->invalidate();
  was_slow_ = false;
  stability_.reset();
}

}  // namespace trammel
