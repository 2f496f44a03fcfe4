// SPDX-License-Identifier: Apache-2.0
#include "trammel/simulation/live_simulation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "trammel/base/memory.h"
#include "trammel/base/text.h"
#include "trammel/simulation/dynamics.h"
#include "trammel/simulation/state_setter.h"

namespace trammel {

namespace {

const CheckedStudy& require_dynamics(const CheckedStudy& study) {
  if (study.settings().analysis.kind.value_or(AnalysisKind::dynamics) != AnalysisKind::dynamics)
    throw InputError("a machine is driven from outside in dynamics; remove 'kind' from [analysis]");
  return study;
}

}  // namespace

struct LiveSimulation::Parts {
  Parts(CheckedStudy checked, Customize custom)
      : study(require_dynamics(checked)),
        customize(std::move(custom)),
        rig(std::move(checked), customize),
        setter(rig.machine, rig.viewer),
        solver(rig.machine.index3(), rig.machine.solver_choice()) {
    for (const InputSpec& each : rig.machine.model().inputs) {
      names.push_back(each.name);
      wanted.push_back(each.value);
    }
    output_schema.frames = rig.recorder.groups();
    begin();
  }

  InputSignals& signals() const { return *rig.machine.full().signals; }
  const InputSpec& input(std::size_t i) const { return rig.machine.model().inputs[i]; }
  const MotionVariables& newest() const { return rig.motion.active().newest(); }

  void reset() {
    for (int i = 0; i < signals().size(); ++i) {
      wanted[static_cast<std::size_t>(i)] = input(static_cast<std::size_t>(i)).value;
      signals().reset(i, wanted[static_cast<std::size_t>(i)]);
    }
    rig.renew();
    steps_before = 0;
    begin();
  }

  // All that goes on from here. A method is remembered where it leads the motion itself.
  std::vector<std::byte> remember() {
    if (rig.motion.is_passing()) begin_at(newest(), rig.motion.state);
    Memory memory;
    dynamics->remember(memory);
    return memory.take();
  }

  // As new, and then as another was: `from` itself, or one of an equal machine.
  void take_up(std::span<const std::byte> memory, const Parts& from) {
    const InputSignals held = from.signals();
    const Parts::LastFrame shown = from.last;
    const double t = from.t_counted, dt = from.dt_counted;
    const long n = from.n_counted, before = from.steps_before;
    const bool fresh = from.is_fresh;
    std::vector<double> values = from.wanted;
    reset();
    signals() = held, wanted = std::move(values), last = shown;
    dynamics->take_up_live(memory);
    t_counted = t, dt_counted = dt, n_counted = n, steps_before = before, is_fresh = fresh;
  }

  // The watchers of the run, from where the motion is.
  void begin() {
    contact_changes.clear();
    failure.clear();
    dynamics.emplace(rig, last, no_progress, contact_changes);
    dynamics->begin_live();
    t_counted = dynamics->t(), n_counted = 0, dt_counted = 0.0;
    is_fresh = true;
  }

  void begin_at(const MotionVariables& x, const State& state) {
    steps_before += dynamics->summary().steps;
    rig.motion.begin_at(x, state, rig.viewer);
    begin();
  }

  void require_going_on() const {
    if (!failure.empty())
      throw SimulationError(
          fmt::format("the simulation cannot go on: {}\n    reset() or set_state() begin anew", failure));
  }

  bool apply_inputs(double t, double t_end) {
    bool changes = false;
    for (int i = 0; i < signals().size(); ++i) {
      const double value = wanted[static_cast<std::size_t>(i)];
      changes |= input(static_cast<std::size_t>(i)).between == InputSpec::Between::held
                     ? signals().hold(i, t, value)
                     : signals().ramp(i, t, value, t_end);
    }
    return changes;
  }

  std::vector<Event> go_to(double t) {
    require_going_on();
    const bool changes = apply_inputs(dynamics->t(), t);
    // Until it has returned: a law of the user's own may throw.
    failure = fmt::format("the step from t = {:.6g} s was not finished", dynamics->t());
    if ((changes && !dynamics->meet_inputs()) || !dynamics->go_to(t)) {
      failure = dynamics->summary().failure;
      throw SimulationError(failure);
    }
    failure.clear();
    is_fresh = false;
    std::vector<Event> events;
    for (const EventHit& hit : dynamics->take_hits()) {
      const EventSpec& event = rig.machine.model().events[static_cast<std::size_t>(hit.id)];
      events.push_back({event.name, hit.t, hit.rising, event.stops});
    }
    if (dynamics->is_stopped()) go_back_to_event(dynamics->t());
    return events;
  }

  // The step went past it: the machine is taken back on its dense output, and goes on from there.
  void go_back_to_event(double t) {
    MotionVariables x = newest();
    rig.motion.interpolate(t, x);
    x.t = t;
    const LiveSimulation::NamedValues nothing;
    const StateSetter::Placed placed = setter.place(x, rig.motion.state, nothing, t, solver);
    begin_at(placed.x, placed.state);
  }

  // Keeps the last frame.
  struct LastFrame final : RecordSink {
    void begin(const RecordSchema&) override {}
    void frame(double, std::span<const double> values) override { row.assign(values.begin(), values.end()); }
    void step(double, std::span<const double>) override {}
    void end(const SummaryEntries&) override {}
    std::vector<double> row;
  };

  CheckedStudy study;
  Customize customize;
  Rig rig;
  StateSetter setter;
  AccelerationSolver solver;
  LastFrame last;
  ProgressCallback no_progress;
  std::vector<KinkWatch::Change> contact_changes;
  std::optional<Dynamics> dynamics;
  std::vector<std::string> names;
  std::vector<double> wanted;  // of the inputs
  std::string failure;
  long steps_before = 0;
  double t_counted = 0.0, dt_counted = 0.0;  // t = t_counted + n_counted dt_counted
  long n_counted = 0;
  bool is_fresh = true;  // nothing has moved since begin()
  RecordSchema output_schema;
};

LiveSimulation::LiveSimulation(CheckedStudy study, Customize customize)
    : parts_(std::make_unique<Parts>(std::move(study), std::move(customize))) {}
LiveSimulation::~LiveSimulation() = default;
LiveSimulation::LiveSimulation(LiveSimulation&&) noexcept = default;

const Settings& LiveSimulation::settings() const { return parts_->rig.machine.study(); }
double LiveSimulation::time() const { return parts_->dynamics->t(); }
long LiveSimulation::steps() const { return parts_->steps_before + parts_->dynamics->summary().steps; }
const std::string& LiveSimulation::failure() const { return parts_->failure; }

namespace {

// Methods divide by squares of the step.
void require_motion(double dt) {
  constexpr double shortest = 1e-100;
  if (dt < shortest) throw InputError(fmt::format("a step of {} s; the shortest is {} s", dt, shortest));
}

}  // namespace

std::vector<LiveSimulation::Event> LiveSimulation::step(double dt) {
  Parts& p = *parts_;
  p.require_going_on();
  if (!(dt > 0.0) || !std::isfinite(dt)) throw InputError(fmt::format("a step of {} s; it must be > 0 and finite", dt));
  const double t = time();
  if (dt != p.dt_counted || t != p.t_counted + static_cast<double>(p.n_counted) * dt)
    p.t_counted = t, p.dt_counted = dt, p.n_counted = 0;
  const double to = p.t_counted + static_cast<double>(p.n_counted + 1) * dt;
  if (!(to > t)) throw InputError(fmt::format("a step of {} s is lost in the rounding of t = {} s", dt, t));
  require_motion(to - t);
  std::vector<Event> events = p.go_to(to);
  ++p.n_counted;  // where an event ended it the times do not agree, and counting begins anew
  return events;
}

std::vector<LiveSimulation::Event> LiveSimulation::step_to(double t) {
  parts_->require_going_on();
  if (!(t > time()) || !std::isfinite(t))
    throw InputError(fmt::format("a step to t = {} s; it must be finite and behind t = {} s", t, time()));
  require_motion(t - time());
  return parts_->go_to(t);
}

const std::vector<std::string>& LiveSimulation::input_names() const { return parts_->names; }
std::vector<double> LiveSimulation::inputs() const { return parts_->wanted; }

void LiveSimulation::set_input(const std::string& name, double value) {
  const std::vector<std::string>& names = parts_->names;
  const auto it = std::find(names.begin(), names.end(), name);
  if (it == names.end())
    throw InputError(fmt::format("the model has no [[input]] '{}'{}", name,
                                 names.empty() ? "; it has none" : did_you_mean(name, names)));
  if (!std::isfinite(value)) throw InputError(fmt::format("the input '{}' is {} and must be finite", name, value));
  parts_->wanted[static_cast<std::size_t>(it - names.begin())] = value;
}

void LiveSimulation::set_inputs(std::span<const double> values) {
  if (values.size() != parts_->names.size())
    throw InputError(fmt::format("{} values for {} inputs", values.size(), parts_->names.size()));
  for (std::size_t i = 0; i < values.size(); ++i)
    if (!std::isfinite(values[i]))
      throw InputError(fmt::format("the input '{}' is {} and must be finite", parts_->names[i], values[i]));
  std::copy(values.begin(), values.end(), parts_->wanted.begin());
}

const RecordSchema& LiveSimulation::state_schema() const { return parts_->setter.schema(); }
std::span<const double> LiveSimulation::state() {
  return parts_->setter.update(parts_->newest(), parts_->rig.motion.state);
}

const RecordSchema& LiveSimulation::output_schema() const { return parts_->output_schema; }
std::span<const double> LiveSimulation::outputs() {
  if (!parts_->is_fresh) parts_->dynamics->record_now();  // the start has written its own
  return parts_->last.row;
}

std::vector<std::string> LiveSimulation::set_state(const NamedValues& values, bool strict, std::optional<double> t) {
  Parts& p = *parts_;
  if (t && !std::isfinite(*t)) throw InputError(fmt::format("the time of a state is {} s and must be finite", *t));
  StateSetter::Placed placed =
      p.setter.place(p.newest(), p.rig.motion.state, values, t.value_or(p.dynamics->t()), p.solver);
  if (strict && !placed.corrections.empty()) {
    std::vector<Issue> issues;
    for (std::string& text : placed.corrections) issues.push_back({"state (strict)", std::move(text)});
    throw InputError(std::move(issues));
  }
  p.begin_at(placed.x, placed.state);
  return std::move(placed.corrections);
}

void LiveSimulation::reset() { parts_->reset(); }

LiveSimulation LiveSimulation::copy() {
  Parts& from = *parts_;
  from.require_going_on();
  LiveSimulation made(from.study, from.customize);
  Parts& to = *made.parts_;
  const std::vector<std::byte> memory = from.remember();
  to.take_up(memory, from);
  from.take_up(memory, from);  // factors and what else is not remembered is kept by neither
  return made;
}

}  // namespace trammel
