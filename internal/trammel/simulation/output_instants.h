// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "trammel/simulation/frames.h"
#include "trammel/simulation/progress.h"

namespace trammel {

class Memory;

/// When frames are recorded: at equal distances, or at the integrator's own steps; where events are, and at the end.
/// Output times do not dictate the step.
class OutputInstants {
 public:
  /// Frames are counted from the start of the run, also in a part of it.
  struct Span {
    double start, from, to;  ///< of the run, of the part [s]
  };
  /// `one_per_step`: of the instants within a step the last one alone, for frames that are large.
  OutputInstants(const Settings& settings, const Span& span, MotionFrames& frames, const ProgressCallback& progress,
                 bool one_per_step);

  /// A step was taken that ends at `newest` (it stays there until the next one), the n-th; the method itself went on
  /// until t_method.
  void begin_step(const MotionVariables& newest, double t_method, long n);
  /// Nothing from now on: whoever drives the machine asks for frames.
  void record_nothing() { idle_ = true; }
  /// An instant within the step, and those before it.
  void record_event(double t);
  /// What is left of the step.
  void record_rest();
  /// The run was stopped on request, among the frames of a step.
  std::optional<double> stopped_at() const { return stopped_at_; }
  void remember(Memory& memory);

 private:
  double instant(long n) const { return start_ + interval_ * static_cast<double>(n); }
  void record_until(double t);

  double start_, end_, interval_, same_;
  bool every_step_, one_per_step_, idle_ = false;
  MotionFrames& frames_;
  const ProgressCallback& progress_;
  long next_ = 1;
  const MotionVariables* newest_ = nullptr;
  double t_method_ = 0.0;
  long n_steps_ = 0;
  std::optional<double> stopped_at_;
};

}  // namespace trammel
