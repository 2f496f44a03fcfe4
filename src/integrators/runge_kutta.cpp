// SPDX-License-Identifier: Apache-2.0
#include "trammel/integrators/runge_kutta.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "time_rounding.h"
#include "trammel/integrators/memory_check.h"

namespace trammel {

namespace {

namespace dormand_prince {

constexpr double c[] = {0.0, 1.0 / 5, 3.0 / 10, 4.0 / 5, 8.0 / 9, 1.0, 1.0};
constexpr double a[7][6] = {
    {},
    {1.0 / 5},
    {3.0 / 40, 9.0 / 40},
    {44.0 / 45, -56.0 / 15, 32.0 / 9},
    {19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729},
    {9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656},
    {35.0 / 384, 0.0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84},
};
constexpr double error_weights[] = {71.0 / 57600,      0.0,        -71.0 / 16695, 71.0 / 1920,
                                    -17253.0 / 339200, 22.0 / 525, -1.0 / 40};
constexpr double dense_weights[] = {-12715105075.0 / 11282082432.0,  0.0,
                                    87487479700.0 / 32700410799.0,   -10690763975.0 / 1880347072.0,
                                    701980252875.0 / 199316789632.0, -1453857185.0 / 822651844.0,
                                    69997945.0 / 29380423.0};
constexpr double stability_bound = 3.25, stability_bound_of_8 = 6.1;  // on the negative real axis
constexpr int stiff_steps_noticed = 15;

}  // namespace dormand_prince

// Below this order 8 needs fewer evaluations than order 5, for a smaller error.
constexpr double tight_rtol = 1e-7;

}  // namespace

RungeKutta::RungeKutta(const OdeSystem& system, const RungeKuttaOptions& options)
    : system_(system),
      options_(options),
      control_(step_rules::explicit_pair, options.fixed_h, options.hmin, options.hmax),
      order_(options.order.value_or(!options.fixed_h && options.tolerances.rtol < tight_rtol ? 8 : 5)),
      weights_(system.layout(), options.tolerances),
      workspace_(system.make_workspace()),
      k_(order_ == 8 ? stages_of_8 + 3 : n_stages, Eigen::VectorXd::Zero(system.layout().n())) {
  if (order_ != 5 && order_ != 8)
    throw InputError(fmt::format("order = {}: there are formulas of order 5 and 8", order_));
  for (auto* x : {&y_, &yp_, &y_from_, &y_unprojected_, &stage_, &projection_, &dense_})
    x->setZero(system.layout().n());
  if (order_ == 8) dense_8_.assign(4, extra_ = Eigen::VectorXd::Zero(system.layout().n()));
  if (options.stabilizes && order_ == 5 && !options.fixed_h)
    stabilized_ = std::make_unique<Stabilized>(system.layout().n());
  if (stabilized_) size_.setZero(system.layout().n());
}

double RungeKutta::weight(Eigen::Index i) const {
  const double size = std::max(std::abs(y_[i]), std::abs(stage_[i]));
  return weights_.weight(i, size_.size() > 0 ? std::max(size, size_[i]) : size);
}

double RungeKutta::error_order() const { return is_stabilized() ? 3.0 : order_; }

Status RungeKutta::evaluate(double t, ConstVec y, const State& state, Vec yp) {
  ++counters_.evaluations;
  return system_.rates(t, y, state, yp, *workspace_);
}

Status RungeKutta::start(double t, ConstVec y, State& state) {
  t_ = t_from_ = t;
  y_ = y_from_ = y;
  h_taken_ = 0.0;
  pending_ = false, stale_rates_ = false;
  error_before_ = 1e-4;
  size_.setZero();
  const Status status = evaluate(t_ + detail::kink_side(t_), y_, state, yp_);
  h_next_ = options_.fixed_h ? *options_.fixed_h : options_.h0 ? *options_.h0 : 0.0;
  return status;
}

// The step that makes an explicit Euler step small and its change of f small [Hairer, Nørsett, Wanner II.4].
double RungeKutta::choose_first_step(const State& state) {
  const Eigen::Index n = y_.size();
  const auto norm = [&](auto&& value) {
    double sum = 0.0;
    for (Eigen::Index i = 0; i < n; ++i) {
      const double x = value(i) / weights_.weight(i, y_[i]);
      sum += x * x;
    }
    return std::sqrt(sum / static_cast<double>(std::max<Eigen::Index>(1, n)));
  };
  const double d0 = norm([&](Eigen::Index i) { return y_[i]; }), d1 = norm([&](Eigen::Index i) { return yp_[i]; });
  const double h0 = d0 < 1e-5 || d1 < 1e-5 ? 1e-6 : 0.01 * d0 / d1;
  stage_ = y_ + h0 * yp_;
  if (!evaluate(t_ + h0, stage_, state, k_[1]).ok()) return 1e-3 * h0;
  const double d2 = norm([&](Eigen::Index i) { return k_[1][i] - yp_[i]; }) / h0;
  const double largest = std::max(d1, d2);
  const double h1 = largest <= 1e-15 ? std::max(1e-6, 1e-3 * h0) : std::pow(0.01 / largest, 1.0 / order_);
  return std::min({100.0 * h0, h1, options_.hmax});
}

Status RungeKutta::attempt(double h, double t_new, const State& state) {
  const Eigen::Index n = y_.size();
  k_[0] = yp_;
  has_dense_ = false;
  // The limit from the left where the step ends at an instant that f may jump at.
  const double t_last = std::max(t_new - detail::kink_side(t_new), std::nextafter(t_, t_new));
  if (is_stabilized()) return attempt_stabilized(h, t_last, state);
  if (order_ == 8) return attempt_8(h, t_last, state);
  for (int i = 1; i < n_stages; ++i) {
    double* const out = stage_.data();
    const double* const from = y_.data();
    const double* k[6];
    double w[6];
    for (int j = 0; j < i; ++j) k[j] = k_[j].data(), w[j] = h * dormand_prince::a[i][j];
    switch (i) {
      case 1:
        for (Eigen::Index m = 0; m < n; ++m) out[m] = from[m] + w[0] * k[0][m];
        break;
      case 2:
        for (Eigen::Index m = 0; m < n; ++m) out[m] = from[m] + (w[0] * k[0][m] + w[1] * k[1][m]);
        break;
      case 3:
        for (Eigen::Index m = 0; m < n; ++m) out[m] = from[m] + (w[0] * k[0][m] + w[1] * k[1][m] + w[2] * k[2][m]);
        break;
      case 4:
        for (Eigen::Index m = 0; m < n; ++m)
          out[m] = from[m] + (w[0] * k[0][m] + w[1] * k[1][m] + w[2] * k[2][m] + w[3] * k[3][m]);
        break;
      case 5:
        for (Eigen::Index m = 0; m < n; ++m)
          out[m] = from[m] + (w[0] * k[0][m] + w[1] * k[1][m] + w[2] * k[2][m] + w[3] * k[3][m] + w[4] * k[4][m]);
        break;
      default:
        y_unprojected_ = stage_;  // of the sixth stage: the estimate of stiffness compares the last two
        for (Eigen::Index m = 0; m < n; ++m)
          out[m] = from[m] + (w[0] * k[0][m] + w[2] * k[2][m] + w[3] * k[3][m] + w[4] * k[4][m] + w[5] * k[5][m]);
        break;
    }
    const Status status = evaluate(i >= 5 ? t_last : t_ + dormand_prince::c[i] * h, stage_, state, k_[i]);
    if (!status.ok()) return status;
  }
  return Status::success();
}

double RungeKutta::calc_error(double h) const {
  if (order_ == 8) return calc_error_8(h);
  const Eigen::Index n = y_.size();
  double sum = 0.0;
  for (Eigen::Index i = 0; i < n; ++i) {
    const double x = h * weighted_error(i);
    sum += x * x;
  }
  return std::sqrt(sum / static_cast<double>(std::max<Eigen::Index>(1, n)));
}

double RungeKutta::weighted_error(Eigen::Index i) const {
  if (is_stabilized()) return weighted_error_stabilized(i);
  if (order_ == 8) return weighted_error_8(i);
  const double e = dormand_prince::error_weights[0] * k_[0][i] + dormand_prince::error_weights[2] * k_[2][i] +
                   dormand_prince::error_weights[3] * k_[3][i] + dormand_prince::error_weights[4] * k_[4][i] +
                   dormand_prince::error_weights[5] * k_[5][i] + dormand_prince::error_weights[6] * k_[6][i];
  return e / weight(i);
}

int RungeKutta::find_not_finite_rate() const {
  for (const Eigen::VectorXd& k : k_)
    for (Eigen::Index i = 0; i < k.size(); ++i)
      if (!std::isfinite(k[i])) return static_cast<int>(i);
  return -1;
}

int RungeKutta::find_worst_error() const {
  int worst = -1;
  double largest = -1.0;
  for (Eigen::Index i = 0; i < y_.size(); ++i)
    if (const double size = std::abs(weighted_error(i)); !(size <= largest))
      largest = size, worst = static_cast<int>(i);
  return worst;
}

// h|σ| from the last two stages, which stand at the same instant.
double RungeKutta::calc_stiffness(double h) const {
  if (is_stabilized()) return h >= 0.9 * bound_stabilized() ? h * stabilized_->stages.radius() : 0.0;
  const int last = order_ == 8 ? 12 : 6;
  const double difference = (stage_ - y_unprojected_).squaredNorm();
  return difference > 0.0 ? h * std::sqrt((k_[last] - k_[last - 1]).squaredNorm() / difference) : 0.0;
}

// Of an accepted step.
void RungeKutta::note_stiffness(StepReport& report) {
  report.stiffness = calc_stiffness(report.h);
  if (!(report.stiffness > (order_ == 8 ? dormand_prince::stability_bound_of_8 : dormand_prince::stability_bound))) {
    stiff_steps_ = std::max(0, stiff_steps_ - 1);
    return;
  }
  if (++stiff_steps_ == dormand_prince::stiff_steps_noticed && (!stabilized_ || stabilized_->on))
    report.remedy = "the motion is stiff for an explicit method: bdf or radau would take larger steps";
}

// The largest of each so far: a heap that comes to rest keeps the tolerances that it fell with.
void RungeKutta::note_sizes() {
  system_.calc_sizes(y_, stage_);
  size_ = size_.cwiseMax(stage_);
}

StepReport RungeKutta::advance(double t_end, State& state) {
  StepReport report;
  if (stabilized_ && repeated_) stabilized_->on = repeated_->stages > 0;
  report.order = is_stabilized() ? 2 : order_;
  commit(state);
  state_ = &state;
  if (stale_rates_) {
    // From the right: what jumps where the last step ended has jumped.
    report.status = evaluate(t_ + detail::kink_side(t_), y_, state, yp_);
    if (!report.status.ok()) return report;
    stale_rates_ = false;
  }
  if (stabilized_) note_sizes();
  if (h_next_ == 0.0 && !repeated_) h_next_ = choose_first_step(state);
  const double smallest = control_.smallest(t_, t_end);
  StepControl::Placed step = repeated_ ? StepControl::Placed(*repeated_)
                                       : control_.place(t_, h_next_, t_end, std::min(h_bound_, bound_stabilized()));
  const auto shrink = [&](Cause cause, double factor) {
    const bool can = control_.reject(cause, factor, smallest, step.h, report) && !options_.fixed_h && !repeated_;
    step.t = t_ + (h_next_ = step.h);
    return can;
  };
  for (;;) {
    const double h = report.attempted_h = step.h;
    const bool ends = step.t == t_end;
    const Status status = attempt(h, step.t, state);
    const double error = status.ok() ? calc_error(h) : 0.0;
    if (!status.ok() || !std::isfinite(error)) {
      ++counters_.evaluation_failures;
      const Cause cause = status.ok() ? Cause::not_finite : status.cause;
      if (shrink(cause, control_.rule().newton_shrink) && status.outcome != Outcome::fatal) continue;
      report.status = status.ok() ? Status::fatal(Cause::not_finite, find_not_finite_rate()) : status;
      return report;
    }
    if (!options_.fixed_h && !repeated_ && error > 1.0) {
      ++counters_.error_failures;
      if (shrink(Cause::error_test,
                 std::max(StepControl::min_shrink, control_.rule().safety * std::pow(error, -1.0 / error_order()))))
        continue;
      report.status = Status::fatal(Cause::step_too_small, find_worst_error());
      return report;
    }
    // accepted
    report.h = h_taken_ = h;
    report.error = error;
    note_stiffness(report);
    t_from_ = t_;
    y_from_ = y_;
    y_unprojected_ = y_ = stage_;
    yp_ = k_[order_ == 8 ? 12 : 6];
    t_ = step.t;
    ++counters_.steps;
    // From the left where the step ends at an instant that a motion may have a kink at.
    const double t_end_of_step = ends ? t_ - detail::kink_side(t_) : t_;
    report.status = system_.project(t_end_of_step, y_, state, projected_, *workspace_);
    if (!report.status.ok()) return report;
    if (projected_) {
      projection_ = y_ - y_unprojected_;
      ++counters_.projections;
      report.status = evaluate(t_end_of_step, y_, state, yp_);
      if (!report.status.ok()) return report;
    }
    stale_rates_ = ends;
    pending_ = true;
    if (!options_.fixed_h && !repeated_) {
      const double e = std::max(error, 1e-8);
      double factor = is_stabilized()
                          ? growth_stabilized(error)
                          : control_.rule().safety * std::pow(e, -0.7 / order_) * std::pow(error_before_, 0.4 / order_);
      factor =
          std::clamp(factor, StepControl::min_shrink, report.failure != Cause::none ? 1.0 : control_.rule().max_growth);
      error_before_ = std::max(error, 1e-4);
      // A step that was cut short for t_end does not tell what is possible.
      h_next_ = ends ? std::max(h_next_, h * factor) : h * factor;
    }
    if (stabilized_) judge_stabilized(report);
    return report;
  }
}

void RungeKutta::commit(State& state) {
  if (!pending_) return;
  system_.accepted(t_, y_, yp_, state, *workspace_);
  pending_ = false;
}

void RungeKutta::interpolate(double t, Vec y) const {
  if (h_taken_ == 0.0) {
    y = y_;
    return;
  }
  if (!has_dense_ && order_ == 8) {
    has_dense_ = true;
    update_dense_8();
  } else if (!has_dense_) {
    has_dense_ = true;
    dense_.setZero();  // with which a cubic is left
    for (int i = 0; i < n_stages && !dense_is_cubic_; ++i)
      if (dormand_prince::dense_weights[i] != 0.0) dense_ += (h_taken_ * dormand_prince::dense_weights[i]) * k_[i];
  }
  const double theta = (t - t_from_) / h_taken_, rest = 1.0 - theta;
  if (order_ == 8)
    interpolate_8(theta, y);
  else
    for (Eigen::Index i = 0; i < y.size(); ++i) {
      const double difference = y_unprojected_[i] - y_from_[i], slope = h_taken_ * k_[0][i] - difference;
      const double last = difference - h_taken_ * k_[6][i] - slope;
      y[i] = y_from_[i] + theta * (difference + rest * (slope + theta * (last + rest * dense_[i])));
    }
  if (projected_) y += theta * projection_;  // the end is where the projection left it
}

std::vector<double> RungeKutta::save() {
  workspace_ = system_.make_workspace();  // with its pivots and first guesses
  std::vector<double> numbers{
      t_, h_next_, error_before_, pending_ ? 1.0 : 0.0, stale_rates_ ? 1.0 : 0.0, static_cast<double>(stiff_steps_)};
  for (const auto* x : {&y_, &yp_}) numbers.insert(numbers.end(), x->data(), x->data() + x->size());
  if (stabilized_) save_stabilized(numbers);
  return numbers;
}

void RungeKutta::restore(std::span<const double> numbers) {
  detail::check_memory(numbers, save());
  t_ = t_from_ = numbers[0], h_next_ = numbers[1], error_before_ = numbers[2];
  pending_ = numbers[3] != 0.0, stale_rates_ = numbers[4] != 0.0, stiff_steps_ = static_cast<int>(numbers[5]);
  const double* from = numbers.data() + 6;
  for (auto* x : {&y_, &yp_}) {
    std::copy(from, from + x->size(), x->data());
    from += x->size();
  }
  if (stabilized_) restore_stabilized(numbers.subspan(from - numbers.data()));
  y_from_ = y_, h_taken_ = 0.0;
}

}  // namespace trammel
