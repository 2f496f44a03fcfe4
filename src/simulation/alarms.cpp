// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "trammel/mechanics/elements/contact_group.h"
#include "trammel/simulation/machine_length.h"
#include "trammel/simulation/methods/integrator_descriptor.h"
#include "trammel/simulation/option.h"
#include "trammel/simulation/run_alarms.h"

// Checks of a run's own numbers.

namespace trammel {

namespace {

constexpr double energy_rounding = 1e-9;
// What tolerances make of the work of stiff laws is no error of the motion. Beyond so many times what the machine has,
// recorded energies mean nothing at all, and that is told.
constexpr double most_unknown = 1e4;

// Below this a gain is rounding in a machine that does not move: 1e-9 of lifting it by its length, or of moving it by
// that in the run. With error control motions of ten tolerances are nothing either, whose energy goes with their
// square.
double calc_energy_noise(const Study& study) {
  double mass = 0.0;
  for (const BodySpec& body : study.model.bodies) mass += body.mass;
  const double length = machine_length(study.model), speed = length / study.analysis.span();
  return energy_rounding * mass * (study.model.gravity.norm() * length + speed * speed);
}

// A frame's constraints hold to a few times the tolerance of positions, or it is not within that tolerance itself.
constexpr double violation_in_tolerances = 100.0;
// With a fixed step there is none: of the machine's length, and radians.
constexpr double fixed_step_violation = 1e-3;

// Gains and losses beside the energy that was available. Of runs within ten times their tolerance, machines of many
// kinds and sizes, none is off by more than 60 tolerances with error control or by 3e-4 with a fixed step; of runs
// beyond a thousand times, hardly one by less than 150 or 1e-2. Work is summed with errors of its own, which the first
// part allows for. With a fixed step most methods damp, and somebody may want that.
struct ImbalanceParts {
  double gain = 0.0, loss = 0.0;
};
// Of runs within ten times their tolerance none is late by more than 400 of them (vibrations that were damped on
// purpose count as well); of those beyond a thousand times none by less than 1600.
constexpr double delay_in_tolerances = 700.0;
// Vibrations are known coordinate by coordinate, and count only as long as they ring.
constexpr double vibration_in_tolerances = 200.0;
constexpr double work_part = 5e-4, imbalance_in_tolerances = 100.0;
constexpr double fixed_step_part = 5e-3, fixed_step_damping = 2e-2;
// Newmark's method damps in first order, also motions that the step resolves: what it loses is an error of the motion.
constexpr double first_order_damping = 3e-3;
// Multipliers of Newmark's method err in first order, and so does the work of motions.
constexpr double first_order_part = 5e-2;

// Tolerances are parts of coordinates, and a machine may move by much less than its coordinates are (a pendulum that
// hardly swings): of a motion with the energy E, whose size goes with √E, the tolerance is a part that is larger by
// √(E₀/E), with E₀ that of lifting the machine by its length.
double calc_small_motion(const Study& study, double available) {
  const double whole = calc_energy_noise(study) / energy_rounding;
  return available > 0.0 ? std::max(1.0, std::sqrt(whole / available)) : 1.0;
}

// Of a coordinate, as part of the machine's length.
double calc_tolerance(const Study& study) {
  const SolverOptions& o = study.solver;
  const double length = machine_length(study.model);
  return o.rtol.value_or(0.0) + o.atol.value_or(0.0) / (length > 0.0 ? length : 1.0);
}

// An error test that velocities were taken out of is no promise for energies: none.
std::optional<ImbalanceParts> imbalance_parts(const Study& study, double available) {
  const SolverOptions& o = study.solver;
  if (o.split.error_set == TestSet::positions || o.split.error_set == TestSet::independent_positions ||
      (o.split.untested && !o.split.untested->empty()))
    return std::nullopt;
  const IntegratorTraits& method = method_of(o).traits;
  const bool errs = method.damps_in_first_order && !study.model.motions.empty();
  if (o.h) {
    if (errs) return ImbalanceParts{first_order_part, first_order_part};
    if (method.damps_in_first_order) return ImbalanceParts{fixed_step_part, first_order_damping};
    return ImbalanceParts{fixed_step_part, method.damps ? fixed_step_damping : fixed_step_part};
  }
  const double part = (errs ? first_order_part : work_part) +
                      imbalance_in_tolerances * calc_tolerance(study) * calc_small_motion(study, available);
  return ImbalanceParts{part, part};
}

// An imbalance that tolerances explain is no doubt of the motion, and one of the work that is recorded: if positions
// and velocities are right, it errs by the whole drift. Empty: there is none.
std::string describe_unknown_work(const Study& study, const EnergyWatch& watch, const ImbalanceParts& parts,
                                  double unknown) {
  const std::optional<Alarm> apparent = watch.judge_imbalance(parts.gain, parts.loss, 0.0);
  if (!apparent || apparent->value <= calc_energy_noise(study)) return {};
  return fmt::format(
      "work, and energy drift with it, is known to {:.2g} J only: forces have gains so high that they err by much "
      "where "
      "positions and velocities are within their tolerances (ten of which make {:.2g} J); tighten rtol and atol to "
      "know "
      "forces and work better",
      apparent->value, unknown);
}

// With a fixed step its length is judged; motions are never late.
bool can_be_late(const Study& study) { return !study.solver.h && study.model.motions.empty(); }

// Relatives of the trapezoidal rule: the others turn a vibration in higher order.
bool lags(const Study& study) { return can_be_late(study) && method_of(study.solver).traits.lags; }

}  // namespace

RunAlarms::RunAlarms(const Machine& machine, Viewer& viewer, const Motion& motion)
    : study_(machine.study()),
      full_(machine.full()),
      index3_(machine.index3()),
      viewer_(viewer),
      motion_(motion),
      checks_([this](int row) { return full_.system->describe_row(row); }),
      vibrations_(machine),
      sample_(motion.x) {
  if (!passes_singular_positions(machine)) rank_look_ = make_rank_watch(machine);
  // Rows in metres and radians.
  const SolverOptions& o = study_.solver;
  const double length = machine_length(study_.model);
  least_violation_limit_ = std::numeric_limits<double>::infinity();
  for (int row = 0; row < full_.system->n_rows(); ++row) {
    const bool in_metres = full_.system->describe_row(row).find("[m]") != std::string::npos;
    const double size = in_metres && length > 0.0 ? length : 1.0;
    violation_limits_.push_back(o.h ? fixed_step_violation * size
                                    : violation_in_tolerances * (o.atol.value_or(0.0) + o.rtol.value_or(0.0) * size));
    if (full_.system->holonomic()[row])
      least_violation_limit_ = std::min(least_violation_limit_, violation_limits_.back());
  }
}

void RunAlarms::note_step(const MotionVariables& x, const RunLedger& ledger) {
  const Ledger& now = ledger.now();
  unknown_work_ = ledger.uncertainty();
  if (energy_watch_.update(x.t, now)) energy_watch_.mark(find_largest_energy(x));
  checks_.note_reactions(x.t, ledger.lam(), ledger.smooth_steps() > 1);
  if (can_be_late(study_)) checks_.note_delay(x.t, now.kinetic, now.drift() - drift_before_, now.work, x.v);
  if (lags(study_)) checks_.note_swings(x.t, now.kinetic, ledger.smooth_steps() > 1);
  vibrations_.note_step(x, ledger.smooth_steps() > 1);
}

// The contact or force that stores most in the last step: where energy comes from, as a rule. A blow may have come and
// gone between the ends of a fixed step.
std::string RunAlarms::find_largest_energy(const MotionVariables& x) {
  std::string name;
  double largest = 0.0;
  const auto look = [&](const KinematicState& k) {
    for (std::size_t i = 0; i < full_.forces.size(); ++i) {
      const double stored = full_.forces[i].group ? std::abs(full_.forces[i].group->potential(k)) : 0.0;
      if (stored > largest) largest = stored, name = fmt::format("force '{}'", study_.model.forces[i].name);
    }
    if (full_.contacts == nullptr) return;
    const ContactGroup& group = *full_.contacts;
    for (int i = 0; i < group.n_listed(k.modes); ++i) {
      const ContactGroup::Place p = group.place(k.modes, i);
      const ContactGroup::Report report = group.calc_report(k, p);
      const double stored = 0.5 * report.normal_force * report.depth;
      if (stored > largest)
        largest = stored, name = fmt::format("contact '{}' between '{}' and '{}'", group.laws()[p.law].name,
                                             group.geometry()[p.a].name, group.geometry()[p.b].name);
    }
  };
  look(viewer_.update_kinematics(x, motion_.state));
  constexpr int parts = 4;
  for (int i = 0; i < parts && study_.solver.h; ++i) {
    motion_.method().interpolate_motion(x.t - *study_.solver.h * (1.0 - static_cast<double>(i) / parts), sample_);
    look(viewer_.update_kinematics(sample_, motion_.state));
  }
  return name;
}

void RunAlarms::note_frame(const MotionVariables& x, const Ledger& of_frame, const Eigen::VectorXd& phi) {
  const bool fixed = study_.solver.h.has_value();
  if (of_frame.position > least_violation_limit_) {
    for (int row = 0; row < full_.system->n_rows(); ++row) {
      if (!full_.system->holonomic()[row]) continue;
      const double value = std::abs(phi[row]), limit = violation_limits_[static_cast<std::size_t>(row)];
      if (value > limit) checks_.note_violation(x.t, row, value, limit);
    }
  }
  if (!fixed || !rank_look_ || !checks_.wants_rank()) return;
  checks_.note_rank(x.t, rank_look_->calc_sigma(x, motion_.state),
                    [this] { return rank_look_->find_dependent_rows(); });
}

// Energies say how late a machine is where they are known, and free vibrations where they are not.
std::optional<Alarm> RunAlarms::judge_delay(bool knows_energy) const {
  const std::span<const Kind> kinds = index3_.layout().kinds();
  const std::span<const int> charts = index3_.system().chart_offsets();
  const double tolerance = calc_tolerance(study_);
  RunChecks::Unresolved delay;
  std::string_view cause;
  double limit = delay_in_tolerances * tolerance;
  const auto look = [&](const RunChecks::Unresolved& found, std::string_view why) {
    if (found.part > delay.part) delay = found, cause = why;
  };
  if (knows_energy && can_be_late(study_)) {
    look(checks_.find_delay(kinds, charts), "the energy that the method lost or added");
    look(checks_.find_late_swings(kinds, charts), "what a step lacks of the phase of a vibration, in many swings,");
  }
  if (!(delay.part > limit)) {
    delay = vibrations_.find_late(kinds, charts), cause = "what steps lack of free vibrations, or damp of them,";
    const SolverOptions& o = study_.solver;  // beside its way: it may ring by much less than the machine's length
    limit =
        vibration_in_tolerances * (o.rtol.value_or(0.0) + (delay.way > 0.0 ? o.atol.value_or(0.0) / delay.way : 0.0));
  }
  if (!(delay.part > limit)) return std::nullopt;
  Alarm alarm{.name = "delay",
              .t = delay.t,
              .element = index3_.layout().describe_unknown(delay.coordinate),
              .value = delay.part,
              .limit = limit,
              .text = {}};
  alarm.text = fmt::format(
      "{} makes the machine late or early, until it is off by {:.2g} of the way from end to end of that coordinate, "
      "limit {:.2g}; tighten rtol and atol, or take a method of higher order",
      cause, delay.part, limit);
  return alarm;
}

// With a fixed step nothing else would tell that the numbers mean nothing.
void RunAlarms::raise(Summary& summary) const {
  const bool fixed = study_.solver.h.has_value();
  checks_.raise(summary.alarms);
  std::optional<Alarm> energy = energy_watch_.judge(fixed);
  if (energy && energy->value <= calc_energy_noise(study_)) energy.reset();
  std::optional<Alarm> imbalance;
  const double unknown = unknown_work_ <= most_unknown * energy_watch_.available() ? unknown_work_ : 0.0;
  const std::optional<ImbalanceParts> parts = imbalance_parts(study_, energy_watch_.available());
  if (parts) {
    imbalance = energy_watch_.judge_imbalance(parts->gain, parts->loss, unknown);
    if (energy && !fixed && energy->value <= parts->gain * energy_watch_.available() + unknown) energy.reset();
    if (unknown > 0.0 && !energy && !imbalance)
      if (std::string text = describe_unknown_work(study_, energy_watch_, *parts, unknown); !text.empty())
        summary.notes.push_back(std::move(text));
  }
  if (energy) imbalance.reset();
  if (imbalance && imbalance->value <= calc_energy_noise(study_)) imbalance.reset();
  if (energy) summary.alarms.push_back(*energy);
  const bool knows_energy = parts && unknown_work_ <= parts->gain * energy_watch_.available();
  if (!energy && !imbalance)
    if (const std::optional<Alarm> delay = judge_delay(knows_energy)) summary.alarms.push_back(*delay);
  if (imbalance && imbalance->element.empty())  // no force or contact stores anything
    imbalance->element = fmt::format("integrator '{}'", word_of(*study_.solver.integrator));
  if (imbalance) summary.alarms.push_back(*imbalance);
  if (summary.alarms.empty() || !summary.failure.empty()) return;
  if (study_.output.alarms == AlarmPolicy::error || (fixed && energy)) {
    summary.failure = summary.alarms.front().to_text();
    summary.stop += fmt::format("; failed by an alarm: {}", summary.alarms.front().name);
  }
}

}  // namespace trammel
