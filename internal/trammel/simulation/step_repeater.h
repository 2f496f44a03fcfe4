// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

#include "trammel/simulation/recorded_steps.h"

namespace trammel {

class Memory;

/// Hands out the steps of another run, one after the other.
///
/// Between instants that are known before (the end, kinks of inputs, samples) and changes of forces, which each motion
/// finds for itself, steps have the recorded sizes. Where a change or such an instant is at another time than in the
/// recorded run, the steps from one to the next known instant are all stretched by the same factor, so that they end
/// there.
class StepRepeater {
 public:
  /// `recorded` null: nothing is repeated.
  StepRepeater(const RecordedSteps* recorded, int phase);

  bool active() const { return recorded_ != nullptr; }
  /// The step that is due, from t: it ends at `instant` or before, and at `change` if one was found (∞: none). `again`:
  /// it was attempted before. Null: there is none that fits, trouble() says why.
  const RepeatedStep* next(double t, double instant, double change, bool again);
  /// Whether a change within the attempt is what the recorded run had as well; `change` as in next().
  bool expects_change() const { return expects_change_; }
  /// The two motions are too far apart: "a force changes …".
  bool refuse(std::string trouble);
  const std::string& trouble() const { return trouble_; }
  /// The step is taken.
  void accept();
  /// Whether the step that is due was one of the other method.
  bool by_other() const;
  void remember(Memory& memory);

 private:
  void find_scale(double t, double started, double instant);

  const RecordedSteps* recorded_;
  std::span<const RecordedSteps::Step> steps_;
  std::size_t due_ = 0;
  int free_attempts_ = 0;  // at the step that is due, with no change known
  double scale_ = 1.0;
  bool expects_change_ = false;
  RepeatedStep step_;
  std::string trouble_;
};

}  // namespace trammel
