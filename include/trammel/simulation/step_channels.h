// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "trammel/integrators/motion_integrator.h"
#include "trammel/simulation/channel.h"
#include "trammel/simulation/options.h"
#include "trammel/simulation/recorded_steps.h"

namespace trammel {

/// What the channels of steps follow from.
struct StepSource {
  const SolverOptions& options;
  const MotionIntegrator& integrator;
  int max_corrections = 0;  ///< Newton's corrections that the record of a step has room for
  int phase = 0;            ///< its number, where the run has several; 0: it has not
  bool cuts_steps = false;  ///< where forces change
  bool has_other = false;   ///< two methods may take turns
};

/// One step: its report, and what only some runs ask for (zero where nobody did).
struct StepInstant {
  const StepReport& report;
  int phase = 0;                              ///< as in StepSource
  StepCourse course{};                        ///< why it ended where it did
  double condition = 0.0;                     ///< with record_condition
  FieldSizes inverse_bounds{};                ///< with record_condition, of bdf
  MotionIntegrator::ScalingReport scaling{};  ///< of the iteration matrix
  int max_corrections = 0;                    ///< as in StepSource
  MotionIntegrator::SplitReport split{};      ///< of coordinates, where they are split
  JumpLedger ledger{};                        ///< of methods that keep one
};

using StepChannel = ChannelKind<StepSource, StepInstant>;

/// Every channel of steps, in the order of the results file.
const std::vector<StepChannel>& step_channels();

}  // namespace trammel
