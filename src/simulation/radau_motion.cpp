// SPDX-License-Identifier: Apache-2.0
#include "trammel/simulation/radau_motion.h"

#include <algorithm>

namespace trammel {

RadauMotion::RadauMotion(const MechanicalSystem& system, std::unique_ptr<FirstOrderForm> form,
                         const RadauOptions& options, LinearSolverChoice solver,
                         const FirstOrderScaling::Options& scaling, const std::optional<DifferenceOptions>& differences)
    : form_(std::move(form)),
      split_(dynamic_cast<const CoordinateSplitForm*>(form_.get())),
      differences_(differences && !split_ ? std::make_unique<DifferenceSystem>(*form_, *differences) : nullptr),
      scaling_(*form_, system, scaling),
      radau_(dae(), options, solver, &scaling_),
      workspace_(form_->make_workspace()) {
  newest_.resize(system.nv(), system.nz(), system.nc());
  for (auto* x : {&y_, &yp_, &y_at_, &yp_at_}) x->setZero(form_->layout().n());
}

Status RadauMotion::start(const MotionVariables& at, State& state) {
  if (split_ && !has_checked_) split_->check_forced(at, state);
  has_checked_ = true;
  newest_ = at;
  state_ = &state;
  form_->pack(at, y_, yp_);
  return radau_.start(at.t, y_, yp_, state);
}

StepReport RadauMotion::advance(double t_end, State& state) {
  radau_.bound_step(h_bound_);
  radau_.repeat(repeated_);
  state_ = &state;
  const RadauStep step = radau_.advance(t_end, state);
  form_->unpack(radau_.t(), radau_.y(), radau_.yp(), newest_);
  return step;
}

void RadauMotion::interpolate(double t, MotionVariables& at) const {
  interpolate_balance(t, at);  // v̇, λ and algebraic z of the collocation polynomial
  if (!(radau_.t() > radau_.t_from())) return;
  const Inputs none;
  const auto polynomial = [this](double instant, MotionVariables& x) { interpolate_balance(instant, x); };
  const Status refined =
      form_->interpolate({radau_.t_from(), none, radau_.y_from(), radau_.yp_from()},
                         {radau_.t(), none, radau_.y(), radau_.yp()}, t, polynomial, *state_, at, *workspace_);
  if (!refined.ok()) interpolate_balance(t, at);  // right to a lower order
}

PowerRule RadauMotion::power_rule() const {
  const RadauTableau& tableau = radau_.tableau();
  return {.points = tableau.c(), .weights = tableau.b()};
}

void RadauMotion::interpolate_balance(double t, MotionVariables& at) const {
  radau_.interpolate(t, y_at_, yp_at_);
  form_->unpack(t, y_at_, yp_at_, at);
}

Eigen::VectorXd RadauMotion::calc_residuals() const {
  const Eigen::MatrixXd& of_stages = radau_.residuals();
  Eigen::VectorXd largest(of_stages.rows());
  for (Eigen::Index i = 0; i < largest.size(); ++i) {
    Eigen::Index stage = 0;
    of_stages.row(i).cwiseAbs().maxCoeff(&stage);
    largest[i] = of_stages(i, stage);
  }
  return largest;
}

double RadauMotion::calc_condition() {
  const RadauBlocks::Conditions kappa = radau_.blocks().conditions();
  return std::max(kappa.real, kappa.complex);
}

MotionIntegrator::ScalingReport RadauMotion::scaling() const {
  const FirstOrderScaling::References& r = scaling_.references();
  return {r.m, r.d, r.k, r.s};
}

MotionIntegrator::SplitReport RadauMotion::split() const {
  if (!split_) return {};
  const CoordinateSplit& split = split_->motion_split(radau_.workspace());
  return {form_->v0() - form_->nc(), split.condition(), split.choices(), split.changes()};
}

MotionIntegrator::JacobianReport RadauMotion::jacobians() const {
  const RadauCounters& counters = radau_.counters();
  JacobianReport report;
  report.function_calls = report.corrector_calls = counters.residuals;
  report.jacobians = counters.linearizations;
  report.updates = counters.updates;
  report.input_derivatives = radau_.blocks().input_derivatives();
  report.handed_over = radau_.blocks().handed_over();
  const DifferenceCounters* differences = split_         ? split_->difference_counters(radau_.workspace())
                                          : differences_ ? &differences_->counters(radau_.workspace())
                                                         : nullptr;
  if (!differences) return report;
  report.function_calls += differences->evaluations;
  report.pattern_updates = differences->pattern_updates;
  report.groups = differences->groups;
  return report;
}

void RadauMotion::restore(std::span<const double> numbers) {
  radau_.restore(numbers);
  form_->unpack(radau_.t(), radau_.y(), radau_.yp(), newest_);
}

}  // namespace trammel
