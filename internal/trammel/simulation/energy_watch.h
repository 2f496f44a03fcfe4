// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "trammel/simulation/frame_channels.h"
#include "trammel/simulation/summary.h"

namespace trammel {

class Memory;

/// Looks whether a machine has got energy from nothing, or lost it to nobody.
///
///   (1) gain = drift − its least value so far,  drift = T + V − (T + V at the start) − work
///   (2) available = T + V at the start − the least V + Σ max(0, work of a step)
///   (3) loss = largest drift so far − drift
///
/// Nothing can have more energy than (2); a method that makes (1) of the order of (2) has invented motion: a stiff
/// force met with a step in which it should have come and gone, an unstable method. Methods damp, and users ask for it:
/// losses may be larger where they can be meant. Whether a gain or loss is large is known at the end, when all that was
/// turned over is known.
class EnergyWatch {
 public:
  void start(const Ledger& ledger);
  /// After every step. True: the gain, or a loss that is noticed, has doubled since this was true last, and mark() may
  /// say where.
  bool update(double t, const Ledger& ledger);
  void mark(std::string element) { (loses_ ? loss_element_ : marks_.back().element) = std::move(element); }

  double available() const { return start_ - least_potential_ + brought_; }  ///< (2)
  std::optional<Alarm> judge(bool fixed_step) const;
  /// (1) or (3) beside these parts of (2) and the work that is not known better [J].
  std::optional<Alarm> judge_imbalance(double gain_part, double loss_part, double unknown) const;
  void remember(Memory& memory);

 private:
  struct Mark {
    double t = 0.0, gain = 0.0;
    std::string element;
    void remember(Memory& memory);
  };
  double least_drift_ = 0.0, least_potential_ = 0.0, start_ = 0.0;
  double work_ = 0.0, brought_ = 0.0, gain_ = 0.0, largest_ = 0.0;
  std::vector<Mark> marks_;  // where the gain had doubled
  double most_drift_ = 0.0, loss_ = 0.0, loss_t_ = 0.0, gain_t_ = 0.0;
  double marked_loss_ = 0.0;
  std::string loss_element_;
  bool loses_ = false;  // the last mark is that of a loss
};

}  // namespace trammel
