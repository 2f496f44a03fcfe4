// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "trammel/simulation/checked_study.h"
#include "trammel/simulation/customize.h"
#include "trammel/simulation/record.h"

namespace trammel {

/// A machine that is driven from outside: a controller sets its inputs, lets it move for a
/// while, looks at it, and so on.
///
///   LiveSimulation arm(study);
///   for (int k = 0; k < 1000; ++k) {
///     arm.set_input("torque", law(arm.state()));
///     arm.step(1e-3);
///   }
///
/// It is moved by the method and the steps of a run: without inputs that change, step_to(end) gives the bits of
/// Simulation::run, and so do equal parts of a fixed step. A call ends a step of variable size where it is asked to; an
/// input that changes starts the method anew behind the change. The `end` of the analysis is no end here.
///
/// Wrong use throws InputError and changes nothing. A motion that cannot go on throws SimulationError with the report
/// of the run; from then on only set_state() and reset() are allowed.
class LiveSimulation {
 public:
  explicit LiveSimulation(CheckedStudy study, Customize customize = {});
  ~LiveSimulation();
  LiveSimulation(LiveSimulation&&) noexcept;

  /// What takes effect, defaults included.
  const Settings& settings() const;
  double time() const;
  long steps() const;  ///< of the method, since the start or the last reset()
  /// Why it cannot go on; empty: it can.
  const std::string& failure() const;

  struct Event {
    std::string name;
    double t = 0.0;
    bool rising = false;
    bool stops = false;  ///< the call ended there; the next one goes on
  };
  /// Moves on by dt > 0 [s]; the events that were met, in order. Equal dt are counted, so that times do not drift.
  std::vector<Event> step(double dt);
  /// The same until t [s].
  std::vector<Event> step_to(double t);

  /// The model's [[input]]s in order, what they are set to, and new values, which hold from now on or are arrived at
  /// when the next step ends.
  const std::vector<std::string>& input_names() const;
  std::vector<double> inputs() const;
  void set_input(const std::string& name, double value);
  void set_inputs(std::span<const double> values);

  /// What tells where the machine is, by the names of channels: positions and velocities of bodies, coordinates of
  /// joints, states of controls. One row, valid until the next call.
  const RecordSchema& state_schema() const;
  std::span<const double> state();
  /// Every channel that a run records, at this instant: reactions, measures, energies, ….
  const RecordSchema& output_schema() const;
  std::span<const double> outputs();

  /// Puts the machine elsewhere: values by channel of state_schema() ("elbow.angle", "base.position", "pid.integral"),
  /// or of one component. What is not named keeps its joint coordinates. Values that contradict joints are corrected
  /// and said, one line each, or with `strict` refused; joints with a named coordinate keep it while loops are closed.
  using NamedValues = std::vector<std::pair<std::string, std::vector<double>>>;
  std::vector<std::string> set_state(const NamedValues& values, bool strict = false, std::optional<double> t = {});

  /// As at the beginning, inputs included: what follows has the same bits.
  void reset();
  /// Another one that goes on from here on its own, with the same bits. Of both, work and energy drift are
  /// counted from here, and matrices at hand are dropped.
  LiveSimulation copy();

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace trammel
