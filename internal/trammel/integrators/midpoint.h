// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "trammel/integrators/one_step.h"

namespace trammel {

/// The implicit midpoint rule for constrained systems on a Lie group, constraints imposed at the end of the step
/// [bauchau2009 (19)]:
///
///   (1) M v̇_m + Gᵀλ = f,  E ż_m = g                                     at t_m = t_n + h/2 with
///   (2) q_{n+1} = q_n ∘ exp(h v_m),   q_m = q_n ∘ exp(h v_m/2),   v_m = (v_n + v_{n+1})/2,   v̇_m = (v_{n+1} − v_n)/h
///       z_m = (z_n + z_{n+1})/2,   ż_m = (z_{n+1} − z_n)/h
///   (3) Φ = 0, A v + a = 0 and algebraic states                         at t_{n+1}
///
/// In a chart centred at q_n the motion of (2) is a straight line run through at constant speed, so that its body rate
/// is v_m at every instant. We impose Φ at t_{n+1} and not at t_m: C_m = 0 keeps C_{n+1} = −C_n for ever
/// [bauchau2009 (9c)]. All derivatives are exact: δq_m = δq/2 enters G(q_m)ᵀλ as well.
///
/// Second order in q and v. λ belongs to the step and alternates about a smooth curve: it is of first order, the mean
/// of two neighbours (at their common instant) of second. No damping: a velocity across the constraints, v_{n+1} =
/// −v_n, neither grows nor decays. For smooth motion whose energy must neither grow nor fade; use generalized-α where
/// accelerations and reactions matter.
///
/// Error control: the local error of q is h³ v̈/12 + O(h⁴), those of v and z are h³ v⃛/12 + O(h⁴) and h³ z⃛/12 + O(h⁴)
/// where v̇ and ż are linear. A velocity across the constraints is taken away before it bounds the step.
class Midpoint final : public OneStep {
 public:
  Midpoint(const SecondOrderDae& dae, const StepOptions& options, LinearSolverChoice solver,
           const MotionScaling& scaling);

 protected:
  int order() const override { return 2; }
  void begin() override { h_older_ = 0.0; }
  void predict(double h) override;
  MotionCoefficients coefficients(double h) const override;
  Status calc_residual(const State& state, Vec motion, Vec internal, Vec constraint) override;
  Status setup_matrix(double h, const State& state, MotionOperator::Refresh refresh) override;
  void correct(double h, ConstVec dq, ConstVec dz) override;
  double local_error(double h, Eigen::Index i) const override;
  double integral_error(double h, const IntegralRates& rates) const override;
  double velocity_error(double h, Eigen::Index i) const override {
    return integral_error(h, {0.0, ends_.from.a[i], ends_.to.a[i], a_rate_[i]});
  }
  bool has_end_rates() const override { return false; }
  bool rings() const override { return dae_.nc() > 0; }
  void remember(double h) override;
  std::vector<double*> scalar_memory() override { return {&h_older_}; }

 private:
  void update_stage();

  double h_older_ = 0.0;   // the step before that of h_old_
  MotionVariables stage_;  // at t_m
  InputBuffer stage_inputs_;
  Eigen::VectorXd end_motion_, end_internal_, stage_constraint_;  // residuals of rows taken at the other point
};

}  // namespace trammel
