// SPDX-License-Identifier: Apache-2.0
#include "trammel/simulation/machine.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "option_pairs.h"
#include "trammel/dae/acceleration_solver.h"
#include "trammel/formulations/explicit_form.h"
#include "trammel/mechanics/absolute/assemble_again.h"
#include "trammel/mechanics/contact_model.h"
#include "trammel/simulation/channel_choice.h"
#include "trammel/simulation/diagnosis.h"
#include "trammel/simulation/machine_checks.h"
#include "trammel/simulation/machine_length.h"
#include "trammel/simulation/method_choice.h"
#include "trammel/simulation/option.h"
#include "trammel/simulation/place_machine.h"
#include "trammel/simulation/recorder.h"
#include "trammel/simulation/redundancy_cures.h"
#include "trammel/simulation/viewer.h"

// Making a machine ready to run.

namespace trammel {

namespace {

// A correction of the drawn values below this is rounding of the user's numbers and not worth a word.
constexpr double noticeable = 1e-9;
// By which a firm value may move: more contradicts the joints. Both in units of the machine's length.
constexpr double firm_tol = 1e-6;

// Of a coordinate, in which `noticeable` and `firm_tol` count.
double unit_of(const Layout& layout, int i, double scale) {
  return i >= 0 && layout.kinds()[i] == Kind::position ? scale : 1.0;
}

// With a fixed step a user has an implicit method in mind that damps what the step does not resolve.
bool chooses_method(const Settings& given) {
  return leaves_method_open(given) && !given.solver.h &&
         given.analysis.kind.value_or(AnalysisKind::dynamics) == AnalysisKind::dynamics;
}

}  // namespace

// Memory that making the machine ready takes.
struct Machine::Scratch {
  InputBuffer inputs;
  std::unique_ptr<Workspace> full, moved;  // of full_, of index3_
};

Machine::Machine(CheckedStudy study, Customize customize)
    : study_(std::move(study).take()), customize_(std::move(customize)) {
  const AnalysisKind asked = study_.analysis.kind.value_or(AnalysisKind::dynamics);
  const bool follows = asked == AnalysisKind::kinematics || asked == AnalysisKind::inverse_dynamics;
  if (follows) {
    Assembly whole = assemble_again(study_.model);
    extend(whole);
    integrate_where_needed(whole, study_, notes_);
  }
  const Settings given = study_;
  Resolved resolved = resolve(given, study_.model);
  if (!resolved.issues.empty()) throw InputError(std::move(resolved.issues));
  if (std::string text = detail::describe_set_aside(resolved); !text.empty()) notes_.push_back(std::move(text));
  static_cast<Settings&>(study_) = std::move(resolved.settings);
  if (study_.analysis.kind == AnalysisKind::statics && study_.analysis.steady->empty()) hold_friction(study_.model);
  full_ = assemble_again(study_.model);
  extend(full_);
  check_track_lengths(study_, full_);
  if (study_.solver.coordinates == CoordinateSet::joint)  // before positions are judged
    if (Topology topology = find_topology(study_.model, full_); !topology.issues.empty())
      throw InputError(std::move(topology.issues));
  Scratch scratch;
  make_consistent(scratch);
  if (chooses_method(given)) choose_method(given, scratch);
  if (follows) refuse_free_freedoms(study_, asked, *index3_, rank_, x_, state_);
  note_arms_of_particles(study_.model, full_, notes_);
  if (study_.solver.coordinates == CoordinateSet::joint) enter_joint_coordinates(scratch);
  if (study_.analysis.steady) find_coordinates(*study_.analysis.steady);  // refuses names that nothing has
  note_settings(study_, index3_->nc(), notes_);
  if (full_.contacts != nullptr) list_contacts(scratch);
  if (!joint_ && study_.analysis.kind == AnalysisKind::dynamics) {  // of what is moved
    full_.system->calc_inputs(x_.t, scratch.inputs);
    AbsoluteSystem& moved = *(reduced_ ? *reduced_ : full_).system;
    moved.find_free_spins(x_.point(scratch.inputs.view()), state_);
    moved.find_floating_parts(x_.point(scratch.inputs.view()), state_);
  }
  const RecordSchema frames{list_frame_groups(study_, full_), {}, {}};
  frame_rule_ = choose_frames(given, count_kept_numbers(frames, study_.output.channels));
  if (study_.output.interval && frame_rule_.interval > 0.0) study_.output.interval = frame_rule_.interval;
}

const MechanicalSystem& Machine::moved() const {
  if (joint_) return *joint_;
  return kept();
}

void Machine::extend(Assembly& assembly) const {
  if (!customize_) return;
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
}

void Machine::make_consistent(Scratch& scratch) {
  const Index3 every_row(*full_.system);
  scratch.full = full_.system->make_workspace();
  x_ = full_.drawn;
  x_.t = *study_.analysis.start;
  state_ = full_.state;
  for (Branch& branch : state_.branches) branch.t = x_.t;
  if (study_.start) {
    place_machine(*study_.start, study_.model, full_, x_, state_);
    for (auto* firm : {&full_.firm_q, &full_.firm_v}) std::fill(firm->begin(), firm->end(), char(0));
  }
  InitialReport report;
  const InitialFailure assembled = project_positions(every_row, full_.firm_q, x_, state_, *scratch.full, report);
  if (assembled.failed()) throw InputError(assembled.message);
  leave_out_dependent_rows(every_row, scratch);
  index3_ = std::make_unique<Index3>(kept());
  scratch.moved = index3_->make_workspace();
  x_.lam.setZero(index3_->nc());

  const InitialFailure moving = project_velocities(*index3_, full_.firm_v, x_, state_, *scratch.moved, report);
  if (moving.failed()) throw InputError(moving.message);
  refuse_position_jumps(study_, full_, x_, state_);
  check_dropped_rows(study_.model, full_, dropped_, x_, state_, *scratch.full);
  if (const Status status = find_first_accelerations(scratch); !status.ok()) {
    std::string message = fmt::format("No accelerations exist at the start: {}.", describe(status.cause));
    if (status.cause == Cause::singular_matrix && status.row >= 0)
      message += fmt::format("\n    unknown     : {}\n    usual cause : a freedom without inertia",
                             index3_->layout().describe_unknown(status.row));
    else if (status.cause == Cause::not_finite && status.row >= 0)
      message += describe_not_finite(study_.model, index3_->layout().describe_row(status.row)) +
                 "\n    usual cause : a formula or table that is not defined there";
    throw InputError(message);
  }
  note_corrections(every_row, report);
}

void Machine::leave_out_dependent_rows(const Index3& every_row, Scratch& scratch) {
  // Only what moves can leave the position: other analyses stay where they are drawn.
  const bool moves =
      study_.analysis.kind == AnalysisKind::dynamics && study_.solver.redundant != RedundancyPolicy::error;
  LastingRedundancy lasting;
  if (moves)
    lasting = find_lasting_redundancy(every_row, x_, state_, *scratch.full);
  else
    lasting.rows = find_redundancy(every_row, x_, state_, *scratch.full);
  check_singular_start(full_, lasting);
  starts_singular_ = lasting.singular;
  if (starts_singular_)
    notes_.push_back(
        fmt::format("drawn in a singular position, where {} rows depend on others that do not beside it: the machine "
                    "begins with the "
                    "motion that its velocity belongs to",
                    lasting.here.dependent.size() - lasting.rows.dependent.size()));
  const RankReport& redundancy = lasting.rows;
  rank_ = full_.system->nc() - static_cast<int>(redundancy.dependent.size());
  if (redundancy.dependent.empty()) return;
  const std::vector<std::string> lines = describe_redundancy(redundancy, *full_.system);
  if (study_.solver.redundant == RedundancyPolicy::error) {
    std::vector<Issue> found;
    for (const std::string& line : lines) found.push_back({"redundant constraint", line});
    found.push_back({"solver.redundant", "the machine has redundant constraints (or stands in a singular position). " +
                                             explain_redundancy(redundancy, *full_.system, study_.model)});
    throw InputError(std::move(found));
  }
  for (const DependentRow& row : redundancy.dependent) dropped_.push_back(row.row);
  for (const std::string& line : lines) notes_.push_back("left out: " + line);
  reduced_ = std::make_unique<Assembly>(assemble_again(study_.model, {}, full_.signals));
  extend(*reduced_);
  reduced_->system->drop_rows(dropped_);
  left_out_ = dropped_;
}

// What the drawn values had to change by; with `strict` they are refused instead.
void Machine::note_corrections(const Index3& every_row, const InitialReport& report) {
  const Layout& layout = index3_->layout();
  const double scale = tolerance_scale(study_.model);
  std::vector<std::string> corrections;
  if (report.position_change > noticeable * unit_of(layout, report.position_unknown, scale))
    corrections.push_back(fmt::format(
        "drawn positions violated {} by {:.3g} and were corrected; largest change {:.3g}: {}",
        every_row.layout().describe_row(every_row.nv() + every_row.nz() + std::max(0, report.position_row)),
        report.position_residual, report.position_change, layout.describe_unknown(report.position_unknown)));
  if (report.velocity_change > noticeable * unit_of(layout, report.velocity_unknown, scale))
    corrections.push_back(fmt::format(
        "given velocities violated {} by {:.3g} and were corrected; largest change {:.3g}: {}",
        layout.describe_row(layout.n() - index3_->nc() + std::max(0, report.velocity_row)), report.velocity_residual,
        report.velocity_change, layout.describe_unknown(report.velocity_unknown)));
  check_firm_values();
  if (*study_.solver.strict && !corrections.empty()) {
    std::vector<Issue> found;
    for (const std::string& text : corrections) found.push_back({"initial conditions (strict)", text});
    throw InputError(std::move(found));
  }
  notes_.insert(notes_.end(), corrections.begin(), corrections.end());
}

// A firm value that had to move contradicts the joints.
void Machine::check_firm_values() const {
  const Layout& layout = index3_->layout();
  const double scale = tolerance_scale(study_.model);
  for (std::size_t i = 0; i < full_.firm_q.size(); ++i) {
    if (full_.firm_q[i] && std::abs(x_.q[i] - full_.drawn.q[i]) > firm_tol * scale &&
        layout.kinds()[i] == Kind::position)
      throw InputError(fmt::format("the firm position of {} contradicts the joints: it had to move by {:.3g}",
                                   layout.describe_unknown(static_cast<int>(i)), x_.q[i] - full_.drawn.q[i]));
    if (full_.firm_v[i] && std::abs(x_.v[i] - full_.drawn.v[i]) >
                               firm_tol * (unit_of(layout, static_cast<int>(i), scale) + std::abs(x_.v[i])))
      throw InputError(fmt::format("the firm velocity of {} contradicts the joints: it had to change by {:.3g}",
                                   layout.describe_unknown(static_cast<int>(i)), x_.v[i] - full_.drawn.v[i]));
  }
}

// Where the consistent machine stands in the coordinates of its tree.
void Machine::find_joint_coordinates(const JointSystem& tree, MotionVariables& x, State& state,
                                     Scratch& scratch) const {
  const AbsoluteSystem& absolute = *full_.system;
  absolute.calc_inputs(x_.t, scratch.inputs);
  const Eigen::VectorXd no_lam = Eigen::VectorXd::Zero(absolute.n_rows());
  const KinematicState k = absolute.update_kinematics(
      {x_.t, scratch.inputs.view(), x_.q, x_.v, x_.a, x_.z, x_.zp, no_lam}, state_, *scratch.full);
  state = tree.machine().state;
  state.branches = state_.branches;
  tree.set_from_frames(k.frames, x_.t, x, state);
  x.z = x_.z, x.zp = x_.zp;
}

namespace {

// Steps that are repeated are those of the method that took them.
void rank_recorded(const RecordedSteps& steps, MethodRanking& ranking) {
  const RecordedSteps::MethodWords words = steps.method();
  if (words.integrator.empty() || words.coordinates.empty()) return;
  ranking.methods = {{parse_word<Integrator>(words.integrator), parse_word<CoordinateSet>(words.coordinates)}};
  ranking.why = "as in the run whose steps are repeated";
}

}  // namespace

// What the study leaves open, by what the machine is.
void Machine::choose_method(const Settings& given, Scratch& scratch) {
  if (find_topology(study_.model, full_).issues.empty()) joint_ = make_joint_system(study_.model, full_, customize_);
  MotionVariables x;
  State state;
  const bool is_tree = joint_ && joint_->nc() == 0;
  if (is_tree) find_joint_coordinates(*joint_, x, state, scratch);
  const MechanicalSystem& moved = is_tree ? static_cast<const MechanicalSystem&>(*joint_) : kept();
  const MachineFacts facts = find_facts({study_, kept(), full_.system->reads_multipliers(), rank_, joint_.get(), moved,
                                         is_tree ? x : x_, is_tree ? state : state_});
  MethodRanking ranking = rank_methods(facts);
  if (study_.steps) rank_recorded(*study_.steps, ranking);
  std::vector<Method> wanted = ranking.methods;
  if (given.solver.integrator) wanted.push_back({*given.solver.integrator, wanted.front().coordinates});
  static_cast<Settings&>(study_) = resolve(given, study_.model, wanted).settings;
  const Method chosen{*study_.solver.integrator, *study_.solver.coordinates};
  choice_ = fmt::format("{}: {}{}", ranking.why, describe_method(chosen),
                        chosen == ranking.methods.front() ? "" : ", the first in line that the settings allow");
  if (chosen.coordinates != CoordinateSet::joint) joint_.reset();
  const bool takes_turns = chosen.integrator == Integrator::runge_kutta || chosen.integrator == Integrator::radau;
  if (!takes_turns || !facts.rate || facts.freedoms == 0) return;
  // The explicit pair and Radau can take turns, if nothing given keeps to one of them.
  const Method other{chosen.integrator == Integrator::runge_kutta ? Integrator::radau : Integrator::runge_kutta,
                     chosen.coordinates};
  Resolved turned = resolve(given, study_.model, {&other, 1});
  if (turned.settings.solver.integrator != other.integrator || turned.settings.solver.coordinates != other.coordinates)
    return;
  other_method_ = std::move(turned.settings.solver);
  stability_rate_ = facts.stability_rate();
}

// The consistent machine, written in the coordinates of its tree.
void Machine::enter_joint_coordinates(Scratch& scratch) {
  if (!joint_) joint_ = make_joint_system(study_.model, full_, customize_);
  check_joint_costs(study_, *joint_, notes_);
  if (joint_->nc() > 0) note_joints_out_of_tree(study_.model, full_, notes_);
  MotionVariables x;
  State state;
  find_joint_coordinates(*joint_, x, state, scratch);
  scratch.moved = joint_->make_workspace();
  if (!dropped_.empty() || starts_singular_) {
    const Index3 all_loops(*joint_);
    const RankReport redundancy = study_.analysis.kind == AnalysisKind::dynamics
                                      ? find_lasting_redundancy(all_loops, x, state, *scratch.moved).rows
                                      : find_redundancy(all_loops, x, state, *scratch.moved);
    std::vector<int> rows;
    left_out_.clear();
    for (const DependentRow& row : redundancy.dependent) {
      rows.push_back(row.row);
      left_out_.push_back(joint_->full_row(row.row));
    }
    joint_->drop_rows(rows);
    x.lam.setZero(joint_->nc());
  }
  rank_ = joint_->nc();
  x_ = std::move(x);
  state_ = std::move(state);
  index3_ = std::make_unique<Index3>(*joint_);
  scratch.moved = index3_->make_workspace();
  if (const Status status = find_first_accelerations(scratch); !status.ok())
    throw InputError(fmt::format("No accelerations exist at the start: {}.", describe(status.cause)));
}

Status Machine::find_first_accelerations(Scratch& scratch) {
  if (starts_singular_) {  // those of the motion beside it
    const ExplicitForm branch(moved(), ExplicitForm::Stages::projected);
    const std::unique_ptr<Workspace> workspace = branch.make_workspace();
    Eigen::VectorXd y(branch.layout().n());
    branch.pack(x_, y);
    return branch.unpack(x_.t, y, state_, x_, *workspace);
  }
  if (joint_ && joint_->explicit_refusal().empty() && joint_->nc() == 0) {
    joint_->calc_inputs(x_.t, scratch.inputs);
    return joint_->accelerate(x_.point(scratch.inputs.view()), state_, x_.a, x_.zp, *scratch.moved);
  }
  AccelerationSolver acceleration(*index3_, solver_choice());
  return acceleration.solve(x_, state_, *scratch.moved);
}

// Contacts begin with what is near, and with the accelerations of what touches.
void Machine::list_contacts(Scratch& scratch) {
  Viewer(*this).centre_charts(x_, state_);
  if (const Status status = find_first_accelerations(scratch); !status.ok())
    throw InputError(fmt::format("No accelerations exist at the start: {}.", describe(status.cause)));
}

std::vector<int> Machine::find_coordinates(const std::vector<std::string>& names) const {
  std::vector<int> found;
  std::vector<Issue> issues;
  for (const std::string& name : names) {
    const std::size_t before = found.size(), dot = name.rfind('.');
    const std::string sought = dot == std::string::npos
                                   ? "'" + name + "'"
                                   : fmt::format("'{}', {} ", name.substr(0, dot), name.substr(dot + 1));
    for (int i = 0; i < index3_->nv(); ++i)
      if (index3_->layout().describe_unknown(i).find(sought) != std::string::npos) found.push_back(i);
    if (found.size() > before) continue;
    std::string known;
    for (int i = 0; i < std::min(index3_->nv(), 8); ++i)
      known += (i ? "; " : "") + index3_->layout().describe_unknown(i);
    issues.push_back({"analysis.steady", fmt::format("nothing that moves is named '{}'. Coordinates: {}{}", name, known,
                                                     index3_->nv() > 8 ? "; …" : "")});
  }
  if (!issues.empty()) throw InputError(std::move(issues));
  return found;
}

}  // namespace trammel
