#include <fmt/format.h>

#include <map>

#include "trammel/integrators/energy_decaying.h"
#include "trammel/integrators/generalized_alpha.h"
#include "trammel/integrators/midpoint.h"
#include "trammel/mechanics/slots/slot_system.h"
#include "trammel/simulation/bdf_motion.h"
#include "trammel/simulation/coordinate_names.h"
#include "trammel/simulation/radau_motion.h"
#include "trammel/simulation/runge_kutta_motion.h"
#include "trammel/simulation/simulation.h"

// From the words of a model file to an integrator on its formulation.

namespace trammel {

namespace {

ScalingReference reference_of(const ScalingOptions& options) {
  return options.reference == "infinity_norm" ? ScalingReference::infinity_norm : ScalingReference::mean_diagonal;
}

std::unique_ptr<MotionScaling> make_scaling(const SolverOptions& options) {
  const ScalingOptions& s = options.scaling;
  const double rho = augmented_weight(options);
  if (s.kind == ScalingKind::none) return std::make_unique<NoScaling>(rho);
  return std::make_unique<PhysicalScaling>(
      PhysicalScaling::Options{s.m_ave, s.d_ave, s.k_ave, s.l_ref, rho, reference_of(s)});
}

AlphaCoefficients coefficients_of(const SolverOptions& options) {
  if (options.integrator == "hht") return AlphaCoefficients::hht(options.alpha);
  if (options.integrator == "newmark") return AlphaCoefficients::newmark(options.gamma);
  return AlphaCoefficients::chung_hulbert(options.rho_inf);
}

FirstOrderForm::Options form_of(const SolverOptions& options) {
  static const std::map<std::string, ConstraintForm> forms{{"index3", ConstraintForm::index3},
                                                           {"stabilized_index2", ConstraintForm::stabilized_index2},
                                                           {"stabilized_index1", ConstraintForm::stabilized_index1},
                                                           {"coordinate_split", ConstraintForm::stabilized_index2},
                                                           {"index2", ConstraintForm::index2},
                                                           {"index1", ConstraintForm::index1}};
  FirstOrderForm::Options form;
  form.form = forms.at(formulation_of(options));
  form.baumgarte_alpha = options.baumgarte_alpha;
  form.baumgarte_beta = options.baumgarte_beta;
  return form;
}

std::unique_ptr<FirstOrderForm> make_form(const MechanicalSystem& system, const SolverOptions& options) {
  static const std::map<std::string, TestSet> sets{{"", TestSet::by_form},
                                                   {"positions", TestSet::positions},
                                                   {"states", TestSet::states},
                                                   {"all", TestSet::all},
                                                   {"independent_positions", TestSet::independent_positions},
                                                   {"independent", TestSet::independent}};
  static const std::map<std::string, CoordinateSplitForm::Iteration> iterations{
      {"ggl_star", CoordinateSplitForm::Iteration::ggl_star},
      {"cs", CoordinateSplitForm::Iteration::cs},
      {"cm", CoordinateSplitForm::Iteration::cm}};
  static const std::map<std::string, CoordinateSplitForm::CmMode> modes{
      {"frozen_step", CoordinateSplitForm::CmMode::frozen_step},
      {"matrix_only", CoordinateSplitForm::CmMode::matrix_only},
      {"frozen_jacobian", CoordinateSplitForm::CmMode::frozen_jacobian}};
  FirstOrderForm::Options form = form_of(options);
  form.error_set = sets.at(options.split.error_set);
  form.corrector_set = sets.at(options.split.corrector_set);
  form.untested = find_coordinates(system, options.split.untested, "solver.untested");
  form.explicit_formalism = options.bdf.formalism == "explicit";
  const auto iteration = iterations.find(iteration_of(options));
  if (iteration == iterations.end()) return std::make_unique<FirstOrderForm>(system, form);
  CoordinateSplitForm::Options split;
  split.form = form;
  split.iteration = iteration->second;
  split.cm_mode = modes.at(options.split.cm_mode);
  split.independent = find_coordinates(system, options.split.independent, "solver.independent");
  return std::make_unique<CoordinateSplitForm>(system, split);
}

FirstOrderScaling::Options first_order_scaling_of(const SolverOptions& options) {
  const ScalingOptions& s = options.scaling;
  const bool chosen = !options.scaling_source.entity.empty() || s.kind != ScalingKind::physical;
  FirstOrderScaling::Options scaling;
  switch (s.kind) {
    case ScalingKind::none:
      scaling.kind = FirstOrderScaling::Kind::none;
      break;
    case ScalingKind::physical:
      scaling.kind = FirstOrderScaling::Kind::physical;
      break;
    case ScalingKind::left:
      scaling.kind = FirstOrderScaling::Kind::left;
      break;
    case ScalingKind::left_right:
      scaling.kind = FirstOrderScaling::Kind::left_right;
      break;
    case ScalingKind::left_right_velocity:
      scaling.kind = FirstOrderScaling::Kind::left_right_velocity;
      break;
    case ScalingKind::constraints:
      scaling.kind = FirstOrderScaling::Kind::constraints;
      break;
  }
  if (options.bdf.preset == "hastiff" && !chosen) scaling.kind = FirstOrderScaling::Kind::constraints;
  scaling.m_ave = s.m_ave, scaling.d_ave = s.d_ave, scaling.k_ave = s.k_ave, scaling.l_ref = s.l_ref;
  scaling.rho = augmented_weight(options), scaling.reference = reference_of(s);
  return scaling;
}

void set_tolerances_by_kind(const SolverOptions& o, Tolerances& tolerances) {
  const auto set = [&](Kind kind, const std::optional<double>& absolute) {
    if (absolute) tolerances.set(kind, kind == Kind::rotation ? 0.0 : tolerances.rtol, *absolute);
  };
  set(Kind::position, o.bdf.position_tol), set(Kind::rotation, o.bdf.rotation_tol);
  set(Kind::velocity, o.bdf.velocity_tol), set(Kind::internal, o.bdf.internal_tol);
  set(Kind::multiplier, o.bdf.multiplier_tol), set(Kind::multiplier_rate, o.bdf.multiplier_tol);
}

NewtonStop newton_stop_of(const SolverOptions& o) {
  static const std::map<std::string, NewtonStop> stops{
      {"tolerance", NewtonStop::tolerance}, {"saturation", NewtonStop::saturation}, {"none", NewtonStop::none}};
  return stops.at(o.bdf.newton_stop);
}

// What the model file says, over what the preset says, over the defaults. The GSTIFF-compatible presets: error 1e-3
// against max(1, |y|), order up to 6, ten iterations with a new matrix in every fourth, hinit and hmax from the output.
BdfOptions bdf_options_of(const SolverOptions& o, double output_step) {
  const bool dassl = o.bdf.preset == "dassl", gstiff = !o.bdf.preset.empty() && !dassl;
  BdfOptions b = dassl ? BdfOptions::dassl() : BdfOptions{};
  const auto given = [&](const char* key) { return o.source.fields.count(key) > 0; };
  b.tolerances.rtol = o.rtol, b.tolerances.atol = o.atol;
  if (gstiff) {
    if (!given("rtol")) b.tolerances.rtol = 1e-3;
    if (!given("atol")) b.tolerances.atol = 1e-3;
    b.tolerances.rule = Tolerances::Rule::max;
    b.max_order = 6;
    b.max_iterations = 10;
    b.h0 = output_step / 20.0;
    b.hmax = output_step;
    b.jacobian_pattern = "TFFFTFFFTF";
    if (o.bdf.preset == "hastiff") b.unknown = BdfUnknown::yp;
  }
  if (o.h0) b.h0 = o.h0;
  if (o.h) b.fixed_h = o.h;
  if (formulation_of(o) == "coordinate_split") b.max_order = 2;  // A-stable: made for what oscillates
  if (o.bdf.max_order) b.max_order = *o.bdf.max_order;
  if (o.bdf.newton_constant) b.newton_constant = *o.bdf.newton_constant;
  if (!o.bdf.unknown.empty()) b.unknown = o.bdf.unknown == "yp" ? BdfUnknown::yp : BdfUnknown::y;
  if (!o.bdf.corrector.empty())
    b.corrector = o.bdf.corrector == "modified" ? Corrector::modified : Corrector::classical;
  b.newton_stop = newton_stop_of(o);
  if (o.bdf.newton_start == "previous") b.newton_start = NewtonStart::previous;
  if (!o.bdf.jacobian_pattern.empty()) b.jacobian_pattern = o.bdf.jacobian_pattern;
  static const std::map<std::string, JacobianUpdate> updates{{"full", JacobianUpdate::full},
                                                             {"partitioned", JacobianUpdate::partitioned},
                                                             {"extended", JacobianUpdate::extended}};
  b.jacobian_update = updates.at(o.bdf.jacobian_update);
  if (given("max_iterations") || b.newton_stop != NewtonStop::tolerance) b.max_iterations = o.max_iterations;
  b.records_corrections = o.record_corrections;
  if (o.bdf.stability_detection) b.detects_stability_limit = *o.bdf.stability_detection;
  set_tolerances_by_kind(o, b.tolerances);
  return b;
}

RadauOptions radau_options_of(const SolverOptions& o) {
  RadauOptions r;
  r.tolerances.rtol = o.rtol, r.tolerances.atol = o.atol;
  set_tolerances_by_kind(o, r.tolerances);
  r.stages = o.stages;
  r.h0 = o.h0, r.fixed_h = o.h;
  r.newton_tol = o.newton_tol;
  r.max_iterations = o.max_iterations;
  return r;
}

RungeKuttaOptions runge_kutta_options_of(const SolverOptions& o) {
  RungeKuttaOptions r;
  r.tolerances.rtol = o.rtol, r.tolerances.atol = o.atol;
  set_tolerances_by_kind(o, r.tolerances);
  r.h0 = o.h0, r.fixed_h = o.h;
  return r;
}

}  // namespace

void Simulation::make_integrator() {
  const SolverOptions& o = study_.solver;
  const double span = study_.analysis.end - study_.analysis.start;
  const double hmin = o.hmin > 0.0 ? o.hmin : 1e-14 * span, hmax = std::min(o.hmax, span);
  if (o.integrator == "bdf") {
    const MechanicalSystem& system = moved_system();
    BdfOptions options = bdf_options_of(o, study_.output.interval.value_or(span / 500.0));
    max_corrections_ = options.max_iterations;
    if (full_.contacts != nullptr && options.corrector == Corrector::classical) {
      options.corrector = Corrector::modified;
      notes_.push_back(
          "with contacts the corrector is \"modified\" instead of \"classical\": multipliers follow every impact, and "
          "a "
          "test of theirs would ask for steps that the motion does not need");
    }
    options.hmin = hmin, options.hmax = std::min(options.hmax, hmax);
    std::optional<DifferenceOptions> differences;
    if (o.bdf.jacobian != "exact")
      differences = {o.bdf.jacobian == "sparse_differences", o.bdf.jacobian_sparsity == "estimated"};
    integrator_ = std::make_unique<BdfMotion>(system, make_form(system, o), options, solver_kind(),
                                              first_order_scaling_of(o), o.bdf.fields == "two", differences);
  } else if (o.integrator == "radau") {
    RadauOptions options = radau_options_of(o);
    options.hmin = hmin, options.hmax = hmax;
    integrator_ =
        std::make_unique<RadauMotion>(moved_system(), form_of(o), options, solver_kind(), first_order_scaling_of(o));
  } else if (o.integrator == "runge_kutta") {
    RungeKuttaOptions options = runge_kutta_options_of(o);
    options.hmin = hmin, options.hmax = hmax;
    integrator_ = std::make_unique<RungeKuttaMotion>(moved_system(), options);
  } else {
    scaling_ = make_scaling(o);
    StepOptions steps;
    steps.h = o.h, steps.h0 = o.h0;
    steps.hmin = hmin, steps.hmax = hmax;
    steps.rtol = o.rtol, steps.atol = o.atol;
    steps.newton_tol = o.newton_tol;
    steps.max_iterations = o.max_iterations;
    steps.newton_test = o.newton_test == "all" ? NewtonTest::all : NewtonTest::motion;
    steps.newton_stop = newton_stop_of(o);
    steps.records_corrections = o.record_corrections;
    max_corrections_ = o.max_iterations;
    if (o.integrator == "energy_decaying")
      integrator_ =
          std::make_unique<EnergyDecaying>(std::make_unique<SlotSystem>(reduced_ ? *reduced_->system : *full_.system,
                                                                        calc_frames(full_.drawn, full_.state)),
                                           *index3_, steps, solver_kind());
    else if (o.integrator == "midpoint")
      integrator_ = std::make_unique<Midpoint>(*index3_, steps, solver_kind(), *scaling_);
    else
      integrator_ = std::make_unique<GeneralizedAlpha>(*index3_, coefficients_of(o), steps, solver_kind(), *scaling_);
    const bool undamped = (o.integrator == "newmark" && o.gamma == 0.5) || (o.integrator == "hht" && o.alpha == 0.0);
    if (undamped && index3_->nc() > 0)
      notes_.push_back(
          "the undamped trapezoidal rule is unstable with constraints: a velocity across them changes its sign in "
          "every "
          "step and accelerations and reactions grow without bound; give newmark a gamma > 1/2, hht an alpha < 0, or "
          "take 'midpoint' if nothing may be damped");
  }
  if (full_.contacts != nullptr) {
    centre_charts(x_);
    contact_watch_ = ContactWatch(*full_.contacts);
    if (const Status status = find_first_accelerations(); !status.ok())  // with what touches at the start
      throw InputError(fmt::format("No accelerations exist at the start: {}.", describe(status.cause)));
  }
  static_cast<void>(integrator_->start(x_, state_));
  if (iteration_of(o) == "cm" && o.split.cm_mode == "frozen_jacobian")
    notes_.push_back(
        "cm_mode = \"frozen_jacobian\" is not consistent: its error does not vanish with the tolerance, and it can "
        "gain "
        "energy; it is there to repeat tables of a paper");
}

}  // namespace trammel
