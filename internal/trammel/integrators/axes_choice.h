// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>

namespace trammel {

/// Whether the matrices of a run turn with the bodies (TurningAxes), by how many steps the last one of either sort
/// served before it was too old. Beams and spinning bodies carry their stiff directions with them, and a matrix that
/// turns stays young; a crank and its rod turn against each other, and in world axes the rows that join them are the
/// same in every position. Each sort is tried once, the one that served longer is made then, and every
/// `tries_other_after`th matrix is of the other sort, since motions change.
class AxesChoice {
 public:
  bool turns() const { return turns_; }
  void allow(bool turning) { may_turn_ = turning; }
  void served() { ++steps_; }  ///< one more step
  /// Another one is made, whatever its age.
  void replaced() {
    steps_of_[turns_] = std::max(steps_of_[turns_], steps_);
    steps_ = 0;
  }
  /// It was too old: another is made.
  void aged() {
    steps_of_[turns_] = steps_;
    steps_ = 0;
    if (!may_turn_) return;
    const bool better = steps_of_[1] == steps_of_[0] ? turns_ : steps_of_[1] > steps_of_[0];
    const bool tries = steps_of_[!turns_] == untried || ++n_aged_ % tries_other_after == 0;
    turns_ = tries ? !better : better;
    if (steps_of_[turns_] == untried) steps_of_[turns_] = 0;
  }
  void forget() { *this = AxesChoice{may_turn_}; }

  AxesChoice() = default;

 private:
  explicit AxesChoice(bool may_turn) : may_turn_(may_turn) {}

  static constexpr int untried = -1, tries_other_after = 16;
  std::array<int, 2> steps_of_{untried, untried};  // in world axes, turning
  int steps_ = 0, n_aged_ = 0;
  bool may_turn_ = false, turns_ = false;
};

}  // namespace trammel
