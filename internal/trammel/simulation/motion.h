// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "trammel/simulation/methods/integrator_descriptor.h"
#include "trammel/simulation/singular_passage.h"
#include "trammel/simulation/summary.h"
#include "trammel/simulation/viewer.h"

namespace trammel {

class Memory;

/// A machine that moves: where it is, the method that moves it, and what leads it through singular positions.
class Motion {
 public:
  /// At the machine's initial variables. Throws InputError where no motion begins.
  Motion(const Machine& machine, Viewer& viewer);

  MotionVariables x;  ///< where the analysis begins; of analyses without steps: where it is
  State state;        ///< of method() and active()

  MotionIntegrator& method() const { return *made_.method; }
  /// The method, or what leads the motion through a singular position at the moment.
  MotionIntegrator& active() const { return passage_ ? passage_->current(*made_.method) : *made_.method; }
  /// Whether something else than the method leads the motion at the moment.
  bool is_passing() const { return &active() != made_.method.get(); }
  /// Whether method() is the other one of two.
  bool is_exchanged() const { return exchanged_; }
  /// One step of active() that does not pass t_end.
  StepReport advance(double t_end) {
    return passage_ ? passage_->advance(*made_.method, t_end, state) : made_.method->advance(t_end, state);
  }
  /// Within the last step, and within what led to its beginning.
  void interpolate(double t, MotionVariables& at) const;
  /// The last step does not begin where the one before ended but at a change of a force right behind it, to which
  /// Taylor's series led: the variables there, with the accelerations and rates before the change.
  std::optional<MotionVariables> lead_in;
  /// Begins at other variables of the same machine, in the charts of `at_state`. Throws InputError where no motion
  /// begins there.
  void begin_at(const MotionVariables& at, const State& at_state, Viewer& viewer);
  /// The same where another method has moved the machine: on the constraints, with the accelerations of the forces
  /// there.
  Status go_on_at(const MotionVariables& at, const State& at_state, const Machine& machine, Viewer& viewer);
  /// Goes on with the other method, from where this one is: of machines that have two. Afterwards method() is the
  /// other.
  Status exchange_method(const Machine& machine, Viewer& viewer);
  /// Newton's corrections that the record of a step has room for.
  int max_corrections() const { return made_.max_corrections; }
  void sum_up_passages(std::vector<std::string>& notes) const;
  /// While nothing but the method leads the motion.
  void remember(Memory& memory, const Machine& machine, Viewer& viewer);

 private:
  Status start_at(const MotionVariables& at, const State& at_state, Viewer& viewer);

  MadeMethod made_;
  MadeMethod other_;                          // of a run that chose its method; made when it is wanted
  bool exchanged_ = false;                    // made_ is the other
  std::unique_ptr<SingularPassage> passage_;  // of machines with loops and variable steps
};

/// With a fixed step nothing is passed on its own, unless the machine begins there: it is only told.
bool passes_singular_positions(const Machine& machine);

/// Watches for positions in which constraints lose rank; null: none can.
std::unique_ptr<SingularPassage> make_rank_watch(const Machine& machine);

}  // namespace trammel
