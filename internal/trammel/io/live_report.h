// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

#include "trammel/io/results_reader.h"

namespace trammel {

/// What the page of a run that goes on asks for, again and again: everything, and what is new since then.
///
/// Reading costs the machine on which the run computes something. What each reading took of the processor is counted,
/// and the next one comes when that is at most `share` of what the run itself took meanwhile (where the run's process
/// is not seen, another user's or on another machine: of the time between them); who asks earlier is told how long to
/// wait. However many pages ask, they cost that share together.
///
/// A file that is gone, damaged, or another run's is no reason to end: the answers say so, and go on when it is there
/// again.
class LiveReport {
 public:
  static constexpr double share = 0.03;          ///< of the run's processor time, that reading takes at most
  static constexpr double least_interval = 0.5;  ///< [s] between readings; results are flushed as often

  explicit LiveReport(std::filesystem::path results);

  /// The page without data, which asks for them. Throws InputError if this build carries no page.
  std::string page() const;

  /// All that a report carries: { "report": {…}, "data": ["base64", …], "state": "running", "wait": 0.5 }.
  std::string report();

  /// The rows behind the first `frames` frames and `steps` steps of the run whose last frame that the asker knows was
  /// at `last_time`: { "state": …, "wait": s, "times": …, "groups": […], "solver": {…}, "data": […] }. "anew": true, if
  /// report() should be asked instead: it is another run, it has ended, or has become too long to be carried whole.
  std::string rows(std::int64_t frames, std::int64_t steps, double last_time);

  std::int64_t readings() const { return readings_; }  ///< of the file, so far

  /// False: there is no run yet whose results these are (older ones of the same name are not shown).
  bool begun = true;
  /// What the run has taken of the processor so far [s]; empty: that of the process that writes the file, if it is
  /// seen.
  std::function<double()> run_seconds = {};

 private:
  using Clock = std::chrono::steady_clock;
  std::string waiting(double seconds) const;
  std::string trouble(const std::string& words) const;
  double seconds_left() const;
  void find_run();
  std::string charge(const std::function<std::string()>& work);

  std::filesystem::path results_;
  Clock::time_point next_;  // when the file may be read again
  double next_run_ = 0.0;   // and how much the run should have computed before
  double interval_ = 0.0;   // [s] between the last reading and that
  std::string kept_;        // the last report
  ResultsState kept_state_ = ResultsState::running;
  bool stale_ = false;  // rows alone do not lead from it to what the file says now
  std::int64_t readings_ = 0;
  pid_t writer_ = 0;  // the process that was found to write the file; 0: none, or somebody said which
};

}  // namespace trammel
