// SPDX-License-Identifier: Apache-2.0
#include "trammel/simulation/simulation.h"

#include <chrono>

#include "trammel/base/crew.h"
#include "trammel/simulation/channel_choice.h"
#include "trammel/simulation/dynamics.h"
#include "trammel/simulation/follow_motions.h"
#include "trammel/simulation/option.h"
#include "trammel/simulation/phased_run.h"
#include "trammel/simulation/record_size.h"
#include "trammel/simulation/scene.h"
#include "trammel/simulation/settings_text.h"
#include "trammel/simulation/small_motions.h"
#include "trammel/simulation/statics.h"
#include "trammel/simulation/stretches.h"

namespace trammel {

namespace {

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

struct Simulation::Parts {
  explicit Parts(CheckedStudy study, const Customize& customize);
  /// `memory`: of a run that goes on; empty: none.
  Summary analyse(RecordSink& sink, const ProgressCallback& progress, std::span<const std::byte> memory);
  Summary run(RecordSink& sink, const ProgressCallback& progress, std::span<const std::byte> memory);
  ChannelChoice choose_channels() const;
  void require_repeatable(const RecordedSteps& steps, const Settings& asked) const;

  std::optional<CheckedStudy> given;  // of a run with phases, until they are made ready
  Rig rig;                            // of the first phase, if there are any
  std::optional<PhasedRun> phased;
  std::vector<KinkWatch::Change> contact_changes;
  struct Place {
    MotionVariables x;
    State state;
  };
  std::optional<Place> placed;  // where somebody else than the model begins the motion
};

Simulation::Parts::Parts(CheckedStudy study, const Customize& customize)
    : given(has_phases(study.settings()) ? std::optional(study) : std::nullopt),
      rig(study_of_first_phase(std::move(study)), customize, given ? 1 : 0) {
  if (given) phased.emplace(*given, customize, rig);
  given.reset();
}

Summary Simulation::Parts::analyse(RecordSink& sink, const ProgressCallback& progress,
                                   std::span<const std::byte> memory) {
  rig.viewer.hold_motions(false);
  switch (*rig.machine.study().analysis.kind) {
    case AnalysisKind::dynamics: {
      contact_changes.clear();
      if (memory.empty() && rig.machine.study().analysis.start_from == StartFrom::equilibrium)
        if (std::string trouble = Statics(rig).begin_motion(); !trouble.empty()) {
          Summary summary = rig.begin_summary();
          summary.stop = "no equilibrium to start from";
          summary.failure = std::move(trouble);
          summary.t = rig.motion.x.t;
          return summary;
        }
      if (phased) return phased->run(sink, progress, contact_changes, memory);
      const auto begin = [this] {
        if (placed) rig.motion.begin_at(placed->x, placed->state, rig.viewer);
      };
      return run_by_stretches(rig, sink, progress, contact_changes, {}, memory, begin).summary;
    }
    case AnalysisKind::statics:
      return Statics(rig).run(sink);
    case AnalysisKind::kinematics:
    case AnalysisKind::inverse_dynamics:
      break;
  }
  return follow_motions(rig, sink, progress);
}

// Throws InputError with everything for which the steps of another run cannot be those of this one.
void Simulation::Parts::require_repeatable(const RecordedSteps& steps, const Settings& asked) const {
  const auto is_given = [&](const std::string& key) {
    for (const OptionTable& table : option_tables())
      for (const Option& option : table.options)
        if (table.name + "." + option.key.name == key)
          return !std::holds_alternative<std::monostate>(option.get(asked));
    return true;
  };
  if (std::vector<Issue> issues = steps.differences(choose_channels().schema, is_given); !issues.empty())
    throw InputError(std::move(issues));
}

Simulation::Simulation(CheckedStudy study, Customize customize) {
  const std::shared_ptr<const RecordedSteps> steps = study.study().steps;
  const Settings asked = study.settings();
  parts_ = std::make_unique<Parts>(std::move(study), customize);
  if (steps) parts_->require_repeatable(*steps, asked);
}

Simulation::~Simulation() = default;

Summary Simulation::run(RecordSink& sink, const ProgressCallback& progress) { return parts_->run(sink, progress, {}); }

Summary Simulation::resume(RecordSink& sink, std::span<const std::byte> memory, const ProgressCallback& progress) {
  if (memory.empty()) throw Error("there is no memory of a run that could go on");
  if (settings().analysis.kind != AnalysisKind::dynamics) throw Error("of analyses, dynamics alone can be resumed");
  return parts_->run(sink, progress, memory);
}

Summary Simulation::Parts::run(RecordSink& sink, const ProgressCallback& progress, std::span<const std::byte> memory) {
  const ChannelChoice choice = choose_channels();
  Settings sized = phased ? phased->settings() : static_cast<const Settings&>(rig.machine.study());
  if (phased) sized.solver.h.reset();  // that of the first phase says nothing of the others
  require_moderate_size(sized, choice.schema);
  sink.begin(choice.schema);
  const auto clock = std::chrono::steady_clock::now();
  ChosenChannelsSink chosen(sink, choice);
  Summary summary = analyse(choice.note.empty() ? sink : chosen, progress, memory);
  summary.wall_time = seconds_since(clock);
  if (const Crew* crew = Crew::mine(); crew != nullptr && crew->started()) summary.threads = crew->size();
  if (!choice.note.empty()) summary.notes.push_back(choice.note);
  sink.end(summary.to_attributes());
  return summary;
}

// What of all that can be recorded is kept.
ChannelChoice Simulation::Parts::choose_channels() const {
  const Study& study = rig.machine.study();
  RecordSchema schema;
  schema.frames = rig.recorder.groups();
  schema.solver = phased ? phased->step_groups() : rig.steps.groups();
  schema.attributes["title"] = study.model.title;
  schema.attributes["model"] = study.text;
  schema.attributes["settings"] = settings_text(phased ? phased->settings() : study);
  schema.attributes["scene"] = scene_json(study.model);
  if (study.steps) schema.attributes["steps_of"] = study.steps->source();
  if (study.start) schema.attributes["start"] = study.start->to_text();
  schema.files = study.files;
  schema.checkpoints = study.analysis.kind == AnalysisKind::dynamics && study.output.checkpoint_steps.value_or(0) > 0;
  if (!study.output.channels) return {std::move(schema), {}, {}, {}};
  const std::string& place = study.output.source.at("channels");
  return trammel::choose_channels(schema, *study.output.channels, place.empty() ? "output.channels" : place);
}

RecordSchema Simulation::make_schema() const { return parts_->choose_channels().schema; }

void Simulation::add_channel(const FrameChannel& channel) {
  parts_->rig.recorder.add(channel);
  if (!parts_->phased) return;
  for (const std::unique_ptr<Rig>& rig : parts_->phased->later_rigs()) rig->recorder.add(channel);
}

const Settings& Simulation::settings() const {
  return parts_->phased ? parts_->phased->settings() : parts_->rig.machine.study();
}
const Assembly& Simulation::assembly() const { return parts_->rig.machine.full(); }
const JointSystem* Simulation::joint_system() const { return parts_->rig.machine.joint(); }
const SecondOrderDae& Simulation::dae() const { return parts_->rig.machine.index3(); }
MotionIntegrator& Simulation::integrator() { return parts_->rig.motion.method(); }
State& Simulation::state() { return parts_->rig.motion.state; }
const MotionVariables& Simulation::initial() const { return parts_->rig.motion.x; }
const std::vector<std::string>& Simulation::notes() const { return parts_->rig.machine.notes(); }
const std::string& Simulation::choice() const { return parts_->rig.machine.choice(); }
const std::vector<KinkWatch::Change>& Simulation::contact_changes() const { return parts_->contact_changes; }

void Simulation::begin_at(const MotionVariables& x, const State& state) {
  parts_->rig.motion.begin_at(x, state, parts_->rig.viewer);
  parts_->placed = {x, state};
}

std::vector<Frame<double>> Simulation::calc_frames(const MotionVariables& x, const State& state) {
  return parts_->rig.viewer.calc_frames(x, state);
}

std::vector<int> Simulation::find_coordinates(const std::vector<std::string>& names) const {
  return parts_->rig.machine.find_coordinates(names);
}

EquilibriumReport Simulation::find_equilibrium(const EquilibriumOptions& options, const Equilibrium::Watch& watch) {
  return Statics(parts_->rig).find_equilibrium(options, watch);
}

std::string Simulation::explain_equilibrium(const EquilibriumReport& report) const {
  return Statics(parts_->rig).explain(report);
}

LinearizedMachine Simulation::linearize(const Eigen::MatrixXd& by_input) {
  return trammel::linearize(parts_->rig, by_input);
}

EigenModes Simulation::calc_lowest_modes(int n_modes, double& largest_acceleration) {
  return trammel::calc_lowest_modes(parts_->rig, n_modes, largest_acceleration);
}

// In statics the machine stands.
Eigen::VectorXd Simulation::residual_at(const MotionVariables& x, const State& state) {
  const AnalysisOptions& analysis = parts_->rig.machine.study().analysis;
  if (analysis.kind == AnalysisKind::statics && analysis.steady->empty()) parts_->rig.viewer.hold_motions(true);
  return trammel::residual_at(x, state, parts_->rig.machine, parts_->rig.viewer);
}

}  // namespace trammel
