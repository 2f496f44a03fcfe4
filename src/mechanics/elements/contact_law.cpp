// SPDX-License-Identifier: Apache-2.0
#include "trammel/mechanics/elements/contact_law.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace trammel {

namespace {

// ln((1 + x)/(1 − e x)) − x (1 + e): 0 at x = 0, falls, then rises to infinity at x = 1/e.
double defect(double x, double e) { return std::log1p(x) - std::log1p(-e * x) - x * (1.0 + e); }

}  // namespace

double restitution_of(double x) {
  if (x <= 0.0) return 1.0;
  double low = 0.0, high = std::fmin(1.0, 1.0 / x);
  for (int k = 0; k < 200 && high - low > 1e-16; ++k) {
    const double e = 0.5 * (low + high);
    (defect(x, e) > 0.0 ? high : low) = e;
  }
  return 0.5 * (low + high);
}

// e(x) falls from 1 at x = 0: bisection on x.
double bounce_of(double restitution) {
  if (restitution >= 1.0) return 0.0;
  double low = 0.0, high = 1.0;
  while (restitution_of(high) > restitution && high < 1e12) high *= 2.0;
  for (int k = 0; k < 200; ++k) {
    const double x = 0.5 * (low + high);
    (restitution_of(x) > restitution ? low : high) = x;
  }
  return 0.5 * (low + high);
}

// By m = 1 − e², the square of the ratio of the half axes: the ratio of curvatures falls with it.
double hertz_stiffness(double modulus, double curvature_1, double curvature_2) {
  const auto [small, large] = std::minmax(curvature_1, curvature_2);
  const double ratio = large / small;
  if (ratio < 1.0 + 1e-9) return 4.0 / 3.0 * modulus / std::sqrt(0.5 * (small + large));
  const auto integrals = [](double m) {
    const double e = std::sqrt(1.0 - m);
    return std::pair(std::comp_ellint_1(e), std::comp_ellint_2(e));
  };
  double low = -60.0, high = 0.0;  // of ln m
  for (int k = 0; k < 100 && high - low > 1e-15; ++k) {
    const double at = 0.5 * (low + high), m = std::exp(at);
    const auto [K, E] = integrals(m);
    ((E / m - K) > ratio * (K - E) ? low : high) = at;
  }
  const double m = std::exp(0.5 * (low + high));
  const auto [K, E] = integrals(m);
  return 2.0 * std::numbers::pi / 3.0 * modulus * std::sqrt((K - E) / ((1.0 - m) * 0.5 * small) / (K * K * K));
}

double damping_factor_of(double restitution, double impact_speed) { return bounce_of(restitution) / impact_speed; }

}  // namespace trammel
