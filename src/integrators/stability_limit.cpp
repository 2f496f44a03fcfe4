// SPDX-License-Identifier: Apache-2.0
#include "trammel/integrators/stability_limit.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace trammel {

int StabilityLimit::judge(ConstVec e, const BdfHistory& history, double h, int k, double second_order_estimate) {
  if (k < 3) {
    reset();
    return 0;
  }
  if (h != h_) n_past_ = 0;
  h_ = h;
  add_equation(e, history);
  if (n_past_ < 2 + min_equations) return 0;

  double modulus = 0.0, angle = 0.0;
  if (!fit_.solve(modulus, angle) || modulus < min_modulus) {  // part of what was believed is forgotten
    for (double* sum : {&phase_, &followed_, &second_}) *sum *= memory;
    return 0;
  }
  phase_ += angle;
  followed_ += 1.0;
  second_ += second_order_estimate * second_order_estimate;
  if (phase_ < turns * 2.0 * std::numbers::pi) return 0;

  const double estimate = std::sqrt(second_ / followed_);
  const double step_factor = std::min(std::pow(2.0 * estimate + 1e-4, -1.0 / 3.0), 1.0);
  const double steps = 3.0 / std::pow(angle * step_factor, 4);  // (3)
  if (steps > max_steps || followed_ < patience * steps) return 0;
  reset();
  return static_cast<int>(2.0 * steps) + 10;
}

// Enters d_n into (1); it takes the place of the oldest difference.
void StabilityLimit::add_equation(ConstVec e, const BdfHistory& history) {
  Fit now;
  std::vector<double>&d1 = past_[0], &d2 = past_[1];
  for (int i = 0; i < history.n(); ++i) {
    if (history.factor(i) == 0.0 && d1[i] == 0.0 && d2[i] == 0.0) continue;  // in no test
    const double x0 = history.third_difference(i, e[i]), x1 = d1[i], x2 = d2[i];
    now.s00 += x0 * x0;
    now.s01 += x0 * x1;
    now.s02 += x0 * x2;
    now.s11 += x1 * x1;
    now.s12 += x1 * x2;
    now.s22 += x2 * x2;
    d2[i] = x0;
  }
  std::swap(d1, d2);
  if (n_past_ < 2) {
    fit_ = Fit{};
  } else {
    const auto add = [](double& sum, double term) { sum = memory * sum + term; };
    add(fit_.s00, now.s00);
    add(fit_.s01, now.s01);
    add(fit_.s02, now.s02);
    add(fit_.s11, now.s11);
    add(fit_.s12, now.s12);
    add(fit_.s22, now.s22);
  }
  ++n_past_;
}

// Normal equations of (1), and (2).
bool StabilityLimit::Fit::solve(double& modulus, double& angle) const {
  const double determinant = s11 * s22 - s12 * s12;
  const double parallel = 1e-8;  // one direction only: no pair to see
  if (s00 == 0.0 || determinant <= parallel * s11 * s22) return false;
  const double a = (s01 * s22 - s02 * s12) / determinant;
  const double b = (s01 * s12 - s02 * s11) / determinant;
  const double remainder = s00 - a * s01 + b * s02;
  if (a * a >= 4.0 * b || remainder > max_remainder * max_remainder * s00) return false;
  modulus = std::sqrt(b);
  angle = std::acos(std::clamp(0.5 * a / modulus, -1.0, 1.0));
  return true;
}

}  // namespace trammel
