#pragma once

#include <memory>
#include <optional>

#include "trammel/dae/acceleration_solver.h"
#include "trammel/integrators/motion_integrator.h"
#include "trammel/nonlinear/convergence.h"

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

/// Step sizes and tolerances of a one-step method.
struct StepOptions {
  std::optional<double> h;   ///< fixed step [s]; absent: error-controlled
  std::optional<double> h0;  ///< first step of an error-controlled run
  double hmin = 0.0, hmax = std::numeric_limits<double>::infinity();
  double rtol = 1e-5, atol = 1e-7;
  double newton_tol = 1e-12;  ///< fixed step: tolerance of q, z and λ̂, relative to 1 + |x|
  int max_iterations = 10;
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
/// Error control: the local error of q is |1/6 − β − Δ/2| h² (a_{n+1} − a_n) + O(h⁴).
/// Undamped methods (ρ∞ = 1, Newmark with γ = ½) are unstable with constraints.
class GeneralizedAlpha final : public MotionIntegrator {
 public:
  GeneralizedAlpha(const SecondOrderDae& dae, AlphaCoefficients coefficients, const StepOptions& options,
                   LinearSolverKind solver, const MotionScaling& scaling);

  Status start(const MotionVariables& at, State& state) override;
  StepReport advance(double t_end, State& state) override;
  void commit(State& state) override;
  const MotionVariables& newest() const override { return ends_.to; }
  void interpolate(double t, MotionVariables& at) const override { ends_.interpolate(t, at); }
  const Layout& layout() const override { return dae_.layout(); }
  const LinearSolver<double>& linear_solver() const override { return operator_.linear_solver(); }
  double calc_condition() override { return operator_.condition(); }
  ScalingReport scaling() const override;
  const MotionOperator& newton_operator() const { return operator_; }
  std::vector<double> save() override;
  void restore(std::span<const double> numbers) override;

 private:
  StepReport try_step(double t_end, State& state);
  Status start_algorithmic_acceleration(const State& state);
  StepReport attempt(double t_end, const State& state);
  double choose_step(double t_end);
  void move_algorithmic_acceleration(double h);
  void predict(double h);
  Status iterate(double h, const State& state, StepReport& report);
  Status refresh(double h, const State& state, MotionOperator::Refresh refresh, StepReport& report);
  void correct(double h);
  double correction_norm(StepReport& report) const;
  bool is_solved_to_rounding() const;
  void find_worst_row(StepReport& report) const;
  void update_weights();
  double local_error(double h) const;
  void accept(double h);

  const SecondOrderDae& dae_;
  AlphaCoefficients c_;
  StepOptions options_;
  MotionOperator operator_;
  AccelerationSolver acceleration_;
  std::unique_ptr<Workspace> workspace_;
  InputBuffer inputs_;
  ConvergenceTest test_;
  std::uint64_t matrix_version_ = 0;  // State::version when the matrix was made
  double force_scale_ = 1.0;          // the force that moves a mean mass by 1 m within a step [N]
  double newton_absolute_ = 0.0;      // absolute tolerance of corrections, never below what rounding leaves of Φ

  StepEnds ends_;
  bool pending_ = false;     // ends_.to is accepted, but the charts still belong to ends_.from
  bool restart_ = true;      // the accelerations before ends_.from are unknown (start, kink of an input)
  bool after_kink_ = false;  // and ends_.from.a belongs to the time before the kink
  double t_end_ = 0.0;       // which a step may reach and not pass
  double h_next_ = 0.0;      // proposal of the error control
  double h_alpha_ = 0.0;     // the step size that alg_ belongs to
  Eigen::VectorXd alg_, alg_new_, alg_rate_;     // a_n, a_{n+1}, ȧ
  Eigen::VectorXd algz_, algz_new_, algz_rate_;  // the same for z
  Eigen::VectorXd a_old_, lam_old_, zp_old_;     // v̇, λ, ż one step before ends_.from, for the prediction
  double h_old_ = 0.0;
  Eigen::VectorXd x_, residual_, weight_;
};

}  // namespace trammel
