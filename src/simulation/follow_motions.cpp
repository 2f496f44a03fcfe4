// SPDX-License-Identifier: Apache-2.0
#include "trammel/simulation/follow_motions.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "trammel/dae/acceleration_solver.h"
#include "trammel/simulation/frames.h"
#include "trammel/simulation/machine_length.h"

// Kinematics and inverse dynamics.

namespace trammel {

namespace {

// [rad, and of lengths as tolerances have them] Newton must stay on the branch: a larger correction of a prediction
// asks for a smaller step.
constexpr double largest_correction = 0.1;
// Of the distance between frames: the same one.
constexpr double same_instant = 1e-9;
// Steps are not made shorter than this part of the distance between frames.
constexpr double shortest_step = 1e-9;

class FollowMotions {
 public:
  FollowMotions(Rig& rig, RecordSink& sink, const ProgressCallback& progress);
  Summary run();

 private:
  bool step_to(double t, double h);
  double unit_of_change() const;
  Status solve_accelerations(MotionVariables& x, const State& state);
  void record();
  void note_step(double h, double taken);
  void sum_up();

  Rig& rig_;
  const Study& study_;
  const Index3& index3_;
  Viewer& viewer_;
  MotionVariables& x_;
  State& state_;
  RecordSink& sink_;
  const ProgressCallback& progress_;
  bool inverse_;
  AccelerationSolver acceleration_;
  Violations violations_;
  RunLedger ledger_;
  FrameWriter writer_;
  InputBuffer inputs_;
  InitialReport report_;  // of the last step
  std::string failure_;   // of it
  Summary summary_;
};

FollowMotions::FollowMotions(Rig& rig, RecordSink& sink, const ProgressCallback& progress)
    : rig_(rig),
      study_(rig.machine.study()),
      index3_(rig.machine.index3()),
      viewer_(rig.viewer),
      x_(rig.motion.x),
      state_(rig.motion.state),
      sink_(sink),
      progress_(progress),
      inverse_(study_.analysis.kind == AnalysisKind::inverse_dynamics),
      acceleration_(index3_, rig.machine.solver_choice()),
      violations_(rig.machine, viewer_),
      ledger_(rig.machine, viewer_, rig.motion, violations_, acceleration_),
      writer_(viewer_, rig.recorder, rig.run_watch, sink),
      summary_(rig.begin_summary()) {
  summary_.integrator = inverse_ ? "inverse dynamics" : "kinematics";
}

Summary FollowMotions::run() {
  const double start = *study_.analysis.start, end = *study_.analysis.end;
  const double interval = output_interval(study_), longest = std::min(interval, end - start);
  const double h_floor = shortest_step * longest;
  ledger_.update(x_, 0.0);
  rig_.note_step(x_);
  record();
  double h = longest;
  long output = 1;
  while (x_.t < end) {  // which has its frame as well
    const double due = start + interval * static_cast<double>(output), from = x_.t;
    const double target = due < end - same_instant * longest ? due : end;
    h = std::min(h, target - from);
    if (!step_to(h >= target - from ? target : from + h, h)) {
      if (h > h_floor) {
        h *= 0.5;
        ++summary_.rejected_newton;
        continue;
      }
      summary_.stop = fmt::format("failed at t = {:.6g} s", x_.t);
      summary_.failure = failure_;
      break;
    }
    const double taken = x_.t - from;
    note_step(h, taken);
    h *= 2.0;
    if (x_.t >= target) {
      record();
      ++output;
      StepReport step;
      step.h = taken;
      step.iterations = report_.iterations;
      rig_.steps.record(x_.t, step, sink_);
    }
    if (progress_ && !progress_({x_.t, start, end, taken, summary_.steps})) {
      summary_.stop = fmt::format("stopped on request at t = {:.6g} s", x_.t);
      break;
    }
  }
  sum_up();
  return std::move(summary_);
}

// False: it does not lead there, or not surely on the same branch; the machine stays where it is.
bool FollowMotions::step_to(double t, double h) {
  const std::vector<char> nothing_firm;
  MotionVariables x = x_;
  State state = state_;
  // Charts are centred, where T = 1: q ← q ∘ exp(h v + h²/2 a).
  x.q += h * x.v + 0.5 * h * h * x.a;
  x.v += h * x.a;
  x.t = t;
  report_ = {};
  InitialFailure failure = project_positions(index3_, nothing_firm, x, state, viewer_.workspace(), report_);
  if (!failure.failed()) failure = project_velocities(index3_, nothing_firm, x, state, viewer_.workspace(), report_);
  Status status = Status::success();
  if (!failure.failed()) status = solve_accelerations(x, state);
  if (failure.failed() || !status.ok() || report_.position_change > largest_correction * unit_of_change()) {
    failure_ = failure.failed() ? failure.message
                                : fmt::format("No accelerations at t = {:.6g} s: {}", x.t, describe(status.cause));
    return false;
  }
  x_ = std::move(x);
  state_ = std::move(state);
  return true;
}

// Of the coordinate that the correction changed most.
double FollowMotions::unit_of_change() const {
  const int at = report_.position_unknown;
  return at >= 0 && index3_.layout().kinds()[at] == Kind::position ? tolerance_scale(study_.model) : 1.0;
}

// A tree whose joints are all driven has no unknown left: the recursion has everything.
Status FollowMotions::solve_accelerations(MotionVariables& x, const State& state) {
  const JointSystem* joint = rig_.machine.joint();
  if (joint == nullptr || joint->nc() > 0 || !joint->explicit_refusal().empty())
    return acceleration_.solve(x, state, viewer_.workspace());
  joint->calc_inputs(x.t, inputs_);
  return joint->accelerate(x.point(inputs_.view()), state, x.a, x.zp, viewer_.workspace());
}

void FollowMotions::note_step(double h, double taken) {
  ++summary_.steps;
  summary_.iterations += report_.iterations;
  summary_.h_min = summary_.steps == 1 ? h : std::min(summary_.h_min, h);
  summary_.h_max = std::max(summary_.h_max, h);
  rig_.machine.full().system->calc_inputs(x_.t, inputs_);
  index3_.accepted(x_.point(inputs_.view()), x_.q, state_, viewer_.workspace());
  ledger_.update(x_, taken);
  rig_.note_step(x_);
}

void FollowMotions::record() {
  const Shown shown = viewer_.show(x_, state_);
  if (!inverse_) viewer_.hide_multipliers();
  writer_.write(x_.t, shown, ledger_.now());
}

void FollowMotions::sum_up() {
  summary_.t = x_.t;
  summary_.completed = summary_.stop.empty();
  if (summary_.completed) summary_.stop = fmt::format("reached the end, t = {:.6g} s", x_.t);
  summary_.describe_solver(acceleration_.linear_solver());
  rig_.finish_summary(summary_, ledger_, violations_);
}

}  // namespace

Summary follow_motions(Rig& rig, RecordSink& sink, const ProgressCallback& progress) {
  return FollowMotions(rig, sink, progress).run();
}

}  // namespace trammel
