// SPDX-License-Identifier: Apache-2.0
#include "trammel/simulation/step_repeater.h"

#include <fmt/format.h>

#include <cmath>

namespace trammel {

namespace {

// Steps that must be stretched or shortened by more are not those of this motion.
constexpr double most_stretched = 3.0;

}  // namespace

StepRepeater::StepRepeater(const RecordedSteps* recorded, int phase)
    : recorded_(recorded), steps_(recorded ? recorded->steps(phase) : std::span<const RecordedSteps::Step>()) {}

bool StepRepeater::refuse(std::string trouble) {
  trouble_ = fmt::format("The steps of '{}' cannot be repeated: {}.", recorded_->source(), trouble);
  return false;
}

const RepeatedStep* StepRepeater::next(double t, double instant, double change, bool again) {
  expects_change_ = false;
  if (!again) free_attempts_ = 0;
  // A run that an event ended earlier may have to go on a little: as in its last step.
  if (due_ >= steps_.size() && !steps_.empty() && steps_.back().course.end != StepEnd::instant)
    due_ = steps_.size() - 1;
  if (due_ >= steps_.size()) {
    refuse(fmt::format("it has none behind t = {:.6g} s", t));
    return nullptr;
  }
  const RecordedSteps::Step& due = steps_[due_];
  const bool is_free = !(change < instant);
  if (due_ == 0 && !again) find_scale(t, t, instant);  // where a run begins its model says
  if (due_ > 0 && !again && steps_[due_ - 1].course.end != StepEnd::wish) find_scale(t, steps_[due_ - 1].t, instant);
  if (again && is_free) find_scale(t, due.t - due.h, instant);  // behind a change right after the beginning
  const double trial = !is_free ? 0.0 : free_attempts_ == 0 ? due.course.trial : due.course.trial_behind;
  free_attempts_ += is_free;
  step_ = due;
  const double end = is_free ? instant : change;
  const StepEnd reached = is_free ? StepEnd::instant : StepEnd::change;
  if (trial > 0.0) {
    step_.h = scale_ * trial;
    expects_change_ = true;
  } else if (due.course.end == reached) {
    step_.h = end - t;
  } else {
    step_.h = scale_ * due.h;
    expects_change_ = is_free && due.course.end == StepEnd::change;
  }
  const bool ends = trial <= 0.0 && due.course.end == reached;
  step_.t = ends ? end : t + step_.h;
  if (expects_change_ && step_.t > end) step_.h = end - t, step_.t = end;
  if (step_.t > end || !(step_.h > 0.0)) {
    refuse(fmt::format("the step from t = {:.6g} s would pass {:.6g} s, where this run stops", t, end));
    return nullptr;
  }
  if (!(scale_ > 1.0 / most_stretched && scale_ < most_stretched)) {
    refuse(fmt::format("behind t = {:.6g} s they would be {:.3g} times as long", t, scale_));
    return nullptr;
  }
  return &step_;
}

// `started`: where the step that is due began in the recorded run.
void StepRepeater::find_scale(double t, double started, double instant) {
  scale_ = 1.0;
  for (std::size_t i = due_; i < steps_.size(); ++i) {
    const StepCourse& course = steps_[i].course;
    if (course.end == StepEnd::change || (course.trial > 0.0 && i > due_)) return;  // its motion says where
    if (course.end != StepEnd::instant) continue;
    if (t != started || instant != steps_[i].t) scale_ = (instant - t) / (steps_[i].t - started);
    return;
  }
}

void StepRepeater::accept() { ++due_; }

bool StepRepeater::by_other() const { return due_ < steps_.size() && steps_[due_].course.by_other; }

}  // namespace trammel
