// SPDX-License-Identifier: Apache-2.0
#include "trammel/simulation/singular_passage.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace trammel {

namespace {

// A position is passed when it is this many steps ahead: nearer, and a step of the method ends beyond it.
constexpr double steps_ahead = 2.5;
// Or as near as this [rad, m; of the fastest coordinate, with its acceleration: where a motion turns back, a small rate
// is no sign of a short way], however short the method's steps are: what rounding leaves of rows is amplified less from
// there.
constexpr double way_ahead = 0.15;
// Steps as long as they were before the position was felt: some methods shorten theirs with the distance, and would
// never have it near. They are forgotten by this much in each step.
constexpr double forgetting = 0.95;
// A step of the method may not end nearer to it than this part of itself.
constexpr double too_near = 0.6;
// And in any case where σ_i is this part of its largest value so far; never where it is more than that.
constexpr double surely_near = 0.15, surely_far = 0.7;
// σ at the expected place against σ now, if there is a position: the rest is the error of the expectation.
constexpr double believed = 0.4;
// σ within a step that has crossed a position, against σ at its ends.
constexpr double crossed = 0.25;
// Looks: in every step if σ changes by more than `quick` between two, less and less often if by less than `slow`.
constexpr double quick = 0.15, slow = 0.04;
constexpr int rarest = 10;
// A step over the position, or behind it, that is too long is halved so many times.
constexpr int shorter_steps = 8;
// Steps that only lead nearer to it: more, and it is none that can be passed.
constexpr int most_approaches = 12;
// The method goes on when σ, or the time behind the position, is this much larger than when it stopped.
constexpr double far_enough = 1.3;
// What a multistep method begins with: as many points, within this part of the way behind the position, and this part
// of its last step apart: what its first steps err stays, and they are soon as long as before.
constexpr int n_taken_over = 5;
constexpr double points_within = 0.6, points_apart = 0.3;
// A method that fails within so many ρ behind a position is led on.
constexpr double still_near = 10.0;
// The first step out of a position [rad, m; of the fastest coordinate].
constexpr double first_way = 0.2;
constexpr double loosest_tolerance = 1e-6, tightest_tolerance = 1e-12;

double tolerance_over(double tolerance) { return std::clamp(tolerance, tightest_tolerance, loosest_tolerance); }

}  // namespace

SingularPassage::SingularPassage(const MechanicalSystem& system, const Options& options)
    : system_(system),
      options_(options),
      index3_(system),
      workspace_(system.make_workspace()),
      projection_(index3_, LinearSolverKind::automatic, {}, Projection::nearly_singular) {
  n_values_ = std::min(most_values, system.nc());
  rows_.setZero(system.nc(), n_values_);
  any_rows_.resize(system.nc(), n_values_);
  for (Eigen::Index k = 0; k < n_values_; ++k) {
    for (Eigen::Index r = 0; r < any_rows_.rows(); ++r)
      any_rows_(r, k) = std::sin(1.0 + static_cast<double>(3 * k + (7 + k) * r * r));
    any_rows_.col(k) *= 0.3 / any_rows_.col(k).norm();
  }
  q_rate_.setZero(system.nv());
  sample_.resize(system.nv(), system.nz(), system.nc());
  Tolerances& tolerances = options_.tolerances;
  tolerances.rtol = tolerance_over(tolerances.rtol), tolerances.atol = tolerance_over(tolerances.atol);
}

double SingularPassage::calc_sigma(const MotionVariables& x, const State& state) { return look_at(x, state).sigma; }

SingularPassage::Look SingularPassage::look_at(const MotionVariables& x, const State& state) {
  Look now{.t = x.t};
  system_.calc_inputs(x.t, inputs_);
  if (!projection_.setup(x.point(inputs_.view()), state, *workspace_).ok()) return now;
  rows_ += any_rows_;  // another dependence than the last one may be nearest
  const Vec values = Eigen::Map<Eigen::VectorXd>(now.values.data(), n_values_);
  if (!projection_.calc_smallest_singular_values(rows_, values).ok()) return {.t = x.t};
  now.sigma = now.values[0];
  return now;
}

StepReport SingularPassage::advance(MotionIntegrator& method, double t_end, State& state) {
  StepReport failed;
  if (leaving_) failed.status = leave(method, state);
  if (!failed.status.ok()) {
    failed.failure = failed.status.cause;
    return failed;
  }
  if (entering_ > 0.0) enter(method.newest(), last_, entry_sigma_, entering_, state);
  if (!bridging_) {
    before_ = method.newest(), state_before_ = state;
    StepReport report = method.advance(t_end, state);
    if (options_.fixed_h) return report;
    if (report.status.ok()) {
      method_h_ = report.h;
      usual_h_ = std::max(report.h, forgetting * usual_h_);
      look(method, report.h, state);
      if (!bridging_) return report;
      state = state_before_;  // the step has crossed the position
      enter(before_, entry_, entry_sigma_, entry_rho_, state);
    } else if (!fails_near_position(state_before_)) {
      return report;
    } else {
      state = state_before_;
      enter(before_, entry_, entry_sigma_, entry_rho_, state);
    }
    failed = report;
  }
  before_ = bridge_->newest(), state_before_ = state;
  bridge_from_ = before_.t;
  StepReport report = step_over(t_end, state);
  if (report.status.ok() && !over_ && ++approaches_ > most_approaches)
    report.status = Status::recoverable(Cause::slow_convergence);
  report.iterations += failed.iterations, report.linearizations += failed.linearizations;
  report.factorizations += failed.factorizations;
  report.rejected_error += failed.rejected_error, report.rejected_newton += failed.rejected_newton;
  if (report.status.ok()) {
    look_over(state);
    return report;
  }
  // Not passable by this way either: the method may say what is wrong.
  state = state_before_;
  MotionVariables x = before_;
  centre_charts(x, state);
  bridging_ = leaving_ = false;
  paused_ = true;
  if (const Status status = method.start(x, state); !status.ok()) return report;
  return method.advance(t_end, state);
}

// ---- before the position -------------------------------------------------------------------------------------------

// After a step of the method. bridging_ is set if the step has crossed a position: it is taken back.
void SingularPassage::look(const MotionIntegrator& method, double h, const State& state) {
  const MotionVariables& x = method.newest();
  bool may_cross = false;
  for (const double rho : rho_) may_cross = may_cross || may_lie_within(before_.t, x.t, rho);
  if (++steps_ < interval_ && !may_cross) return;
  steps_ = 0;
  const Look now = look_at(x, state);
  for (int i = 0; i < n_values_; ++i) largest_[i] = std::max(largest_[i], now.values[i]);
  if (!(last_.sigma > 0.0) || now.t <= last_.t) {
    last_ = now;
    return;
  }
  if (paused_) paused_ = now.sigma < last_.sigma || now.sigma < 0.5 * largest_[0];
  for (int i = 0; i < n_values_ && !paused_ && may_cross; ++i) {
    if (!may_lie_within(before_.t, x.t, rho_[i]) || !lies_within(method, h, i, now, state)) continue;
    bridging_ = true;
    last_ = now;
    return;
  }
  double change = 0.0, shortest = 0.0;
  for (int i = 0; i < n_values_; ++i) {
    const double fall = last_.values[i] - now.values[i];
    change = std::max(change, std::abs(fall) / last_.values[i]);
    rho_[i] = fall > 0.0 ? now.values[i] * (now.t - last_.t) / fall : 0.0;
    if (rho_[i] > 0.0 && (shortest == 0.0 || rho_[i] < shortest)) shortest = rho_[i];
  }
  last_ = now;
  choose_interval(h, change, shortest);
  if (paused_) return;
  system_.calc_q_rate(x.q, x.v, q_rate_);
  const double speed = q_rate_.lpNorm<Eigen::Infinity>(), push = x.a.lpNorm<Eigen::Infinity>();
  const auto within_reach = [&](double rho) {
    return rho <= steps_ahead * usual_h_ || rho * (speed + 0.5 * rho * push) <= way_ahead;
  };
  for (int i = 0; i < n_values_; ++i) {
    const double sigma = now.values[i], rho = rho_[i];
    if (rho == 0.0) continue;
    const bool near = sigma <= surely_near * largest_[i] || (within_reach(rho) && sigma <= surely_far * largest_[i]);
    if (!near || !is_ahead(x, now.sigma, sigma, rho, state)) continue;
    entry_sigma_ = sigma;
    if (rho > too_near * h) {
      entering_ = rho;
      return;
    }
    // The step ended so near to the position that its error may have led it beside the branch: it is taken back.
    entry_ = look_at(before_, state_before_);
    entry_rho_ = now.t + rho - before_.t;
    entry_sigma_ = sigma * entry_rho_ / rho;
    bridging_ = true;
    return;
  }
}

void SingularPassage::choose_interval(double h, double change, double rho) {
  if (change > quick)
    interval_ = std::max(1, interval_ / 2);
  else if (change < slow)
    interval_ = std::min(rarest, interval_ + 1);
  if (rho > 0.0) interval_ = std::clamp(static_cast<int>(0.3 * rho / h), 1, interval_);
}

// σ at q + δ q̇ + ½ δ² v̇.
double SingularPassage::sigma_ahead(const MotionVariables& x, double dt, const State& state) {
  system_.calc_q_rate(x.q, x.v, q_rate_);
  sample_ = x;
  sample_.t = x.t + dt;
  sample_.q = x.q + dt * q_rate_ + 0.5 * dt * dt * x.a;
  return calc_sigma(sample_, state);
}

// Whether the smallest σ falls as one of them is expected to; at the expected place, and where what is left of it there
// puts the position.
bool SingularPassage::is_ahead(const MotionVariables& x, double least, double sigma, double rho, const State& state) {
  const double left = sigma_ahead(x, rho, state) / sigma;
  if (left * sigma < believed * least) return true;
  for (const double part : {0.8, 1.25, 1.0 - left, 1.0 + left})
    if (part > 0.0 && sigma_ahead(x, part * rho, state) < believed * least) return true;
  return false;
}

// Where the smallest σ vanishes, which falls from `sigma` within about ρ: the zero of straight lines on both sides of
// the best place so far.
double SingularPassage::locate(const MotionVariables& x, double sigma, double rho, const State& state) {
  constexpr int refinements = 3;
  constexpr double well_known = 0.01;
  double best = rho, least = sigma_ahead(x, rho, state);
  for (int k = 0; k < refinements && least > well_known * sigma; ++k) {
    const double from = best, off = std::min(0.5, least / sigma) * rho;
    for (const double at : {from - off, from + off}) {
      if (!(at > 0.0)) continue;
      const double there = sigma_ahead(x, at, state);
      if (there < least) best = at, least = there;
    }
    if (best == from) break;
  }
  return best;
}

bool SingularPassage::may_lie_within(double from, double to, double rho) const {
  return rho > 0.0 && last_.t + 1.1 * rho > from && last_.t + 0.9 * rho < to;
}

// Whether the step of the method went through the position that was expected by the fall of one of the values: the
// smallest has a zero between its ends.
bool SingularPassage::lies_within(const MotionIntegrator& method, double h, int value, const Look& end,
                                  const State& state) {
  const double rho = rho_[value], from = end.t - h, expected = std::clamp((last_.t + rho - from) / h, 0.1, 0.9);
  const double start = last_.values[value] * std::max(0.1, 1.0 - (from - last_.t) / rho),
               limit = crossed * std::min({start, last_.sigma, end.sigma});
  for (const double part : {expected, start / (start + end.values[value]), 0.5 * (expected + 0.5)}) {
    method.interpolate(from + part * h, sample_);
    if (calc_sigma(sample_, state) > limit) continue;
    entry_ = {.t = before_.t, .sigma = std::min(start, last_.sigma), .values = last_.values};
    entry_sigma_ = start;
    entry_rho_ = part * h;
    return true;
  }
  return false;
}

// The method stopped at before_.
bool SingularPassage::fails_near_position(const State& state) {
  if (paused_ || !(last_.sigma > 0.0)) return false;
  const double sigma = calc_sigma(before_, state);
  // σ a little later on the motion tells its rate: looks may be far in the past.
  system_.calc_q_rate(before_.q, before_.v, q_rate_);
  const double speed = q_rate_.lpNorm<Eigen::Infinity>();
  if (!(speed > 0.0) || sigma > surely_far * largest_[0]) return false;
  const double dt = 1e-3 / speed, later = sigma_ahead(before_, dt, state);
  if (!(later < sigma)) {
    if (passages_.empty() || before_.t - passages_.back().t > still_near * entry_rho_) return false;
    entry_ = {.t = before_.t, .sigma = sigma};
    entry_sigma_ = sigma;
    behind_ = true;
    return true;
  }
  const double rho = sigma * dt / (sigma - later);
  if (!is_ahead(before_, sigma, sigma, rho, state)) return false;
  entry_ = {.t = before_.t, .sigma = sigma};
  entry_sigma_ = sigma;
  entry_rho_ = rho;
  return true;
}

// ---- over it -------------------------------------------------------------------------------------------------------

void SingularPassage::enter(const MotionVariables& at, const Look& entry, double sigma, double rho, State& state) {
  entering_ = 0.0;
  if (!bridge_) bridge_ = std::make_unique<BranchMotion>(system_, options_.tolerances);
  MotionVariables x = at;
  centre_charts(x, state);
  entry_ = entry;
  entry_.t = x.t;
  entry_rho_ = rho;
  last_ = entry_;
  rho_.fill(0.0);
  over_ = std::exchange(behind_, false);
  position_ = over_ ? passages_.back().t : x.t + locate(x, sigma, rho, state);
  bridging_ = true, leaving_ = false;
  approaches_ = 0;
  bridge_->begin_at(x, state);
}

// With the position in its middle, or nearer to it if that is too far; behind it as far as it was before it.
StepReport SingularPassage::step_over(double t_end, State& state) {
  const double t = bridge_->newest().t;
  double h = over_ ? entry_rho_ : 2.0 * (position_ - t);
  StepReport report;
  for (int k = 0; k < shorter_steps; ++k) {
    if (options_.fixed_h) h = *options_.fixed_h * std::max(1.0, std::round(h / *options_.fixed_h));
    report = bridge_->advance(h < (1.0 - 1e-9) * (t_end - t) ? t + h : t_end, state);
    if (report.status.ok() || report.status.outcome == Outcome::fatal) return report;
    h *= k == 0 && !over_ ? 0.25 : 0.5;
  }
  return report;
}

void SingularPassage::look_over(const State& state) {
  const MotionVariables& x = bridge_->newest();
  const Look now = look_at(x, state);
  // Where σ, with its sign, is zero if the step has crossed, by the values at its ends or as expected.
  const double part = last_.sigma / (last_.sigma + now.sigma), least = std::min(last_.sigma, now.sigma);
  Look there{.t = last_.t + part * (now.t - last_.t)};
  bridge_->interpolate(there.t, sample_);
  there = look_at(sample_, state);
  if (position_ > last_.t && position_ < now.t) {
    bridge_->interpolate(position_, sample_);
    if (const Look expected = look_at(sample_, state); expected.sigma < there.sigma) there = expected;
  }
  const bool noted = !passages_.empty() && passages_.back().t >= entry_.t;
  if (!noted && (there.sigma < crossed * least || least < 1e-3 * entry_.sigma))
    note_passage(position_ = find_zero(last_, there, now, state), state);
  const bool rises = now.sigma > last_.sigma;
  over_ = over_ || there.sigma < crossed * least || (rises && now.t > position_ - 0.1 * entry_rho_);
  if (!over_ && now.sigma < last_.sigma) {
    const double rho = now.sigma * (now.t - last_.t) / (last_.sigma - now.sigma);
    if (now.t + rho < position_ + 0.5 * entry_rho_) position_ = now.t + locate(x, now.sigma, rho, state);
  }
  // From nearer by nothing of it is seen any more: there is no position, and the method goes on.
  const bool refuted =
      !over_ && !noted && position_ > now.t && !is_ahead(x, now.sigma, now.sigma, position_ - now.t, state);
  if (refuted) position_ = bridge_from_;
  // As far behind it as it was before it, and a little more.
  const double until = std::max(position_ + far_enough * (position_ - entry_.t), entry_.t + far_enough * entry_rho_);
  leaving_ = refuted || (over_ && (now.t >= until || (rises && now.sigma >= far_enough * entry_.sigma)));
  last_ = now;
}

// The zero of σ, with its sign, between two points of the last step over: one of the straight lines to the third point,
// whichever is lower, a few times.
double SingularPassage::find_zero(Look from, Look middle, Look to, const State& state) {
  const auto at = [&](const Look& a, const Look& b) {
    bridge_->interpolate(a.t + (b.t - a.t) * a.sigma / (a.sigma + b.sigma + 1e-300), sample_);
    return look_at(sample_, state);
  };
  constexpr int refinements = 3;
  for (int k = 0; k < refinements; ++k) {
    const Look before = at(from, middle), behind = at(middle, to),
               lower = before.sigma < behind.sigma ? before : behind;
    if (!(lower.sigma < middle.sigma)) break;
    (lower.t < middle.t ? to : from) = middle;
    middle = lower;
  }
  return middle.t;
}

void SingularPassage::note_passage(double t, const State& state) {
  bridge_->interpolate(t, sample_);
  look_at(sample_, state);  // for the rows that it finds
  passages_.push_back({t, find_dependent_rows()});
}

std::string SingularPassage::find_dependent_rows() const {
  constexpr double share = 0.3;
  constexpr std::size_t shown = 4;
  const double largest = rows_.col(0).lpNorm<Eigen::Infinity>();
  std::vector<std::string> owners;
  for (int r = 0; r < system_.nc(); ++r) {
    if (std::abs(rows_(r, 0)) < share * largest) continue;
    const std::string text = system_.describe_constraint(r), owner = text.substr(0, text.find(','));
    if (std::find(owners.begin(), owners.end(), owner) == owners.end()) owners.push_back(owner);
  }
  std::string names;
  for (std::size_t i = 0; i < std::min(shown, owners.size()); ++i) names += (i ? ", " : "") + owners[i];
  if (owners.size() > shown) names += " and " + std::to_string(owners.size() - shown) + " more";
  return names;
}

// ---- behind it -----------------------------------------------------------------------------------------------------

Status SingularPassage::leave(MotionIntegrator& method, State& state) {
  bridging_ = leaving_ = false;
  steps_ = 0, interval_ = 1;
  rho_.fill(0.0);
  // Points of its last step, all behind the position.
  const MotionVariables& x = bridge_->newest();
  const double behind = x.t - std::max(bridge_from_, position_);
  const double h =
      std::min(method_h_ > 0.0 ? points_apart * method_h_ : behind, points_within * behind / (n_taken_over - 1));
  taken_over_.resize(n_taken_over);
  taken_over_[0] = x;
  for (int i = 1; i < n_taken_over; ++i) bridge_->interpolate(x.t - i * h, taken_over_[i] = x);
  system_.calc_inputs(x.t, inputs_);
  Eigen::VectorXd q = x.q;  // charts stay: the points are in them
  system_.accepted(x.point(inputs_.view()), std::numeric_limits<double>::infinity(), q, state, *workspace_);
  // A method that cannot use several points begins anew with the last one.
  const Status status = method.take_over(taken_over_, state);
  return status.ok() ? status : method.start(taken_over_[0], state);
}

void SingularPassage::begin_at_position(const MotionVariables& x, State& state) {
  system_.calc_q_rate(x.q, x.v, q_rate_);
  const double speed = q_rate_.lpNorm<Eigen::Infinity>();
  if (!(speed > 0.0)) return;
  const double rho = first_way / speed, sigma = sigma_ahead(x, rho, state);
  largest_[0] = std::max(largest_[0], sigma);
  enter(x, {.t = x.t, .sigma = sigma}, sigma, rho, state);
  over_ = true;
  position_ = x.t;
  last_ = {.t = x.t};
}

void SingularPassage::forget() {
  bridging_ = leaving_ = paused_ = false;
  entering_ = 0.0;
  last_ = {};
  rho_.fill(0.0);
  interval_ = 1, steps_ = 0;
}

void SingularPassage::centre_charts(MotionVariables& x, State& state) {
  system_.calc_inputs(x.t, inputs_);
  const Eigen::VectorXd q = x.q;
  const MotionPoint p{x.t, inputs_.view(), q, x.v, x.a, x.z, x.zp, x.lam};
  system_.accepted(p, 0.0, x.q, state, *workspace_);
}

}  // namespace trammel
