// SPDX-License-Identifier: Apache-2.0
#include "trammel/integrators/motion_integrator.h"

#include <array>
#include <cmath>

namespace trammel {

namespace {

// Cubic Hermite through values and rates at the ends of a step of length h, at the fraction θ.
void hermite(double theta, double h, const Eigen::VectorXd& x0, const Eigen::VectorXd& d0, const Eigen::VectorXd& x1,
             const Eigen::VectorXd& d1, Eigen::VectorXd& x) {
  const double t2 = theta * theta, t3 = t2 * theta;
  const double a0 = 2 * t3 - 3 * t2 + 1, a1 = 3 * t2 - 2 * t3, b0 = h * (t3 - 2 * t2 + theta), b1 = h * (t3 - t2);
  x.noalias() = a0 * x0 + a1 * x1 + b0 * d0 + b1 * d1;
}

const std::array<double, 3> gauss_points{0.5 - 0.5 * std::sqrt(0.6), 0.5, 0.5 + 0.5 * std::sqrt(0.6)};
constexpr std::array<double, 3> gauss_weights{5.0 / 18.0, 8.0 / 18.0, 5.0 / 18.0};

}  // namespace

PowerRule PowerRule::gauss() { return {.points = gauss_points, .weights = gauss_weights}; }

void StepEnds::interpolate(double t, MotionVariables& at) const {
  const double h = to.t - from.t, theta = h > 0.0 ? (t - from.t) / h : 1.0;
  at.t = t;
  hermite(theta, h, from.q, q_rate_from, to.q, q_rate_to, at.q);
  hermite(theta, h, from.v, from.a, to.v, to.a, at.v);
  hermite(theta, h, from.z, from.zp, to.z, to.zp, at.z);
  at.a.noalias() = (1.0 - theta) * from.a + theta * to.a;
  at.zp.noalias() = (1.0 - theta) * from.zp + theta * to.zp;
  at.lam.noalias() = (1.0 - theta) * from.lam + theta * to.lam;
}

}  // namespace trammel
