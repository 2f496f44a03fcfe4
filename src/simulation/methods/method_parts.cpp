// SPDX-License-Identifier: Apache-2.0
#include "trammel/simulation/methods/method_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "trammel/formulations/coordinate_split.h"
#include "trammel/simulation/coordinate_names.h"
#include "trammel/simulation/machine_length.h"

namespace trammel {

template <>
std::string_view KindReference<IntegratorDescription>::name() const {
  return description_->name;
}
template <>
std::string_view KindReference<FormulationDescription>::name() const {
  return description_->name;
}

bool has_key(std::span<const std::string_view> keys, std::string_view key) {
  return std::find(keys.begin(), keys.end(), key) != keys.end();
}

std::vector<std::string> integrators_with(std::string_view key) {
  std::vector<std::string> names;
  for (const Integrator& each : standard_integrators)
    if (has_key(each->keys, key)) names.emplace_back(each.name());
  return names;
}

std::vector<std::string> formulations_with(std::string_view key) {
  std::vector<std::string> names;
  for (const Formulation& each : standard_formulations)
    if (has_key(each->keys, key)) names.emplace_back(each.name());
  return names;
}

std::vector<std::string> first_order_integrators() {
  std::vector<std::string> names;
  for (const Integrator& each : standard_integrators)
    if (each->equations.first_order) names.emplace_back(each.name());
  std::sort(names.begin(), names.end());
  return names;
}

std::string join_code(const std::vector<std::string>& words) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i)
    text += fmt::format("{}`{}`", i == 0 ? "" : i + 1 == words.size() ? " and " : ", ", words[i]);
  return text;
}

double extent_of(const Machine& machine) {
  const double length = machine_length(machine.model());
  return length > 0.0 ? length : std::numeric_limits<double>::infinity();
}

StepOptions step_options_of(const Machine& machine, const StepRange& range) {
  const SolverOptions& o = range.solver;
  StepOptions steps;
  steps.h = o.h, steps.h0 = o.h0;
  if (o.rtol) steps.rtol = *o.rtol;
  if (o.atol) steps.atol = *o.atol;
  steps.rotation_atol = o.tolerances.rotation_tol, steps.state_atol = o.tolerances.internal_tol;
  steps.length = tolerance_scale(machine.model());
  steps.extent = extent_of(machine);
  if (o.newton_tol) steps.newton_tol = *o.newton_tol;
  steps.max_iterations = *o.max_iterations;
  if (o.one_step.newton_test) steps.newton_test = *o.one_step.newton_test;
  if (o.newton_stop) steps.newton_stop = *o.newton_stop;
  steps.records_corrections = o.record_corrections.value_or(false);
  steps.differences = differences_of(o);
  if (o.jacobian.update) steps.jacobian_update = *o.jacobian.update;
  steps.hmin = range.hmin, steps.hmax = range.hmax, steps.span = range.span;
  return steps;
}

std::unique_ptr<MotionScaling> make_scaling(const ScalingOptions& s) {
  if (s.kind == ScalingKind::none) return std::make_unique<NoScaling>(*s.rho);
  if (s.kind != ScalingKind::physical)
    return std::make_unique<StepScaling>(StepScaling::Options{*s.kind, s.m_ave.value_or(1.0), s.d_ave.value_or(0.0),
                                                              s.k_ave.value_or(0.0), s.l_ref.value_or(1.0), *s.rho});
  return std::make_unique<PhysicalScaling>(
      PhysicalScaling::Options{s.m_ave, s.d_ave, s.k_ave, *s.l_ref, *s.rho, *s.reference});
}

FirstOrderScaling::Options first_order_scaling_of(const ScalingOptions& s) {
  FirstOrderScaling::Options scaling;
  scaling.kind = *s.kind;
  scaling.m_ave = s.m_ave, scaling.d_ave = s.d_ave, scaling.k_ave = s.k_ave;
  if (s.l_ref) scaling.l_ref = *s.l_ref;
  if (s.reference) scaling.reference = *s.reference;
  if (s.rho) scaling.rho = *s.rho;
  return scaling;
}

std::optional<DifferenceOptions> differences_of(const SolverOptions& o) {
  if (o.jacobian.source.value_or(JacobianSource::exact) == JacobianSource::exact) return std::nullopt;
  return DifferenceOptions{o.jacobian.source == JacobianSource::sparse_differences,
                           o.jacobian.sparsity == JacobianSparsity::estimated};
}

Tolerances tolerances_of(const SolverOptions& o) {
  Tolerances tolerances;
  if (o.rtol) tolerances.rtol = *o.rtol;
  if (o.atol) tolerances.atol = *o.atol;
  if (o.tolerance_rule) tolerances.rule = *o.tolerance_rule;
  const auto set = [&](Kind kind, const std::optional<double>& absolute) {
    if (absolute) tolerances.set(kind, kind == Kind::rotation ? 0.0 : tolerances.rtol, *absolute);
  };
  const KindTolerances& by_kind = o.tolerances;
  set(Kind::position, by_kind.position_tol), set(Kind::rotation, by_kind.rotation_tol);
  set(Kind::velocity, by_kind.velocity_tol), set(Kind::internal, by_kind.internal_tol);
  set(Kind::multiplier, by_kind.multiplier_tol), set(Kind::multiplier_rate, by_kind.multiplier_tol);
  return tolerances;
}

std::unique_ptr<FirstOrderForm> make_form(const Machine& machine, const SolverOptions& o) {
  const FormulationDescription& formulation = **o.formulation;
  FirstOrderForm::Options form;
  form.form = formulation.form;
  if (!formulation.traits.splits) form.length = tolerance_scale(machine.model());
  form.baumgarte_alpha = o.baumgarte_alpha.value_or(0.0);
  form.baumgarte_beta = o.baumgarte_beta.value_or(0.0);
  if (o.split.error_set) form.error_set = *o.split.error_set;
  if (o.split.corrector_set) form.corrector_set = *o.split.corrector_set;
  if (o.split.untested) form.untested = find_coordinates(machine.moved(), *o.split.untested, "solver.untested");
  form.explicit_formalism = o.bdf.formalism == Formalism::explicit_form;
  return formulation.make(machine.moved(), form, o);
}

void check_split(SettingsChecks& checks) {
  const SolverOptions& solver = checks.settings.solver;
  const SplitSettings& split = solver.split;
  const bool is_split = splits(solver);
  if (split.iteration)
    for (const Formulation& each : standard_formulations) {
      const auto owns = [&](const FormulationDescription& formulation) {
        const std::span<const SplitIteration> its = formulation.iterations;
        return std::find(its.begin(), its.end(), *split.iteration) != its.end();
      };
      if (owns(*each) && !owns(**solver.formulation))
        checks.report("iteration", fmt::format("iteration = \"{}\" belongs to the formulation '{}', and '{}' is chosen",
                                               word_of(*split.iteration), each.name(), word_of(*solver.formulation)));
    }
  const std::pair<const char*, std::optional<TestSet>> sets[] = {{"error_set", split.error_set},
                                                                 {"corrector_set", split.corrector_set}};
  for (const auto& [key, set] : sets)
    if ((set == TestSet::independent || set == TestSet::independent_positions) && !is_split &&
        !predicts_multipliers(solver))
      checks.report(key, fmt::format("{} = \"{}\" needs a split: the formulation 'coordinate_split', or the iteration "
                                     "'ggl_star'",
                                     key, word_of(*set)));
  if (!is_split) return;
  if (split.error_set == TestSet::all)
    checks.report("error_set", "multipliers follow from the split and are in no test of 'coordinate_split'");
  if (solver.bdf.unknown == BdfUnknown::yp)
    checks.report(checks.given.solver.bdf.unknown ? "unknown" : "preset",
                  "'coordinate_split' recovers multipliers beside Newton's iteration for y: unknown = \"yp\" "
                  "would scale them by 1/(hβ)");
  if (method_of(solver).equations.has_stages && split.cm_mode && split.cm_mode != CmMode::matrix_only)
    checks.report("cm_mode",
                  fmt::format("cm_mode = \"{}\" takes one P for a whole step, and the stages of '{}' have different G, "
                              "which it does not annihilate: choose \"matrix_only\"",
                              word_of(*split.cm_mode), method_of(solver).name));
  if (split.cm_mode == CmMode::frozen_step && solver.bdf.newton_start == NewtonStart::previous)
    checks.report(
        "newton_start",
        "cm_mode = \"frozen_step\" takes P at the prediction, and newton_start = \"previous\" leaves that out");
}

std::unique_ptr<FirstOrderForm> make_plain_form(const MechanicalSystem& system, const FirstOrderForm::Options& form,
                                                const SolverOptions&) {
  return std::make_unique<FirstOrderForm>(system, form);
}

std::unique_ptr<FirstOrderForm> make_splittable_form(const MechanicalSystem& system,
                                                     const FirstOrderForm::Options& form, const SolverOptions& o) {
  if (o.split.iteration.value_or(SplitIteration::ggl) == SplitIteration::ggl) return make_plain_form(system, form, o);
  CoordinateSplitForm::Options split;
  split.form = form;
  split.iteration = *o.split.iteration;
  if (o.split.cm_mode) split.cm_mode = *o.split.cm_mode;
  split.differences = differences_of(o);
  split.independent = find_coordinates(system, *o.split.independent, "solver.independent");
  return std::make_unique<CoordinateSplitForm>(system, split);
}

}  // namespace trammel
