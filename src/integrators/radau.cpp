// SPDX-License-Identifier: Apache-2.0
#include "trammel/integrators/radau.h"

#include <fmt/format.h>

#include <cmath>

#include "time_rounding.h"
#include "trammel/integrators/memory_check.h"

namespace trammel {

using detail::epsilon, detail::kink_side;

namespace {

constexpr double gap_order = 6.0;  // of DaeSystem::calc_gap in h
// ErrorGoal (1), three stages: 1/218 of z⁴ = c₁c₂c₃/(6γ), 1/7200 of z⁶.
constexpr double estimate_constant = 1.0 / 218.3, error_constant = 1.0 / 7200.0, radians = 10.0;

RadauOptions checked(const DaeSystem& system, RadauOptions options) {
  std::vector<Issue> found = options.issues(system.layout());
  if (!found.empty()) throw InputError(std::move(found));
  return options;
}

}  // namespace

double RadauOptions::estimate_limit() const {
  const double tol = tolerances.rtol > 0.0 ? tolerances.rtol : tolerances.atol;
  if (goal == ErrorGoal::step || !(tol > 0.0)) return 1.0;
  return std::max(1.0, estimate_constant * std::pow(tol / (error_constant * radians), 0.8) / tol);
}

std::vector<Issue> RadauOptions::issues(const Layout& layout) const {
  std::vector<Issue> found = tolerances.issues(layout);
  const auto require = [&](bool ok, const char* where, std::string message) {
    if (!ok) found.push_back({where, std::move(message)});
  };
  require(stages >= 1 && stages <= RadauTableau::max_stages, "stages",
          fmt::format("stages = {}: Radau IIA is offered with 1 to {} stages", stages, RadauTableau::max_stages));
  require(
      goal == ErrorGoal::step || stages == 3, "goal",
      fmt::format("stages = {}: only the estimate of three stages is of a lower order than what it estimates", stages));
  require(!h0 || *h0 > 0.0, "h0", fmt::format("h0 = {} s: a first step is positive", h0.value_or(0.0)));
  require(!fixed_h || *fixed_h > 0.0, "fixed_h",
          fmt::format("fixed_h = {} s: a step is positive", fixed_h.value_or(0.0)));
  require(hmin >= 0.0, "hmin", fmt::format("hmin = {} s: must not be negative", hmin));
  require(hmax > hmin, "hmax", fmt::format("hmax = {} s must be larger than hmin = {} s", hmax, hmin));
  require(newton_tol > 0.0 && newton_tol < 1.0, "newton_tol",
          fmt::format("newton_tol = {}: must lie between 0 and 1", newton_tol));
  require(!newton_constant || (*newton_constant > 0.0 && *newton_constant < 1.0), "newton_constant",
          fmt::format("newton_constant = {}: must lie between 0 and 1, else Newton's remainder is the error",
                      newton_constant.value_or(0.0)));
  require(max_iterations >= 1, "max_iterations", fmt::format("{}: at least one iteration", max_iterations));
  require(newton_stop == NewtonStop::tolerance || fixed_h, "newton_stop",
          "only a fixed step can do without a tolerance: divergence is not seen, so no step can be rejected");
  require(max_attempts >= 1, "max_attempts", fmt::format("{}: at least one attempt", max_attempts));
  return found;
}

Radau::Radau(const DaeSystem& system, RadauOptions options, LinearSolverChoice solver, const RowColumnScaling* scaling)
    : system_(system),
      options_(checked(system, std::move(options))),
      tableau_(options_.stages),
      blocks_(system, tableau_, solver, scaling),
      workspace_(system.make_workspace()),
      tolerance_(system.layout(), options_.tolerances),
      control_(step_rules::radau, options_.fixed_h, options_.hmin, options_.hmax),
      estimate_limit_(options_.estimate_limit()) {
  if (options_.jacobian_update == JacobianUpdate::extended) blocks_.follow_inputs();
  const int n = system.layout().n(), s = tableau_.stages();
  for (Eigen::VectorXd* x : {&y_, &yp_, &y_from_, &yp_from_, &e_, &g_, &rate_at_start_, &noise_, &weight_})
    x->setZero(n);
  for (Eigen::MatrixXd* x : {&Z_, &Y_, &Yp_, &R_, &F_, &Z_from_}) x->setZero(n, s);
  error_mask_.assign(static_cast<std::size_t>(n), 1.0);
  corrector_mask_ = error_mask_;
  index_.assign(static_cast<std::size_t>(n), 1);
  system.calc_indices(index_);
  points_.setZero(static_cast<Eigen::Index>(system.chart_unknowns().size()), s + 1);
  if (options_.records_corrections) corrections_.reserve(static_cast<std::size_t>(options_.most_iterations()));
}

// ---- start ---------------------------------------------------------------------------------------------------------

Status Radau::start(double t, ConstVec y, ConstVec yp, State& /*state*/) {
  t_ = t_from_ = t;
  y_ = y_from_ = y;
  yp_ = yp_from_ = yp;
  Z_from_.setZero();
  h_from_ = h_accepted_ = error_accepted_ = 0.0;
  restart_ = true;
  inconsistent_ = pending_ = planes_are_new_ = false;
  rate_ = rate_factor_ = 1.0;
  blocks_.invalidate();
  system_.calc_inputs(t_, inputs_);
  update_masks();
  return y_.allFinite() && yp_.allFinite() ? Status::success() : Status::fatal(Cause::not_finite);
}

// ---- a step --------------------------------------------------------------------------------------------------------

RadauStep Radau::advance(double t_stop, State& state) {
  if (!(t_stop > t_)) throw Error(fmt::format("Radau stands at t = {} s and cannot advance to {} s", t_, t_stop));
  RadauStep step;
  step.t = t_;
  commit(state);
  const double breakpoint = system_.next_breakpoint(t_), t_limit = std::min(t_stop, breakpoint);
  const double smallest = control_.smallest(t_, t_limit);
  system_.calc_inputs(t_, inputs_);
  if (restart_) {
    if (inconsistent_) step.status = system_.make_consistent(t_, state, y_, yp_, *workspace_);
    if (!step.status.ok()) return step;
    inconsistent_ = false;
    h_accepted_ = 0.0;
    h_ = options_.h0.value_or(first_step(t_limit));
    step.restarted = true;
    ++counters_.restarts;
  }
  const double bound = std::min(h_bound_, system_.step_bound({t_, inputs_.view(), y_, yp_}, tableau_.order(), state));
  Status status;
  for (int attempt = 0; attempt < options_.max_attempts; ++attempt) {
    const StepControl::Placed placed =
        repeated_ ? StepControl::Placed(*repeated_) : control_.place(t_, h_, t_limit, bound);
    h_ = placed.h, t_end_of_step_ = placed.t;
    calc_stage_inputs(t_end_of_step_ >= breakpoint);
    update_weights();
    step.attempted_h = h_;
    step.order = tableau_.order();
    status = correct(state, step);
    if (status.ok() && !options_.fixed_h && !repeated_) {
      status = estimate_error(state, restart_ || step.rejected_error > 0, step.error);
      if (status.ok() && step.error <= 1.0) status = estimate_gap(state, step.error);
      if (status.ok() && !(step.error <= 1.0)) status = Status::recoverable(Cause::error_test, find_worst_error());
    }
    if (status.ok()) {
      const double h_next = repeated_ ? h_ : choose_next(step);
      accept(breakpoint, step);
      h_ = h_next;
      return step;
    }
    find_worst(step);
    if (status.outcome == Outcome::fatal || repeated_ || !shrink(status, smallest, step)) break;
  }
  step.status = status;
  if (status.row < 0) step.status.row = step.worst_unknown;
  return step;
}

RadauStep Radau::integrate(double t_end, State& state, const std::function<void(const RadauStep&)>& on_step) {
  RadauStep step;
  step.t = t_;
  while (t_ < t_end) {
    step = advance(t_end, state);
    if (on_step) on_step(step);
    if (!step.status.ok()) break;
  }
  return step;
}

// A step that ends at a kink sees the inputs as they are before it.
void Radau::calc_stage_inputs(bool ends_at_kink) {
  for (int i = 0; i < tableau_.stages(); ++i) {
    const bool last = i + 1 == tableau_.stages();
    const double t = last ? t_end_of_step_ : t_ + tableau_.c(i) * h_;
    system_.calc_inputs(last && ends_at_kink ? t - kink_side(t) : t, stage_inputs_[i]);
  }
}

// The polynomial of the last step goes on; without one, a straight line.
void Radau::predict() {
  for (int i = 0; i < tableau_.stages(); ++i) {
    if (restart_) {
      Z_.col(i) = tableau_.c(i) * h_ * yp_;
      continue;
    }
    const RadauTableau::Weights w = tableau_.interpolate(1.0 + tableau_.c(i) * h_ / h_from_);
    Z_.col(i) = y_from_ - y_;
    for (int j = 0; j < tableau_.stages(); ++j) Z_.col(i) += w.value[j] * Z_from_.col(j);
  }
}

// (1)
void Radau::update_stages() {
  const int s = tableau_.stages();
  for (int i = 0; i < s; ++i) {
    Y_.col(i) = y_ + Z_.col(i);
    const auto weight = [&](int j) { return tableau_.A_inverse()(i, j) / h_; };
    if (s == 3) {  // in one pass: it is done in every iteration
      Yp_.col(i) = weight(0) * Z_.col(0) + weight(1) * Z_.col(1) + weight(2) * Z_.col(2);
      continue;
    }
    Yp_.col(i) = weight(0) * Z_.col(0);
    for (int j = 1; j < s; ++j) Yp_.col(i) += weight(j) * Z_.col(j);
  }
}

// (4)
Status Radau::estimate_error(const State& state, bool filter_again, double& error) {
  const RadauTableau::Weights w = tableau_.interpolate(0.0);
  rate_at_start_.setZero();
  for (int i = 0; i < tableau_.stages(); ++i) rate_at_start_ += w.rate[i] / h_ * Z_.col(i);
  const Point at{t_, inputs_.view(), y_, rate_at_start_};
  const auto solve = [&](Eigen::VectorXd& x) {
    system_.to_matrix_rows(at, state, x, *workspace_);
    const Status status = blocks_.solve_real(x);
    system_.from_matrix_columns(at, state, x, *workspace_);
    return status;
  };
  ++counters_.residuals;
  Status status = system_.residual(at, state, e_, *workspace_);
  if (!status.ok()) return status;
  if (filter_again) g_ = e_;
  if (status = solve(e_); !status.ok()) return status;
  error = error_norm(e_);
  if (!(error > 1.0) || !filter_again) return status;

  rate_at_start_ += tableau_.gamma() / h_ * e_;  // F(P′ + γ/h e) − F(P′) = γ/h F_y′ e
  ++counters_.residuals;
  if (status = system_.residual(at, state, e_, *workspace_); !status.ok()) return status;
  e_ = g_ - e_;
  if (status = solve(e_); !status.ok()) return status;
  error = error_norm(e_);
  return status;
}

// What the interpolant misses, as an error of the order that the controller presumes: gap^((s+1)/6).
Status Radau::estimate_gap(const State& state, double& error) {
  const int last = tableau_.stages() - 1;
  const double middle = t_ + 0.5 * h_;
  system_.calc_inputs(middle, middle_inputs_);
  double gap = 0.0;
  const Status status = system_.calc_gap({t_, inputs_.view(), y_, yp_},
                                         {t_end_of_step_, stage_inputs_[last].view(), Y_.col(last), Yp_.col(last)},
                                         middle, middle_inputs_.view(), state, gap, *workspace_);
  if (!status.ok()) return status;
  double size = 0.0;
  const std::span<const Kind> kinds = system_.layout().kinds();
  for (Eigen::Index i = 0; i < y_.size(); ++i)
    if (kinds[i] == Kind::position) size = std::max(size, std::abs(y_[i]));
  gap /= options_.tolerances.atol + options_.tolerances.rtol * size;
  error = std::max(error, std::pow(gap, (tableau_.stages() + 1) / gap_order));
  return status;
}

void Radau::accept(double breakpoint, RadauStep& step) {
  t_from_ = t_;
  h_from_ = step.h = h_;
  step.corrections = corrections_;
  y_from_.swap(y_);
  yp_from_.swap(yp_);
  Z_from_.swap(Z_);
  y_ = Y_.col(tableau_.stages() - 1);
  yp_ = Yp_.col(tableau_.stages() - 1);
  t_ = step.t = t_end_of_step_;
  pending_ = true;
  step.moved_charts = moved_charts_;
  moved_charts_ = false;
  planes_are_new_ = restart_ = false;
  ++counters_.steps;
  if (t_ >= breakpoint) restart_ = inconsistent_ = true;
}

void Radau::interpolate(double at, Vec y, Vec yp) const {
  if (!(h_from_ > 0.0)) {
    y = y_;
    yp = yp_;
    return;
  }
  const RadauTableau::Weights w = tableau_.interpolate((at - t_from_) / h_from_);
  y = y_from_;
  yp.setZero();
  for (int i = 0; i < tableau_.stages(); ++i) {
    y += w.value[i] * Z_from_.col(i);
    yp += w.rate[i] / h_from_ * Z_from_.col(i);
  }
}

void Radau::commit(State& state) {
  if (!pending_) return;
  pending_ = false;
  system_.calc_inputs(t_, inputs_);
  system_.accepted({t_, inputs_.view(), y_, yp_}, state, *workspace_);
  const std::span<const int> unknowns = system_.chart_unknowns();
  if (restart_ || unknowns.empty()) return;
  if (!(repeated_ ? repeated_->moves_charts : system_.wants_rebase(y_, state))) return;
  moved_charts_ = true;
  // Points of the polynomial, newest first: the stages from the last to the first, and y_n.
  const int s = tableau_.stages();
  for (std::size_t k = 0; k < unknowns.size(); ++k) {
    const Eigen::Index row = static_cast<Eigen::Index>(k);
    const int u = unknowns[k];
    for (int i = 0; i < s; ++i) points_(row, s - 1 - i) = y_from_[u] + Z_from_(u, i);
    points_(row, s) = y_from_[u];
  }
  system_.rebase(points_, state, *workspace_);
  e_ = y_;
  g_ = y_from_;
  for (std::size_t k = 0; k < unknowns.size(); ++k) {
    const Eigen::Index row = static_cast<Eigen::Index>(k);
    const int u = unknowns[k];
    y_[u] = points_(row, 0);
    y_from_[u] = points_(row, s);
    for (int i = 0; i < s; ++i) Z_from_(u, i) = points_(row, s - 1 - i) - y_from_[u];
  }
  system_.rebase_rates(e_, y_, yp_);
  system_.rebase_rates(g_, y_from_, yp_from_);
}

// ---- memory --------------------------------------------------------------------------------------------------------

std::vector<double> Radau::save() {
  std::vector<double> numbers{t_,
                              h_,
                              t_from_,
                              h_from_,
                              h_accepted_,
                              error_accepted_,
                              static_cast<double>(restart_),
                              static_cast<double>(inconsistent_),
                              static_cast<double>(pending_)};
  for (const Eigen::VectorXd* x : {&y_, &yp_, &y_from_, &yp_from_}) numbers.insert(numbers.end(), x->begin(), x->end());
  numbers.insert(numbers.end(), Z_from_.data(), Z_from_.data() + Z_from_.size());
  for (const auto* mask : {&error_mask_, &corrector_mask_}) numbers.insert(numbers.end(), mask->begin(), mask->end());
  forget_matrices();
  return numbers;
}

void Radau::restore(std::span<const double> numbers) {
  detail::check_memory(numbers, save());
  const double* next = numbers.data();
  for (double* x : {&t_, &h_, &t_from_, &h_from_, &h_accepted_, &error_accepted_}) *x = *next++;
  for (bool* flag : {&restart_, &inconsistent_, &pending_}) *flag = *next++ != 0.0;
  for (Eigen::VectorXd* x : {&y_, &yp_, &y_from_, &yp_from_})
    for (double& value : *x) value = *next++;
  for (Eigen::Index k = 0; k < Z_from_.size(); ++k) Z_from_.data()[k] = *next++;
  for (auto* mask : {&error_mask_, &corrector_mask_})
    for (double& value : *mask) value = *next++;
  forget_matrices();
}

void Radau::forget_matrices() {
  blocks_.invalidate();
  planes_are_new_ = false;
  rate_ = rate_factor_ = 1.0;
}

}  // namespace trammel
