#include "trammel/integrators/energy_decaying.h"
#include "trammel/integrators/generalized_alpha.h"
#include "trammel/integrators/midpoint.h"
#include "trammel/mechanics/slots/slot_system.h"
#include "trammel/simulation/bdf_motion.h"
#include "trammel/simulation/coordinate_names.h"
#include "trammel/simulation/machine_length.h"
#include "trammel/simulation/motion.h"
#include "trammel/simulation/option.h"
#include "trammel/simulation/radau_motion.h"
#include "trammel/simulation/runge_kutta_motion.h"

// From the words of a model file to an integrator on its formulation.

namespace trammel {

namespace {

std::unique_ptr<MotionScaling> make_scaling(const ScalingOptions& s) {
  if (s.kind == ScalingKind::none) return std::make_unique<NoScaling>(*s.rho);
  return std::make_unique<PhysicalScaling>(
      PhysicalScaling::Options{s.m_ave, s.d_ave, s.k_ave, *s.l_ref, *s.rho, *s.reference});
}

AlphaCoefficients coefficients_of(const SolverOptions& o) {
  if (o.integrator == Integrator::hht) return AlphaCoefficients::hht(*o.one_step.alpha);
  if (o.integrator == Integrator::newmark) return AlphaCoefficients::newmark(*o.one_step.gamma);
  return AlphaCoefficients::chung_hulbert(*o.one_step.rho_inf);
}

ConstraintForm constraint_form_of(Formulation formulation) {
  switch (formulation) {
    case Formulation::index3:
      return ConstraintForm::index3;
    case Formulation::stabilized_index1:
      return ConstraintForm::stabilized_index1;
    case Formulation::index2:
      return ConstraintForm::index2;
    case Formulation::index1:
      return ConstraintForm::index1;
    case Formulation::stabilized_index2:
    case Formulation::coordinate_split:
      break;
  }
  return ConstraintForm::stabilized_index2;
}

FirstOrderForm::Options form_of(const SolverOptions& o, const Model& machine) {
  FirstOrderForm::Options form;
  if (*o.formulation != Formulation::coordinate_split) form.length = tolerance_scale(machine);
  form.form = constraint_form_of(*o.formulation);
  form.baumgarte_alpha = o.baumgarte_alpha.value_or(0.0);
  form.baumgarte_beta = o.baumgarte_beta.value_or(0.0);
  return form;
}

std::unique_ptr<FirstOrderForm> make_form(const MechanicalSystem& system, const SolverOptions& o,
                                          const Model& machine) {
  FirstOrderForm::Options form = form_of(o, machine);
  form.error_set = *o.split.error_set;
  form.corrector_set = *o.split.corrector_set;
  form.untested = find_coordinates(system, *o.split.untested, "solver.untested");
  form.explicit_formalism = o.bdf.formalism == Formalism::explicit_form;
  if (o.split.iteration.value_or(SplitIteration::ggl) == SplitIteration::ggl)
    return std::make_unique<FirstOrderForm>(system, form);
  CoordinateSplitForm::Options split;
  split.form = form;
  split.iteration = *o.split.iteration;
  if (o.split.cm_mode) split.cm_mode = *o.split.cm_mode;
  split.independent = find_coordinates(system, *o.split.independent, "solver.independent");
  return std::make_unique<CoordinateSplitForm>(system, split);
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

double extent_of(const Model& machine) {
  const double length = machine_length(machine);
  return length > 0.0 ? length : std::numeric_limits<double>::infinity();
}

BdfOptions bdf_options_of(const SolverOptions& o, const Model& machine) {
  const bool as_dassl = o.bdf.step_rules == StepRules::dassl;
  BdfOptions b = as_dassl ? BdfOptions::dassl() : BdfOptions{};
  b.tolerances = tolerances_of(o);
  if (!as_dassl && !o.h) b.extent = extent_of(machine);
  b.max_order = *o.bdf.max_order;
  b.h0 = o.h0, b.fixed_h = o.h;
  b.unknown = *o.bdf.unknown;
  b.corrector = *o.bdf.corrector;
  b.newton_constant = *o.bdf.newton_constant;
  b.max_iterations = *o.max_iterations;
  b.jacobian_update = *o.bdf.jacobian_update;
  b.newton_stop = *o.newton_stop;
  b.newton_start = *o.bdf.newton_start;
  b.records_corrections = *o.record_corrections;
  b.jacobian_pattern = o.bdf.jacobian_pattern.value_or("");
  b.detects_stability_limit = *o.bdf.stability_detection;
  return b;
}

RadauOptions radau_options_of(const SolverOptions& o) {
  RadauOptions r;
  r.tolerances = tolerances_of(o);
  r.stages = *o.radau.stages;
  r.h0 = o.h0, r.fixed_h = o.h;
  if (o.newton_tol) r.newton_tol = *o.newton_tol;
  r.max_iterations = *o.max_iterations;
  return r;
}

RungeKuttaOptions runge_kutta_options_of(const SolverOptions& o) {
  RungeKuttaOptions r;
  r.tolerances = tolerances_of(o);
  r.h0 = o.h0, r.fixed_h = o.h;
  return r;
}

StepOptions step_options_of(const SolverOptions& o, const Model& machine) {
  StepOptions steps;
  steps.h = o.h, steps.h0 = o.h0;
  if (o.rtol) steps.rtol = *o.rtol;
  if (o.atol) steps.atol = *o.atol;
  steps.rotation_atol = o.tolerances.rotation_tol, steps.state_atol = o.tolerances.internal_tol;
  steps.length = tolerance_scale(machine);
  steps.extent = extent_of(machine);
  if (o.newton_tol) steps.newton_tol = *o.newton_tol;
  steps.max_iterations = *o.max_iterations;
  if (o.one_step.newton_test) steps.newton_test = *o.one_step.newton_test;
  if (o.newton_stop) steps.newton_stop = *o.newton_stop;
  steps.records_corrections = o.record_corrections.value_or(false);
  return steps;
}

}  // namespace

void Motion::make_method(const Machine& machine, Viewer& viewer) {
  const Study& study = machine.study();
  const Assembly& full = machine.full();
  const LinearSolverKind solver = machine.solver_kind();
  const SolverOptions& o = study.solver;
  const double span = study.analysis.span();
  const double hmin = o.hmin.value_or(0.0) > 0.0 ? *o.hmin : smallest_step(study.analysis);
  const double hmax = std::min(o.hmax.value_or(span), span);
  if (o.integrator == Integrator::bdf) {
    const MechanicalSystem& system = machine.moved();
    BdfOptions options = bdf_options_of(o, study.model);
    max_corrections_ = options.max_iterations;
    options.hmin = hmin, options.hmax = hmax;
    std::optional<DifferenceOptions> differences;
    if (o.bdf.jacobian != JacobianSource::exact)
      differences = {o.bdf.jacobian == JacobianSource::sparse_differences,
                     o.bdf.jacobian_sparsity == JacobianSparsity::estimated};
    method_ =
        std::make_unique<BdfMotion>(system, make_form(system, o, study.model), options, solver,
                                    first_order_scaling_of(o.scaling), o.bdf.fields == BdfFields::two, differences);
  } else if (o.integrator == Integrator::radau) {
    RadauOptions options = radau_options_of(o);
    options.hmin = hmin, options.hmax = hmax;
    method_ = std::make_unique<RadauMotion>(machine.moved(), form_of(o, study.model), options, solver,
                                            first_order_scaling_of(o.scaling));
  } else if (o.integrator == Integrator::runge_kutta) {
    RungeKuttaOptions options = runge_kutta_options_of(o);
    options.hmin = hmin, options.hmax = hmax;
    method_ = std::make_unique<RungeKuttaMotion>(machine.moved(), options);
  } else {
    StepOptions steps = step_options_of(o, study.model);
    steps.hmin = hmin, steps.hmax = hmax, steps.span = span;
    max_corrections_ = steps.max_iterations;
    if (o.integrator == Integrator::energy_decaying) {
      if (std::vector<Issue> refused = issues_of_directors(machine.model()); !refused.empty())
        throw InputError(std::move(refused));
      method_ = std::make_unique<EnergyDecaying>(
          std::make_unique<SlotSystem>(machine.kept(), viewer.calc_frames(full.drawn, full.state)), machine.index3(),
          steps, solver);
    } else {
      scaling_ = make_scaling(o.scaling);
      if (o.integrator == Integrator::midpoint)
        method_ = std::make_unique<Midpoint>(machine.index3(), steps, solver, *scaling_);
      else
        method_ = std::make_unique<GeneralizedAlpha>(machine.index3(), coefficients_of(o), steps, solver, *scaling_);
    }
  }
}

}  // namespace trammel
