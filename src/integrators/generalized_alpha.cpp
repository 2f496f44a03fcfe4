// SPDX-License-Identifier: Apache-2.0
#include "trammel/integrators/generalized_alpha.h"

#include <cmath>

namespace trammel {

AlphaCoefficients AlphaCoefficients::chung_hulbert(double rho_inf) {
  AlphaCoefficients c;
  c.alpha_m = (2.0 * rho_inf - 1.0) / (rho_inf + 1.0);
  c.alpha_f = rho_inf / (rho_inf + 1.0);
  c.gamma = 0.5 + c.alpha_f - c.alpha_m;
  c.beta = 0.25 * (c.gamma + 0.5) * (c.gamma + 0.5);
  return c;
}

AlphaCoefficients AlphaCoefficients::hht(double alpha) {
  return {0.0, -alpha, 0.25 * (1.0 - alpha) * (1.0 - alpha), 0.5 - alpha};
}

AlphaCoefficients AlphaCoefficients::newmark(double gamma) {
  return {0.0, 0.0, 0.25 * (gamma + 0.5) * (gamma + 0.5), gamma};
}

GeneralizedAlpha::GeneralizedAlpha(const SecondOrderDae& dae, AlphaCoefficients coefficients,
                                   const StepOptions& options, LinearSolverChoice solver, const MotionScaling& scaling)
    : OneStep(dae, options, solver, scaling), c_(coefficients) {
  const double delta = c_.alpha_m - c_.alpha_f;
  of_second_ = 0.5 - c_.gamma - delta;
  if (std::abs(of_second_) < 1e-12) of_second_ = 0.0;  // rounding
  of_third_ = 1.0 / 6.0 - c_.gamma * (0.5 + delta) - delta * (c_.alpha_m - 0.5);
  for (auto* x : {&alg_, &alg_new_}) x->setZero(dae.nv());
  for (auto* x : {&algz_, &algz_new_}) x->setZero(dae.nz());
}

void GeneralizedAlpha::begin() {
  alg_ = ends_.from.a;
  algz_ = ends_.from.zp;
  h_alpha_ = 0.0;  // v̇ itself belongs to t_n
}

// a_n belongs to t_n + Δ h.
void GeneralizedAlpha::resize_step(double h) {
  const double delta = (c_.alpha_m - c_.alpha_f) * (h - h_alpha_);
  if (delta == 0.0) return;
  alg_ += delta * a_rate_;
  algz_ += delta * zp_rate_;
  h_alpha_ = h;
}

// (2), (3)
void GeneralizedAlpha::predict(double h) {
  const MotionVariables& x0 = ends_.from;
  MotionVariables& x = ends_.to;
  const double f = 1.0 / (1.0 - c_.alpha_m);
  alg_new_ = f * ((1.0 - c_.alpha_f) * x.a + c_.alpha_f * x0.a - c_.alpha_m * alg_);
  algz_new_ = f * ((1.0 - c_.alpha_f) * x.zp + c_.alpha_f * x0.zp - c_.alpha_m * algz_);
  x.v = x0.v + h * ((1.0 - c_.gamma) * alg_ + c_.gamma * alg_new_);
  x.q = x0.q + h * x0.v + h * h * ((0.5 - c_.beta) * alg_ + c_.beta * alg_new_);
  x.z = x0.z + h * ((1.0 - c_.gamma) * algz_ + c_.gamma * algz_new_);
}

// (2), (3): δv̇ = (1 − α_m)/((1 − α_f) β h²) δq, δv = γ/(β h) δq, δż = (1 − α_m)/((1 − α_f) γ h) δz
MotionCoefficients GeneralizedAlpha::coefficients(double h) const {
  const double ratio = (1.0 - c_.alpha_m) / (1.0 - c_.alpha_f), v = c_.gamma / (c_.beta * h);
  return {ratio / (c_.beta * h * h), v, ratio / (c_.gamma * h), v};
}

void GeneralizedAlpha::correct(double h, ConstVec dq, ConstVec dz) {
  const MotionCoefficients c = coefficients(h);
  MotionVariables& x = ends_.to;
  x.q += dq;
  x.v += c.v * dq;
  x.a += c.a * dq;
  alg_new_ += 1.0 / (c_.beta * h * h) * dq;
  x.z += dz;
  x.zp += c.zp * dz;
  algz_new_ += 1.0 / (c_.gamma * h) * dz;
}

double GeneralizedAlpha::local_error(double h, Eigen::Index i) const {
  const double constant = std::abs(1.0 / 6.0 - c_.beta - 0.5 * (c_.alpha_m - c_.alpha_f));
  return constant * h * h * std::abs(alg_new_[i] - alg_[i]);
}

// (4), with x‴ from rates at t_{n−1}, t_n and t_{n+1}.
double GeneralizedAlpha::integral_error(double h, const IntegralRates& rates) const {
  const double second = (rates.to - rates.from) / h;
  const double before = h_old_ > 0.0 ? (rates.from - rates.before) / h_old_ : rates.second;
  const double third = 2.0 * (second - before) / (h + h_old_);
  return h * h * (of_second_ * second + h * of_third_ * third);
}

// (4) with v̈ from a_n and a_{n+1}, v⃛ from those and the step before.
double GeneralizedAlpha::velocity_error(double h, Eigen::Index i) const {
  const double second = (alg_new_[i] - alg_[i]) / h;
  const double third = 2.0 * (second - a_rate_[i]) / (h + h_old_);
  return h * h * (of_second_ * second + h * of_third_ * third);
}

void GeneralizedAlpha::remember(double h) {
  a_rate_ = (alg_new_ - alg_) / h;
  zp_rate_ = (algz_new_ - algz_) / h;
  alg_.swap(alg_new_);
  algz_.swap(algz_new_);
}

}  // namespace trammel
