// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>
#include <memory>
#include <optional>

#include "trammel/dae/acceleration_solver.h"
#include "trammel/dae/difference_motion.h"
#include "trammel/integrators/axes_choice.h"
#include "trammel/integrators/jacobian_update.h"
#include "trammel/integrators/leaves_residuals.h"
#include "trammel/integrators/relative_size.h"
#include "trammel/integrators/repeated_newton.h"
#include "trammel/integrators/step_control.h"
#include "trammel/nonlinear/convergence.h"

namespace trammel {

/// Step sizes and tolerances of a one-step method.
struct StepOptions {
  std::optional<double> h;   ///< fixed step [s]; absent: error-controlled
  std::optional<double> h0;  ///< first step of an error-controlled run
  double hmin = 0.0, hmax = std::numeric_limits<double>::infinity();
  double rtol = 1e-5, atol = 1e-7;
  std::optional<double> rotation_atol, state_atol;  ///< of angles [rad] and of z; absent: atol
  double length = 1.0;                              ///< of the machine, where it is a small one: newton_tol's unit [m]
  double span = 0.0;                                ///< of the whole run [s]
  double extent = std::numeric_limits<double>::infinity();  ///< of the machine [m]: see relative_size
  double newton_tol = 1e-12;  ///< fixed step, or test of all: tolerance of q, z and λ̂, relative to 1 + |x|
  int max_iterations = 10;
  NewtonTest newton_test = NewtonTest::motion;
  NewtonStop newton_stop = NewtonStop::tolerance;  ///< the others are for a fixed step: they see no divergence
  bool records_corrections = false;                ///< sizes of every correction in the report of a step
  std::optional<DifferenceOptions> differences;    ///< how derivatives are taken; absent: exact
  JacobianUpdate jacobian_update = JacobianUpdate::full;
};

/// Newton's tolerance of an error-controlled run as a fraction of the local error's: its remainder must not be seen in
/// the error estimate, a difference of accelerations.
inline constexpr double newton_fraction = 1e-3;

/// What one-step methods for SecondOrderDae share: the choice of step sizes by a local error estimate, simplified
/// Newton on the scaled equations, restarts at kinks of inputs, and memory. A method adds its formula: how variables at
/// the end of a step are predicted, where residuals are taken, how variables follow the unknowns (q, z, λ) of the end,
/// and its local error.
///
///   predict → residual → [linearize → combine and scale → factor] → solve → correct → converged? → error test
///
/// Charts are re-centred at every step, so that q_{n+1} = q_n ∘ exp(Δ) is an addition. A step that did not converge is
/// never accepted. After the second accepted step nothing allocates.
class OneStep : public MotionIntegrator, public LeavesResiduals {
 public:
  Status start(const MotionVariables& at, State& state) override;
  Status restart(const MotionVariables& at, State& state) override;
  StepReport advance(double t_end, State& state) override;
  void commit(State& state) override;
  const MotionVariables& newest() const override { return ends_.to; }
  void interpolate(double t, MotionVariables& at) const override;
  const Layout& layout() const override { return dae_.layout(); }
  const LinearSolver<double>& linear_solver() const override { return operator_.linear_solver(); }
  double calc_condition() override { return operator_.condition(); }
  ScalingReport scaling() const override;
  JacobianReport jacobians() const override;
  Eigen::VectorXd calc_residuals() const override { return residual_; }
  const MotionOperator& newton_operator() const { return operator_; }
  std::vector<double> save() override;
  void restore(std::span<const double> numbers) override;

 protected:
  OneStep(const SecondOrderDae& dae, const StepOptions& options, LinearSolverChoice solver,
          const MotionScaling& scaling);

  // ---- the formula ---------------------------------------------------------------------------------------------
  virtual int order() const = 0;
  /// A start or a kink of an input: ends_.from has consistent v̇, ż, λ, and a_rate_, zp_rate_ are their derivatives.
  virtual void begin() {}
  /// The size of the next attempt; memory that depends on it is moved.
  virtual void resize_step(double /*h*/) {}
  /// ends_.to from v̇, ż, λ already extrapolated there.
  virtual void predict(double h) = 0;
  virtual MotionCoefficients coefficients(double h) const = 0;
  /// The residual, by default with every row at the end of the step.
  virtual Status calc_residual(const State& state, Vec motion, Vec internal, Vec constraint);
  virtual Status setup_matrix(double h, const State& state, MotionOperator::Refresh refresh);
  Workspace& matrix_workspace() { return differences_ ? *difference_workspace_ : *workspace_; }
  /// ends_.to follows the corrections of the unknowns.
  virtual void correct(double h, ConstVec dq, ConstVec dz) = 0;
  /// Local error of coordinate i.
  virtual double local_error(double h, Eigen::Index i) const = 0;
  /// What a step left, a velocity or a state, and the rates that the local error is estimated from.
  struct IntegralRates {
    double before, from, to;  ///< x′ (v̇ or ż) of the step before, where this one starts, and of this one
    double second;            ///< a_rate_ or zp_rate_: x″ of the step before, the exact one at a start
  };
  /// Local error of x, exact − computed.
  virtual double integral_error(double h, const IntegralRates& rates) const = 0;
  /// Local error of velocity i, from what v was integrated from.
  virtual double velocity_error(double h, Eigen::Index i) const = 0;
  /// Rates of states are g at the end of the step, not differences of states.
  virtual bool has_end_rates() const = 0;
  /// Velocities across the constraints change their sign in every step, and do not decay.
  virtual bool rings() const { return false; }
  /// The step is accepted, ends_.from is not yet replaced: a_rate_, zp_rate_ and memory.
  virtual void remember(double h) = 0;
  /// What a continuation needs besides the ends of the step.
  virtual std::vector<Eigen::VectorXd*> memory() { return {}; }
  virtual std::vector<double*> scalar_memory() { return {}; }

  const SecondOrderDae& dae_;
  std::unique_ptr<DifferenceMotion> differences_;  // dae_ with derivatives by differences; null: exact ones
  MotionOperator operator_;
  std::unique_ptr<Workspace> workspace_, difference_workspace_;
  InputBuffer inputs_;  // at the end of the step
  StepEnds ends_;
  mutable bool has_q_rates_ = false;  // ends_.q_rate_… belong to the last step
  Eigen::VectorXd a_rate_, zp_rate_;
  Eigen::VectorXd a_old_, lam_old_, zp_old_;  // v̇, λ, ż one step before ends_.from, for the prediction
  double h_old_ = 0.0;                        // 0: there is no step before

 private:
  class Iteration;
  Status calc_rates(const State& state);
  StepReport attempt(double t_end, const State& state);
  double choose_step(double t_end) const;
  void wait_longer();
  void extrapolate(double h);
  Status iterate(double h, const State& state, StepReport& report);
  Status refresh(double h, const State& state, StepReport& report,
                 MotionOperator::Refresh what = MotionOperator::Refresh::linearize);
  double correction_norm(StepReport& report);
  double force_norm(StepReport& report, double largest);
  bool is_solved_to_rounding() const;
  bool saturated();
  void find_worst_row(StepReport& report) const;
  void update_weights(double h);
  void update_pace();
  double error_norm(double h);
  double size_of(Eigen::Index i, const MotionVariables& at) const;
  double position_limit(Eigen::Index i) const;
  double velocity_limit(double h, Eigen::Index i) const;
  double calc_noise(Eigen::Index i) const;  // of q, by Newton's iteration and rounding
  int find_worst_error(double h) const;     // the unknown
  template <class Error, class Weight>
  double motion_error_norm(double others, bool filters, Error&& error, Weight&& weight);
  double velocity_tolerance(Eigen::Index i, double place, double speed) const;
  double state_error_norm(double h);
  double state_weight(Eigen::Index i) const;
  Status project_velocities(double h, const State& state);
  void accept(double h);
  bool uses_newton_tol() const { return options_.h || options_.newton_test == NewtonTest::all; }

  StepOptions options_;
  StepControl control_;
  AccelerationSolver acceleration_;
  ConvergenceTest test_;
  AxesChoice axes_;  // of the matrix
  RepeatedNewton repeated_newton_{RepeatedStep()};
  long n_residuals_ = 0, n_updates_ = 0;      // and matrices made of planes at hand
  std::uint64_t matrix_version_ = 0;          // State::version when the matrix was made
  double force_scale_ = 1.0;                  // the force that moves a mean mass by 1 m within a step [N]
  Eigen::VectorXd atol_;                      // of every coordinate
  double factor_ = 1.0, state_factor_ = 1.0;  // of the tolerances of q and v, and of z: (1)
  double remainder_ = 1.0, finest_ = 1.0;     // in units of weight_: what the iteration left, and was meant to leave
  double unseen_ = 0.0;                       // error of q beside the rounding of constraints
  bool sees_rounding_ = false;                // the tolerance of a coordinate is below that
  double newton_absolute_ = 0.0;    // absolute tolerance of corrections, never below what rounding leaves of Φ
  bool pending_ = false;            // ends_.to is accepted, but the charts still belong to ends_.from
  bool restart_ = true;             // the accelerations before ends_.from are unknown (start, kink of an input)
  bool after_kink_ = false;         // and ends_.from.a belongs to the time before the kink
  double t_trial_ = 0.0;            // where the step under way ends
  double h_next_ = 0.0;             // proposal of the error control
  int waits_for_ = 0, waited_ = 0;  // steps that the next growth waits for, twice, and has waited
  int since_growth_ = 0;            // steps, as far as they are counted
  Eigen::VectorXd x_, residual_, weight_, bias_;
  Eigen::VectorXd dlam_, turned_;  // in the axes of the matrix: δλ of the last correction; scratch
  MotionVariables settled_;
  Eigen::VectorXd variation_, fastest_, pace_;   // of every velocity: Σ|Δv|, max|v|, and 1/T by (2)
  double t_first_ = 0.0;                         // where the run began
  Eigen::VectorXd q_first_, v_first_, changed_;  // and max|v − v_first_|
  bool began_ = false;
  std::vector<FieldSizes> corrections_;  // of the last attempt, in scaled unknowns
  std::vector<double> column_;           // factors of the unknowns
};

}  // namespace trammel
