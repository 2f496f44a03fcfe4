// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "trammel/formulations/explicit_form.h"
#include "trammel/integrators/runge_kutta.h"

namespace trammel {

/// Moves a machine by the explicit pair.
class RungeKuttaMotion final : public MotionIntegrator {
 public:
  RungeKuttaMotion(const MechanicalSystem& system, const RungeKuttaOptions& options);

  Status start(const MotionVariables& at, State& state) override;
  StepReport advance(double t_end, State& state) override;
  void commit(State& state) override { method_.commit(state); }
  const MotionVariables& newest() const override { return newest_; }
  void interpolate(double t, MotionVariables& at) const override;
  void interpolate_motion(double t, MotionVariables& at) const override;
  void interpolate_balanced_motion(double t, MotionVariables& at) const override;
  /// Stages of order 2 are short beside what they resolve: ends of steps tell enough.
  PowerRule power_rule() const override {
    return method_.has_cubic_output() ? PowerRule{{}, {}, 3} : PowerRule::gauss();
  }
  const Layout& layout() const override { return form_.layout(); }
  /// Solves nothing when accelerations come by recursion; then it has never been given a matrix.
  const LinearSolver<double>& linear_solver() const override { return *solver_; }
  std::string_view solver_name() const override { return form_.is_recursive() ? "none" : solver_->name(); }
  double calc_condition() override { return 0.0; }
  std::vector<double> save() override;
  void restore(std::span<const double> numbers) override;

  const RungeKutta& method() const { return method_; }

 private:
  ExplicitForm form_;
  RungeKutta method_;
  std::unique_ptr<LinearSolver<double>> solver_;
  MotionVariables newest_;
  const State* state_ = nullptr;  // of the last step: interpolation evaluates there
  Eigen::VectorXd y_;
  mutable Eigen::VectorXd y_at_;
};

}  // namespace trammel
