// SPDX-License-Identifier: Apache-2.0
#include "trammel/simulation/step_record.h"

#include <algorithm>

#include "trammel/simulation/kink_events.h"
#include "trammel/simulation/methods/integrator_descriptor.h"

namespace trammel {

StepRecord::StepRecord(const Machine& machine, const Motion& motion, int phase)
    : options_(machine.study().solver),
      motion_(motion),
      phase_(phase),
      channels_("/solver/", step_channels(),
                StepSource{.options = options_,
                           .integrator = motion.method(),
                           .max_corrections = motion.max_corrections(),
                           .phase = phase,
                           .cuts_steps = cuts_steps(machine.full(), options_),
                           .has_other = machine.other_method().has_value()}) {}

void StepRecord::record(double t, const StepReport& report, const StepCourse& course, RecordSink& sink,
                        Summary& summary) {
  MotionIntegrator& method = motion_.method();
  StepInstant step{.report = report,
                   .phase = phase_,
                   .course = course,
                   .scaling = method.scaling(),
                   .max_corrections = motion_.max_corrections(),
                   .split = method.split()};
  if (options_.record_condition.value_or(false)) {
    summary.condition = step.condition = method.calc_condition();
    summary.condition_max = std::max(summary.condition_max, summary.condition);
    if (method_of(options_).traits.has_inverse_bounds) step.inverse_bounds = method.calc_inverse_bounds();
  }
  if (step.split.n_independent >= 0) {
    summary.split_condition = step.split.condition;
    summary.split_condition_max = std::max(summary.split_condition_max, step.split.condition);
    summary.split_choices = choices_before_ + step.split.choices;
    summary.split_changes = changes_before_ + step.split.changes;
  }
  if (const JumpLedger* jump = method.ledger()) step.ledger = *jump;
  sink.step(t, channels_.update(step));
}

void StepRecord::record(double t, const StepReport& report, RecordSink& sink) {
  sink.step(t, channels_.update({.report = report, .phase = phase_, .max_corrections = motion_.max_corrections()}));
}

}  // namespace trammel
