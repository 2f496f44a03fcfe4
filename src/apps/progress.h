// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "trammel/simulation/simulation.h"

namespace trammel::apps {

/// Shows on stderr how far a run is: a bar redrawn in place on a terminal, plain lines at intervals elsewhere.
///
///   [##########..............]  42 %  t = 0.84 of 2 s  h = 1.0e-03 s  211 frames  3 s left
///   t = 0.84 s of 2 s (42 %), h = 1.0e-03 s, 211 frames written, 3 s left
///
/// "Frames written" are those that survive the death of the program from now on.
class ProgressDisplay {
 public:
  enum class Style { none, lines, bar };
  /// `interval`: wall time between plain lines [s]; 0: a line after each step.
  ProgressDisplay(Style style, double interval);
  ~ProgressDisplay() { clear(); }
  ProgressDisplay(const ProgressDisplay&) = delete;
  ProgressDisplay& operator=(const ProgressDisplay&) = delete;

  void update(const Progress& progress, std::int64_t frames_written);
  void clear();  ///< removes the bar, so that other text can follow

  /// bar on a terminal, lines elsewhere, none when quiet.
  static Style choose(bool quiet);

 private:
  using Clock = std::chrono::steady_clock;
  void draw_bar(const Progress& progress, std::int64_t frames_written, const std::string& left) const;

  std::string estimate_left(const Progress& progress, Clock::time_point now) const;

  Style style_;
  double interval_;
  Clock::time_point next_;
  // The first update, from which speed is measured: what came before it (making the file, the first matrix) is not
  // repeated.
  Clock::time_point first_time_;
  double first_fraction_ = -1.0;
  bool drawn_ = false;
};

/// "3 s", "2 min 05 s", "4 h 10 min".
std::string describe_duration(double seconds);

}  // namespace trammel::apps
