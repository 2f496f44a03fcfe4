#include "trammel/simulation/simulation.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>

#include "trammel/dae/acceleration_solver.h"
#include "trammel/integrators/generalized_alpha.h"
#include "trammel/integrators/midpoint.h"
#include "trammel/simulation/bdf_motion.h"
#include "trammel/simulation/coordinate_names.h"
#include "trammel/simulation/radau_motion.h"
#include "trammel/simulation/runge_kutta_motion.h"
#include "trammel/simulation/scene.h"
#include "trammel/simulation/settings_text.h"

namespace trammel {

namespace {

// A correction of the drawn values below this is rounding of the user's numbers and not worth a word.
constexpr double noticeable = 1e-9;

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

LinearSolverKind solver_kind(const SolverOptions& options) { return parse_linear_solver_kind(options.linear_solver); }

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
  static const std::map<std::string, NewtonStop> stops{
      {"tolerance", NewtonStop::tolerance}, {"saturation", NewtonStop::saturation}, {"none", NewtonStop::none}};
  b.newton_stop = stops.at(o.bdf.newton_stop);
  if (o.bdf.newton_start == "previous") b.newton_start = NewtonStart::previous;
  if (!o.bdf.jacobian_pattern.empty()) b.jacobian_pattern = o.bdf.jacobian_pattern;
  if (o.bdf.jacobian_update == "partitioned") b.jacobian_update = JacobianUpdate::partitioned;
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

// ---- making ready --------------------------------------------------------------------------------------------------

Simulation::Simulation(const Study& study, Customize customize) : study_(study), customize_(std::move(customize)) {
  if (std::vector<Issue> found = issues(study); !found.empty()) throw InputError(std::move(found));
  full_ = make_assembly();
  make_consistent();
  if (study_.solver.coordinates == "joint") enter_joint_coordinates();
  static_cast<void>(find_coordinates(study_.analysis.steady));  // refuses names that nothing has
  make_integrator();
  recorder_ = std::make_unique<Recorder>(study_.model, full_);
}

Simulation::~Simulation() = default;

Assembly Simulation::make_assembly() const {
  Assembly assembly = assemble(study_.model);
  if (!customize_) return assembly;
  customize_(assembly);
  AbsoluteSystem& system = *assembly.system;
  system.finish();
  // Modes, angles, states and rows that were added begin at zero.
  State made = system.make_state();
  made.charts = assembly.state.charts;
  assembly.state = std::move(made);
  const auto grow = [](Eigen::VectorXd& x, int n) {
    const Eigen::Index old = x.size();
    x.conservativeResize(n);
    if (n > old) x.tail(n - old).setZero();
  };
  for (Eigen::VectorXd* x : {&assembly.drawn.z, &assembly.drawn.zp}) grow(*x, system.nz());
  grow(assembly.drawn.lam, system.nc());
  return assembly;
}

void Simulation::make_consistent() {
  Index3 every_row(*full_.system);
  full_workspace_ = full_.system->make_workspace();
  x_ = full_.drawn;
  x_.t = study_.analysis.start;
  state_ = full_.state;
  for (Branch& branch : state_.branches) branch.t = x_.t;
  const InitialFailure assembled =
      project_positions(every_row, full_.firm_q, x_, state_, *full_workspace_, initial_report_);
  if (assembled.failed()) throw InputError(assembled.message);

  const RankReport redundancy = find_redundancy(every_row, x_, state_, *full_workspace_);
  rank_ = full_.system->nc() - static_cast<int>(redundancy.dependent.size());
  if (!redundancy.dependent.empty()) {
    const std::vector<std::string> lines = describe_redundancy(redundancy, *full_.system);
    if (study_.solver.redundant == RedundancyPolicy::error) {
      std::vector<Issue> found;
      for (const std::string& line : lines) found.push_back({"redundant constraint", line});
      found.push_back({"solver.redundant",
                       "the machine has redundant constraints (or stands in a singular position): remove them, or say "
                       "redundant = \"drop\" (the named rows are left out) or \"minimum_norm\" (reactions are shared "
                       "with the smallest norm)"});
      throw InputError(std::move(found));
    }
    for (const DependentRow& row : redundancy.dependent) dropped_.push_back(row.row);
    for (const std::string& line : lines) notes_.push_back("left out: " + line);
    reduced_ = std::make_unique<Assembly>(make_assembly());
    reduced_->system->drop_rows(dropped_);
  }
  index3_ = std::make_unique<Index3>(reduced_ ? *reduced_->system : *full_.system);
  workspace_ = index3_->make_workspace();
  x_.lam.setZero(index3_->nc());

  const InitialFailure moving = project_velocities(*index3_, full_.firm_v, x_, state_, *workspace_, initial_report_);
  if (moving.failed()) throw InputError(moving.message);
  check_dropped_rows();
  AccelerationSolver acceleration(*index3_, solver_kind(study_.solver));
  if (const Status status = acceleration.solve(x_, state_, *workspace_); !status.ok()) {
    std::string message = fmt::format("No accelerations exist at the start: {}.", describe(status.cause));
    if (status.cause == Cause::singular_matrix && status.row >= 0)
      message += fmt::format("\n    unknown     : {}\n    usual cause : a freedom without inertia",
                             index3_->layout().describe_unknown(status.row));
    else if (status.cause == Cause::not_finite && status.row >= 0)
      message += fmt::format("\n    row         : {}\n    usual cause : a formula or table that is not defined there",
                             index3_->layout().describe_row(status.row));
    throw InputError(message);
  }

  const Layout& layout = index3_->layout();
  std::vector<std::string> corrections;
  if (initial_report_.position_change > noticeable)
    corrections.push_back(fmt::format(
        "drawn positions violated {} by {:.3g} and were corrected; largest change {:.3g}: {}",
        every_row.layout().describe_row(every_row.nv() + every_row.nz() + std::max(0, initial_report_.position_row)),
        initial_report_.position_residual, initial_report_.position_change,
        layout.describe_unknown(initial_report_.position_unknown)));
  if (initial_report_.velocity_change > noticeable)
    corrections.push_back(
        fmt::format("given velocities violated {} by {:.3g} and were corrected; largest change {:.3g}: {}",
                    layout.describe_row(layout.n() - index3_->nc() + std::max(0, initial_report_.velocity_row)),
                    initial_report_.velocity_residual, initial_report_.velocity_change,
                    layout.describe_unknown(initial_report_.velocity_unknown)));
  for (std::size_t i = 0; i < full_.firm_q.size(); ++i) {
    // A firm value that had to move contradicts the joints.
    if (full_.firm_q[i] && std::abs(x_.q[i] - full_.drawn.q[i]) > 1e-6 &&
        index3_->layout().kinds()[i] == Kind::position)
      throw InputError(fmt::format("the firm position of {} contradicts the joints: it had to move by {:.3g}",
                                   layout.describe_unknown(static_cast<int>(i)), x_.q[i] - full_.drawn.q[i]));
    if (full_.firm_v[i] && std::abs(x_.v[i] - full_.drawn.v[i]) > 1e-6 * (1.0 + std::abs(x_.v[i])))
      throw InputError(fmt::format("the firm velocity of {} contradicts the joints: it had to change by {:.3g}",
                                   layout.describe_unknown(static_cast<int>(i)), x_.v[i] - full_.drawn.v[i]));
  }
  if (study_.solver.strict && !corrections.empty()) {
    std::vector<Issue> found;
    for (const std::string& text : corrections) found.push_back({"initial conditions (strict)", text});
    throw InputError(std::move(found));
  }
  notes_.insert(notes_.end(), corrections.begin(), corrections.end());
}

const MechanicalSystem& Simulation::moved_system() const {
  if (joint_) return *joint_;
  return reduced_ ? *reduced_->system : *full_.system;
}

// The consistent machine, written in the coordinates of its tree.
void Simulation::enter_joint_coordinates() {
  joint_ = make_joint_system(study_.model, full_, customize_);
  check_joint_costs();
  const AbsoluteSystem& absolute = *full_.system;
  absolute.calc_inputs(x_.t, inputs_);
  all_lam_.setZero(absolute.n_rows());
  const KinematicState k = absolute.update_kinematics({x_.t, inputs_.view(), x_.q, x_.v, x_.a, x_.z, x_.zp, all_lam_},
                                                      state_, *full_workspace_);
  MotionVariables x;
  State state = joint_->machine().state;
  state.branches = state_.branches;
  joint_->set_from_frames(k.frames, x_.t, x, state);
  x.z = x_.z, x.zp = x_.zp;
  joint_workspace_ = joint_->make_workspace();
  if (!dropped_.empty()) {
    const Index3 all_loops(*joint_);
    const RankReport redundancy = find_redundancy(all_loops, x, state, *joint_workspace_);
    std::vector<int> rows;
    for (const DependentRow& row : redundancy.dependent) rows.push_back(row.row);
    joint_->drop_rows(rows);
    joint_workspace_ = joint_->make_workspace();
    x.lam.setZero(joint_->nc());
  }
  rank_ = joint_->nc();
  x_ = std::move(x);
  state_ = std::move(state);
  index3_ = std::make_unique<Index3>(*joint_);
  workspace_ = index3_->make_workspace();
  if (const Status status = find_first_accelerations(); !status.ok())
    throw InputError(fmt::format("No accelerations exist at the start: {}.", describe(status.cause)));
}

Status Simulation::find_first_accelerations() {
  if (joint_->explicit_refusal().empty() && joint_->nc() == 0) {
    joint_->calc_inputs(x_.t, inputs_);
    return joint_->accelerate(x_.point(inputs_.view()), state_, x_.a, x_.zp, *workspace_);
  }
  AccelerationSolver acceleration(*index3_, solver_kind(study_.solver));
  return acceleration.solve(x_, state_, *workspace_);
}

// A tree fills the matrices of implicit methods: every coordinate meets those between it and the ground.
void Simulation::check_joint_costs() {
  constexpr int noticeable_size = 1000, largest_size = 5000;
  const int nv = joint_->nv();
  const bool needs_matrix =
      study_.solver.integrator != "runge_kutta" || !joint_->explicit_refusal().empty() || joint_->nc() > 0;
  if (!needs_matrix || nv < noticeable_size) return;
  double entries = 0.0;
  const JointTree& tree = joint_->tree();
  for (int i = 0; i < tree.size(); ++i) {
    int depth = 0;
    tree.along_path(i, [&](int) { ++depth; });
    entries += 2.0 * tree.link(i).nv * depth;
  }
  const std::string text = fmt::format(
      "{} joint coordinates fill {:.2g} entries of each of M, D and K ({:.2g} GB in all), and a factorization takes up "
      "to {:.1g} operations; coordinates = \"absolute\" keeps everything sparse, and integrator = \"runge_kutta\" on "
      "a tree without loops needs no matrix",
      nv, entries, entries * 8.0 * 12.0 / 1e9, 2.0 / 3.0 * std::pow(2.0 * nv, 3.0));
  if (nv > largest_size) throw InputError({Issue{study_.solver.source.at("coordinates"), text}});
  notes_.push_back(text);
}

// A row that others imply is left out; one that contradicts them (a motion of a locked joint) must not be.
void Simulation::check_dropped_rows() {
  if (dropped_.empty()) return;
  const int n_rows = full_.system->n_rows();
  phi_dot_.resize(n_rows), bias_.resize(n_rows);
  all_lam_.setZero(n_rows);
  full_.system->calc_inputs(x_.t, inputs_);
  const MotionPoint p{x_.t, inputs_.view(), x_.q, x_.v, x_.a, x_.z, x_.zp, all_lam_};
  static_cast<void>(full_.system->velocity_level(p, state_, phi_dot_, bias_, *full_workspace_));
  for (const int row : dropped_)
    if (std::abs(phi_dot_[row]) > 1e-8 * (1.0 + x_.v.lpNorm<Eigen::Infinity>()))
      throw InputError(
          fmt::format("{} contradicts the rows that imply it: its rate stays {:.3g}, so it cannot be left "
                      "out\n    usual cause : a motion that drives a joint which other joints hold",
                      full_.system->describe_row(row), phi_dot_[row]));
}

void Simulation::make_integrator() {
  const SolverOptions& o = study_.solver;
  const double span = study_.analysis.end - study_.analysis.start;
  const double hmin = o.hmin > 0.0 ? o.hmin : 1e-14 * span, hmax = std::min(o.hmax, span);
  if (o.integrator == "bdf") {
    const MechanicalSystem& system = moved_system();
    BdfOptions options = bdf_options_of(o, study_.output.interval.value_or(span / 500.0));
    max_corrections_ = options.max_iterations;
    options.hmin = hmin, options.hmax = std::min(options.hmax, hmax);
    integrator_ = std::make_unique<BdfMotion>(system, make_form(system, o), options, solver_kind(o),
                                              first_order_scaling_of(o), o.bdf.fields == "two");
  } else if (o.integrator == "radau") {
    RadauOptions options = radau_options_of(o);
    options.hmin = hmin, options.hmax = hmax;
    integrator_ =
        std::make_unique<RadauMotion>(moved_system(), form_of(o), options, solver_kind(o), first_order_scaling_of(o));
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
    if (o.integrator == "midpoint")
      integrator_ = std::make_unique<Midpoint>(*index3_, steps, solver_kind(o), *scaling_);
    else
      integrator_ = std::make_unique<GeneralizedAlpha>(*index3_, coefficients_of(o), steps, solver_kind(o), *scaling_);
    const bool undamped = (o.integrator == "newmark" && o.gamma == 0.5) || (o.integrator == "hht" && o.alpha == 0.0);
    if (undamped && index3_->nc() > 0)
      notes_.push_back(
          "the undamped trapezoidal rule is unstable with constraints: a velocity across them changes its sign in "
          "every "
          "step and accelerations and reactions grow without bound; give newmark a gamma > 1/2, hht an alpha < 0, or "
          "take 'midpoint' if nothing may be damped");
  }
  static_cast<void>(integrator_->start(x_, state_));
  if (iteration_of(o) == "cm" && o.split.cm_mode == "frozen_jacobian")
    notes_.push_back(
        "cm_mode = \"frozen_jacobian\" is not consistent: its error does not vanish with the tolerance, and it can "
        "gain "
        "energy; it is there to repeat tables of a paper");
}

// ---- running -------------------------------------------------------------------------------------------------------

namespace {

// "reason of the last rejected attempt: 0 none, 1 …"
std::string describe_failure_codes() {
  std::string text = "reason of the last rejected attempt: 0 none";
  for (int code = 1; code < n_causes; ++code) text += fmt::format(", {} {}", code, describe(static_cast<Cause>(code)));
  return text;
}

}  // namespace

RecordSchema Simulation::make_schema() const {
  RecordSchema schema;
  schema.frames = recorder_->groups();
  schema.solver = {RecordGroup::scalar("/solver/h", "s", "step size"),
                   RecordGroup::scalar("/solver/order", "", "order of the formula"),
                   RecordGroup::scalar("/solver/iterations", "", "Newton iterations"),
                   RecordGroup::scalar("/solver/linearizations", "", "new planes"),
                   RecordGroup::scalar("/solver/factorizations", "", "new factors"),
                   RecordGroup::scalar("/solver/rejected_error", "", "attempts rejected by the error test"),
                   RecordGroup::scalar("/solver/rejected_newton", "", "attempts in which Newton did not converge"),
                   RecordGroup::scalar("/solver/error", "", "local error over tolerance"),
                   RecordGroup::scalar("/solver/failure", "", describe_failure_codes())};
  if (study_.solver.record_condition)
    schema.solver.push_back(
        RecordGroup::scalar("/solver/condition", "", "2-norm condition number of the iteration matrix"));
  if (study_.solver.record_condition && study_.solver.integrator == "bdf")
    schema.solver.push_back({"/solver/inverse_bound",
                             {"position", "velocity", "multiplier"},
                             {},
                             "",
                             "largest row sum of the inverse of h times the scaled matrix, by kind of unknown",
                             ""});
  if (study_.solver.record_corrections) {
    std::vector<std::string> iterations;
    for (int i = 1; i <= max_corrections_; ++i) iterations.push_back(fmt::format("iteration_{}", i));
    schema.solver.push_back({"/solver/correction",
                             std::move(iterations),
                             {"position", "velocity", "multiplier", "norm"},
                             "",
                             "Newton's corrections in scaled unknowns: largest by kind, and 2-norm of all; 0: not made",
                             ""});
  }
  if (integrator_->split().n_independent >= 0)
    schema.solver.push_back(RecordGroup::scalar("/solver/split_condition", "",
                                                "norm of (GY)^-1 GX: how much dependent coordinates amplify"));
  schema.attributes["title"] = study_.model.title;
  schema.attributes["model"] = study_.text;
  schema.attributes["settings"] = settings_text(study_);
  schema.attributes["scene"] = scene_json(study_.model);
  return schema;
}

Summary Simulation::run(RecordSink& sink, const ProgressCallback& progress) {
  sink.begin(make_schema());
  const auto clock = std::chrono::steady_clock::now();
  Summary summary = study_.analysis.kind == AnalysisKind::dynamics  ? integrate(sink, progress)
                    : study_.analysis.kind == AnalysisKind::statics ? balance(sink)
                                                                    : follow_motions(sink, progress);
  summary.wall_time = seconds_since(clock);
  sink.end(summary.to_attributes());
  return summary;
}

Summary Simulation::begin_summary() const {
  Summary s;
  s.integrator = study_.solver.integrator;
  s.formulation = formulation_of(study_.solver);
  s.nv = full_.system->nv(), s.nc = full_.system->nc(), s.nz = full_.system->nz();
  if (joint_) s.nv = joint_->nv(), s.nc = joint_->machine().system->n_rows();
  s.degrees_of_freedom = s.nv - rank_;
  s.notes = notes_;
  return s;
}

void Simulation::finish_summary(Summary& s) const {
  s.energy_start = ledger_.start;
  s.energy_drift = largest_drift_;
  s.work = ledger_.work;
  s.position_drift = largest_position_;
  s.velocity_drift = largest_velocity_;
}

// All multipliers; 0 for dropped rows, as they are integrated.
void Simulation::spread_multipliers(const MotionVariables& x) {
  const AbsoluteSystem& active = reduced_ ? *reduced_->system : *full_.system;
  const int n_rows = full_.system->n_rows();
  all_lam_.setZero(n_rows);
  for (int row = 0; row < n_rows; ++row)
    if (const int i = active.active_row(row); i >= 0) all_lam_[row] = x.lam[i];
}

Simulation::Shown Simulation::show(const MotionVariables& x, const State& state) {
  full_.system->calc_inputs(x.t, inputs_);
  if (!joint_) {
    spread_multipliers(x);
    return {{x.t, inputs_.view(), x.q, x.v, x.a, x.z, x.zp, all_lam_}, state};
  }
  joint_->to_absolute(x.point(inputs_.view()), state, full_, shown_, shown_state_, *joint_workspace_);
  all_lam_ = shown_.lam;
  return {{x.t, inputs_.view(), shown_.q, shown_.v, shown_.a, shown_.z, shown_.zp, all_lam_}, shown_state_};
}

std::vector<Frame<double>> Simulation::calc_frames(const MotionVariables& x, const State& state) {
  const Shown shown = show(x, state);
  const KinematicState k = full_.system->update_kinematics(shown.point, shown.state, *full_workspace_);
  return {k.frames.begin(), k.frames.end()};
}

// For reports: the multipliers of redundant rows with the smallest norm. The null space of Gᵀ is spanned by
// n = e_row − Σ c_i e_i, one vector per dependent row; λ ← λ − N (NᵀN)⁻¹ Nᵀ λ changes no force.
void Simulation::share_multipliers(const Shown& shown) {
  if (dropped_.empty() || study_.solver.redundant != RedundancyPolicy::minimum_norm) return;
  const int n_rows = full_.system->n_rows();
  const MotionPoint& p = shown.point;
  const MotionVariables at{p.t, p.q, p.v, p.a, p.z, p.zp, p.lam};
  const RankReport rank = find_redundancy(Index3(*full_.system), at, shown.state, *full_workspace_);
  const int k = static_cast<int>(rank.dependent.size());
  Eigen::MatrixXd N = Eigen::MatrixXd::Zero(n_rows, k);
  for (int j = 0; j < k; ++j) {
    N(rank.dependent[j].row, j) = 1.0;
    for (const DependentRow::Term& term : rank.dependent[j].terms) N(term.row, j) = -term.coefficient;
  }
  if (k > 0) all_lam_ -= N * (N.transpose() * N).ldlt().solve(N.transpose() * all_lam_);
}

void Simulation::update_ledger(const MotionVariables& x, double h) {
  const Shown shown = show(x, state_);
  const MotionPoint& p = shown.point;
  const MechanicalSystem::Energy energy = full_.system->calc_energy(p, shown.state, *full_workspace_);
  ledger_.kinetic = energy.kinetic;
  ledger_.potential = energy.potential;
  if (h == 0.0)
    ledger_.start = energy.kinetic + energy.potential;
  else
    ledger_.work += 0.5 * h * (last_power_ + energy.power);
  last_power_ = energy.power;
  const int n_rows = full_.system->n_rows();
  all_phi_.resize(n_rows), phi_dot_.resize(n_rows), bias_.resize(n_rows);
  full_.system->all_constraints(p, shown.state, {all_phi_.data(), static_cast<std::size_t>(n_rows)}, *full_workspace_);
  static_cast<void>(full_.system->velocity_level(p, shown.state, phi_dot_, bias_, *full_workspace_));
  ledger_.position = ledger_.velocity = 0.0;
  for (int row = 0; row < n_rows; ++row) {
    if (full_.system->holonomic()[row]) ledger_.position = std::max(ledger_.position, std::abs(all_phi_[row]));
    ledger_.velocity = std::max(ledger_.velocity, std::abs(phi_dot_[row]));
  }
  largest_drift_ = std::max(largest_drift_, std::abs(ledger_.drift()));
  largest_position_ = std::max(largest_position_, ledger_.position);
  largest_velocity_ = std::max(largest_velocity_, ledger_.velocity);
}

void Simulation::record(RecordSink& sink, const MotionVariables& x, const State& state) {
  const Shown shown = show(x, state);
  share_multipliers(shown);
  sink.frame(x.t, recorder_->update_frame(shown.point, shown.state, ledger_));
}

void Simulation::watch_events() {
  std::vector<EventKind> kinds;
  for (const EventSpec& event : study_.model.events)
    kinds.push_back({event.rising && event.falling ? Crossing::both
                     : event.rising                ? Crossing::rising
                                                   : Crossing::falling,
                     event.stops ? EventAction::stop : EventAction::record});
  events_.configure(std::move(kinds));
}

// Events as functions of time within the last step.
EventFinder::Values Simulation::event_values() {
  return [this](double t, Vec g) {
    integrator_->interpolate(t, sample_);
    const Shown shown = show(sample_, state_);
    recorder_->calc_events(shown.point, shown.state, g);
  };
}

// A split that amplifies by more than this, or that is another one in more than this part of its choices, is worth a
// warning.
constexpr double large_split = 100.0, restless_split = 0.1;
constexpr long few_choices = 20;

void Simulation::append_split_record(std::vector<double>& values, Summary& summary) const {
  const MotionIntegrator::SplitReport split = integrator_->split();
  if (split.n_independent < 0) return;
  values.push_back(split.condition);
  summary.split_condition = split.condition;
  summary.split_condition_max = std::max(summary.split_condition_max, split.condition);
  summary.split_choices = split.choices, summary.split_changes = split.changes;
}

void Simulation::warn_of_split(Summary& s) const {
  if (s.split_condition_max > large_split)
    s.notes.push_back(
        fmt::format("the split of coordinates amplifies: ‖(GY)⁻¹GX‖ reached {:.3g} (limit {:.0f}). Errors "
                    "of dependent coordinates are larger by as much, and Newton may fail: do not force "
                    "'independent', or a singular position is near",
                    s.split_condition_max, large_split));
  if (s.split_choices > few_choices &&
      static_cast<double>(s.split_changes) > restless_split * static_cast<double>(s.split_choices))
    s.notes.push_back(
        fmt::format("the independent coordinates changed in {} of {} choices (limit {:.0f} %): the error "
                    "test looks at other coordinates each time; set error_set = \"states\", or name "
                    "'independent' ones",
                    s.split_changes, s.split_choices, 100.0 * restless_split));
}

void Simulation::append_matrix_record(const StepReport& report, std::vector<double>& values, Summary& summary) {
  if (study_.solver.record_condition) {
    summary.condition = integrator_->calc_condition();
    summary.condition_max = std::max(summary.condition_max, summary.condition);
    values.push_back(summary.condition);
    if (study_.solver.integrator == "bdf") {
      const FieldSizes bounds = integrator_->calc_inverse_bounds();
      values.insert(values.end(), {bounds.position, bounds.velocity, bounds.multiplier});
    }
  }
  if (!study_.solver.record_corrections) return;
  for (int i = 0; i < max_corrections_; ++i) {
    const FieldSizes sizes = i < std::ssize(report.corrections) ? report.corrections[i] : FieldSizes{};
    values.insert(values.end(), {sizes.position, sizes.velocity, sizes.multiplier, sizes.norm});
  }
}

Summary Simulation::integrate(RecordSink& sink, const ProgressCallback& progress) {
  const double start = study_.analysis.start, end = study_.analysis.end, span = end - start;
  const double interval = study_.output.interval.value_or(span / 500.0);
  Summary summary = begin_summary();
  update_ledger(x_, 0.0);
  record(sink, x_, state_);
  sample_ = x_;
  std::vector<double> step_values;
  long output = 1;
  double t = start;
  const EventFinder::Values at_events = event_values();
  watch_events();
  events_.start(start, [&](double, Vec g) {
    const Shown shown = show(x_, state_);
    recorder_->calc_events(shown.point, shown.state, g);
  });
  bool stopped_by_event = false;
  // Output times do not dictate the step; instants of events are recorded among them.
  const auto record_at = [&](double at) {
    integrator_->interpolate(at, sample_);
    record(sink, sample_, state_);
  };
  const auto record_outputs = [&](double until) {
    for (; start + interval * static_cast<double>(output) <= until + 1e-9 * interval; ++output) {
      const double at = start + interval * static_cast<double>(output);
      if (std::abs(at - t) <= 1e-9 * interval)
        record(sink, integrator_->newest(), state_);
      else
        record_at(at);
    }
  };
  while (t < end && !stopped_by_event) {
    const double limit = study_.solver.h ? end : std::min(end, index3_->next_breakpoint(t));
    const StepReport report = integrator_->advance(limit, state_);
    summary.iterations += report.iterations;
    summary.linearizations += report.linearizations;
    summary.factorizations += report.factorizations;
    summary.rejected_error += report.rejected_error;
    summary.rejected_newton += report.rejected_newton;
    if (report.failure != Cause::none) ++summary.rejections[static_cast<std::size_t>(report.failure)];
    if (!report.remedy.empty()) {
      const auto known = summary.remedies.find(report.remedy);
      if (known != summary.remedies.end())
        ++known->second;
      else
        summary.remedies.emplace(report.remedy, 1);
    }
    if (!report.status.ok()) {
      summary.failure = explain(report);
      summary.stop = fmt::format("failed at t = {:.6g} s: {}", t, describe(report.status.cause));
      break;
    }
    const MotionVariables& newest = integrator_->newest();
    t = newest.t;
    ++summary.steps;
    summary.h_min = summary.steps == 1 ? report.h : std::min(summary.h_min, report.h);
    summary.h_max = std::max(summary.h_max, report.h);
    update_ledger(newest, report.h);
    for (const EventHit& hit : events_.find(t, at_events)) {
      const EventSpec& event = study_.model.events[static_cast<std::size_t>(hit.id)];
      summary.events.push_back(
          fmt::format("'{}' at t = {:.10g} s, {}", event.name, hit.t, hit.rising ? "rising" : "falling"));
      if (!study_.output.every_step) record_outputs(hit.t);
      record_at(hit.t);
      if (!event.stops) continue;
      stopped_by_event = true;
      t = hit.t;
      summary.stop = fmt::format("event '{}' at t = {:.10g} s", event.name, hit.t);
      break;
    }
    if (stopped_by_event) {
      // The rest of the step is not shown.
    } else if (study_.output.every_step) {
      record(sink, newest, state_);
    } else {
      record_outputs(t);
      const bool end_missing =
          t >= end && std::abs(start + interval * static_cast<double>(output - 1) - end) > 1e-9 * interval;
      if (end_missing) record(sink, newest, state_);
    }
    step_values.assign({report.h, static_cast<double>(report.order), static_cast<double>(report.iterations),
                        static_cast<double>(report.linearizations), static_cast<double>(report.factorizations),
                        static_cast<double>(report.rejected_error), static_cast<double>(report.rejected_newton),
                        report.error, static_cast<double>(report.failure)});
    append_matrix_record(report, step_values, summary);
    append_split_record(step_values, summary);
    sink.step(t, step_values);
    if (progress && !progress({t, start, end, report.h, summary.steps})) {
      summary.stop = fmt::format("stopped on request at t = {:.6g} s", t);
      break;
    }
  }
  summary.t = t;
  summary.completed = t >= end || stopped_by_event;
  if (t >= end) summary.stop = fmt::format("reached the end, t = {:.6g} s", t);
  const auto* pair = dynamic_cast<const RungeKuttaMotion*>(integrator_.get());
  summary.linear_solver = pair != nullptr && pair->is_recursive() ? "none" : integrator_->linear_solver().name();
  const MotionIntegrator::ScalingReport scaling = integrator_->scaling();
  summary.scaling_m = scaling.m, summary.scaling_d = scaling.d, summary.scaling_k = scaling.k;
  summary.scaling_s = scaling.s;
  warn_of_split(summary);
  summary.scaling_rho = augmented_weight(study_.solver);
  finish_summary(summary);
  return summary;
}

// ---- kinematics and inverse dynamics -------------------------------------------------------------------------------

// Positions, velocities and accelerations follow from the motions alone; multipliers are the efforts that they need.
Summary Simulation::follow_motions(RecordSink& sink, const ProgressCallback& progress) {
  const double start = study_.analysis.start, end = study_.analysis.end, span = end - start;
  const double interval = study_.output.interval.value_or(span / 500.0);
  const bool inverse = study_.analysis.kind == AnalysisKind::inverse_dynamics;
  Summary summary = begin_summary();
  summary.integrator = inverse ? "inverse dynamics" : "kinematics";
  AccelerationSolver acceleration(*index3_, solver_kind(study_.solver));
  const std::vector<char> nothing_firm;
  std::vector<double> step_values(make_schema().step_width(), 0.0);
  const auto show = [&](const MotionVariables& x) {
    MotionVariables shown = x;
    if (!inverse) shown.lam.setZero();
    record(sink, shown, state_);
  };
  update_ledger(x_, 0.0);
  show(x_);
  double h = interval;
  long output = 1;
  const double h_floor = 1e-9 * interval;
  while (x_.t < end * (1.0 - 1e-15) && start + interval * static_cast<double>(output) <= end + 1e-9 * interval) {
    const double target = std::min(end, start + interval * static_cast<double>(output));
    MotionVariables x = x_;
    State state = state_;
    h = std::min(h, target - x.t);
    const double t_new = h >= target - x.t ? target : x.t + h;
    // Charts are centred: q ← q ∘ exp(h v + h²/2 a).
    x.q += h * x.v + 0.5 * h * h * x.a;
    x.v += h * x.a;
    x.t = t_new;
    InitialReport report;
    InitialFailure failure = project_positions(*index3_, nothing_firm, x, state, *workspace_, report);
    if (!failure.failed()) failure = project_velocities(*index3_, nothing_firm, x, state, *workspace_, report);
    Status status = Status::success();
    if (!failure.failed()) status = acceleration.solve(x, state, *workspace_);
    // Newton must stay on the branch: a large correction of a prediction asks for a smaller step.
    const bool jumped = report.position_change > 0.1;
    if (failure.failed() || !status.ok() || jumped) {
      if (h > h_floor) {
        h *= 0.5;
        ++summary.rejected_newton;
        continue;
      }
      summary.stop = fmt::format("failed at t = {:.6g} s", x_.t);
      summary.failure = failure.failed()
                            ? failure.message
                            : fmt::format("No accelerations at t = {:.6g} s: {}", x.t, describe(status.cause));
      break;
    }
    ++summary.steps;
    summary.iterations += report.iterations;
    summary.h_min = summary.steps == 1 ? h : std::min(summary.h_min, h);
    summary.h_max = std::max(summary.h_max, h);
    const double taken = x.t - x_.t;
    x_ = std::move(x);
    state_ = std::move(state);
    full_.system->calc_inputs(x_.t, inputs_);
    index3_->accepted(x_.point(inputs_.view()), x_.q, state_, *workspace_);
    update_ledger(x_, taken);
    h *= 2.0;
    if (x_.t >= target) {
      show(x_);
      ++output;
      step_values[0] = taken;
      step_values[2] = static_cast<double>(report.iterations);
      sink.step(x_.t, step_values);
    }
    if (progress && !progress({x_.t, start, end, taken, summary.steps})) {
      summary.stop = fmt::format("stopped on request at t = {:.6g} s", x_.t);
      break;
    }
  }
  summary.t = x_.t;
  summary.completed = summary.stop.empty();
  if (summary.completed) summary.stop = fmt::format("reached the end, t = {:.6g} s", x_.t);
  summary.linear_solver = acceleration.linear_solver().name();
  finish_summary(summary);
  return summary;
}

}  // namespace trammel
