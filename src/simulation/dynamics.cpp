// SPDX-License-Identifier: Apache-2.0
#include "trammel/simulation/dynamics.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "trammel/base/memory.h"
#include "trammel/simulation/contact_words.h"
#include "trammel/simulation/diagnosis.h"
#include "trammel/simulation/option.h"

namespace trammel {

namespace {

// A coordinate with a value or rate that is no number; −1: none.
int find_not_finite(const MotionVariables& x) {
  if (x.q.allFinite() && x.v.allFinite()) return -1;
  for (Eigen::Index i = 0; i < x.v.size(); ++i)
    if (!std::isfinite(x.v[i]) || !std::isfinite(x.q[i])) return static_cast<int>(i);
  return 0;
}

// A split that amplifies by more than this, or that is another one in more than this part of its choices, is worth a
// warning.
constexpr double large_split = 100.0, restless_split = 0.1;
constexpr long few_choices = 20;

void warn_of_split(Summary& s) {
  if (s.split_condition_max > large_split)
    s.notes.push_back(
        fmt::format("the split of coordinates amplifies: ‖(GY)⁻¹GX‖ reached {:.3g} (limit {:.0f}). Errors "
                    "of dependent coordinates are larger by as much, and Newton may fail: do not force "
                    "'independent', or a singular position is near",
                    s.split_condition_max, large_split));
  if (s.split_choices > few_choices &&
      static_cast<double>(s.split_changes) > restless_split * static_cast<double>(s.split_choices))
    s.notes.push_back(
        fmt::format("the independent coordinates changed in {} of {} choices (limit {:.0f} %): the error "
                    "test looks at other coordinates each time; set error_set = \"states\", or name "
                    "'independent' ones",
                    s.split_changes, s.split_choices, 100.0 * restless_split));
}

}  // namespace

Dynamics::Dynamics(Rig& rig, RecordSink& sink, const ProgressCallback& progress,
                   std::vector<KinkWatch::Change>& contact_changes, const RunPart& part)
    : rig_(rig),
      machine_(rig.machine),
      study_(machine_.study()),
      viewer_(rig.viewer),
      motion_(rig.motion),
      sink_(sink),
      progress_(progress),
      contact_changes_(contact_changes),
      after_kinks_(machine_.index3(), machine_.solver_choice()),
      of_frames_(machine_.index3(), machine_.solver_choice()),
      violations_(machine_, viewer_),
      ledger_(machine_, viewer_, motion_, violations_, of_frames_),
      alarms_(machine_, viewer_, motion_),
      fixed_step_(machine_, alarms_.checks()),
      writer_(viewer_, rig.recorder, rig.run_watch, sink),
      frames_(machine_, viewer_, motion_, of_frames_, ledger_, violations_, alarms_, writer_),
      output_(study_, {part.start.value_or(motion_.x.t), motion_.x.t, part.end.value_or(*study_.analysis.end)}, frames_,
              progress, machine_.frame_rule().one_per_step),
      events_(machine_.model(), rig.recorder, viewer_, motion_),
      beams_(machine_.full(), machine_.model()),
      kinks_(machine_, viewer_, motion_, after_kinks_, contact_changes),
      jumps_(machine_, viewer_, motion_, after_kinks_),
      rejected_(machine_, viewer_, motion_),
      samples_(machine_, viewer_, motion_, rig.recorder, after_kinks_, part.start.value_or(motion_.x.t)),
      repeat_(study_.steps.get(), rig.steps.phase()),
      part_(part),
      start_(motion_.x.t),
      end_(part.end.value_or(*study_.analysis.end)),
      t_(start_),
      failed_at_(start_ - 1.0),
      next_checkpoint_(study_.output.checkpoint_steps.value_or(0)),
      summary_(rig.begin_summary()) {
  if (!machine_.other_method()) return;
  // Many bodies that no joint connects, in contact: 30 steps of Radau would cost as much as thousands of explicit ones.
  constexpr int few_velocities = 60;
  const bool free = !machine_.joint() && machine_.full().system->explicit_refusal().empty();
  exchange_.emplace(MethodExchange::Start{.explicit_first = study_.solver.integrator == Integrator::runge_kutta,
                                          .rtol = study_.solver.rtol.value_or(0.0),
                                          .rate = machine_.stability_rate(),
                                          .span = end_ - start_,
                                          .by_recursion = machine_.index3().nc() == 0 && (machine_.joint() || free) &&
                                                          !machine_.full().system->reads_multipliers(),
                                          .stays = free && machine_.moved().nv() > few_velocities});
}

std::optional<Summary> Dynamics::run() {
  const bool begins = start();
  if (!part_.before) writer_.write(motion_.x.t, viewer_.show(motion_.x, motion_.state), ledger_.now());
  if (begins) return go_on();
  sum_up();
  return std::move(summary_);
}

std::optional<Summary> Dynamics::resume(std::span<const std::byte> memory) {
  start();
  take_up(memory);
  return go_on();
}

void Dynamics::take_up(std::span<const std::byte> memory) {
  Memory of_other(memory);
  remember(of_other);
  of_other.finish();
  moved_ = false;
}

std::optional<Summary> Dynamics::go_on() {
  advance_to(end_);
  if (hands_over_) return std::nullopt;
  sum_up();
  return std::move(summary_);
}

bool Dynamics::advance_to(double t) {
  pause_ = t;
  while (t_ < pause_ - slack_ && !stopped_by_event_ && !hands_over_)
    if (!take_step()) return false;
  return true;
}

// False: the run ends here.
bool Dynamics::take_step() {
  const StepReport report = advance();
  const Verdict verdict = judge(report);
  if (verdict == Verdict::again) return true;
  if (verdict == Verdict::failed) return false;
  keep_ledger(report);
  find_events();
  if (!record(report) || !is_plausible(report)) return false;
  if (!stopped_by_event_ && (!pass_kinks() || !exchange_method(report))) return false;
  take_checkpoint_if_due();
  return true;
}

bool Dynamics::start() {
  if (samples_.active() && samples_.is_due(motion_.x.t)) {
    MotionVariables sampled = motion_.x;
    if (const Status status = samples_.sample(sampled); !status.ok())
      return fail("The first sample of a digital controller is no number, or no motion begins with it.", status.cause);
    motion_.begin_at(sampled, motion_.state, viewer_);
  }
  const MotionVariables& x = motion_.x;
  if (part_.before) ledger_.go_on_from(*part_.before);
  ledger_.update(x, 0.0);
  rig_.note_step(x);
  alarms_.start(ledger_.now());
  fixed_step_.note_step(x, 0.0);
  frames_.start(x);
  events_.start(x);
  if (beams_.active()) beams_.start(viewer_.update_kinematics(viewer_.show(x, motion_.state)));
  examine_inputs(x, end_);
  return true;
}

// Inputs are examined over the run before it: a step over a pulse could not know of it.
void Dynamics::examine_inputs(const MotionVariables& x, double until) {
  examined_ = until;
  if (study_.solver.h) return;
  const Shown shown = viewer_.show(x, motion_.state);
  bounds_ = machine_.full().system->calc_step_bounds(shown.point, until, shown.state, viewer_.full_workspace());
}

StepReport Dynamics::advance() {
  moved_ = true;
  const bool fixed = study_.solver.h.has_value();
  if (!taken_again_) kinks_.begin_step();
  const double from = kinks_.from(t_);
  kink_ = fixed ? std::numeric_limits<double>::infinity() : machine_.index3().next_breakpoint(from);
  motion_.method().bound_step(bounds_.longest_step(from));
  const double instant = fixed ? end_of_fixed_step() : std::min({pause_, kink_, samples_.next()});
  if (!prepare_step(from, instant)) return {};  // repeat_.trouble() says why
  const StepReport report = motion_.advance(std::min(instant, kinks_.limit()));
  count(report);
  return report;
}

void Dynamics::count(const StepReport& report) {
  summary_.iterations += report.iterations;
  summary_.linearizations += report.linearizations;
  summary_.factorizations += report.factorizations;
  summary_.rejected_error += report.rejected_error;
  summary_.rejected_newton += report.rejected_newton;
  if (report.failure != Cause::none) ++summary_.rejections[static_cast<std::size_t>(report.failure)];
  if (report.remedy.empty() || (exchange_ && report.stiffness > 0.0)) return;  // whoever can go over is not advised to
  const auto known = summary_.remedies.find(report.remedy);
  if (known != summary_.remedies.end())
    ++known->second;
  else
    summary_.remedies.emplace(report.remedy, 1);
}

// Whether the step stands: it was taken, no force has a kink within it, and it leads to numbers.
Dynamics::Verdict Dynamics::judge(const StepReport& report) {
  const auto cannot_repeat = [this] {
    fail(repeat_.trouble(), "no step to repeat");
    return Verdict::failed;
  };
  if (!repeat_.trouble().empty()) return cannot_repeat();
  if (!report.status.ok()) {
    if (report.status.cause != Cause::not_finite && exchange_failed_method()) return Verdict::again;
    fail(explain(report, motion_.method(), study_) + describe_contacts(machine_, viewer_, motion_),
         report.status.cause);
    return Verdict::failed;
  }
  const double reached = motion_.active().newest().t;
  const KinkEvents::Cut cut = kinks_.judge_step();
  if (!judge_course(reached, cut)) return cannot_repeat();
  taken_again_ = cut == KinkEvents::Cut::again;
  if (taken_again_) return Verdict::again;
  if (cut == KinkEvents::Cut::failed) {
    const Cause cause = kinks_.status().cause;
    fail(fmt::format("The step from t = {:.6g} s, within which a force has a kink, cannot be taken again: {}.", t_,
                     describe(cause)),
         cause);
    return Verdict::failed;
  }
  if (const int unknown = find_not_finite(kinks_.newest()); unknown >= 0) {
    fail(fmt::format(
             "{} is not finite after the step from t = {:.6g} s, h = {:.4g} s (step {}).\n"
             "    usual cause : a fixed step that is too long for a stiff force, with which an explicit method grows "
             "without "
             "bounds; leave out 'h'",
             machine_.index3().layout().describe_unknown(unknown), t_, report.h, summary_.steps + 1),
         Cause::not_finite);
    return Verdict::failed;
  }
  return Verdict::accepted;
}

// The run is at the end of the step: energies, and whoever watches steps.
void Dynamics::keep_ledger(const StepReport& report) {
  const MotionVariables& newest = kinks_.newest();
  const double from = kinks_.from(t_), h = newest.t - from;
  if (is_rough_) ledger_.forget_smooth_steps();
  if (from > t_) ledger_.begin_behind(kinks_.beginning());
  is_rough_ = kinks_.has_change() || machine_.index3().next_breakpoint(t_) <= newest.t;
  t_ = newest.t;
  viewer_.set_kink(kink_);
  ++summary_.steps;
  summary_.h_min = summary_.steps == 1 ? report.h : std::min(summary_.h_min, report.h);
  summary_.h_max = std::max(summary_.h_max, report.h);
  ledger_.update(newest, kinks_.active() ? h : report.h, kinks_.quiet_kinks());
  rig_.note_step(newest);
  fixed_step_.note_step(newest, report.h);
  if (!live_) alarms_.note_step(newest, ledger_);  // nobody is told of alarms
  // In a heap rejected steps are what the error test is for.
  if (!kinks_.crowd().is_crowd()) rejected_.note_step(report, motion_.active().newest(), summary_.steps);
  output_.begin_step(newest, motion_.active().newest().t, summary_.steps);
}

void Dynamics::find_events() {
  for (const EventHit& hit : events_.find(t_)) {
    if (live_)
      hits_.push_back(hit);
    else
      summary_.events.push_back(events_.describe(hit));
    output_.record_event(hit.t);
    if (output_.stopped_at()) return;
    leaves_to_next_ = hit.id == part_.until && !events_.event(hit).stops;
    if (!events_.event(hit).stops && !leaves_to_next_) continue;
    stopped_by_event_ = true;
    t_ = hit.t;
    summary_.stop = fmt::format("event '{}' at t = {:.10g} s", events_.event(hit).name, hit.t);
    return;
  }
}

// False: somebody wants the run to stop.
bool Dynamics::record(const StepReport& report) {
  if (!stopped_by_event_) output_.record_rest();  // else the rest of the step is not shown
  bool stopped = output_.stopped_at().has_value();
  if (stopped) {
    t_ = *output_.stopped_at();
  } else {
    if (!live_) rig_.steps.record(t_, report, course_, sink_, summary_);
    stopped = progress_ && !progress_({t_, start_, end_, report.h, summary_.steps});
  }
  if (stopped) summary_.stop = fmt::format("stopped on request at t = {:.6g} s", t_);
  return !stopped;
}

// Whether the machine is still the one that was drawn.
bool Dynamics::is_plausible(const StepReport& report) {
  if (const std::string element = find_turned_element(kinks_.newest()); !element.empty())
    return fail(explain_turned(element, fmt::format("t = {:.6g} s, h = {:.6g} s", t_, report.h)),
                Cause::element_turned);
  if (const std::optional<Alarm> alarm = violations_.find_violated_row()) {
    summary_.alarms.push_back(*alarm);
    return fail(alarm->to_text(), "a row that was left out is violated");
  }
  if (std::string failure = find_contact_failure(machine_.full(), motion_.state); !failure.empty())
    return fail(std::move(failure), "too many contacts");
  return true;
}

std::string Dynamics::find_turned_element(const MotionVariables& x) {
  if (!beams_.active()) return {};
  return beams_.find_passed(viewer_.update_kinematics(viewer_.show(x, motion_.state)));
}

// Prescribed velocities that jump here, and forces that change: the method goes on from behind them.
bool Dynamics::pass_kinks() {
  viewer_.forget_kink();
  if (t_ >= kink_ && (t_ < end_ || part_.goes_on) && !pass_velocity_jump()) return false;
  if (kinks_.has_change())
    if (const Status status = kinks_.restart(); !status.ok())
      return fail(
          fmt::format("No accelerations after a change of contact at t = {:.6g} s: {}.", t_, describe(status.cause)),
          status.cause);
  const bool sampled = samples_.is_due(t_) && t_ < end_;
  if (sampled && !pass_sample()) return false;
  if (kinks_.has_change() || t_ >= kink_ || sampled) ledger_.renew_power(motion_.active().newest());
  return true;
}

bool Dynamics::pass_sample() {
  is_rough_ = true;
  if (const Status status = samples_.sample_and_restart(motion_.active().newest()); !status.ok())
    return fail(fmt::format("No motion after the sample of a digital controller at t = {:.6g} s: {}.", t_,
                            describe(status.cause)),
                status.cause);
  kinks_.forget_change();
  return true;
}

bool Dynamics::pass_velocity_jump() {
  const VelocityJumps::Jump jump = jumps_.find(kinks_.newest());
  if (jump.row < 0) return true;
  if (const Status status = jumps_.pass(jump, kinks_.newest(), ledger_, summary_.notes); !status.ok())
    return fail(
        fmt::format("No motion after a jump of a prescribed velocity at t = {:.6g} s: {}.", t_, describe(status.cause)),
        status.cause);
  kinks_.forget_change();  // the method has begun anew, with the velocities behind the jump
  return true;
}

bool Dynamics::fail(std::string failure, const std::string& why) {
  summary_.failure = std::move(failure);
  summary_.stop = fmt::format("failed at t = {:.6g} s: {}", t_, why);
  return false;
}

void Dynamics::sum_up() {
  const bool reached = t_ >= end_;
  summary_.t = t_;
  summary_.rejected_contact = kinks_.retaken();
  sum_up_contacts(machine_.full(), contact_changes_, summary_.notes);
  if (std::string heap = kinks_.crowd().to_text(t_); !heap.empty()) summary_.notes.push_back(std::move(heap));
  motion_.sum_up_passages(summary_.notes);
  jumps_.sum_up(summary_.notes);
  rejected_.sum_up(summary_.notes);
  fixed_step_.sum_up(violations_, motion_.method().left_behind(), summary_);
  const bool at_end = reached && t_ >= *study_.analysis.end;
  if (at_end && !stopped_by_event_) events_.sum_up_missed(summary_.notes);
  if (reached && !stopped_by_event_ && part_.goes_on && !at_end) leaves_to_next_ = true;
  if (reached) summary_.stop = fmt::format("reached the end, t = {:.6g} s", t_);
  alarms_.raise(summary_);
  summary_.completed = (reached || stopped_by_event_) && summary_.failure.empty();
  sum_up_method();
  rig_.finish_summary(summary_, ledger_, violations_);
}

RunPartEnd Dynamics::calc_end() const {
  RunPartEnd end{motion_.active().newest(), motion_.state, ledger_.now()};
  if (end.x.t > t_) {  // an event, within the last step
    motion_.interpolate(t_, end.x);
    end.ledger.work = ledger_.calc_work(t_);
  }
  return end;
}

void Dynamics::sum_up_method() {
  sum_up_exchanges();
  if (moved_) describe_method();
  warn_of_split(summary_);
}

// As long as the method has not moved it knows nothing of its matrices, and what is remembered holds.
void Dynamics::describe_method() {
  const MotionIntegrator& method = motion_.method();
  summary_.describe_solver(method.linear_solver());
  summary_.linear_solver = method.solver_name();
  const MotionIntegrator::JacobianReport jacobians = method.jacobians();
  const MotionIntegrator::JacobianReport& before = jacobians_before_;
  summary_.function_calls = before.function_calls + jacobians.function_calls;
  summary_.corrector_calls = before.corrector_calls + jacobians.corrector_calls;
  summary_.updates = before.updates + jacobians.updates;
  summary_.pattern_updates = before.pattern_updates + jacobians.pattern_updates;
  summary_.groups = jacobians.groups, summary_.handed_over = before.handed_over + jacobians.handed_over;
  const MotionIntegrator::ScalingReport scaling = method.scaling();
  summary_.scaling_m = scaling.m, summary_.scaling_d = scaling.d, summary_.scaling_k = scaling.k;
  summary_.scaling_s = scaling.s;
  summary_.scaling_rho = study_.solver.scaling.rho.value_or(0.0);
}

}  // namespace trammel
