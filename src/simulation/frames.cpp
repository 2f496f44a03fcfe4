// SPDX-License-Identifier: Apache-2.0
#include "trammel/simulation/frames.h"

#include <algorithm>
#include <cmath>

#include "trammel/simulation/methods/formulation_descriptor.h"

namespace trammel {

namespace {

// An interpolated frame may violate the constraints by this many times as much as the ends of its step, or by this part
// of the tolerance: beyond it is projected.
constexpr double violation_growth = 2.0, unnoticed_part = 1e-2;
// Φ = 0 alone: velocities hold Φ̇ = 0 to the error of a step only.
bool has_positions_alone(const SolverOptions& o) { return o.formulation && (*o.formulation)->form.positions_alone(); }

// A frame's own accelerations may differ from the method's by a part of their change in the step. Measured: where
// forces are resolved 0.02 with bdf and radau, 0.2 with one-step methods of order 2 and on Φ = 0 alone; in beams, where
// an error of 1e-7 m is another force, 5 to 300.
double acceleration_share(const SolverOptions& o) {
  const double share = method_of(o).traits.acceleration_share;
  return has_positions_alone(o) ? std::max(share, IntegratorTraits{}.acceleration_share) : share;
}

}  // namespace

void FrameWriter::write(double place, const Shown& shown, const Ledger& ledger) {
  viewer_.share_multipliers(shown);
  const std::span<const double> values = recorder_.update_frame(shown.point, shown.state, ledger);
  run_watch_.note_frame(place, values);
  sink_.frame(place, values);
}

MotionFrames::MotionFrames(const Machine& machine, Viewer& viewer, const Motion& motion, AccelerationSolver& solver,
                           const RunLedger& ledger, Violations& violations, RunAlarms& alarms, FrameWriter& writer)
    : machine_(machine),
      study_(machine.study()),
      viewer_(viewer),
      motion_(motion),
      state_(motion.state),
      solver_(solver),
      ledger_(ledger),
      violations_(violations),
      alarms_(alarms),
      writer_(writer) {}

void MotionFrames::start(const MotionVariables& x) {
  sample_ = frame_ = settled_ = x;
  settle(frame_, true);
}

void MotionFrames::settle(MotionVariables& x, bool at_step_end) {
  if (study_.solver.h) return alarms_.checks().note_own_reactions(x.t);
  const double t = viewer_.time_of_inputs(x.t);  // inputs as the step to a kink saw them
  const double share = acceleration_share(study_.solver);
  const double known = share * ledger_.acceleration_change() +
                       method_of(study_.solver).traits.noticed_acceleration * RunLedger::size_of(x.a);
  settled_ = x;
  const JointSystem* joint = machine_.joint();
  if (joint && joint->nc() == 0 && joint->explicit_refusal().empty()) {
    joint->calc_inputs(t, inputs_);
    const Status status =
        joint->accelerate(settled_.point(inputs_.view()), state_, settled_.a, settled_.zp, viewer_.workspace());
    if (status.ok() && RunLedger::size_of(settled_.a - x.a) <= known)
      std::swap(x, settled_);
    else
      alarms_.checks().note_own_reactions(x.t);
    return;
  }
  const double unnoticed = unnoticed_part * study_.solver.atol.value_or(0.0);
  AccelerationSolver::SettleLimits limits;
  limits.acceleration = known;
  if (!at_step_end) {
    limits.position = std::max(violation_growth * ledger_.position_violation(), unnoticed);
    limits.velocity = std::max(violation_growth * ledger_.velocity_violation(), unnoticed);
  }
  if (has_positions_alone(study_.solver)) limits.velocity = unnoticed;
  const Status status = solver_.settle(settled_, t, limits, state_, viewer_.workspace());
  if (status.ok())
    std::swap(x, settled_);
  else
    alarms_.checks().note_own_reactions(x.t);
}

void MotionFrames::record(const MotionVariables& x, bool at_step_end) {
  frame_ = x;
  settle(frame_, at_step_end);
  const Shown shown = viewer_.show(frame_, state_);
  Ledger of_frame = ledger_.now();
  if (!at_step_end) of_frame.work = ledger_.calc_work(x.t);
  violations_.update(shown, of_frame);
  alarms_.note_frame(frame_, of_frame, violations_.phi());
  writer_.write(shown.point.t, shown, of_frame);
}

void MotionFrames::record_at(double t) {
  motion_.interpolate(t, sample_);
  record(sample_, false);
}

}  // namespace trammel
