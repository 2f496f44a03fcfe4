#include "trammel/simulation/simulation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "option_pairs.h"
#include "run_watch.h"
#include "trammel/dae/acceleration_solver.h"
#include "trammel/simulation/machine_length.h"
#include "trammel/simulation/option.h"
#include "trammel/simulation/run_checks.h"
#include "trammel/simulation/singular_passage.h"

// Making a machine ready to run.

namespace trammel {

namespace {

// A correction of the drawn values below this is rounding of the user's numbers and not worth a word.
constexpr double noticeable = 1e-9;
// By which a firm value may move: more contradicts the joints. Both in units of the machine's length.
constexpr double firm_tol = 1e-6;

// Refuses a run in which `travel` leads a body off its track.
void check_track_lengths(const Study& study, const Assembly& assembly) {
  std::vector<Issue> found;
  const double start = *study.analysis.start;
  const double end = study.analysis.kind == AnalysisKind::statics ? start : *study.analysis.end;
  InputBuffer inputs;
  for (std::size_t i = 0; i < assembly.joints.size(); ++i) {
    const Assembly::Joint& joint = assembly.joints[i];
    if (!joint.track) continue;
    const JointSpec& spec = study.model.joints[i];
    constexpr int samples = 1000;
    for (int k = 0; k <= samples; ++k) {
      const double t = start + (end - start) * k / samples;
      assembly.system->calc_inputs(t, inputs);
      const double s = spec.on_track.station + inputs.u[joint.travel];
      if (s >= joint.track->from() && s <= joint.track->to()) continue;
      found.push_back({spec.source.at("travel"),
                       fmt::format("joint '{}' leaves its track '{}' at t = {:.4g} s: it is at {:.4g} m there, and the "
                                   "track reaches from {} m to {} m; lengthen the track, or end the run earlier",
                                   spec.name, spec.on_track.track, t, s, joint.track->from(), joint.track->to())});
      break;
    }
  }
  if (!found.empty()) throw InputError(std::move(found));
}

}  // namespace

Simulation::Simulation(const Study& study, Customize customize) : study_(study), customize_(std::move(customize)) {
  Resolved resolved = resolve(study, study.model);
  if (!resolved.issues.empty()) throw InputError(std::move(resolved.issues));
  if (std::string text = detail::describe_set_aside(resolved); !text.empty()) notes_.push_back(std::move(text));
  static_cast<Settings&>(study_) = std::move(resolved.settings);
  full_ = make_assembly();
  check_track_lengths(study_, full_);
  if (study_.solver.coordinates == CoordinateSet::joint)  // before positions are judged
    if (Topology topology = find_topology(study_.model, full_); !topology.issues.empty())
      throw InputError(std::move(topology.issues));
  make_consistent();
  if (study_.analysis.kind == AnalysisKind::kinematics || study_.analysis.kind == AnalysisKind::inverse_dynamics)
    refuse_free_freedoms();
  note_arms_of_particles();
  if (study_.solver.coordinates == CoordinateSet::joint) enter_joint_coordinates();
  if (study_.analysis.steady)
    static_cast<void>(find_coordinates(*study_.analysis.steady));  // refuses names that nothing has
  make_integrator();
  recorder_ = std::make_unique<Recorder>(study_.model, full_, study_.analysis.kind == AnalysisKind::statics,
                                         study_.analysis.kind != AnalysisKind::kinematics);
  run_watch_ = std::make_unique<RunWatch>(study_.model, full_, recorder_->groups());
  steps_.emplace("/solver/", step_channels(), StepSource{study_.solver, *integrator_, max_corrections_});
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
  x_.t = *study_.analysis.start;
  state_ = full_.state;
  for (Branch& branch : state_.branches) branch.t = x_.t;
  const InitialFailure assembled =
      project_positions(every_row, full_.firm_q, x_, state_, *full_workspace_, initial_report_);
  if (assembled.failed()) throw InputError(assembled.message);

  // Only what moves can leave the position: other analyses stay where they are drawn.
  const bool moves =
      study_.analysis.kind == AnalysisKind::dynamics && study_.solver.redundant != RedundancyPolicy::error;
  LastingRedundancy lasting;
  if (moves)
    lasting = find_lasting_redundancy(every_row, x_, state_, *full_workspace_);
  else
    lasting.rows = find_redundancy(every_row, x_, state_, *full_workspace_);
  check_singular_start(lasting);
  starts_singular_ = lasting.singular;
  if (starts_singular_)
    notes_.push_back(
        fmt::format("drawn in a singular position, where {} rows depend on others that do not beside it: the machine "
                    "begins with the "
                    "motion that its velocity belongs to",
                    lasting.here.dependent.size() - lasting.rows.dependent.size()));
  const RankReport& redundancy = lasting.rows;
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
    left_out_ = dropped_;
  }
  index3_ = std::make_unique<Index3>(reduced_ ? *reduced_->system : *full_.system);
  workspace_ = index3_->make_workspace();
  x_.lam.setZero(index3_->nc());

  const InitialFailure moving = project_velocities(*index3_, full_.firm_v, x_, state_, *workspace_, initial_report_);
  if (moving.failed()) throw InputError(moving.message);
  refuse_position_jumps();
  check_dropped_rows();
  if (const Status status = find_first_accelerations(); !status.ok()) {
    std::string message = fmt::format("No accelerations exist at the start: {}.", describe(status.cause));
    if (status.cause == Cause::singular_matrix && status.row >= 0)
      message += fmt::format("\n    unknown     : {}\n    usual cause : a freedom without inertia",
                             index3_->layout().describe_unknown(status.row));
    else if (status.cause == Cause::not_finite && status.row >= 0)
      message += describe_not_finite(index3_->layout().describe_row(status.row)) +
                 "\n    usual cause : a formula or table that is not defined there";
    throw InputError(message);
  }

  const Layout& layout = index3_->layout();
  const double scale = tolerance_scale(study_.model);
  const auto unit_of = [&](int i) { return i >= 0 && layout.kinds()[i] == Kind::position ? scale : 1.0; };
  std::vector<std::string> corrections;
  if (initial_report_.position_change > noticeable * unit_of(initial_report_.position_unknown))
    corrections.push_back(fmt::format(
        "drawn positions violated {} by {:.3g} and were corrected; largest change {:.3g}: {}",
        every_row.layout().describe_row(every_row.nv() + every_row.nz() + std::max(0, initial_report_.position_row)),
        initial_report_.position_residual, initial_report_.position_change,
        layout.describe_unknown(initial_report_.position_unknown)));
  if (initial_report_.velocity_change > noticeable * unit_of(initial_report_.velocity_unknown))
    corrections.push_back(
        fmt::format("given velocities violated {} by {:.3g} and were corrected; largest change {:.3g}: {}",
                    layout.describe_row(layout.n() - index3_->nc() + std::max(0, initial_report_.velocity_row)),
                    initial_report_.velocity_residual, initial_report_.velocity_change,
                    layout.describe_unknown(initial_report_.velocity_unknown)));
  for (std::size_t i = 0; i < full_.firm_q.size(); ++i) {
    // A firm value that had to move contradicts the joints.
    if (full_.firm_q[i] && std::abs(x_.q[i] - full_.drawn.q[i]) > firm_tol * scale &&
        index3_->layout().kinds()[i] == Kind::position)
      throw InputError(fmt::format("the firm position of {} contradicts the joints: it had to move by {:.3g}",
                                   layout.describe_unknown(static_cast<int>(i)), x_.q[i] - full_.drawn.q[i]));
    if (full_.firm_v[i] &&
        std::abs(x_.v[i] - full_.drawn.v[i]) > firm_tol * (unit_of(static_cast<int>(i)) + std::abs(x_.v[i])))
      throw InputError(fmt::format("the firm velocity of {} contradicts the joints: it had to change by {:.3g}",
                                   layout.describe_unknown(static_cast<int>(i)), x_.v[i] - full_.drawn.v[i]));
  }
  if (*study_.solver.strict && !corrections.empty()) {
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
  if (!dropped_.empty() || starts_singular_) {
    const Index3 all_loops(*joint_);
    const RankReport redundancy = study_.analysis.kind == AnalysisKind::dynamics
                                      ? find_lasting_redundancy(all_loops, x, state, *joint_workspace_).rows
                                      : find_redundancy(all_loops, x, state, *joint_workspace_);
    std::vector<int> rows;
    left_out_.clear();
    for (const DependentRow& row : redundancy.dependent) {
      rows.push_back(row.row);
      left_out_.push_back(joint_->full_row(row.row));
    }
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
  if (starts_singular_) {  // those of the motion beside it
    const ExplicitForm branch(moved_system(), ExplicitForm::Stages::projected);
    const std::unique_ptr<Workspace> workspace = branch.make_workspace();
    Eigen::VectorXd y(branch.layout().n());
    branch.pack(x_, y);
    return branch.unpack(x_.t, y, state_, x_, *workspace);
  }
  if (joint_ && joint_->explicit_refusal().empty() && joint_->nc() == 0) {
    joint_->calc_inputs(x_.t, inputs_);
    return joint_->accelerate(x_.point(inputs_.view()), state_, x_.a, x_.zp, *workspace_);
  }
  AccelerationSolver acceleration(*index3_, solver_kind());
  return acceleration.solve(x_, state_, *workspace_);
}

// A tree fills the matrices of implicit methods: every coordinate meets those between it and the ground.
void Simulation::check_joint_costs() {
  constexpr int noticeable_size = 1000, largest_size = 5000;
  const int nv = joint_->nv();
  const bool needs_matrix =
      study_.solver.integrator != Integrator::runge_kutta || !joint_->explicit_refusal().empty() || joint_->nc() > 0;
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
  if (const Status status = full_.system->velocity_level(p, state_, phi_dot_, bias_, *full_workspace_); !status.ok())
    throw InputError(fmt::format("The constraints cannot be evaluated at the start: {}.", describe(status.cause)));
  const double scale = tolerance_scale(study_.model);
  double speed = 0.0;  // [1/s]
  for (Eigen::Index i = 0; i < x_.v.size(); ++i)
    speed = std::max(speed, std::abs(x_.v[i]) / (index3_->layout().kinds()[i] == Kind::position ? scale : 1.0));
  for (const int row : dropped_)
    if (const bool in_metres = full_.system->describe_row(row).find("[m]") != std::string::npos;
        std::abs(phi_dot_[row]) > 1e-8 * (1.0 + speed) * (in_metres ? scale : 1.0))
      throw InputError(
          fmt::format("{} contradicts the rows that imply it: its rate stays {:.3g}, so it cannot be left "
                      "out\n    usual cause : a motion that drives a joint which other joints hold",
                      full_.system->describe_row(row), phi_dot_[row]));
}

}  // namespace trammel
