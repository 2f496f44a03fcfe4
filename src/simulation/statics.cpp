// SPDX-License-Identifier: Apache-2.0
#include "trammel/simulation/statics.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "trammel/base/text.h"
#include "trammel/dae/static_stability.h"
#include "trammel/mechanics/elements/contact_group.h"
#include "trammel/simulation/beam_watch.h"
#include "trammel/simulation/frames.h"
#include "trammel/simulation/machine_length.h"
#include "trammel/simulation/small_motions.h"

// Equilibria and steady motions.

namespace trammel {

namespace {

constexpr int most_falls = 4;                // from one unstable equilibrium to another
constexpr int largest_stability_test = 600;  // coordinates: it is dense
constexpr double slip_margin = 1e-6;         // of a limit of friction
constexpr double almost_all = 0.99;          // of it
constexpr double beside =
    0.05;  // [m, rad], of small machines in their length, of an unstable equilibrium, where it is left

std::string_view usual_cause(const EquilibriumReport& report) {
  if (!report.slipping.empty()) return "friction that cannot hold what it would have to";
  if (report.unheld >= 0)
    return "something that nothing holds: a body that falls or slides, a drive that pushes at rest what turns or runs "
           "freely; hold the coordinate by a joint or [[motion]]. Of a machine that moves ask for its steady motion "
           "(analysis.steady), or for `eigen --from-start`";
  if (report.status.cause == Cause::step_too_small)
    return "the load cannot grow further (buckling, a mechanism that locks): more load steps do not help";
  if (report.status.cause == Cause::element_turned)
    return "too few elements for how far the beam bends or twists, or a load that is much too large";
  if (report.status.cause == Cause::singular_matrix) return "something that nothing holds";
  return "something that nothing holds, or a force that grows faster than what balances it";
}

std::string_view what_failed(const EquilibriumReport& report) {
  if (!report.slipping.empty()) return "friction does not hold";
  return report.unheld_only ? "nothing holds a force" : describe(report.status.cause);
}

}  // namespace

Statics::Statics(Rig& rig)
    : rig_(rig),
      study_(rig.machine.study()),
      full_(rig.machine.full()),
      index3_(rig.machine.index3()),
      at_rest_(index3_),
      viewer_(rig.viewer),
      x_(rig.motion.x),
      state_(rig.motion.state) {}

std::string Statics::explain(const EquilibriumReport& report) const {
  const Layout& layout = index3_.layout();
  std::string text = fmt::format("No equilibrium was found: {}.\n", what_failed(report));
  const auto line = [&](const char* name, const std::string& value) {
    text += fmt::format("    {:<12}: {}\n", name, value);
  };
  line("iterations", std::to_string(report.iterations));
  if (report.unheld >= 0)
    line("unheld",
         fmt::format(
             "{:.4g} along {}: nothing {}", report.unheld_load, layout.describe_unknown(report.unheld),
             report.unheld_only ? "depends on where that is; all else is in balance" : "holds it where it was drawn"));
  if (report.unheld_only) {
    line("usual cause", std::string(usual_cause(report)));
    text.pop_back();
    return text;
  }
  if (report.load < 1.0 && report.load_steps > 0) line("load", fmt::format("{:.4g} of the whole", report.load));
  if (report.worst_row >= 0)
    line("unbalanced", fmt::format("{:.4g} in {}", report.unbalanced, layout.describe_row(report.worst_row)));
  if (report.moving_unknown >= 0)
    line("still moving", fmt::format("{} by {:.3g} in the last iteration",
                                     layout.describe_unknown(report.moving_unknown), report.last_change));
  if (report.status.cause == Cause::singular_matrix && report.status.row >= 0)
    line("unknown", layout.describe_unknown(report.status.row));
  if (report.status.cause == Cause::element_turned && report.status.row >= 0)
    line("element", "next to " + layout.describe_row(report.status.row));
  if (!report.slipping.empty()) line("slips", report.slipping);
  line("usual cause", std::string(usual_cause(report)));
  text.pop_back();
  return text;
}

EquilibriumReport Statics::find_equilibrium(EquilibriumOptions options, const Equilibrium::Watch& watch) {
  const MotionVariables drawn = x_;
  const State drawn_state = state_;
  EquilibriumReport settled;
  options.length = machine_length(study_.model);
  viewer_.hold_motions(options.steady.empty());
  const std::string sliding = options.steady.empty() ? settle_on_tyres(options, settled) : "";
  if (settled.unheld_only) return settled;
  find_sliding(options);
  const SecondOrderDae& dae = options.steady.empty() ? static_cast<const SecondOrderDae&>(at_rest_) : index3_;
  Equilibrium equilibrium(dae, rig_.machine.solver_choice(), options);
  EquilibriumReport report = equilibrium.find(x_, state_, viewer_.workspace(), watch);
  if (report.status.ok() && options.steady.empty()) leave_unstable(options, drawn, drawn_state, report);
  if (index3_.nz() == 0 || !options.steady.empty()) return report;
  if (!report.status.ok()) {
    if (const HeldContact most = find_most_held(); most.part > almost_all) report.slipping = most.describe();
    return report;
  }
  report.slipping = find_slipping();
  if (!report.slipping.empty() && !sliding.empty()) report.slipping = sliding;
  if (!report.slipping.empty()) report.status = Status::recoverable(Cause::outside_domain);
  return report;
}

// A vehicle that sinks onto its springs moves its tyres sideways: rubber that stuck where it was drawn would hold a
// part of it up. It comes to rest against friction that creeps; from there friction sticks, and only has to hold what
// nothing else does. Returns which tyres slide, if it does not come to rest.
std::string Statics::settle_on_tyres(EquilibriumOptions options, EquilibriumReport& report) {
  for (const Assembly::Force& force : full_.forces)
    if (!force.states.empty()) options.creeping.emplace_back(force.states.begin(), force.states.end());
  if (options.creeping.empty()) return {};
  options.load_steps = 0;
  const MotionVariables drawn = x_;
  const State drawn_state = state_;
  Equilibrium creep(at_rest_, rig_.machine.solver_choice(), options);
  report = creep.find(x_, state_, viewer_.workspace(), {});
  if (report.status.ok() || report.unheld_only) return {};
  std::string sliding;
  for (std::size_t i = 0; i < full_.forces.size(); ++i) {
    double taken = 0.0;
    for (const int z : full_.forces[i].states) taken = std::hypot(taken, x_.z[z]);
    if (taken > almost_all) sliding += fmt::format("{}'{}'", sliding.empty() ? "" : ", ", study_.model.forces[i].name);
  }
  x_ = drawn, state_ = drawn_state;
  return sliding.empty() ? sliding : fmt::format("tyre {}: all that friction can hold is not enough", sliding);
}

// Newton's iteration finds the nearest equilibrium, stable or not. Of an unstable one the machine is let down from
// where it was drawn, and if that is where it stands, from a little beside it. Along a path of loads it is only told.
void Statics::leave_unstable(EquilibriumOptions options, const MotionVariables& drawn, const State& drawn_state,
                             EquilibriumReport& report) {
  for (int fall = 0; fall <= most_falls; ++fall) {
    StaticStability stability;
    const Status status = calc_static_stability(at_rest_, x_, state_, options.length, largest_stability_test,
                                                viewer_.workspace(), stability);
    if (!status.ok() || !stability.unstable) return;
    report.unstable = index3_.layout().describe_unknown(stability.coordinate);
    if (options.load_steps > 0 || fall == most_falls) return;
    const MotionVariables kept = x_;
    const State kept_state = state_;
    if (fall == 0) {
      x_ = drawn, state_ = drawn_state;
    } else {
      x_.q += beside * stability.direction;
      InitialReport moved;
      if (project_positions(at_rest_, {}, x_, state_, viewer_.workspace(), moved).failed()) {
        x_ = kept, state_ = kept_state;
        return;
      }
    }
    options.descends = true;
    Equilibrium lower(at_rest_, rig_.machine.solver_choice(), options);
    const EquilibriumReport found = lower.find(x_, state_, viewer_.workspace());
    if (!found.status.ok()) {  // nothing holds it below
      x_ = kept, state_ = kept_state;
      return;
    }
    const int iterations = report.iterations;
    report = found;
    report.iterations += iterations;
  }
}

// The ways of places that friction holds, at most a twentieth of the machine: who settles slides a little, who slips
// much.
void Statics::find_sliding(EquilibriumOptions& options) const {
  constexpr double longest = 0.05;
  if (full_.contacts == nullptr || full_.contacts->n_states() == 0) return;
  const ContactGroup& group = *full_.contacts;
  const auto holds = [](const ContactGroup::Law& law) { return law.law.friction.kind == FrictionLaw::Kind::held; };
  if (std::none_of(group.laws().begin(), group.laws().end(), holds)) return;
  options.longest_slide = longest * machine_length(study_.model);
  for (int slot = 0; slot < group.capacity(); ++slot) {
    Eigen::VectorXd others = Eigen::VectorXd::Ones(index3_.nz());
    group.release(slot, others);
    std::vector<int>& states = options.sliding.emplace_back();
    for (int z = 0; z < others.size(); ++z)
      if (others[z] == 0.0) states.push_back(z);
  }
}

std::string Statics::HeldContact::describe() const {
  return fmt::format("contact '{}' between '{}' and '{}': {:.4g} N, and it holds {:.4g} N", contact, a, b, force,
                     limit);
}

// The place whose friction is nearest to its limit, or beyond it.
Statics::HeldContact Statics::find_most_held() {
  HeldContact most;
  if (full_.contacts == nullptr || full_.contacts->n_states() == 0) return most;
  const ContactGroup& group = *full_.contacts;
  const KinematicState k = viewer_.update_kinematics(x_, state_);
  for (int i = 0; i < group.n_listed(k.modes); ++i) {
    const ContactGroup::Place p = group.place(k.modes, i);
    const FrictionLaw& law = group.friction_law(p);
    const ContactGroup::Report report = group.calc_report(k, p);
    const double limit = law.mu_s * report.normal_force, force = report.friction.norm();
    if (!law.has_bristles() || !(force > most.part * limit)) continue;
    most = {group.laws()[p.law].name, group.geometry()[p.a].name, group.geometry()[p.b].name, force, limit};
    most.part = force / limit;
    most.creeps = law.kind == FrictionLaw::Kind::held;
  }
  return most;
}

// Equilibria are found with bristles that stick. The contact whose friction exceeds its limit, in words, or that slid
// away from where it was drawn if friction held it there. `others`: zero for the states that are bristles of contacts.
std::string Statics::find_slipping_contact(Eigen::VectorXd& others) {
  if (full_.contacts == nullptr || full_.contacts->n_states() == 0) return {};
  for (int slot = 0; slot < full_.contacts->capacity(); ++slot) full_.contacts->release(slot, others);
  const HeldContact most = find_most_held();
  EquilibriumOptions held;
  find_sliding(held);
  const bool slid = std::any_of(held.sliding.begin(), held.sliding.end(), [&](const std::vector<int>& states) {
    double way = 0.0;
    for (const int z : states) way = std::hypot(way, x_.z[z]);
    return way > held.longest_slide;
  });
  return slid || (!most.creeps && most.part > 1.0 + slip_margin) ? most.describe() : std::string();
}

// Parts of friction beyond the whole.
std::string Statics::find_slipping_tyre(Eigen::VectorXd& others) const {
  for (std::size_t i = 0; i < full_.forces.size(); ++i) {
    double taken = 0.0;
    for (const int z : full_.forces[i].states) taken = std::hypot(taken, x_.z[z]), others[z] = 0.0;
    if (taken > 1.0 + slip_margin)
      return fmt::format("tyre '{}': it would have to hold {:.3g} of what friction can", study_.model.forces[i].name,
                         taken);
  }
  return {};
}

// The same of all friction.
std::string Statics::find_slipping() {
  const int nv = index3_.nv(), nz = index3_.nz();
  Eigen::VectorXd others = Eigen::VectorXd::Ones(nz);
  if (std::string contact = find_slipping_contact(others); !contact.empty()) return contact;
  if (std::string tyre = find_slipping_tyre(others); !tyre.empty()) return tyre;
  // Others are known by their rate: a state ż = A(z) v that returns although the machine moves on, along A and in the
  // direction of z, is beyond its limit.
  MotionPlanes planes;
  InputBuffer inputs;
  at_rest_.calc_inputs(x_.t, inputs);
  if (!at_rest_.linearize(x_.point(inputs.view()), state_, PlaneSet::internal, planes, viewer_.workspace()).ok())
    return {};
  Eigen::MatrixXd along = Eigen::MatrixXd::Zero(nv, nz);
  for (int column = 0; column < nv; ++column)
    for (int k = planes.state_rate.start[column]; k < planes.state_rate.start[column + 1]; ++k)
      along(column, planes.state_rate.index[k]) = -planes.g_v[k];  // of the row ż − g
  for (int z = 0; z < nz; ++z) {
    if (others[z] == 0.0 || index3_.E()[z] == 0.0 || x_.z[z] == 0.0 || along.col(z).isZero()) continue;
    MotionVariables x = x_;
    x.v = (std::signbit(x.z[z]) ? -slip_margin : slip_margin) * along.col(z).normalized();
    x.zp.setZero();
    const double rate = -residual_at(x, state_, rig_.machine, viewer_)[nv + z];
    if (rate * x.z[z] < 0.0)
      return fmt::format("{} = {:.4g} is beyond what it can hold", index3_.layout().describe_unknown(nv + z), x.z[z]);
  }
  return {};
}

EquilibriumOptions Statics::options() const {
  EquilibriumOptions options;
  options.tol = *study_.solver.newton_tol;
  options.load_steps = *study_.analysis.load_steps;
  options.arc_length = *study_.analysis.arc_length;
  options.steady = rig_.machine.find_coordinates(*study_.analysis.steady);
  return options;
}

std::string Statics::begin_motion() {
  const MotionVariables given = x_;
  const State given_state = state_;
  EquilibriumOptions options;
  options.steady = rig_.machine.find_coordinates(*study_.analysis.steady);
  const EquilibriumReport report = find_equilibrium(options);
  viewer_.hold_motions(false);
  MotionVariables found = x_;
  const State found_state = state_;
  x_ = given, state_ = given_state;
  if (!report.status.ok()) return explain(report);
  State& state = state_ = found_state;
  found.a.setZero(), found.zp.setZero();
  if (options.steady.empty()) {
    found.v = given.v;
    InitialReport moved;
    const InitialFailure failure = project_velocities(index3_, {}, found, state, viewer_.workspace(), moved);
    if (failure.failed()) return failure.message;
  }
  AccelerationSolver acceleration(index3_, rig_.machine.solver_choice());
  if (const Status status = acceleration.solve(found, state, viewer_.workspace()); !status.ok())
    return fmt::format("No accelerations exist in the equilibrium: {}.", describe(status.cause));
  rig_.motion.begin_at(found, state, viewer_);
  return {};
}

// Equilibria at later times, each from the one before: motions and loads are those of the time, and friction holds from
// where it is. Where there is none, or only one that is far away, the way in time is halved, down to a small part of a
// step: there they end.
EquilibriumReport Statics::follow_time(const EquilibriumOptions& options, EquilibriumReport report,
                                       const Equilibrium::Watch& record) {
  constexpr double finest = 1.0 / 1024.0, far_away = 0.05;  // of a step; of the machine, and [rad]
  const double length = machine_length(study_.model);
  const auto frames = [&] {
    const KinematicState k = viewer_.update_kinematics(x_, state_);
    return std::vector<Frame<double>>(k.frames.begin(), k.frames.end());
  };
  const auto is_near = [&](const std::vector<Frame<double>>& a, const std::vector<Frame<double>>& b) {
    for (std::size_t i = 0; i < a.size(); ++i)
      if ((a[i].p - b[i].p).norm() > far_away * length || (a[i].R - b[i].R).norm() > far_away) return false;
    return true;
  };
  const double start = x_.t, end = *study_.analysis.end, step = (end - start) / *study_.analysis.time_steps;
  double way = step;
  while (x_.t < end - 1e-9 * step) {
    const MotionVariables kept = x_;
    const State kept_state = state_;
    const std::vector<Frame<double>> before = frames();
    const HeldContact most = find_most_held();
    // Whole steps are looked at, whatever lies between them.
    const double whole = start + step * (std::floor((kept.t - start) / step + 1e-9) + 1.0);
    x_.t = std::min({kept.t + way, whole, end});
    EquilibriumReport found = find_equilibrium(options);
    found.iterations += report.iterations;
    if (found.status.ok() && !is_near(before, frames())) {
      found.status = Status::recoverable(Cause::outside_domain);
      if (most.part > almost_all) found.slipping = most.describe();
    }
    if (found.status.ok()) {
      report = found;
      record(report, x_, state_);
      way = std::min(step, 2.0 * way);
      continue;
    }
    x_ = kept, state_ = kept_state;
    way *= 0.5;
    report.iterations = found.iterations;
    if (way < finest * step) return found;
  }
  return report;
}

Summary Statics::run(RecordSink& sink) {
  const EquilibriumOptions options = this->options();
  const bool along_time = *study_.analysis.time_steps > 0;
  Summary summary = rig_.begin_summary();
  summary.statics = true;
  summary.integrator = along_time                ? "statics, relaxation at successive times"
                       : options.load_steps == 0 ? "statics, relaxation"
                       : options.arc_length      ? "statics, Newton along the path"
                                                 : "statics, Newton with load steps";
  summary.formulation = options.steady.empty() ? "equilibrium" : "steady motion";
  AccelerationSolver solver(index3_, rig_.machine.solver_choice());
  Violations violations(rig_.machine, viewer_);
  RunLedger ledger(rig_.machine, viewer_, rig_.motion, violations, solver);
  FrameWriter writer(viewer_, rig_.recorder, rig_.run_watch, sink);
  BeamWatch beams(full_, study_.model);
  std::string turned;
  const auto record = [&](const EquilibriumReport& reached, const MotionVariables& x, const State& state) {
    const Shown shown = viewer_.show(x, state);
    ledger.note_load(reached.load, viewer_.calc_energy(shown));
    if (turned.empty() && beams.active())
      if (const std::string element = beams.find_passed(viewer_.update_kinematics(shown)); !element.empty())
        turned = explain_turned(element, fmt::format("{:.4g} of the load", reached.load));
    writer.write(along_time ? x.t : options.arc_length ? reached.path : reached.load, shown, ledger.now());
  };
  const auto update_ledger = [&] {
    ledger.update(x_, 0.0);
    rig_.note_step(x_);
  };
  update_ledger();
  if (options.load_steps == 0 && !along_time) record({}, x_, state_);
  EquilibriumReport report = find_equilibrium(options, record);
  update_ledger();
  if (options.load_steps == 0 && report.status.ok()) record(report, x_, state_);
  const bool began = report.status.ok();
  if (along_time && began) report = follow_time(options, report, record);
  sum_up(report, std::move(turned), summary);
  if (along_time) summary.t = x_.t;
  if (along_time && began && !summary.completed)
    summary.failure =
        fmt::format("Equilibria were followed to t = {:.6g} s, and there are none beyond.\n{}", x_.t, summary.failure);
  if (const HeldContact most = find_most_held(); summary.completed && most.part > 0.0)
    summary.notes.push_back(fmt::format(
        "with friction at rest equilibria are not unique: this one is reached from the drawn position, against which "
        "friction holds; nearest to its limit is {} ({:.3g} of it)",
        most.describe(), most.part));
  rig_.finish_summary(summary, ledger, violations);
  return summary;
}

void Statics::sum_up(const EquilibriumReport& report, std::string turned, Summary& summary) const {
  summary.steps = report.load_steps;
  summary.iterations = report.iterations;
  summary.linear_solver = to_text(rig_.machine.solver_choice().kind);
  summary.completed = report.status.ok() && turned.empty();
  summary.t = report.load;
  if (!turned.empty()) {
    summary.failure = std::move(turned);
    summary.stop = fmt::format("no equilibrium: {}", describe(Cause::element_turned));
  } else if (summary.completed) {
    summary.stop = fmt::format("{}equilibrium found, unbalanced {:.2g}", report.unstable.empty() ? "" : "unstable ",
                               report.unbalanced);
    if (!report.unstable.empty())
      summary.notes.push_back(
          fmt::format("the equilibrium is unstable: the machine gives way along {} at the slightest touch; another "
                      "drawn position may lead to a stable one",
                      report.unstable));
  } else {
    summary.failure = explain(report);
    summary.stop = fmt::format("no equilibrium: {}", what_failed(report));
  }
}

}  // namespace trammel
