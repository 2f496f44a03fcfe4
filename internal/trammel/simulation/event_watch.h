// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "trammel/integrators/events.h"
#include "trammel/simulation/motion.h"
#include "trammel/simulation/recorder.h"

namespace trammel {

class Memory;

/// Finds the events of a model within the steps of a run.
class EventWatch {
 public:
  EventWatch(const Model& model, Recorder& recorder, Viewer& viewer, const Motion& motion);

  /// Where the run begins: an event that is there already is none.
  void start(const MotionVariables& x);
  /// Those of the step that ends at t, in order of time; valid until the next call.
  const std::vector<EventHit>& find(double t);
  const EventSpec& event(const EventHit& hit) const { return model_.events[static_cast<std::size_t>(hit.id)]; }
  std::string describe(const EventHit& hit) const;
  /// The run reached its end: events that would have stopped it did not happen.
  void sum_up_missed(std::vector<std::string>& notes) const;
  void remember(Memory& memory);

 private:
  const Model& model_;
  Recorder& recorder_;
  Viewer& viewer_;
  const Motion& motion_;
  EventFinder events_;
  EventFinder::Values within_step_;  // events as functions of time within the last step
  MotionVariables sample_;
};

}  // namespace trammel
