#pragma once

#include <optional>
#include <string>
#include <vector>

#include "trammel/simulation/frame_channels.h"
#include "trammel/simulation/summary.h"

namespace trammel {

/// Looks whether a machine has got energy from nothing.
///
///   (1) gain = drift − its least value so far,  drift = T + V − (T + V at the start) − work
///   (2) available = T + V at the start − the least V + Σ max(0, work of a step)
///
/// Nothing can have more energy than (2); a method that makes (1) of the order of (2) has invented motion: a stiff
/// force met with a step in which it should have come and gone, an unstable method. Losses are not looked at: methods
/// damp, and users ask for it. Whether a gain is large is known at the end, when all that was turned over is known.
class EnergyWatch {
 public:
  void start(const Ledger& ledger);
  /// After every step. True: the gain has doubled since this was true last, and mark() may say where.
  bool update(double t, const Ledger& ledger);
  void mark(std::string element) { marks_.back().element = std::move(element); }

  std::optional<Alarm> judge(bool fixed_step) const;

 private:
  struct Mark {
    double t, gain;
    std::string element;
  };
  double least_drift_ = 0.0, least_potential_ = 0.0, start_ = 0.0;
  double work_ = 0.0, brought_ = 0.0, gain_ = 0.0, largest_ = 0.0;
  std::vector<Mark> marks_;  // where the gain had doubled
};

}  // namespace trammel
