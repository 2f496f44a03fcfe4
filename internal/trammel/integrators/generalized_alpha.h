// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "trammel/integrators/one_step.h"

namespace trammel {

/// The four numbers of a method of the generalized-α family.
struct AlphaCoefficients {
  double alpha_m = 0.0, alpha_f = 0.0, beta = 0.25, gamma = 0.5;

  /// Chung & Hulbert: optimal high-frequency damping for the spectral radius ρ∞ ∈ [0, 1).
  static AlphaCoefficients chung_hulbert(double rho_inf);
  /// HHT: α ∈ [−1/3, 0), α_f = −α, α_m = 0, γ = ½ − α, β = (1 − α)²/4.
  static AlphaCoefficients hht(double alpha);
  /// Newmark: γ > ½, β = (γ + ½)²/4; first order. γ = ½ is unstable with constraints.
  static AlphaCoefficients newmark(double gamma);
};

/// Generalized-α for constrained systems on a Lie group, with the constraint and λ at t_{n+1} and a separate
/// algorithmic acceleration (Arnold & Brüls 2007, Brüls & Cardona 2010).
///
///   (1) M v̇ + Gᵀλ = f, Φ = 0 (or A v + a = 0), E ż = g                              at t_{n+1}
///   (2) (1 − α_m) a_{n+1} + α_m a_n = (1 − α_f) v̇_{n+1} + α_f v̇_n
///   (3) q_{n+1} = q_n ∘ exp(h v_n + h²(½ − β) a_n + h² β a_{n+1}),   v_{n+1} = v_n + h(1 − γ) a_n + h γ a_{n+1}
///
/// Charts are re-centred at every step, so that (3) is an addition. z is treated as v is, with ż in place of v̇.
/// Second order in q, v and λ (λ after a transient of a few steps); the start a_0 = v̇_0 + Δ h v̈_0, Δ = α_m − α_f,
/// avoids an error of first order. a_n belongs to t_n + Δ h: when h changes it is moved along (a_n − a_{n−1})/h.
///
/// Error control: the local error of q is |1/6 − β − Δ/2| h² (a_{n+1} − a_n) + O(h⁴), that of z, and of v with v̇ in
/// place of ż, as a_n is ż + Δ h z̈ + Δ (α_m − ½) h² z⃛,
///
///   (4) (½ − γ − Δ) h² z̈ + (1/6 − γ (½ + Δ) − Δ (α_m − ½)) h³ z⃛ + O(h⁴)
///
/// where the first term vanishes for all members but Newmark with γ > ½.
/// Undamped methods (ρ∞ = 1, Newmark with γ = ½) are unstable with constraints.
class GeneralizedAlpha final : public OneStep {
 public:
  GeneralizedAlpha(const SecondOrderDae& dae, AlphaCoefficients coefficients, const StepOptions& options,
                   LinearSolverChoice solver, const MotionScaling& scaling);

 protected:
  int order() const override { return of_second_ == 0.0 ? 2 : 1; }
  void begin() override;
  void resize_step(double h) override;
  void predict(double h) override;
  MotionCoefficients coefficients(double h) const override;
  void correct(double h, ConstVec dq, ConstVec dz) override;
  double local_error(double h, Eigen::Index i) const override;
  double integral_error(double h, const IntegralRates& rates) const override;
  double velocity_error(double h, Eigen::Index i) const override;
  bool has_end_rates() const override { return true; }
  void remember(double h) override;
  std::vector<Eigen::VectorXd*> memory() override { return {&alg_, &algz_}; }
  std::vector<double*> scalar_memory() override { return {&h_alpha_}; }

 private:
  AlphaCoefficients c_;
  double of_second_, of_third_;      // (4)
  double h_alpha_ = 0.0;             // the step size that alg_ belongs to
  Eigen::VectorXd alg_, alg_new_;    // a_n, a_{n+1}
  Eigen::VectorXd algz_, algz_new_;  // the same for z
};

}  // namespace trammel
