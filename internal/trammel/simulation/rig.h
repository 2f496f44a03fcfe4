// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "trammel/simulation/motion.h"
#include "trammel/simulation/recorder.h"
#include "trammel/simulation/run_ledger.h"
#include "trammel/simulation/run_watch.h"
#include "trammel/simulation/step_record.h"

namespace trammel {

class Memory;

/// A machine ready for its analysis: what moves it, looks at it and records it.
struct Rig {
  /// `phase`: its number, from 1, where the run has several; 0: it has not.
  Rig(CheckedStudy study, Customize customize, int phase = 0);
  Rig(const Rig&) = delete;
  Rig& operator=(const Rig&) = delete;

  const Machine machine;
  Viewer viewer;
  Motion motion;
  Recorder recorder;
  RunWatch run_watch;
  StepRecord steps;

  /// What every analysis says first, and last.
  Summary begin_summary() const;
  void finish_summary(Summary& summary, const RunLedger& ledger, const Violations& violations) const;
  /// After every step, where the ledger was updated.
  void note_step(const MotionVariables& x);
  /// Whatever moves the machine or looks at it is as it was made. Who watches and records takes up a memory next.
  void renew();
  void remember(Memory& memory);
};

}  // namespace trammel
