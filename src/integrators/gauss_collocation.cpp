// SPDX-License-Identifier: Apache-2.0
#include "trammel/integrators/gauss_collocation.h"

#include <array>
#include <cmath>
#include <numbers>

namespace trammel {

namespace {

constexpr int points = GaussCollocation::n_points;
constexpr int max_sweeps = 60;
// Changes this small, against the tolerance or the size of y, are no progress any more. Nor are those that no longer
// fall and are within the tolerance or this small against the first one: near a singular position rounding is amplified
// across the branch, where the projection of the next stage, and of the end, takes it out again.
constexpr double enough = 1e-2, noise_floor = 1e-6;
// … of an iteration that got there within so many sweeps, each to a fifth: a slow one is no noise.
constexpr int quick_sweeps = 9;
constexpr double collocation_rounding = 4.0 * std::numeric_limits<double>::epsilon();

using Values = std::array<double, points + 1>;

// P_0 … P_s at x in [−1, 1].
Values legendre_at(double x) {
  Values p{};
  p[0] = 1.0, p[1] = x;
  for (int k = 1; k < points; ++k) p[k + 1] = ((2 * k + 1) * x * p[k] - k * p[k - 1]) / (k + 1);
  return p;
}

// ∫ P_k(2τ − 1) dτ from 0 to θ.
Values integrals_to(double theta) {
  const double x = 2.0 * theta - 1.0;
  const Values p = legendre_at(x);
  Values integral{};
  integral[0] = theta;
  for (int k = 1; k < points; ++k) integral[k] = 0.5 * (p[k + 1] - p[k - 1]) / (2 * k + 1);
  return integral;
}

}  // namespace

GaussCollocation::GaussCollocation(const OdeSystem& system, const Tolerances& tolerances)
    : system_(system), weights_(system.layout(), tolerances), workspace_(system.make_workspace()) {
  c_.resize(points);
  legendre_.resize(points, points);
  A_.resize(points, points);
  for (int i = 0; i < points; ++i) {  // zeros of P_s, by Newton from those of a Chebyshev polynomial
    double x = -std::cos(std::numbers::pi * (i + 0.75) / (points + 0.5)), slope = 1.0;
    for (int k = 0; k < 20; ++k) {
      const Values p = legendre_at(x);
      slope = points * (x * p[points] - p[points - 1]) / (x * x - 1.0);
      x -= p[points] / slope;
    }
    c_[i] = 0.5 * (1.0 + x);
    const Values p = legendre_at(x);
    const double weight = 2.0 / ((1.0 - x * x) * slope * slope);
    for (int k = 0; k < points; ++k) legendre_(k, i) = 0.5 * (2 * k + 1) * weight * p[k];
  }
  for (int i = 0; i < points; ++i) {
    const Values integral = integrals_to(c_[i]);
    for (int j = 0; j < points; ++j) {
      A_(i, j) = 0.0;
      for (int k = 0; k < points; ++k) A_(i, j) += integral[k] * legendre_(k, j);
    }
  }
  const int n = system.layout().n();
  for (Eigen::MatrixXd* x : {&f_, &Y_, &change_}) x->setZero(n, points);
  for (Eigen::VectorXd* x : {&from_, &to_, &correction_}) x->setZero(n);
}

Status GaussCollocation::step(double t, double h, Vec y, const State& state) {
  from_ = y;
  t_ = t, h_ = h;
  Status status = system_.rates(t + c_[0] * h, from_, state, correction_, *workspace_);
  if (!status.ok()) return status;
  for (int i = 0; i < points; ++i) Y_.col(i) = from_ + c_[i] * h * correction_;
  double before = std::numeric_limits<double>::infinity(), first = 0.0;
  bool quick = false;  // it has fallen to the noise floor quickly
  for (int sweep = 0;; ++sweep) {
    for (int i = 0; i < points; ++i) {
      ++evaluations_;
      status = system_.rates(t + c_[i] * h, Y_.col(i), state, f_.col(i), *workspace_);
      if (!status.ok()) return status;
    }
    change_.noalias() = h * (f_ * A_.transpose());
    double largest = 0.0;
    bool rounding = true;
    for (Eigen::Index k = 0; k < from_.size(); ++k) {
      const double weight = weights_.weight(k, from_[k]);
      for (int i = 0; i < points; ++i) {
        const double moved = std::abs(from_[k] + change_(k, i) - Y_(k, i));
        if (!std::isfinite(moved)) return Status::recoverable(Cause::not_finite, static_cast<int>(k));
        largest = std::max(largest, moved / weight);
        rounding = rounding && moved <= collocation_rounding * (1.0 + std::abs(Y_(k, i)));
        Y_(k, i) = from_[k] + change_(k, i);
      }
    }
    if (sweep == 0) first = largest;
    quick = quick || (sweep <= quick_sweeps && largest <= noise_floor * first);
    const bool small = largest <= enough || (quick && largest <= std::max(1.0, noise_floor * first));
    if (rounding || (small && largest > 0.5 * before)) break;
    if (sweep + 1 == max_sweeps || (sweep > 2 && largest > 0.9 * before)) {
      if (small) break;
      return Status::recoverable(Cause::slow_convergence);
    }
    before = largest;
  }
  error_ = calc_error(h, from_);
  if (!(error_ <= 1.0)) return Status::recoverable(Cause::error_test);
  to_ = from_;
  const Values integral = integrals_to(1.0);
  for (int j = 0; j < points; ++j) {
    double weight = 0.0;
    for (int k = 0; k < points; ++k) weight += integral[k] * legendre_(k, j);
    to_ += h * weight * f_.col(j);
  }
  y = to_;
  bool moved = false;
  status = system_.project(t + h, y, state, moved, *workspace_);
  correction_ = y - to_;
  return status;
}

// ∫ of the last two terms of the series of f: h |c_k| / (2 (2k + 1)), as each integral P_{k+1} − P_{k−1} does not
// exceed 2.
double GaussCollocation::calc_error(double h, ConstVec y) const {
  double sum = 0.0;
  for (Eigen::Index i = 0; i < y.size(); ++i) {
    double last = 0.0;
    for (int k = points - 2; k < points; ++k)
      last = std::max(last, std::abs(legendre_.row(k).dot(f_.row(i))) / (2 * k + 1));
    const double x = h * last / weights_.weight(i, y[i]);
    sum += x * x;
  }
  return std::sqrt(sum / static_cast<double>(std::max<Eigen::Index>(1, y.size())));
}

void GaussCollocation::interpolate(double t, Vec y) const {
  const double theta = h_ > 0.0 ? (t - t_) / h_ : 1.0;
  const Values integral = integrals_to(theta);
  y = from_ + theta * correction_;
  for (int j = 0; j < points; ++j) {
    double weight = 0.0;
    for (int k = 0; k < points; ++k) weight += integral[k] * legendre_(k, j);
    y += h_ * weight * f_.col(j);
  }
}

}  // namespace trammel
