// SPDX-License-Identifier: Apache-2.0
#include "trammel/simulation/event_watch.h"

#include <fmt/format.h>

namespace trammel {

EventWatch::EventWatch(const Model& model, Recorder& recorder, Viewer& viewer, const Motion& motion)
    : model_(model), recorder_(recorder), viewer_(viewer), motion_(motion), sample_(motion.x) {
  std::vector<Crossing> wanted;
  for (const EventSpec& event : model.events)
    wanted.push_back(event.rising && event.falling ? Crossing::both
                     : event.rising                ? Crossing::rising
                                                   : Crossing::falling);
  events_.configure(std::move(wanted));
  within_step_ = [this](double t, Vec g) {
    motion_.interpolate(t, sample_);
    const Shown shown = viewer_.show(sample_, motion_.state);
    recorder_.calc_events(shown.point, shown.state, g);
  };
}

void EventWatch::start(const MotionVariables& x) {
  events_.start(x.t, [&](double, Vec g) {
    const Shown shown = viewer_.show(x, motion_.state);
    recorder_.calc_events(shown.point, shown.state, g);
  });
}

const std::vector<EventHit>& EventWatch::find(double t) { return events_.find(t, within_step_); }

std::string EventWatch::describe(const EventHit& hit) const {
  return fmt::format("'{}' at t = {:.10g} s, {}", event(hit).name, hit.t, hit.rising ? "rising" : "falling");
}

void EventWatch::sum_up_missed(std::vector<std::string>& notes) const {
  for (const EventSpec& event : model_.events)
    if (event.stops)
      notes.push_back(fmt::format("event '{}', which would have stopped the run, did not happen", event.name));
}

}  // namespace trammel
