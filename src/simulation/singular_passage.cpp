#include "trammel/simulation/singular_passage.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace trammel {

namespace {

// A position is passed when it is this many steps ahead: nearer, and a step of the method ends beyond it.
constexpr double steps_ahead = 2.5;
// A step of the method may not end nearer to it than this part of itself.
constexpr double too_near = 0.6;
// And in any case where σ is this part of its largest value so far; never where it is more than that.
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
// The method goes on when σ is this much larger than it was when it stopped, or after so many times ρ.
constexpr double far_enough = 1.3, long_enough = 6.0;
// What a multistep method begins with: as many points, within this part of the way behind the position.
constexpr int n_taken_over = 5;
constexpr double points_within = 0.6;
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
  rows_.setZero(system.nc());
  any_rows_.resize(system.nc());
  for (Eigen::Index r = 0; r < any_rows_.size(); ++r) any_rows_[r] = std::sin(1.0 + 7.0 * static_cast<double>(r * r));
  any_rows_ *= 0.3 / any_rows_.norm();
  q_rate_.setZero(system.nv());
  sample_.resize(system.nv(), system.nz(), system.nc());
  Tolerances& tolerances = options_.tolerances;
  tolerances.rtol = tolerance_over(tolerances.rtol), tolerances.atol = tolerance_over(tolerances.atol);
}

double SingularPassage::calc_sigma(const MotionVariables& x, const State& state) {
  system_.calc_inputs(x.t, inputs_);
  if (!projection_.setup(x.point(inputs_.view()), state, *workspace_).ok()) return 0.0;
  rows_ += any_rows_;  // another dependence than the last one may be nearest
  return projection_.calc_smallest_singular_value(rows_);
}

StepReport SingularPassage::advance(MotionIntegrator& method, double t_end, State& state) {
  StepReport failed;
  if (leaving_) leave(method, state);
  if (entering_ > 0.0) enter(method.newest(), last_.sigma, entering_, state);
  if (!bridging_) {
    before_ = method.newest(), state_before_ = state;
    StepReport report = method.advance(t_end, state);
    if (options_.fixed_h) return report;
    if (report.status.ok()) {
      method_h_ = report.h;
      look(method, report.h, state);
      if (!bridging_) return report;
      state = state_before_;  // the step has crossed the position
      enter(before_, entry_.sigma, entry_rho_, state);
    } else if (!fails_near_position(state_before_)) {
      return report;
    } else {
      state = state_before_;
      enter(before_, entry_.sigma, entry_rho_, state);
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
  const bool may_cross = rho_ > 0.0 && last_.t + 1.1 * rho_ > before_.t && last_.t + 0.9 * rho_ < x.t;
  if (++steps_ < interval_ && !may_cross) return;
  steps_ = 0;
  const Look now{x.t, calc_sigma(x, state)};
  largest_ = std::max(largest_, now.sigma);
  if (!(last_.sigma > 0.0) || now.t <= last_.t) {
    last_ = now;
    return;
  }
  const double change = (now.sigma - last_.sigma) / last_.sigma;
  if (paused_) paused_ = change < 0.0 || now.sigma < 0.5 * largest_;
  if (!paused_ && may_cross && lies_within(method, h, now, state)) {
    bridging_ = true;
    last_ = now;
    return;
  }
  rho_ = change < 0.0 ? now.sigma * (now.t - last_.t) / (last_.sigma - now.sigma) : 0.0;
  last_ = now;
  choose_interval(h, change);
  if (paused_ || rho_ == 0.0) return;
  const bool near =
      now.sigma <= surely_near * largest_ || (rho_ <= steps_ahead * h && now.sigma <= surely_far * largest_);
  if (!near || !is_ahead(x, now.sigma, rho_, state)) return;
  if (rho_ > too_near * h) {
    entering_ = rho_;
    return;
  }
  // The step ended so near to the position that its error may have led it beside the branch: it is taken back.
  entry_ = {before_.t, calc_sigma(before_, state_before_)};
  entry_rho_ = now.t + rho_ - before_.t;
  bridging_ = true;
}

void SingularPassage::choose_interval(double h, double change) {
  if (std::abs(change) > quick)
    interval_ = std::max(1, interval_ / 2);
  else if (std::abs(change) < slow)
    interval_ = std::min(rarest, interval_ + 1);
  if (rho_ > 0.0) interval_ = std::clamp(static_cast<int>(0.3 * rho_ / h), 1, interval_);
}

// σ at q + δ q̇ + ½ δ² v̇.
double SingularPassage::sigma_ahead(const MotionVariables& x, double dt, const State& state) {
  system_.calc_q_rate(x.q, x.v, q_rate_);
  sample_ = x;
  sample_.t = x.t + dt;
  sample_.q = x.q + dt * q_rate_ + 0.5 * dt * dt * x.a;
  return calc_sigma(sample_, state);
}

// Whether σ falls as expected.
bool SingularPassage::is_ahead(const MotionVariables& x, double sigma, double rho, const State& state) {
  for (const double part : {1.0, 0.8, 1.25})
    if (sigma_ahead(x, part * rho, state) < believed * sigma) return true;
  return false;
}

// The zero of the parabola through σ here and at two places on the way.
double SingularPassage::locate(const MotionVariables& x, double sigma, double rho, const State& state) {
  const double d = 0.35 * rho, s1 = sigma_ahead(x, d, state), s2 = sigma_ahead(x, 2.0 * d, state);
  if (!(sigma > s1 && s1 > s2)) return rho;
  const double curvature = 0.5 * (sigma - 2.0 * s1 + s2), slope = s1 - sigma - curvature;
  const double root = slope * slope - 4.0 * curvature * sigma;
  if (!(root >= 0.0)) return rho;
  const double zero = d * 2.0 * sigma / (-slope + std::sqrt(root));
  return zero > d && zero < 2.0 * rho ? zero : rho;
}

// Whether the step of the method went through a position: σ has a zero between its ends.
bool SingularPassage::lies_within(const MotionIntegrator& method, double h, const Look& end, const State& state) {
  const double from = end.t - h, expected = std::clamp((last_.t + rho_ - from) / h, 0.1, 0.9);
  const double start = last_.sigma * std::max(0.1, 1.0 - (from - last_.t) / rho_),
               limit = crossed * std::min(start, end.sigma);
  for (const double part : {expected, start / (start + end.sigma), 0.5 * (expected + 0.5)}) {
    method.interpolate(from + part * h, sample_);
    if (calc_sigma(sample_, state) > limit) continue;
    entry_ = {before_.t, start};
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
  if (!(speed > 0.0) || sigma > surely_far * largest_) return false;
  const double dt = 1e-3 / speed, later = sigma_ahead(before_, dt, state);
  if (!(later < sigma)) {
    if (passages_.empty() || before_.t - passages_.back().t > still_near * entry_rho_) return false;
    entry_ = {before_.t, sigma};
    behind_ = true;
    return true;
  }
  const double rho = sigma * dt / (sigma - later);
  if (!is_ahead(before_, sigma, rho, state)) return false;
  entry_ = {before_.t, sigma};
  entry_rho_ = rho;
  return true;
}

// ---- over it -------------------------------------------------------------------------------------------------------

void SingularPassage::enter(const MotionVariables& at, double sigma, double rho, State& state) {
  entering_ = 0.0;
  if (!bridge_) bridge_ = std::make_unique<BranchMotion>(system_, options_.tolerances);
  MotionVariables x = at;
  centre_charts(x, state);
  entry_ = {x.t, sigma};
  entry_rho_ = rho;
  last_ = entry_;
  rho_ = 0.0;
  over_ = std::exchange(behind_, false);
  position_ = over_ ? passages_.back().t : x.t + locate(x, sigma, rho, state);
  bridging_ = true, leaving_ = false;
  approaches_ = 0;
  static_cast<void>(bridge_->start(x, state));  // should it not begin, the step over the position fails and says why
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
  const Look now{x.t, calc_sigma(x, state)};
  // Where σ, with its sign, is zero if the step has crossed.
  const double part = last_.sigma / (last_.sigma + now.sigma), at = last_.t + part * (now.t - last_.t);
  bridge_->interpolate(at, sample_);
  const double there = calc_sigma(sample_, state), least = std::min(last_.sigma, now.sigma);
  const bool noted = !passages_.empty() && passages_.back().t >= entry_.t;
  if (!noted && (there < crossed * least || least < 1e-3 * entry_.sigma))
    note_passage(find_zero(last_, {at, there}, now, state), state);
  const bool rises = now.sigma > last_.sigma;
  over_ = over_ || rises || there < crossed * least;
  if (!over_ && now.sigma < last_.sigma) {
    const double rho = now.sigma * (now.t - last_.t) / (last_.sigma - now.sigma);
    position_ = now.t + locate(x, now.sigma, rho, state);
  }
  leaving_ = rises && (now.sigma >= far_enough * entry_.sigma || now.t > entry_.t + long_enough * entry_rho_);
  last_ = now;
}

// The zero of σ, with its sign, between two points of the last step over: one of the straight lines to the third point,
// whichever is lower, a few times.
double SingularPassage::find_zero(Look from, Look middle, Look to, const State& state) {
  const auto at = [&](const Look& a, const Look& b) {
    Look between{a.t + (b.t - a.t) * a.sigma / (a.sigma + b.sigma + 1e-300), 0.0};
    bridge_->interpolate(between.t, sample_);
    between.sigma = calc_sigma(sample_, state);
    return between;
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
  static_cast<void>(calc_sigma(sample_, state));  // for the rows that it finds, not for the value
  passages_.push_back({t, find_dependent_rows()});
}

std::string SingularPassage::find_dependent_rows() const {
  constexpr double share = 0.3;
  constexpr std::size_t shown = 4;
  const double largest = rows_.lpNorm<Eigen::Infinity>();
  std::vector<std::string> owners;
  for (int r = 0; r < system_.nc(); ++r) {
    if (std::abs(rows_[r]) < share * largest) continue;
    const std::string text = system_.describe_constraint(r), owner = text.substr(0, text.find(','));
    if (std::find(owners.begin(), owners.end(), owner) == owners.end()) owners.push_back(owner);
  }
  std::string names;
  for (std::size_t i = 0; i < std::min(shown, owners.size()); ++i) names += (i ? ", " : "") + owners[i];
  if (owners.size() > shown) names += " and " + std::to_string(owners.size() - shown) + " more";
  return names;
}

// ---- behind it -----------------------------------------------------------------------------------------------------

void SingularPassage::leave(MotionIntegrator& method, State& state) {
  bridging_ = leaving_ = false;
  steps_ = 0, interval_ = 1, rho_ = 0.0;
  // Points of its last step, all behind the position and, if it can be, as far apart as the method's own steps were.
  const MotionVariables& x = bridge_->newest();
  const double behind = x.t - std::max(bridge_from_, position_);
  const double h = std::min(method_h_ > 0.0 ? method_h_ : behind, points_within * behind / (n_taken_over - 1));
  taken_over_.resize(n_taken_over);
  taken_over_[0] = x;
  for (int i = 1; i < n_taken_over; ++i) bridge_->interpolate(x.t - i * h, taken_over_[i] = x);
  system_.calc_inputs(x.t, inputs_);
  Eigen::VectorXd q = x.q;  // charts stay: the points are in them
  system_.accepted(x.point(inputs_.view()), std::numeric_limits<double>::infinity(), q, state, *workspace_);
  // A method that cannot use several points begins anew with the last one; if it cannot, its first step says why.
  if (!method.take_over(taken_over_, state).ok()) static_cast<void>(method.start(taken_over_[0], state));
}

void SingularPassage::begin_at_position(const MotionVariables& x, State& state) {
  system_.calc_q_rate(x.q, x.v, q_rate_);
  const double speed = q_rate_.lpNorm<Eigen::Infinity>();
  if (!(speed > 0.0)) return;
  const double rho = first_way / speed, sigma = sigma_ahead(x, rho, state);
  largest_ = std::max(largest_, sigma);
  enter(x, sigma, rho, state);
  over_ = true;
  position_ = x.t;
  last_ = {x.t, 0.0};
}

void SingularPassage::forget() {
  bridging_ = leaving_ = paused_ = false;
  entering_ = 0.0;
  last_ = {};
  rho_ = 0.0;
  interval_ = 1, steps_ = 0;
}

void SingularPassage::centre_charts(MotionVariables& x, State& state) {
  system_.calc_inputs(x.t, inputs_);
  const Eigen::VectorXd q = x.q;
  const MotionPoint p{x.t, inputs_.view(), q, x.v, x.a, x.z, x.zp, x.lam};
  system_.accepted(p, 0.0, x.q, state, *workspace_);
}

}  // namespace trammel
