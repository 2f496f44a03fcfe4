// SPDX-License-Identifier: Apache-2.0
#include "trammel/simulation/run_checks.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

namespace trammel {

namespace {

// Changes of sign in a row that make noise: vibrations that steps resolve have several steps per half period, and what
// a start or a kink sets ringing has died out by then.
constexpr int noisy_changes = 40;
// Of a row's own largest multiplier, and of the largest of all.
constexpr double noisy_part = 0.1, noticed_part = 1e-2;
// σ against its largest value: rank is as good as lost, and was certainly not.
constexpr double lost_part = 1e-3, kept_part = 0.5;
// Looks at σ: rarer while it changes by less than `slow_change` from one to the next.
constexpr double slow_change = 0.04, quick_change = 0.15;
constexpr int rarest_look = 10;
// Of the largest of all rotations, or of all others: what hardly moves is not asked how well it does.
constexpr double unnoticed_way = 0.1;
// Of the mean kinetic energy: a machine that has less at some instant comes to rest, and (4) says nothing of it.
constexpr double at_rest = 0.02;
// Beside the largest kinetic energy, the work that the machine exchanged until now: beyond it δ of (4) is no error of
// the energy that it moves with any more. What is pushed to and fro moves when it is pushed, however its energy errs.
constexpr double forgetting_part = 1.0;
// (5) A top is one when the kinetic energy has fallen to this part of it, and has risen as much again before the next.
// Beside the largest kinetic energy, the work that the machine exchanged may be this part.
constexpr double swing_depth = 0.5, quiet_part = 0.1;
// Two times from top to top that differ by this part are not of the same vibration.
constexpr double irregular = 0.2;
// The relative error of the period by (ωh)², of the trapezoidal rule and its relatives.
constexpr double dispersion = 1.0 / 12.0;

}  // namespace

void RunChecks::note_violation(double t, int row, double value, double limit) {
  if (!violation_.name.empty() && !(value > violation_.value)) return;
  const bool first = violation_.name.empty();
  if (first) violation_.name = "frame violation", violation_.t = t;
  violation_.element = name_(row);
  violation_.value = value, violation_.limit = limit;
  violation_.text = fmt::format(
      "constraints of recorded frames are violated by up to {:.3g}, limit {:.3g}: joints are open; usual cause: a "
      "formulation that lets them drift (index1, index2), a fixed step or a tolerance that is too coarse",
      value, limit);
}

void RunChecks::note_reactions(double t, Eigen::Ref<const Eigen::VectorXd> lam, bool smooth) {
  const Eigen::Index n = lam.size();
  if (last_.size() != n) {
    last_.setZero(n), change_.setZero(n), peak_.setZero(n);
    alternations_.assign(static_cast<std::size_t>(n), 0);
    n_notes_ = 0;
  }
  if (!smooth) n_notes_ = 0;
  ++n_notes_;
  for (Eigen::Index i = 0; i < n; ++i) {
    const double change = lam[i] - last_[i];
    peak_[i] = std::max(peak_[i], std::abs(lam[i]));
    largest_peak_ = std::max(largest_peak_, peak_[i]);
    int& count = alternations_[static_cast<std::size_t>(i)];
    const double size = std::min(std::abs(change), std::abs(change_[i]));
    const bool alternates = n_notes_ > 2 && change * change_[i] < 0.0 &&
                            size > std::max(noisy_part * peak_[i], noticed_part * largest_peak_);
    count = alternates ? count + 1 : 0;
    if (count >= noisy_changes) {
      noise_until_ = t;
      if (noise_.name.empty() || size > noise_.value) {
        if (noise_.name.empty()) noise_.name = "noise in reactions", noise_.t = t;
        noise_.element = name_(static_cast<int>(i));
        noise_.value = size, noise_.limit = noisy_part * peak_[i];
      }
    }
    change_[i] = change;
    last_[i] = lam[i];
  }
}

// Of the first steps of a run lower differences are all there is: they are not smaller in a motion that steps resolve.
void RunChecks::note_errors(double t, double h, const StepError& error, Eigen::Ref<const Eigen::VectorXd> v,
                            std::span<const int> charts) {
  const Eigen::Index n = v.size();
  if (n_steps_ == 0)
    for (Eigen::VectorXd* x : {&newest_, &way_, &least_, &most_, &errors_}) x->setZero(n);
  if (n_steps_ > 1 && error.turning > 0.0)  // turns about different axes do not add up
    for (const int c : charts) {
      const Eigen::Vector3d w = differences_[0].segment<3>(c), change = v.segment<3>(c) - w;
      errors_.segment<3>(c) += error.turning * h * h * w.cross(change).cwiseAbs();
    }
  newest_ = v;
  const int known = std::min(n_steps_, error.difference);
  for (int k = 0; k <= known; ++k) {  // Δᵏ of now from Δᵏ⁻¹ of now and of the step before
    if (k == n_steps_) differences_[static_cast<std::size_t>(k)].setZero(n);
    newest_.swap(differences_[static_cast<std::size_t>(k)]);
    if (k == 1 && error.damping > 0.0) errors_ += error.damping * h * differences_[1].cwiseAbs();
    newest_ = differences_[static_cast<std::size_t>(k)] - newest_;
  }
  if (known > std::min(1, error.difference - 1))
    errors_ += error.constant * h * differences_[static_cast<std::size_t>(known)].cwiseAbs();
  ++n_steps_;
  way_ += h * v;
  least_ = least_.cwiseMin(way_), most_ = most_.cwiseMax(way_);
  last_t_ = t;
}

RunChecks::Unresolved RunChecks::find_unresolved(std::span<const Kind> kinds, std::span<const int> charts) const {
  if (n_steps_ == 0) return {};
  Unresolved worst = find_worst(errors_, most_ - least_, kinds, charts);
  worst.t = last_t_;
  return worst;
}

// Rotations of bodies are one each: their axes turn. What turns on and on is where it is to within half a turn.
RunChecks::Unresolved RunChecks::find_worst(const Eigen::VectorXd& errors, const Eigen::VectorXd& ways,
                                            std::span<const Kind> kinds, std::span<const int> charts) {
  std::vector<Motion> motions;
  std::vector<char> in_chart(kinds.size(), 0);
  for (const int c : charts) {
    Eigen::Index most = 0;  // names the axis that errs most
    errors.segment<3>(c).cwiseAbs().maxCoeff(&most);
    motions.push_back(
        {c + most, true, std::min(ways.segment<3>(c).norm(), std::numbers::pi), errors.segment<3>(c).norm()});
    std::fill_n(in_chart.begin() + c, 3, 1);
  }
  for (Eigen::Index i = 0; i < ways.size(); ++i) {
    if (in_chart[static_cast<std::size_t>(i)]) continue;
    const bool turns = kinds[static_cast<std::size_t>(i)] == Kind::rotation;
    motions.push_back({i, turns, turns ? std::min(ways[i], std::numbers::pi) : ways[i], errors[i]});
  }
  double largest[2] = {0.0, 0.0};
  for (const Motion& m : motions) largest[m.turns] = std::max(largest[m.turns], m.way);
  Unresolved worst;
  for (const Motion& m : motions)
    if (m.way > unnoticed_way * largest[m.turns] && m.error > worst.part * m.way)
      worst = {static_cast<int>(m.at), m.error / m.way, 0.0, m.way};
  return worst;
}

void RunChecks::note_delay(double t, double kinetic, double drift, double work, Eigen::Ref<const Eigen::VectorXd> v) {
  if (n_steps_ > 0) exchanged_ += std::abs(work - work_);
  work_ = work;
  most_kinetic_ = std::max(most_kinetic_, kinetic);
  const double share = kinetic > 0.0 ? 0.5 * drift / kinetic : 0.0;
  if (n_steps_++ == 0) {
    for (Eigen::VectorXd* x : {&way_, &least_, &most_}) x->setZero(v.size());
    fastest_ = v.cwiseAbs();
    least_kinetic_ = kinetic;
    first_t_ = t;
  } else {
    const double h = t - last_t_;
    early_ += 0.5 * h * (share_ + share);
    if (std::abs(early_) > std::abs(most_early_)) most_early_ = early_, most_early_t_ = t;
    kinetic_sum_ += h * kinetic;
    least_kinetic_ = std::min(least_kinetic_, kinetic);
    way_ += h * v;
    least_ = least_.cwiseMin(way_), most_ = most_.cwiseMax(way_);
    fastest_ = fastest_.cwiseMax(v.cwiseAbs());
  }
  share_ = share;
  last_t_ = t;
}

RunChecks::Unresolved RunChecks::find_delay(std::span<const Kind> kinds, std::span<const int> charts) const {
  if (n_steps_ < 2 || least_kinetic_ * (last_t_ - first_t_) < at_rest * kinetic_sum_) return {};
  if (exchanged_ > forgetting_part * most_kinetic_) return {};
  Unresolved worst = find_worst(std::abs(most_early_) * fastest_, most_ - least_, kinds, charts);
  worst.t = most_early_t_;
  return worst;
}

void RunChecks::note_swings(double t, double kinetic, bool smooth) {
  if (!smooth) n_tops_ = 0, rises_ = true, top_ = {}, half_period_ = 0.0;
  if (has_swings_) {
    const double h = t - swings_t_, change = kinetic - last_kinetic_, twice = kinetic + last_kinetic_;  // 2T
    if (twice > 0.0) cubes_ += h * change * change / twice;
    squares_ += h * twice;
  }
  has_swings_ = true;
  swings_t_ = t, last_kinetic_ = kinetic;
  if (!rises_) {
    bottom_ = std::min(bottom_, kinetic);
    if (!(kinetic * swing_depth > bottom_)) return;
    rises_ = true;
    top_ = {};
  }
  if (kinetic > top_.kinetic) top_ = {t, kinetic, cubes_, squares_};
  if (!(kinetic < swing_depth * top_.kinetic)) return;
  if (n_tops_++ > 0) {
    const double half = top_.t - last_top_.t;
    if (std::abs(half - std::exchange(half_period_, half)) < irregular * half)
      late_ += dispersion * half * (top_.cubes - last_top_.cubes) / (top_.squares - last_top_.squares);
    if (const double size = late_ * std::sqrt(top_.kinetic); size > latest_) latest_ = size, latest_t_ = top_.t;
  }
  last_top_ = top_;
  rises_ = false;
  bottom_ = kinetic;
}

RunChecks::Unresolved RunChecks::find_late_swings(std::span<const Kind> kinds, std::span<const int> charts) const {
  if (n_steps_ < 2 || !(latest_ > 0.0) || exchanged_ > quiet_part * most_kinetic_) return {};
  Unresolved worst = find_worst(latest_ / std::sqrt(most_kinetic_) * fastest_, most_ - least_, kinds, charts);
  worst.t = latest_t_;
  return worst;
}

bool RunChecks::wants_rank() {
  if (++frames_ < interval_) return false;
  frames_ = 0;
  return true;
}

// Between two looks σ has a zero if the straight lines through the two looks before and behind say so.
void RunChecks::note_rank(double t, double sigma, const std::function<std::string()>& rows) {
  largest_sigma_ = std::max(largest_sigma_, sigma);
  std::copy_backward(looks_, looks_ + 2, looks_ + 3);
  looks_[0] = {t, sigma};
  n_looks_ = std::min(n_looks_ + 1, 3);
  if (n_looks_ < 2) return;
  const Look &now = looks_[0], &middle = looks_[1], &before = looks_[2];
  const double change = std::abs(now.sigma - middle.sigma) / std::max(middle.sigma, 1e-300);
  if (change > quick_change)
    interval_ = std::max(1, interval_ / 2);
  else if (change < slow_change)
    interval_ = std::min(rarest_look, interval_ + 1);
  if (!rank_.name.empty()) return;
  bool lost = now.sigma < lost_part * largest_sigma_;
  if (n_looks_ == 3 && middle.sigma < before.sigma && middle.sigma < kept_part * largest_sigma_) {
    const double rho = middle.sigma * (middle.t - before.t) / (before.sigma - middle.sigma);  // to its zero
    const double behind = now.t - (middle.t + rho);
    // The line goes on behind the zero with its slope turned over.
    const double expected = middle.sigma * behind / rho;
    lost = lost || (behind > 0.0 && std::abs(now.sigma - expected) < 0.2 * std::max(expected, middle.sigma));
  }
  if (!lost) return;
  rank_.name = "rank lost in motion";
  rank_.t = middle.t, rank_.element = rows();
  rank_.value = std::min(now.sigma, middle.sigma), rank_.limit = lost_part * largest_sigma_;
  rank_.text = fmt::format(
      "constraints become dependent between t = {:.6g} and {:.6g} s (smallest singular value {:.3g}, largest {:.3g}): "
      "other motions branch off there, and a fixed step may have taken one of them; leave out 'h', so that the "
      "position "
      "is passed by a step of its own",
      middle.t, now.t, rank_.value, largest_sigma_);
}

void RunChecks::raise(std::vector<Alarm>& alarms) const {
  if (!violation_.name.empty()) alarms.push_back(violation_);
  if (!noise_.name.empty() && own_t_ >= noise_.t) {
    alarms.push_back(noise_);
    alarms.back().text = fmt::format(
        "multipliers jump up and down by {:.3g} from step to step, limit {:.3g} ({:.0f} % of their largest value), "
        "until "
        "t = {:.6g} s: they are the method's, not the machine's; usual cause: a method without damping (newmark, hht "
        "or generalized_alpha without it), or a kink met with a fixed step",
        noise_.value, noise_.limit, 100.0 * noisy_part, noise_until_);
  }
  if (!rank_.name.empty()) alarms.push_back(rank_);
}

}  // namespace trammel
