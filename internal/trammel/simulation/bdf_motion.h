// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "trammel/dae/difference_system.h"
#include "trammel/formulations/coordinate_split.h"
#include "trammel/formulations/first_order_scaling.h"
#include "trammel/formulations/two_field.h"
#include "trammel/integrators/bdf.h"
#include "trammel/integrators/leaves_residuals.h"
#include "trammel/integrators/motion_integrator.h"

namespace trammel {

/// Moves a machine by BDF on one of its first-order forms.
class BdfMotion final : public MotionIntegrator, public LeavesResiduals {
 public:
  /// `differences`: how the Jacobian is taken if not by exact derivatives; a split form knows it itself.
  BdfMotion(const MechanicalSystem& system, std::unique_ptr<FirstOrderForm> form, const BdfOptions& options,
            LinearSolverChoice solver, const FirstOrderScaling::Options& scaling, bool two_field = false,
            const std::optional<DifferenceOptions>& differences = {});

  Status start(const MotionVariables& at, State& state) override;
  Status take_over(std::span<const MotionVariables> points, State& state) override;
  StepReport advance(double t_end, State& state) override;
  void commit(State& state) override { bdf_->commit(state); }
  const MotionVariables& newest() const override { return newest_; }
  void interpolate(double t, MotionVariables& at) const override;
  /// The ends of the last steps, one more than the formula has: products of polynomials bend more than these.
  PowerRule power_rule() const override { return {{}, {}, bdf_->history().last_order() + 2}; }
  const Layout& layout() const override { return form_->layout(); }
  const LinearSolver<double>& linear_solver() const override { return *solver_; }
  double calc_condition() override { return bdf_->iteration_operator().condition(); }
  FieldSizes calc_inverse_bounds() override;
  Pivot smallest_pivot() const override;
  ScalingReport scaling() const override;
  SplitReport split() const override;
  JacobianReport jacobians() const override;
  Eigen::VectorXd calc_residuals() const override { return bdf_->residuals(); }
  /// Where J was not zero at the last linearization, as (row, column), and the groups of its columns (empty: none).
  struct Structure {
    int n = 0;
    std::vector<std::pair<int, int>> entries;
    std::vector<std::vector<int>> groups;
  };
  Structure make_structure() const;
  std::vector<double> save() override { return bdf_->save(); }
  void restore(std::span<const double> numbers) override;

  const Bdf& bdf() const { return *bdf_; }

 private:
  const DaeSystem& dae() const { return differences_ ? static_cast<const DaeSystem&>(*differences_) : *form_; }

  std::unique_ptr<FirstOrderForm> form_;
  const CoordinateSplitForm* split_ = nullptr;     // form_ if it is one; it takes differences itself
  bool has_checked_ = false;                       // where the run began: elsewhere a bad split is no wrong input
  std::unique_ptr<DifferenceSystem> differences_;  // form_ with its Jacobian by differences; null: exact
  FirstOrderScaling scaling_;
  const TwoFieldOperator* two_field_ = nullptr;   // owned by bdf_; null: the assembled matrix
  const LinearSolver<double>* solver_ = nullptr;  // of the operator
  std::unique_ptr<Bdf> bdf_;
  MotionVariables newest_;
  Eigen::VectorXd y_, yp_;
  mutable Eigen::VectorXd y_at_, yp_at_;  // scratch of interpolate
};

}  // namespace trammel
