// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "trammel/dae/difference_system.h"
#include "trammel/formulations/coordinate_split.h"
#include "trammel/formulations/first_order_scaling.h"
#include "trammel/integrators/leaves_residuals.h"
#include "trammel/integrators/radau.h"

namespace trammel {

/// Moves a machine by Radau IIA on one of its first-order forms.
class RadauMotion final : public MotionIntegrator, public LeavesResiduals {
 public:
  RadauMotion(const MechanicalSystem& system, std::unique_ptr<FirstOrderForm> form, const RadauOptions& options,
              LinearSolverChoice solver, const FirstOrderScaling::Options& scaling,
              const std::optional<DifferenceOptions>& differences = {});

  Status start(const MotionVariables& at, State& state) override;
  StepReport advance(double t_end, State& state) override;
  void commit(State& state) override { radau_.commit(state); }
  const MotionVariables& newest() const override { return newest_; }
  /// Positions, velocities and states by FirstOrderForm::interpolate from the ends of the step, whose order the
  /// collocation polynomial (s) does not reach; v̇ and λ on that polynomial.
  void interpolate(double t, MotionVariables& at) const override;
  /// The stages.
  PowerRule power_rule() const override;
  void interpolate_balance(double t, MotionVariables& at) const override;
  const Layout& layout() const override { return form_->layout(); }
  const LinearSolver<double>& linear_solver() const override { return radau_.blocks().real_solver(); }
  /// The larger of the two blocks.
  double calc_condition() override;
  ScalingReport scaling() const override;
  SplitReport split() const override;
  JacobianReport jacobians() const override;
  Eigen::VectorXd calc_residuals() const override;
  std::vector<double> save() override { return radau_.save(); }
  void restore(std::span<const double> numbers) override;

  const Radau& radau() const { return radau_; }

 private:
  const DaeSystem& dae() const { return differences_ ? static_cast<const DaeSystem&>(*differences_) : *form_; }

  std::unique_ptr<FirstOrderForm> form_;
  const CoordinateSplitForm* split_ = nullptr;     // form_ if it is one; it takes differences itself
  bool has_checked_ = false;                       // where the run began: elsewhere a bad split is no wrong input
  std::unique_ptr<DifferenceSystem> differences_;  // form_ with its Jacobian by differences; null: exact
  FirstOrderScaling scaling_;
  Radau radau_;
  std::unique_ptr<Workspace> workspace_;  // of interpolate
  const State* state_ = nullptr;          // of the caller, since start() or advance()
  MotionVariables newest_;
  Eigen::VectorXd y_, yp_;
  mutable Eigen::VectorXd y_at_, yp_at_;  // scratch of interpolate
};

}  // namespace trammel
