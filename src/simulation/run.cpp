#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "beam_watch.h"
#include "run_watch.h"
#include "trammel/simulation/diagnosis.h"
#include "trammel/simulation/option.h"
#include "trammel/simulation/run_checks.h"
#include "trammel/simulation/runner.h"

// Running: what is recorded, and the loop over steps.

namespace trammel {

namespace {

// A coordinate with a value or rate that is no number; −1: none.
int find_not_finite(const MotionVariables& x) {
  if (x.q.allFinite() && x.v.allFinite()) return -1;
  for (Eigen::Index i = 0; i < x.v.size(); ++i)
    if (!std::isfinite(x.v[i]) || !std::isfinite(x.q[i])) return static_cast<int>(i);
  return 0;
}

// A step may hold millions of frames: whoever wants to stop the run need not wait for all of them.
constexpr long frames_between_looks = 4096;

// A row that others imply is violated as they are, times a factor of the geometry; more than this, and more than this
// part of the machine's size, and they do not imply it any more.
constexpr double implied_factor = 1e3, implied_part = 1e-5;

}  // namespace

Runner::Runner(const Machine& machine, Viewer& viewer, Motion& motion)
    : machine_(machine),
      viewer_(viewer),
      motion_(motion),
      study_(machine.study()),
      full_(machine.full()),
      joint_(machine.joint()),
      index3_(&machine.index3()),
      x_(motion.x),
      state_(motion.state),
      integrator_(&motion.method()),
      workspace_(&viewer.workspace()),
      full_workspace_(&viewer.full_workspace()),
      left_out_(machine.left_out()) {
  watch_kinks();
  if (!passes_singular_positions(machine)) rank_look_ = make_rank_watch(machine);
  recorder_ = std::make_unique<Recorder>(study_.model, full_, study_.analysis.kind == AnalysisKind::statics,
                                         study_.analysis.kind != AnalysisKind::kinematics);
  run_watch_ = std::make_unique<RunWatch>(study_.model, full_, recorder_->groups());
  steps_.emplace("/solver/", step_channels(), StepSource{study_.solver, *integrator_, motion.max_corrections()});
}

Runner::~Runner() = default;

Summary Runner::begin_summary() const {
  Summary s;
  s.integrator = word_of(*study_.solver.integrator);
  s.formulation = study_.solver.formulation                             ? word_of(*study_.solver.formulation)
                  : study_.solver.integrator == Integrator::runge_kutta ? "explicit"
                                                                        : "slots";
  s.nv = full_.system->nv(), s.nc = full_.system->nc(), s.nz = full_.system->nz();
  if (joint_) s.nv = joint_->nv(), s.nc = joint_->machine().system->n_rows();
  s.degrees_of_freedom = s.nv - machine_.rank();
  s.notes = machine_.notes();
  return s;
}

void Runner::finish_summary(Summary& s) const {
  s.energy_start = ledger_.start;
  s.energy_drift = largest_drift_;
  s.work = ledger_.work;
  s.method_energy = ledger_.drift();
  s.position_drift = largest_position_;
  s.velocity_drift = largest_velocity_;
  run_watch_->sum_up(s.notes);
}

void Runner::update_ledger(const MotionVariables& x, double h) {
  const Shown shown = show(x, state_);
  const MotionPoint& p = shown.point;
  const MechanicalSystem::Energy energy = full_.system->calc_energy(p, shown.state, *full_workspace_);
  const double h_before = ledger_time_ - before_.t, power_before = before_.power;
  before_.t = ledger_time_, before_.power = last_power_, before_.ledger = ledger_;
  before_.a.swap(newest_a_);
  ledger_time_ = x.t;
  newest_a_ = x.a;
  ledger_.kinetic = energy.kinetic;
  ledger_.potential = energy.potential;
  calc_violation(shown, ledger_);
  if (run_watch_->follows_bushings())
    run_watch_->note_step(full_.system->update_kinematics(p, shown.state, *full_workspace_), x.t);
  shown_lam_ = viewer_.lam();
  left_out_violation_ = 0.0, violated_row_ = -1;
  for (const int row : left_out_) {
    if (!full_.system->holonomic()[row] || std::abs(all_phi_[row]) <= left_out_violation_) continue;
    left_out_violation_ = std::abs(all_phi_[row]);
    violated_row_ = row;
  }
  if (violated_row_ >= 0) {
    kept_violation_ = 0.0;
    for (int row = 0; row < full_.system->n_rows(); ++row)
      if (full_.system->holonomic()[row] && std::find(left_out_.begin(), left_out_.end(), row) == left_out_.end())
        kept_violation_ = std::max(kept_violation_, std::abs(all_phi_[row]));
  }
  double power = energy.power;
  if (!drives()) power += viewer_.lam().dot(phi_dot_);
  if (solves_for_power()) power = solve_for_power(x, viewer_.time_of_inputs(x.t)).value_or(power);
  const double bend = h > 0.0 && h_before > 0.0
                          ? ((power - last_power_) / h - (last_power_ - power_before) / h_before) / (h + h_before)
                          : 0.0;
  if (h == 0.0) {
    ledger_.start = energy.kinetic + energy.potential;
    before_.a = x.a;
    may_work_ = may_work();
  } else {
    ledger_.work += calc_step_work(x, h, power, bend);
    ++smooth_steps_;
  }
  last_power_ = power;
  largest_drift_ = std::max(largest_drift_, std::abs(ledger_.drift()));
}

void Runner::record(RecordSink& sink, const MotionVariables& x, const State& state) {
  const Shown shown = show(x, state);
  write_frame(sink, shown, ledger_);
}

void Runner::write_frame(RecordSink& sink, const Shown& shown, const Ledger& ledger) {
  viewer_.share_multipliers(shown);
  const std::span<const double> values = recorder_->update_frame(shown.point, shown.state, ledger);
  run_watch_->note_frame(shown.point.t, values);
  sink.frame(shown.point.t, values);
}

void Runner::watch_events() {
  std::vector<Crossing> wanted;
  for (const EventSpec& event : study_.model.events)
    wanted.push_back(event.rising && event.falling ? Crossing::both
                     : event.rising                ? Crossing::rising
                                                   : Crossing::falling);
  events_.configure(std::move(wanted));
}

// Events as functions of time within the last step.
EventFinder::Values Runner::event_values() {
  return [this](double t, Vec g) {
    active().interpolate(t, sample_);
    const Shown shown = show(sample_, state_);
    recorder_->calc_events(shown.point, shown.state, g);
  };
}

std::optional<Alarm> Runner::find_violated_row() const {
  if (violated_row_ < 0) return std::nullopt;
  const double size = full_.drawn.q.size() ? full_.drawn.q.lpNorm<Eigen::Infinity>() : 0.0;
  const double limit = std::max(implied_factor * kept_violation_, implied_part * (size > 0.0 ? size : 1.0));
  if (left_out_violation_ <= limit) return std::nullopt;
  Alarm alarm{.name = "left-out row violated",
              .t = ledger_time_,
              .element = full_.system->describe_row(violated_row_),
              .value = left_out_violation_,
              .limit = limit,
              .text = {}};
  alarm.text = fmt::format(
      "a row that was left out, because others implied it where the machine was drawn, does not hold any more: {:.3g}, "
      "limit {:.3g}; usual cause: the machine was drawn in a singular position, or reached one in which it goes "
      "another "
      "way; draw it elsewhere, or remove the redundancy",
      left_out_violation_, limit);
  return alarm;
}

// A split that amplifies by more than this, or that is another one in more than this part of its choices, is worth a
// warning.
constexpr double large_split = 100.0, restless_split = 0.1;
constexpr long few_choices = 20;

void Runner::warn_of_split(Summary& s) const {
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

// Inputs are examined over the run before it: a step over a pulse could not know of it.
StepBounds Runner::calc_step_bounds(double end) {
  const Shown shown = show(x_, state_);
  return full_.system->calc_step_bounds(shown.point, end, shown.state, *full_workspace_);
}

void Runner::record_step(RecordSink& sink, double t, const StepReport& report, Summary& summary) {
  StepInstant step{.report = report, .max_corrections = motion_.max_corrections(), .split = integrator_->split()};
  if (study_.solver.record_condition.value_or(false)) {
    summary.condition = step.condition = integrator_->calc_condition();
    summary.condition_max = std::max(summary.condition_max, summary.condition);
    if (study_.solver.integrator == Integrator::bdf) step.inverse_bounds = integrator_->calc_inverse_bounds();
  }
  if (step.split.n_independent >= 0) {
    summary.split_condition = step.split.condition;
    summary.split_condition_max = std::max(summary.split_condition_max, step.split.condition);
    summary.split_choices = step.split.choices, summary.split_changes = step.split.changes;
  }
  if (const JumpLedger* jump = integrator_->ledger()) step.ledger = *jump;
  sink.step(t, steps_->update(step));
}

Summary Runner::integrate(RecordSink& sink, const ProgressCallback& progress) {
  const double start = x_.t, end = *study_.analysis.end, span = end - start;
  const double interval = study_.output.interval.value_or(span / 500.0), same = 1e-9 * std::min(interval, span);
  Summary summary = begin_summary();
  update_ledger(x_, 0.0);
  energy_watch_.start(ledger_);
  start_checks();
  if (study_.solver.h) watch_fixed_step(x_, 0.0);
  record(sink, x_, state_);
  sample_ = frame_ = settled_ = x_;
  settle_frame(frame_, true);  // makes room: frames allocate nothing
  long output = 1;
  double t = start;
  const EventFinder::Values at_events = event_values();
  watch_events();
  events_.start(start, [&](double, Vec g) {
    const Shown shown = show(x_, state_);
    recorder_->calc_events(shown.point, shown.state, g);
  });
  bool stopped_by_event = false;
  const bool watches_kinks = kink_watch_.active() && !study_.solver.h;
  BeamWatch beam_watch(full_, study_.model);
  const auto passed_half_a_turn = [&](const MotionVariables& x) -> std::string {
    if (!beam_watch.active()) return {};
    const Shown shown = show(x, state_);
    return beam_watch.find_passed(full_.system->update_kinematics(shown.point, shown.state, *full_workspace_));
  };
  static_cast<void>(passed_half_a_turn(x_));  // notes where elements are at the start
  // Output times do not dictate the step; instants of events are recorded among them.
  const auto record_at = [&](double at) {
    active().interpolate(at, sample_);
    record_frame(sink, sample_, false);
  };
  std::optional<double> stopped_at;  // on request, among the frames of a step
  const auto record_outputs = [&](double until) {
    for (; !stopped_at && start + interval * static_cast<double>(output) <= until + same; ++output) {
      const double at = start + interval * static_cast<double>(output);
      if (std::abs(at - t) <= same)
        record_frame(sink, watches_kinks ? x_change_ : active().newest(), true);
      else
        record_at(at);
      if (output % frames_between_looks == 0 && progress &&
          !progress({at, start, end, active().newest().t - t, summary.steps}))
        stopped_at = at;
    }
  };
  const StepBounds bounds = study_.solver.h ? StepBounds{} : calc_step_bounds(end);
  bool again = false;    // the step is taken again because a force has a kink within it
  bool changed = false;  // at the end of the last step
  while (t < end && !stopped_by_event) {
    if (watches_kinks && !again) x_before_ = active().newest(), state_before_ = state_;
    const double from = watches_kinks ? x_before_.t : t;  // later than t if a change right behind t was met
    const double kink = study_.solver.h ? std::numeric_limits<double>::infinity() : index3_->next_breakpoint(from);
    const double limit = study_.solver.h ? end : std::min({end, kink, kink_limit_});
    integrator_->bound_step(bounds.longest_step(from));
    const StepReport report = motion_.advance(limit);
    summary.iterations += report.iterations;
    summary.linearizations += report.linearizations;
    summary.factorizations += report.factorizations;
    summary.rejected_error += report.rejected_error;
    summary.rejected_newton += report.rejected_newton;
    if (report.failure != Cause::none) ++summary.rejections[static_cast<std::size_t>(report.failure)];
    if (!report.remedy.empty()) {
      const auto known = summary.remedies.find(report.remedy);
      if (known != summary.remedies.end())
        ++known->second;
      else
        summary.remedies.emplace(report.remedy, 1);
    }
    if (!report.status.ok()) {
      summary.failure = explain(report, *integrator_, study_) + describe_contacts();
      summary.stop = fmt::format("failed at t = {:.6g} s: {}", t, describe(report.status.cause));
      break;
    }
    if (watches_kinks) again = !cut_at_kink(summary);
    if (again) continue;
    const MotionVariables& newest = watches_kinks ? x_change_ : active().newest();
    if (const int unknown = find_not_finite(newest); unknown >= 0) {
      summary.failure = fmt::format(
          "{} is not finite after the step from t = {:.6g} s, h = {:.4g} s (step {}).\n"
          "    usual cause : a fixed step that is too long for a stiff force, with which an explicit method grows "
          "without "
          "bounds; leave out 'h'",
          index3_->layout().describe_unknown(unknown), t, report.h, summary.steps + 1);
      summary.stop = fmt::format("failed at t = {:.6g} s: {}", t, describe(Cause::not_finite));
      break;
    }
    const double h = newest.t - t;
    if (ends_at_kink_ || changed) smooth_steps_ = 0;
    changed = change_.has_value();
    ends_at_kink_ = index3_->next_breakpoint(t) <= newest.t;
    t = newest.t;
    viewer_.set_kink(kink);
    ++summary.steps;
    summary.h_min = summary.steps == 1 ? report.h : std::min(summary.h_min, report.h);
    summary.h_max = std::max(summary.h_max, report.h);
    update_ledger(newest, watches_kinks ? h : report.h);
    if (study_.solver.h) watch_fixed_step(newest, report.h);
    watch_energy(newest);
    check_step(newest, smooth_steps_ > 1);
    for (const EventHit& hit : events_.find(t, at_events)) {
      const EventSpec& event = study_.model.events[static_cast<std::size_t>(hit.id)];
      summary.events.push_back(
          fmt::format("'{}' at t = {:.10g} s, {}", event.name, hit.t, hit.rising ? "rising" : "falling"));
      if (!*study_.output.every_step) record_outputs(hit.t);
      if (stopped_at) break;
      record_at(hit.t);
      if (!event.stops) continue;
      stopped_by_event = true;
      t = hit.t;
      summary.stop = fmt::format("event '{}' at t = {:.10g} s", event.name, hit.t);
      break;
    }
    if (stopped_by_event) {
      // The rest of the step is not shown.
    } else if (*study_.output.every_step) {
      record_frame(sink, newest, true);
    } else {
      record_outputs(t);
      const bool end_missing = t >= end && std::abs(start + interval * static_cast<double>(output - 1) - end) > same;
      if (end_missing && !stopped_at) record_frame(sink, newest, true);
    }
    if (stopped_at) {
      t = *stopped_at;
      summary.stop = fmt::format("stopped on request at t = {:.6g} s", t);
      break;
    }
    record_step(sink, t, report, summary);
    if (progress && !progress({t, start, end, report.h, summary.steps})) {
      summary.stop = fmt::format("stopped on request at t = {:.6g} s", t);
      break;
    }
    if (const std::string element = passed_half_a_turn(newest); !element.empty()) {
      summary.failure = explain_turned(element, fmt::format("t = {:.6g} s, h = {:.6g} s", t, report.h));
      summary.stop = fmt::format("failed at t = {:.6g} s: {}", t, describe(Cause::element_turned));
      break;
    }
    if (const std::optional<Alarm> alarm = find_violated_row()) {
      summary.failure = alarm->to_text();
      summary.alarms.push_back(*alarm);
      summary.stop = fmt::format("failed at t = {:.6g} s: a row that was left out is violated", t);
      break;
    }
    if (std::string failure = find_contact_failure(); !failure.empty()) {
      summary.failure = std::move(failure);
      summary.stop = fmt::format("failed at t = {:.6g} s: too many contacts", t);
      break;
    }
    if (stopped_by_event) continue;
    viewer_.forget_kink();
    if (const VelocityJump jump = t >= kink && t < end ? find_velocity_jump(newest) : VelocityJump{}; jump.row >= 0) {
      if (const Status status = pass_velocity_jump(jump, newest, summary); !status.ok()) {
        summary.failure = fmt::format("No motion after a jump of a prescribed velocity at t = {:.6g} s: {}.", t,
                                      describe(status.cause));
        summary.stop = fmt::format("failed at t = {:.6g} s: {}", t, describe(status.cause));
        break;
      }
      change_.reset();  // the method has begun anew, with the velocities behind the jump
    }
    if (!change_) {
      if (t >= kink) renew_power(newest);
      continue;
    }
    if (const Status status = restart_after_kink(); !status.ok()) {
      summary.failure =
          fmt::format("No accelerations after a change of contact at t = {:.6g} s: {}.", t, describe(status.cause));
      summary.stop = fmt::format("failed at t = {:.6g} s: {}", t, describe(status.cause));
      break;
    }
    renew_power(active().newest());
  }
  summary.t = t;
  sum_up_contacts(summary);
  motion_.sum_up_passages(summary.notes);
  sum_up_velocity_jumps(summary);
  sum_up_fixed_step(summary);
  for (const EventSpec& event : study_.model.events)
    if (event.stops && t >= end && !stopped_by_event)
      summary.notes.push_back(fmt::format("event '{}', which would have stopped the run, did not happen", event.name));
  if (t >= end) summary.stop = fmt::format("reached the end, t = {:.6g} s", t);
  raise_alarms(summary);
  summary.completed = (t >= end || stopped_by_event) && summary.failure.empty();
  summary.linear_solver = integrator_->solver_name();
  const MotionIntegrator::JacobianReport jacobians = integrator_->jacobians();
  summary.function_calls = jacobians.function_calls, summary.corrector_calls = jacobians.corrector_calls;
  summary.updates = jacobians.updates, summary.pattern_updates = jacobians.pattern_updates;
  summary.groups = jacobians.groups;
  const MotionIntegrator::ScalingReport scaling = integrator_->scaling();
  summary.scaling_m = scaling.m, summary.scaling_d = scaling.d, summary.scaling_k = scaling.k;
  summary.scaling_s = scaling.s;
  warn_of_split(summary);
  if (std::string warning = integrator_->warning(); !warning.empty()) summary.notes.push_back(std::move(warning));
  summary.scaling_rho = study_.solver.scaling.rho.value_or(0.0);
  finish_summary(summary);
  return summary;
}

}  // namespace trammel
