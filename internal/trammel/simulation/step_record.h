// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "trammel/simulation/motion.h"
#include "trammel/simulation/step_channels.h"

namespace trammel {

class Memory;

/// What is recorded of each step.
class StepRecord {
 public:
  /// `phase`: its number where the run has several.
  StepRecord(const Machine& machine, const Motion& motion, int phase = 0);

  int phase() const { return phase_; }

  const std::vector<RecordGroup>& groups() const { return channels_.groups(); }
  /// A step of the method, which says more of itself than its report; also into the Summary.
  void record(double t, const StepReport& report, const StepCourse& course, RecordSink& sink, Summary& summary);
  /// A step of an analysis without a method.
  void record(double t, const StepReport& report, RecordSink& sink);
  void remember(Memory& memory);

 private:
  const SolverOptions& options_;
  const Motion& motion_;
  int phase_;
  ChannelList<StepSource, StepInstant> channels_;
  long choices_before_ = 0, changes_before_ = 0;  // of splits, in the part of the run that another program went
};

}  // namespace trammel
