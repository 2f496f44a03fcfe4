// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cmath>

#include "trammel/simulation/dynamics.h"

// How a step came to its end, for the record; and the steps of a record, taken again.

namespace trammel {

// `instant`: known before the step.
bool Dynamics::prepare_step(double from, double instant) {
  if (!taken_again_) course_ = {};
  from_ = from, instant_ = instant, change_ = kinks_.limit();
  if (!repeat_.active()) return true;
  if (motion_.is_passing())
    return repeat_.refuse(fmt::format(
        "at t = {:.6g} s constraints lose rank, and what leads the machine through chooses its own steps", from));
  const RepeatedStep* step = repeat_.next(from, instant, change_, taken_again_);
  motion_.method().repeat(step);
  return step != nullptr;
}

// Why the step that was attempted ended where it did. False: not as in the run that is repeated.
bool Dynamics::judge_course(double reached, KinkEvents::Cut cut) {
  const bool is_free = !(change_ < instant_), again = cut == KinkEvents::Cut::again;
  const bool passed = !again && kinks_.newest().t < reached;  // and went back on its polynomial
  if (again && is_free) (course_.trial > 0.0 ? course_.trial_behind : course_.trial) = reached - from_;
  course_.by_other = motion_.is_exchanged();
  if (passed || (!is_free && reached >= change_))
    course_.end = StepEnd::change;
  else if (reached >= instant_)
    course_.end = StepEnd::instant;
  else
    course_.end = StepEnd::wish;
  // Where the last step ended at a change rounding says whether that is met at its end or right behind.
  constexpr double right_behind = 1e-3;
  const bool met_late =
      again && std::isinf(kinks_.limit()) && kinks_.from(t_) - from_ <= right_behind * (reached - from_);
  if (!repeat_.active() || !is_free || met_late || repeat_.expects_change() == (again || passed)) {
    if (repeat_.active() && !again) repeat_.accept();
    return true;
  }
  return repeat_.refuse(fmt::format("in the step from t = {:.6g} s {}. The two motions are too far apart", from_,
                                    repeat_.expects_change()
                                        ? "no contact or force changes, as one did in the recorded run"
                                        : "a contact or force changes, and in the recorded run none did"));
}

// A run that repeats another goes over to the other method where that one did.
bool Dynamics::repeat_exchange() {
  if (repeat_.by_other() == motion_.is_exchanged()) return true;
  if (!machine_.other_method()) {
    repeat_.refuse(fmt::format("at t = {:.6g} s it went over to another method, and this run has one alone", t_));
    return fail(repeat_.trouble(), "no step to repeat");
  }
  if (const Status status = motion_.exchange_method(machine_, viewer_); !status.ok())
    return fail(fmt::format("No motion begins at t = {:.6g} s with the other method: {}.", t_, describe(status.cause)),
                status.cause);
  exchanges_.push_back(t_);
  return true;
}

}  // namespace trammel
