// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "trammel/formulations/explicit_form.h"
#include "trammel/integrators/gauss_collocation.h"
#include "trammel/integrators/motion_integrator.h"

namespace trammel {

/// Moves a machine by single long steps of Gauss' collocation that end where they are told to, every stage on the
/// branch of the motion: for steps over positions in which G loses rank.
class BranchMotion final : public MotionIntegrator {
 public:
  BranchMotion(const MechanicalSystem& system, const Tolerances& tolerances);

  Status start(const MotionVariables& at, State& state) override;
  /// The same: a point is all that is remembered, which cannot fail.
  void begin_at(const MotionVariables& at, State& state);
  /// One step to t_end; recoverable: it is too long, and nothing has moved.
  StepReport advance(double t_end, State& state) override;
  void commit(State& state) override;
  const MotionVariables& newest() const override { return newest_; }
  void interpolate(double t, MotionVariables& at) const override;
  const Layout& layout() const override { return form_.layout(); }
  const LinearSolver<double>& linear_solver() const override { return *solver_; }
  double calc_condition() override { return 0.0; }
  std::vector<double> save() override;
  void restore(std::span<const double> numbers) override;

 private:
  ExplicitForm form_;
  GaussCollocation method_;
  std::unique_ptr<LinearSolver<double>> solver_;  // none of its own
  MotionVariables newest_;
  const State* state_ = nullptr;
  bool pending_ = false;
  Eigen::VectorXd y_, yp_;
  mutable Eigen::VectorXd y_at_;
};

}  // namespace trammel
