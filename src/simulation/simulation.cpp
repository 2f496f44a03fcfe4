#include "trammel/simulation/simulation.h"

#include <chrono>

#include "trammel/simulation/record_size.h"
#include "trammel/simulation/runner.h"
#include "trammel/simulation/scene.h"
#include "trammel/simulation/settings_text.h"

namespace trammel {

namespace {

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

struct Simulation::Parts {
  Parts(const Study& study, Customize customize)
      : machine(study, std::move(customize)),
        viewer(machine),
        motion(machine, viewer),
        runner(machine, viewer, motion) {}

  const Machine machine;
  Viewer viewer;
  Motion motion;
  Runner runner;
};

Simulation::Simulation(const Study& study, Customize customize)
    : parts_(std::make_unique<Parts>(study, std::move(customize))) {}

Simulation::~Simulation() = default;

Summary Simulation::run(RecordSink& sink, const ProgressCallback& progress) {
  const RecordSchema schema = make_schema();
  const Study& study = parts_->machine.study();
  require_moderate_size(study, schema);
  sink.begin(schema);
  const auto clock = std::chrono::steady_clock::now();
  Runner& runner = parts_->runner;
  Summary summary = study.analysis.kind == AnalysisKind::dynamics  ? runner.integrate(sink, progress)
                    : study.analysis.kind == AnalysisKind::statics ? runner.balance(sink)
                                                                   : runner.follow_motions(sink, progress);
  summary.wall_time = seconds_since(clock);
  sink.end(summary.to_attributes());
  return summary;
}

RecordSchema Simulation::make_schema() const {
  const Study& study = parts_->machine.study();
  RecordSchema schema;
  schema.frames = parts_->runner.recorder_->groups();
  schema.solver = parts_->runner.steps_->groups();
  schema.attributes["title"] = study.model.title;
  schema.attributes["model"] = study.text;
  schema.attributes["settings"] = settings_text(study);
  schema.attributes["scene"] = scene_json(study.model);
  return schema;
}

void Simulation::add_channel(const FrameChannel& channel) { parts_->runner.recorder_->add(channel); }

const Settings& Simulation::settings() const { return parts_->machine.study(); }
const Assembly& Simulation::assembly() const { return parts_->machine.full(); }
const JointSystem* Simulation::joint_system() const { return parts_->machine.joint(); }
const SecondOrderDae& Simulation::dae() const { return parts_->machine.index3(); }
MotionIntegrator& Simulation::integrator() { return parts_->motion.method(); }
State& Simulation::state() { return parts_->motion.state; }
const MotionVariables& Simulation::initial() const { return parts_->motion.x; }
const std::vector<std::string>& Simulation::notes() const { return parts_->machine.notes(); }
const std::vector<KinkWatch::Change>& Simulation::contact_changes() const { return parts_->runner.contact_changes_; }

void Simulation::begin_at(const MotionVariables& x, const State& state) {
  parts_->motion.begin_at(x, state, parts_->viewer);
}

std::vector<Frame<double>> Simulation::calc_frames(const MotionVariables& x, const State& state) {
  return parts_->viewer.calc_frames(x, state);
}

std::vector<int> Simulation::find_coordinates(const std::vector<std::string>& names) const {
  return parts_->machine.find_coordinates(names);
}

EquilibriumReport Simulation::find_equilibrium(const EquilibriumOptions& options, const Equilibrium::Watch& watch) {
  return parts_->runner.find_equilibrium(options, watch);
}

std::string Simulation::explain_equilibrium(const EquilibriumReport& report) const {
  return parts_->runner.explain_equilibrium(report);
}

LinearizedMachine Simulation::linearize(const Eigen::MatrixXd& by_input) { return parts_->runner.linearize(by_input); }

EigenModes Simulation::calc_lowest_modes(int n_modes, double& largest_acceleration) {
  return parts_->runner.calc_lowest_modes(n_modes, largest_acceleration);
}

Eigen::VectorXd Simulation::residual_at(const MotionVariables& x, const State& state) {
  return parts_->runner.residual_at(x, state);
}

}  // namespace trammel
