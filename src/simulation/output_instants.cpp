// SPDX-License-Identifier: Apache-2.0
#include "trammel/simulation/output_instants.h"

#include <algorithm>
#include <cmath>

#include "trammel/simulation/option.h"

namespace trammel {

namespace {

// A step may hold millions of frames: whoever wants to stop the run need not wait for all of them.
constexpr long frames_between_looks = 4096;
// Of the distance between two instants: the same one.
constexpr double same_instant = 1e-9;

}  // namespace

OutputInstants::OutputInstants(const Settings& settings, const Span& span, MotionFrames& frames,
                               const ProgressCallback& progress, bool one_per_step)
    : start_(span.start),
      end_(span.to),
      interval_(output_interval(settings)),
      same_(same_instant * std::min(interval_, end_ - span.from)),
      every_step_(*settings.output.every_step),
      one_per_step_(one_per_step),
      frames_(frames),
      progress_(progress) {
  if (span.from > span.start) next_ = 1 + std::lround(std::floor((span.from + same_ - span.start) / interval_));
}

void OutputInstants::begin_step(const MotionVariables& newest, double t_method, long n) {
  newest_ = &newest;
  t_method_ = t_method;
  n_steps_ = n;
}

void OutputInstants::record_until(double t) {
  const double step_end = newest_->t;
  if (one_per_step_) next_ = std::max(next_, std::lround(std::floor((t + same_ - start_) / interval_)));
  for (; !stopped_at_ && instant(next_) <= t + same_; ++next_) {
    const double at = instant(next_);
    if (std::abs(at - step_end) <= same_)
      frames_.record(*newest_, true);
    else
      frames_.record_at(at);
    if (next_ % frames_between_looks == 0 && progress_ &&
        !progress_({at, start_, end_, t_method_ - step_end, n_steps_}))
      stopped_at_ = at;
  }
}

void OutputInstants::record_event(double t) {
  if (idle_) return;
  if (!every_step_) record_until(t);
  // A frame that is due at the same instant but for rounding has been recorded.
  const double before = every_step_ || next_ == 0 ? t : instant(next_ - 1);
  if (!stopped_at_) frames_.record_at(std::max(t, before));
}

void OutputInstants::record_rest() {
  if (idle_) return;
  if (every_step_) return frames_.record(*newest_, true);
  const double t = newest_->t;
  record_until(t);
  const bool end_missing = t >= end_ && std::abs(instant(next_ - 1) - end_) > same_;
  if (end_missing && !stopped_at_) frames_.record(*newest_, true);
}

}  // namespace trammel
