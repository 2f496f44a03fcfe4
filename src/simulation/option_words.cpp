// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "trammel/base/text.h"
#include "trammel/simulation/methods/formulation_descriptor.h"
#include "trammel/simulation/option.h"

// The words of all options that choose, and what each means. Methods bring their own.

namespace trammel {

namespace {

template <class Method, std::size_t n>
std::vector<WordOf<Method>> words_of_methods(const Method (&all)[n]) {
  std::vector<WordOf<Method>> words;
  for (const Method& each : all) words.push_back({each, std::string(each->name), std::string(each->meaning)});
  return words;
}

}  // namespace

void refuse_word(std::string_view text, const std::vector<std::string>& allowed) {
  throw InputError("there is no word " + not_allowed(text, allowed));
}

template <>
const std::vector<WordOf<AnalysisKind>>& words_of() {
  static const std::vector<WordOf<AnalysisKind>> words{
      {AnalysisKind::dynamics, "dynamics", "motion from initial conditions"},
      {AnalysisKind::kinematics, "kinematics", "fully driven mechanisms"},
      {AnalysisKind::inverse_dynamics, "inverse_dynamics", "the forces that the motions need"},
      {AnalysisKind::statics, "statics", "the equilibrium near the drawn position, [how](analyses.md)"}};
  return words;
}

template <>
const std::vector<WordOf<StartFrom>>& words_of() {
  static const std::vector<WordOf<StartFrom>> words{
      {StartFrom::drawn, "drawn", "as drawn, joints made to fit"},
      {StartFrom::equilibrium, "equilibrium", "where `statics` ends, with the velocities given, [how](analyses.md)"}};
  return words;
}

template <>
const std::vector<WordOf<Integrator>>& words_of() {
  static const std::vector<WordOf<Integrator>> words = words_of_methods(standard_integrators);
  return words;
}

template <>
const std::vector<WordOf<Formulation>>& words_of() {
  static const std::vector<WordOf<Formulation>> words = words_of_methods(standard_formulations);
  return words;
}

template <>
const std::vector<WordOf<CoordinateSet>>& words_of() {
  static const std::vector<WordOf<CoordinateSet>> words{
      {CoordinateSet::automatic, "auto", "chosen for the machine, [how](choice.md)"},
      {CoordinateSet::absolute, "absolute", "six numbers per body, joints as rows"},
      {CoordinateSet::joint, "joint",
       "the freedoms of the joints of a spanning tree, [when](formulations/joint_coordinates.md)"}};
  return words;
}

template <>
const std::vector<WordOf<LinearSolverKind>>& words_of() {
  static const std::vector<WordOf<LinearSolverKind>> words = [] {
    const std::pair<LinearSolverKind, const char*> meanings[] = {
        {LinearSolverKind::automatic, "by predicted work"},
        {LinearSolverKind::dense, "LU"},
        {LinearSolverKind::sparse_lu, "KLU"},
        {LinearSolverKind::skyline_ldlt, "without row exchanges, profile storage"},
        {LinearSolverKind::sparse_ldlt, "without row exchanges, multifrontal"},
        {LinearSolverKind::gmres, "iterative"},
        {LinearSolverKind::umfpack, "UMFPACK"},
        {LinearSolverKind::mumps, "MUMPS, [on several processes](many_machines.md), of builds with `TRAMMEL_MUMPS`"},
        {LinearSolverKind::petsc, "PETSc, iterative, the same with `TRAMMEL_PETSC`"}};
    std::vector<WordOf<LinearSolverKind>> made;
    for (const auto& [kind, meaning] : meanings) made.push_back({kind, std::string(to_text(kind)), meaning});
    return made;
  }();
  return words;
}

template <>
const std::vector<WordOf<DenseKernel>>& words_of() {
  static const std::vector<WordOf<DenseKernel>> words{
      {DenseKernel::automatic, "auto", "the fastest that the processor has"},
      {DenseKernel::portable, "portable", "the same bits on every machine"}};
  return words;
}

template <>
const std::vector<WordOf<KrylovMethod>>& words_of() {
  static const std::vector<WordOf<KrylovMethod>> words{
      {KrylovMethod::gmres, "gmres", "the smallest residual, over 60 vectors"},
      {KrylovMethod::bicgstab, "bicgstab", "a few vectors"},
      {KrylovMethod::gcr, "gcr", "as `gmres`, for preconditioners that change"}};
  return words;
}

template <>
const std::vector<WordOf<KrylovPreconditioner>>& words_of() {
  static const std::vector<WordOf<KrylovPreconditioner>> words{
      {KrylovPreconditioner::constraint, "constraint", "that of `gmres`, factored by MUMPS on all processes"},
      {KrylovPreconditioner::schwarz, "schwarz", "the part of each process with its neighbours"},
      {KrylovPreconditioner::block_jacobi, "block_jacobi", "the part of each process"},
      {KrylovPreconditioner::none, "none", "nothing"}};
  return words;
}

template <>
const std::vector<WordOf<RedundancyPolicy>>& words_of() {
  static const std::vector<WordOf<RedundancyPolicy>> words{
      {RedundancyPolicy::error, "error", "they are named and refused"},
      {RedundancyPolicy::drop, "drop", "they are left out"},
      {RedundancyPolicy::minimum_norm, "minimum_norm", "and their reactions are shared with the smallest norm"}};
  return words;
}

template <>
const std::vector<WordOf<AlarmPolicy>>& words_of() {
  static const std::vector<WordOf<AlarmPolicy>> words{
      {AlarmPolicy::warn, "warn", "they stand in the summary"},
      {AlarmPolicy::error, "error", "the run counts as failed (exit code 3)"}};
  return words;
}

template <>
const std::vector<WordOf<Preset>>& words_of() {
  static const std::vector<WordOf<Preset>> words{{Preset::dassl, "dassl", "DASSL's constants and rules"},
                                                 {Preset::gstiff_i3, "gstiff_i3", ""},
                                                 {Preset::gstiff_si2, "gstiff_si2", ""},
                                                 {Preset::hastiff, "hastiff", "stabilized index 1, solved for rates"}};
  return words;
}

template <>
const std::vector<WordOf<BdfFields>>& words_of() {
  static const std::vector<WordOf<BdfFields>> words{
      {BdfFields::three, "three", "q, v and λ"},
      {BdfFields::two, "two", "velocities are eliminated, [how](formulations/two_field.md)"}};
  return words;
}

template <>
const std::vector<WordOf<StepRules>>& words_of() {
  static const std::vector<WordOf<StepRules>> words{
      {StepRules::standard, "standard", "a failure ladder, pauses after rejections, a price for old matrices"},
      {StepRules::dassl, "dassl", "those of DASSL, none of these"}};
  return words;
}

template <>
const std::vector<WordOf<ToleranceRule>>& words_of() {
  static const std::vector<WordOf<ToleranceRule>> words{{ToleranceRule::sum, "sum", "`rtol` |y| + `atol`"},
                                                        {ToleranceRule::max, "max", "the larger of the two"}};
  return words;
}

template <>
const std::vector<WordOf<ErrorGoal>>& words_of() {
  static const std::vector<WordOf<ErrorGoal>> words{
      {ErrorGoal::step, "step", "the estimate of each step"},
      {ErrorGoal::motion, "motion", "what steps leave after ten radians of the motion; three stages"}};
  return words;
}

template <>
const std::vector<WordOf<BdfUnknown>>& words_of() {
  static const std::vector<WordOf<BdfUnknown>> words{{BdfUnknown::y, "y", ""}, {BdfUnknown::yp, "yp", "its rates"}};
  return words;
}

template <>
const std::vector<WordOf<Corrector>>& words_of() {
  static const std::vector<WordOf<Corrector>> words{{Corrector::classical, "classical", "all unknowns"},
                                                    {Corrector::modified, "modified", "those of the error test"}};
  return words;
}

template <>
const std::vector<WordOf<NewtonStart>>& words_of() {
  static const std::vector<WordOf<NewtonStart>> words{
      {NewtonStart::prediction, "prediction", ""}, {NewtonStart::previous, "previous", "the values of the last step"}};
  return words;
}

template <>
const std::vector<WordOf<NewtonStop>>& words_of() {
  static const std::vector<WordOf<NewtonStop>> words{
      {NewtonStop::tolerance, "tolerance", ""},
      {NewtonStop::saturation, "saturation", "until corrections stop decreasing; needs `h`"},
      {NewtonStop::none, "none", "always `max_iterations`; needs `h`"}};
  return words;
}

template <>
const std::vector<WordOf<NewtonTest>>& words_of() {
  static const std::vector<WordOf<NewtonTest>> words{
      {NewtonTest::motion, "motion", "q, z and the forces of the multipliers"},
      {NewtonTest::all, "all", "every unknown of the scaled equations, each to `newton_tol`"}};
  return words;
}

template <>
const std::vector<WordOf<JacobianUpdate>>& words_of() {
  static const std::vector<WordOf<JacobianUpdate>> words{
      {JacobianUpdate::full, "full", "new derivatives with every large change of the step"},
      {JacobianUpdate::partitioned, "partitioned",
       "those at hand with the new step, new ones when Newton asks for them [arnold2004 (23)]: fewer linearizations, "
       "best for nearly linear machines"},
      {JacobianUpdate::extended, "extended",
       "the same, and derivatives follow the motions that drive joints [arnold2004 (26)]"}};
  return words;
}

template <>
const std::vector<WordOf<JacobianSource>>& words_of() {
  static const std::vector<WordOf<JacobianSource>> words{
      {JacobianSource::exact, "exact", ""},
      {JacobianSource::dense_differences, "dense_differences", "one residual per column"},
      {JacobianSource::sparse_differences, "sparse_differences",
       "one residual per group of columns, [when](integrators/bdf.md)"}};
  return words;
}

template <>
const std::vector<WordOf<JacobianSparsity>>& words_of() {
  static const std::vector<WordOf<JacobianSparsity>> words{
      {JacobianSparsity::given, "given", "by the model"},
      {JacobianSparsity::estimated, "estimated", "from one full difference matrix, enlarged when Newton is slow"}};
  return words;
}

template <>
const std::vector<WordOf<Formalism>>& words_of() {
  static const std::vector<WordOf<Formalism>> words{
      {Formalism::residual, "residual", "M v̇ − f"},
      {Formalism::explicit_form, "explicit", "v̇ − φ, in joint coordinates"}};
  return words;
}

template <>
const std::vector<WordOf<SplitIteration>>& words_of() {
  static const std::vector<WordOf<SplitIteration>> words{
      {SplitIteration::ggl, "ggl", "on `stabilized_index2`"},
      {SplitIteration::ggl_star, "ggl_star", "on `stabilized_index2`, multipliers out of the tests"},
      {SplitIteration::cs, "cs", "on `coordinate_split`"},
      {SplitIteration::cm, "cm", "on `coordinate_split`"}};
  return words;
}

template <>
const std::vector<WordOf<CmMode>>& words_of() {
  static const std::vector<WordOf<CmMode>> words{
      {CmMode::frozen_step, "frozen_step", "at the prediction of each step"},
      {CmMode::matrix_only, "matrix_only", "at the current iterate"},
      {CmMode::frozen_jacobian, "frozen_jacobian", "where the matrix was made: not consistent"}};
  return words;
}

template <>
const std::vector<WordOf<TestSet>>& words_of() {
  static const std::vector<WordOf<TestSet>> words{
      {TestSet::by_form, "by_formulation", "error: q and v, on `index3` q; corrector: everything"},
      {TestSet::positions, "positions", ""},
      {TestSet::states, "states", "positions and velocities"},
      {TestSet::all, "all", "multipliers too"},
      {TestSet::independent_positions, "independent_positions", "of a split"},
      {TestSet::independent, "independent", "positions and velocities of a split"}};
  return words;
}

template <>
const std::vector<WordOf<ScalingKind>>& words_of() {
  static const std::vector<WordOf<ScalingKind>> words{
      {ScalingKind::none, "none", "the equations as they are"},
      {ScalingKind::physical, "physical", "s = m + d h + k h² [bauchau2009 (6)]"},
      {ScalingKind::left, "left", "`bdf`, `radau`: constraints × 1/h"},
      {ScalingKind::left_right, "left_right", "`bdf`, `radau`: and motion × h, λ × h⁻²"},
      {ScalingKind::left_right_velocity, "left_right_velocity", "`bdf`, `radau`: and v × h⁻¹"},
      {ScalingKind::constraints, "constraints", "`bdf`, `radau`: constraints × 1/(hβ)"}};
  return words;
}

template <>
const std::vector<WordOf<ScalingReference>>& words_of() {
  static const std::vector<WordOf<ScalingReference>> words{
      {ScalingReference::mean_diagonal, "mean_diagonal", "mean of the diagonal"},
      {ScalingReference::infinity_norm, "infinity_norm", "largest row sum"}};
  return words;
}

}  // namespace trammel
