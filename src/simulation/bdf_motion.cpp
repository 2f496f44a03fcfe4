// SPDX-License-Identifier: Apache-2.0
#include "trammel/simulation/bdf_motion.h"

#include <algorithm>

namespace trammel {

BdfMotion::BdfMotion(const MechanicalSystem& system, std::unique_ptr<FirstOrderForm> form, const BdfOptions& options,
                     LinearSolverChoice solver, const FirstOrderScaling::Options& scaling, bool two_field,
                     const std::optional<DifferenceOptions>& differences)
    : form_(std::move(form)),
      split_(dynamic_cast<const CoordinateSplitForm*>(form_.get())),
      differences_(differences && !split_ ? std::make_unique<DifferenceSystem>(*form_, *differences) : nullptr),
      scaling_(*form_, system, scaling) {
  std::unique_ptr<IterationOperator> iteration;
  if (two_field) {
    auto condensed = std::make_unique<TwoFieldOperator>(*form_, dae(), solver, &scaling_);
    if (options.jacobian_update == JacobianUpdate::extended) condensed->follow_inputs();
    two_field_ = condensed.get();
    solver_ = &condensed->linear_solver();
    iteration = std::move(condensed);
  } else {
    auto matrix = std::make_unique<MatrixOperator>(dae(), solver, &scaling_);
    if (options.jacobian_update == JacobianUpdate::extended) matrix->follow_inputs();
    solver_ = &matrix->linear_solver();
    iteration = std::move(matrix);
  }
  bdf_ = std::make_unique<Bdf>(dae(), options, std::move(iteration));
  newest_.resize(system.nv(), system.nz(), system.nc());
  for (auto* x : {&y_, &yp_, &y_at_, &yp_at_}) x->setZero(form_->layout().n());
}

Status BdfMotion::start(const MotionVariables& at, State& state) {
  if (split_ && !has_checked_) split_->check_forced(at, state);
  has_checked_ = true;
  newest_ = at;
  form_->pack(at, y_, yp_);
  return bdf_->start(at.t, y_, yp_, state);
}

Status BdfMotion::take_over(std::span<const MotionVariables> points, State& state) {
  newest_ = points[0];
  std::vector<double> times;
  Eigen::MatrixXd y(form_->layout().n(), static_cast<Eigen::Index>(points.size()));
  const Eigen::Index n_multipliers = y.rows() - form_->lam0();
  Eigen::VectorXd integral = Eigen::VectorXd::Zero(n_multipliers), rate = integral;
  for (std::size_t i = 0; i < points.size(); ++i) {
    form_->pack(points[i], y_, yp_);
    // In stabilized_index1 multipliers are rates of their unknowns; elsewhere these rates are zero here.
    if (i > 0) integral += 0.5 * (points[i].t - points[i - 1].t) * (rate + yp_.tail(n_multipliers));
    rate = yp_.tail(n_multipliers);
    y.col(static_cast<Eigen::Index>(i)) = y_;
    y.col(static_cast<Eigen::Index>(i)).tail(n_multipliers) += integral;
    times.push_back(points[i].t);
  }
  return bdf_->start(times, y, state);
}

StepReport BdfMotion::advance(double t_end, State& state) {
  bdf_->bound_step(h_bound_);
  bdf_->repeat(repeated_);
  BdfStep step = bdf_->advance(t_end, state);
  if (step.rung >= Rung::restart) step.remedy = describe(step.rung);
  if (step.order_lowered) step.remedy = "a lower order at its stability limit";
  form_->unpack(bdf_->t(), bdf_->y(), bdf_->yp(), newest_);
  return step;
}

void BdfMotion::interpolate(double t, MotionVariables& at) const {
  bdf_->interpolate(t, y_at_, yp_at_);
  form_->unpack(t, y_at_, yp_at_, at);
}

MotionIntegrator::ScalingReport BdfMotion::scaling() const {
  const FirstOrderScaling::References& r = scaling_.references();
  return {r.m, r.d, r.k, r.s};
}

MotionIntegrator::SplitReport BdfMotion::split() const {
  if (!split_) return {};
  const CoordinateSplit& split = split_->motion_split(bdf_->workspace());
  return {form_->v0() - form_->nc(), split.condition(), split.choices(), split.changes()};
}

MotionIntegrator::JacobianReport BdfMotion::jacobians() const {
  const BdfCounters& counters = bdf_->counters();
  JacobianReport report;
  report.function_calls = report.corrector_calls = counters.residuals;
  report.jacobians = counters.linearizations;
  report.updates = counters.updates;
  report.input_derivatives = bdf_->iteration_operator().counters().input_derivatives;
  report.handed_over = solver_->counters().n_handed_over;
  const DifferenceCounters* differences = split_         ? split_->difference_counters(bdf_->workspace())
                                          : differences_ ? &differences_->counters(bdf_->workspace())
                                                         : nullptr;
  if (!differences) return report;
  report.function_calls += differences->evaluations;
  report.pattern_updates = differences->pattern_updates;
  report.groups = differences->groups;
  return report;
}

BdfMotion::Structure BdfMotion::make_structure() const {
  Structure structure;
  structure.n = layout().n();
  if (differences_) structure.groups = differences_->groups(bdf_->workspace());
  const Planes& planes = bdf_->iteration_operator().planes();  // a dense matrix has a full pattern, its planes do not
  const Pattern& pattern = planes.pattern;
  for (int j = 0; j < pattern.n_cols; ++j)
    for (int k = pattern.start[j]; k < pattern.start[j + 1]; ++k)
      if (std::any_of(planes.values.begin(), planes.values.end(), [k](const auto& plane) { return plane[k] != 0.0; }))
        structure.entries.emplace_back(pattern.index[k], j);
  return structure;
}

FieldSizes BdfMotion::calc_inverse_bounds() {
  Eigen::VectorXd sums(form_->layout().n());
  bdf_->iteration_operator().calc_inverse_row_sums(sums);
  const std::vector<double> h(sums.size(), bdf_->history().last_h());
  return calc_field_sizes(form_->layout().kinds(), sums, h);
}

Pivot BdfMotion::smallest_pivot() const {
  Pivot pivot = solver_->smallest_pivot();
  if (two_field_ && pivot.unknown >= 0) pivot.unknown = two_field_->unknown(pivot.unknown);
  return pivot;
}

void BdfMotion::restore(std::span<const double> numbers) {
  bdf_->restore(numbers);
  form_->unpack(bdf_->t(), bdf_->y(), bdf_->yp(), newest_);
}

}  // namespace trammel
