// SPDX-License-Identifier: Apache-2.0
#include "trammel/integrators/chebyshev_stages.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "trammel/base/crew.h"

namespace trammel {

namespace {

constexpr double damping = 2.0 / 13.0;  // ε
constexpr double reach = 0.653;         // (2): of s² − 1, a little less than ⅔ (1 − 2/15 ε)
// A quotient of norms approaches |σ| from below.
constexpr double settled = 0.02, above = 1.2;
constexpr int most_iterations = 12;

// T_j(w) and its first two derivatives, by their recurrences.
struct Chebyshev {
  double T, d, dd;
};
Chebyshev next(const Chebyshev& now, const Chebyshev& before, double w) {
  return {2.0 * w * now.T - before.T, 2.0 * w * now.d - before.d + 2.0 * now.T,
          2.0 * w * now.dd - before.dd + 4.0 * now.d};
}

}  // namespace

ChebyshevStages::ChebyshevStages(Eigen::Index n) {
  for (Eigen::VectorXd* x : {&direction_, &before_, &last_, &f_}) x->setZero(n);
}

int ChebyshevStages::stages(double h) const {
  const double needed = std::sqrt(h * radius_ / reach + 1.0);
  return std::clamp(1 + static_cast<int>(std::min(needed, 1e6)), 2, max_stages);
}

double ChebyshevStages::longest_step() const {
  constexpr double most = reach * (static_cast<double>(max_stages - 1) * (max_stages - 1) - 1.0);
  return radius_ > 0.0 ? most / radius_ : std::numeric_limits<double>::infinity();
}

Status ChebyshevStages::update_radius(double t, ConstVec y, ConstVec f0, ConstVec error, const Rates& rates) {
  const double size = y.norm(), apart = std::sqrt(std::numeric_limits<double>::epsilon()) * (size > 0.0 ? size : 1.0);
  if (direction_.isZero(0.0)) direction_ = f0;
  const double of_error = error.norm(), of_direction = direction_.norm();
  if (of_error > 0.0 && std::isfinite(of_error) && of_direction > 0.0)
    direction_ = direction_ / of_direction + error / of_error;
  double length = direction_.norm();
  if (!(length > 0.0)) direction_.setOnes(), length = direction_.norm();
  double found = 0.0;
  for (int k = 0; k < most_iterations; ++k) {
    last_ = y + (apart / length) * direction_;
    if (const Status status = rates(t, last_, f_); !status.ok()) return status;
    direction_ = f_ - f0;
    length = direction_.norm();
    const double now = length / apart;
    if (!(now > 0.0)) {
      direction_ = f0, length = std::max(f0.norm(), std::numeric_limits<double>::min());
      if (k > 0) break;
      continue;
    }
    const bool ends = k > 0 && std::abs(now - found) <= settled * now;
    found = std::max(found * (ends ? 0.0 : 1.0), now);
    if (ends) break;
  }
  radius_ = above * found;
  return Status::success();
}

Status ChebyshevStages::advance(double t, double h, int s, ConstVec y, ConstVec f0, const Rates& rates, Vec y1) {
  const double w0 = 1.0 + damping / (static_cast<double>(s) * s);
  Chebyshev last{1.0, 0.0, 0.0}, now{w0, 1.0, 0.0};
  for (int j = 2; j <= s; ++j) {
    const Chebyshev following = next(now, last, w0);
    last = now, now = following;
  }
  const double w1 = now.d / now.dd;
  last = {1.0, 0.0, 0.0}, now = {w0, 1.0, 0.0};
  // b₀ = b₁ = b₂ = T₂″/T₂′²; stage j stands at t + c_j h, c_j = w₁ T_j″/T_j′ and c₁ = b₁ w₁.
  double b_before = 1.0 / (4.0 * w0 * w0), b = b_before, c = b * w1;
  before_ = y;
  last_ = y + (b * w1 * h) * f0;
  for (int j = 2; j <= s; ++j) {
    if (const Status status = rates(t + c * h, last_, f_); !status.ok()) return status;
    const Chebyshev following = next(now, last, w0);
    const double b_next = following.dd / (following.d * following.d);
    const double mu = 2.0 * b_next * w0 / b, nu = -b_next / b_before, mu_h = 2.0 * b_next * w1 / b;
    const double gamma_h = -(1.0 - b * now.T) * mu_h;
    const double own = 1.0 - mu - nu, of_f = mu_h * h, of_f0 = gamma_h * h;
    double* const out = before_.data();  // Y_{j−2} gives way to Y_j
    const double *const y0 = y.data(), *const newest = last_.data(), *const f = f_.data(), *const first = f0.data();
    constexpr long shared_numbers = 10000;  // some ten microseconds
    share(y.size(), shared_numbers, [&](long begin, long end) {
      for (long i = begin; i < end; ++i)
        out[i] = own * y0[i] + mu * newest[i] + nu * out[i] + of_f * f[i] + of_f0 * first[i];
    });
    before_.swap(last_);
    last = now, now = following;
    b_before = b, b = b_next;
    c = w1 * now.dd / now.d;
  }
  y1 = last_;
  return Status::success();
}

void ChebyshevStages::save(std::vector<double>& numbers) const {
  numbers.push_back(radius_);
  numbers.insert(numbers.end(), direction_.data(), direction_.data() + direction_.size());
}

void ChebyshevStages::restore(std::span<const double>& numbers) {
  radius_ = numbers[0];
  std::copy_n(numbers.begin() + 1, direction_.size(), direction_.data());
  numbers = numbers.subspan(1 + static_cast<std::size_t>(direction_.size()));
}

}  // namespace trammel
