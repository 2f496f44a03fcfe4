// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "trammel/dae/acceleration_solver.h"
#include "trammel/simulation/recorder.h"
#include "trammel/simulation/run_alarms.h"
#include "trammel/simulation/run_ledger.h"
#include "trammel/simulation/run_watch.h"

namespace trammel {

/// Writes points as frames, as they are.
class FrameWriter {
 public:
  FrameWriter(Viewer& viewer, Recorder& recorder, RunWatch& run_watch, RecordSink& sink)
      : viewer_(viewer), recorder_(recorder), run_watch_(run_watch), sink_(sink) {}

  /// `place`: the time, or the part of a load.
  void write(double place, const Shown& shown, const Ledger& ledger);

 private:
  Viewer& viewer_;
  Recorder& recorder_;
  RunWatch& run_watch_;
  RecordSink& sink_;
};

/// What a recorded instant of a motion shows: its own accelerations, reactions, energies and violations.
///
/// Multipliers and accelerations are in no error test, and between the ends of a step they are interpolated with less
/// than the order of positions and velocities: those of a frame follow from its own positions, velocities and states by
///
///   M v̇ + Gᵀλ = f,   G v̇ + bias = 0,
///
/// and are as right as these, unless forces are too stiff for them: then the method's own are moved onto the second
/// row. Velocities of forms that impose Φ alone are moved onto Φ̇ = 0. With a fixed step everything stays the method's,
/// whose study that is.
class MotionFrames {
 public:
  /// `solver` is that of frames alone: the pivots of others must not depend on when is recorded.
  MotionFrames(const Machine& machine, Viewer& viewer, const Motion& motion, AccelerationSolver& solver,
               const RunLedger& ledger, Violations& violations, RunAlarms& alarms, FrameWriter& writer);

  /// Makes room, so that frames allocate nothing.
  void start(const MotionVariables& x);
  void record(const MotionVariables& x, bool at_step_end);
  /// The same within the last step.
  void record_at(double t);

 private:
  void settle(MotionVariables& x, bool at_step_end);

  const Machine& machine_;
  const Study& study_;
  Viewer& viewer_;
  const Motion& motion_;
  const State& state_;
  AccelerationSolver& solver_;
  const RunLedger& ledger_;
  Violations& violations_;
  RunAlarms& alarms_;
  FrameWriter& writer_;
  InputBuffer inputs_;
  MotionVariables sample_, frame_, settled_;
};

}  // namespace trammel
