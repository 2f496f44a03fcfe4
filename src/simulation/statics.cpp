#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "beam_watch.h"
#include "run_watch.h"
#include "trammel/base/text.h"
#include "trammel/dae/acceleration_solver.h"
#include "trammel/dae/static_stability.h"
#include "trammel/simulation/runner.h"

// Equilibria, steady motions and small motions about them.

namespace trammel {

namespace {

constexpr int most_falls = 4;                // from one unstable equilibrium to another
constexpr int largest_stability_test = 600;  // coordinates: it is dense
constexpr double beside = 0.05;              // [m, rad] of an unstable equilibrium, where it is left
constexpr double difference = 1e-6;          // of coordinates, for derivatives of measures

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

}  // namespace

std::string Runner::explain_equilibrium(const EquilibriumReport& report) const {
  const Layout& layout = index3_->layout();
  std::string text = fmt::format("No equilibrium was found: {}.\n",
                                 report.unheld_only ? "nothing holds a force" : describe(report.status.cause));
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

EquilibriumReport Runner::find_equilibrium(const EquilibriumOptions& options, const Equilibrium::Watch& watch) {
  const MotionVariables drawn = x_;
  const State drawn_state = state_;
  Equilibrium equilibrium(*index3_, solver_kind(), options);
  EquilibriumReport report = equilibrium.find(x_, state_, *workspace_, watch);
  if (report.status.ok() && options.steady.empty()) leave_unstable(options, drawn, drawn_state, report);
  if (!report.status.ok() || index3_->nz() == 0 || !options.steady.empty()) return report;
  report.slipping = find_slipping();
  if (!report.slipping.empty()) report.status = Status::recoverable(Cause::outside_domain);
  return report;
}

// Newton's iteration finds the nearest equilibrium, stable or not. Of an unstable one the machine is let down from
// where it was drawn, and if that is where it stands, from a little beside it. Along a path of loads it is only told.
void Runner::leave_unstable(EquilibriumOptions options, const MotionVariables& drawn, const State& drawn_state,
                            EquilibriumReport& report) {
  for (int fall = 0; fall <= most_falls; ++fall) {
    StaticStability stability;
    const Status status = calc_static_stability(*index3_, x_, state_, largest_stability_test, *workspace_, stability);
    if (!status.ok() || !stability.unstable) return;
    Eigen::Index along = 0;
    stability.direction.cwiseAbs().maxCoeff(&along);
    report.unstable = index3_->layout().describe_unknown(static_cast<int>(along));
    if (options.load_steps > 0 || fall == most_falls) return;
    const MotionVariables kept = x_;
    const State kept_state = state_;
    if (fall == 0) {
      x_ = drawn, state_ = drawn_state;
    } else {
      x_.q += beside * stability.direction;
      InitialReport moved;
      if (project_positions(*index3_, {}, x_, state_, *workspace_, moved).failed()) {
        x_ = kept, state_ = kept_state;
        return;
      }
    }
    options.descends = true;
    Equilibrium lower(*index3_, solver_kind(), options);
    const EquilibriumReport found = lower.find(x_, state_, *workspace_);
    if (!found.status.ok()) {  // nothing holds it below
      x_ = kept, state_ = kept_state;
      return;
    }
    const int iterations = report.iterations;
    report = found;
    report.iterations += iterations;
  }
}

// Equilibria are found with bristles that stick. The first whose friction exceeds its limit, in words.
std::string Runner::find_slipping() {
  constexpr double margin = 1e-6;
  const int nv = index3_->nv(), nz = index3_->nz();
  Eigen::VectorXd others = Eigen::VectorXd::Ones(nz);  // states that are not bristles of contacts
  if (full_.contacts != nullptr && full_.contacts->n_states() > 0) {
    const ContactGroup& group = *full_.contacts;
    for (int slot = 0; slot < group.capacity(); ++slot) group.release(slot, others);
    const KinematicState k = motion_kinematics(x_);
    for (int i = 0; i < group.n_listed(k.modes); ++i) {
      const ContactGroup::Place p = group.place(k.modes, i);
      const ContactGroup::Report report = group.calc_report(k, p);
      const double limit = group.laws()[p.law].law.friction.mu_s * report.normal_force, force = report.friction.norm();
      if (force > (1.0 + margin) * limit)
        return fmt::format("contact '{}' between '{}' and '{}': {:.4g} N, and it holds {:.4g} N",
                           group.laws()[p.law].name, group.geometry()[p.a].name, group.geometry()[p.b].name, force,
                           limit);
    }
  }
  // Others are known by their rate: a state ż = A(z) v that returns although the machine moves on, along A and in the
  // direction of z, is beyond its limit.
  MotionPlanes planes;
  index3_->calc_inputs(x_.t, inputs_);
  if (!index3_->linearize(x_.point(inputs_.view()), state_, PlaneSet::internal, planes, *workspace_).ok()) return {};
  Eigen::MatrixXd along = Eigen::MatrixXd::Zero(nv, nz);
  for (int column = 0; column < nv; ++column)
    for (int k = planes.state_rate.start[column]; k < planes.state_rate.start[column + 1]; ++k)
      along(column, planes.state_rate.index[k]) = -planes.g_v[k];  // of the row ż − g
  for (int z = 0; z < nz; ++z) {
    if (others[z] == 0.0 || index3_->E()[z] == 0.0 || x_.z[z] == 0.0 || along.col(z).isZero()) continue;
    MotionVariables x = x_;
    x.v = (std::signbit(x.z[z]) ? -margin : margin) * along.col(z).normalized();
    x.zp.setZero();
    const double rate = -residual_at(x, state_)[nv + z];
    if (rate * x.z[z] < 0.0)
      return fmt::format("{} = {:.4g} is beyond what it can hold", index3_->layout().describe_unknown(nv + z), x.z[z]);
  }
  return {};
}

// The "time" of its frames is the part of the load.
Summary Runner::balance(RecordSink& sink) {
  Summary summary = begin_summary();
  EquilibriumOptions options;
  options.tol = *study_.solver.newton_tol;
  options.load_steps = *study_.analysis.load_steps;
  options.arc_length = *study_.analysis.arc_length;
  options.steady = machine_.find_coordinates(*study_.analysis.steady);
  summary.statics = true;
  summary.integrator = options.load_steps == 0 ? "statics, relaxation"
                       : options.arc_length    ? "statics, Newton along the path"
                                               : "statics, Newton with load steps";
  summary.formulation = options.steady.empty() ? "equilibrium" : "steady motion";
  BeamWatch beam_watch(full_, study_.model);
  std::string turned;
  const auto record = [&](const EquilibriumReport& reached, const MotionVariables& x, const State& state) {
    ledger_.load = reached.load;
    const Shown shown = show(x, state);
    const MechanicalSystem::Energy energy = full_.system->calc_energy(shown.point, shown.state, *full_workspace_);
    ledger_.kinetic = energy.kinetic, ledger_.potential = energy.potential;
    if (turned.empty() && beam_watch.active()) {
      const KinematicState k = full_.system->update_kinematics(shown.point, shown.state, *full_workspace_);
      if (const std::string element = beam_watch.find_passed(k); !element.empty())
        turned = explain_turned(element, fmt::format("{:.4g} of the load", reached.load));
    }
    viewer_.share_multipliers(shown);
    const double place = options.arc_length ? reached.path : reached.load;
    const std::span<const double> values = recorder_->update_frame(shown.point, shown.state, ledger_);
    run_watch_->note_frame(place, values);
    sink.frame(place, values);
  };
  update_ledger(x_, 0.0);
  if (options.load_steps == 0) record({}, x_, state_);
  const EquilibriumReport report = find_equilibrium(options, record);
  update_ledger(x_, 0.0);
  if (options.load_steps == 0 && report.status.ok()) record(report, x_, state_);
  summary.steps = report.load_steps;
  summary.iterations = report.iterations;
  summary.linear_solver = to_text(solver_kind());
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
    summary.failure = explain_equilibrium(report);
    summary.stop = fmt::format("no equilibrium: {}", describe(report.status.cause));
  }
  finish_summary(summary);
  return summary;
}

Eigen::VectorXd Runner::residual_at(const MotionVariables& x, const State& state) {
  const int nv = index3_->nv(), nz = index3_->nz();
  Eigen::VectorXd r(nv + nz + index3_->nc());
  index3_->calc_inputs(x.t, inputs_);
  if (const Status status = index3_->residual(x.point(inputs_.view()), state, r.head(nv), r.segment(nv, nz),
                                              r.tail(index3_->nc()), *workspace_);
      !status.ok())
    throw SimulationError(
        fmt::format("The equations cannot be evaluated at t = {:.6g} s: {}.", x.t, describe(status.cause)));
  return r;
}

EigenModes Runner::calc_lowest_modes(int n_modes, double& largest_acceleration) {
  AccelerationSolver acceleration(*index3_, solver_kind());
  Status status = acceleration.solve(x_, state_, *workspace_);
  largest_acceleration = x_.a.size() > 0 ? x_.a.lpNorm<Eigen::Infinity>() : 0.0;
  EigenModes modes;
  if (status.ok())
    status = trammel::calc_lowest_modes(*index3_, x_, state_, index3_->system().chart_offsets(), n_modes, *workspace_,
                                        modes);
  if (!status.ok()) throw InputError(fmt::format("its lowest modes cannot be found: {}", describe(status.cause)));
  return modes;
}

LinearizedMachine Runner::linearize(const Eigen::MatrixXd& by_input) {
  LinearizedMachine result;
  // Accelerations and multipliers of the point itself: zero in an equilibrium.
  AccelerationSolver acceleration(*index3_, solver_kind());
  Status status = acceleration.solve(x_, state_, *workspace_);
  if (x_.a.size() > 0) result.largest_acceleration = x_.a.lpNorm<Eigen::Infinity>();
  if (status.ok())
    status =
        linearize_motion(*index3_, x_, state_, index3_->system().chart_offsets(), by_input, *workspace_, result.motion);
  if (!status.ok()) throw InputError(fmt::format("the machine cannot be linearized there: {}", describe(status.cause)));

  // Measures: differences along the columns of δq, δv, δz, δλ.
  std::vector<int> places;
  const RecordSchema schema{recorder_->groups(), {}, {}};
  for (const char* path : {"/frames/point", "/frames/measure"}) {
    const TablePlace table = schema.find_table(path);
    for (int i = 0; i < table.width; ++i) {
      const RecordGroup& group = schema.frames[static_cast<std::size_t>(table.group)];
      places.push_back(table.column + i);
      const int item = i / group.n_components();
      result.outputs.push_back(group.names[item] +
                               (group.n_components() > 1 ? "." + group.components[i % group.n_components()] : ""));
    }
  }
  const auto measure = [&](const MotionVariables& x) {
    const Shown shown = show(x, state_);
    const std::span<const double> all = recorder_->update_frame(shown.point, shown.state, ledger_);
    Eigen::VectorXd y(places.size());
    for (std::size_t i = 0; i < places.size(); ++i) y[i] = all[places[i]];
    return y;
  };
  const auto along = [&](const Eigen::VectorXd& q, const Eigen::VectorXd& v, const Eigen::VectorXd& z,
                         const Eigen::VectorXd& lam) -> Eigen::VectorXd {
    const double size =
        std::max({q.size() ? q.lpNorm<Eigen::Infinity>() : 0.0, v.size() ? v.lpNorm<Eigen::Infinity>() : 0.0,
                  z.size() ? z.lpNorm<Eigen::Infinity>() : 0.0, lam.size() ? lam.lpNorm<Eigen::Infinity>() : 0.0});
    if (size == 0.0) return Eigen::VectorXd::Zero(places.size());
    // Coordinates move by `difference`; what is large (multipliers of stiff machines) must not make it smaller.
    const double step = difference / std::max(q.size() ? q.lpNorm<Eigen::Infinity>() : 0.0, 1.0);
    MotionVariables x = x_;
    x.q += step * q, x.v += step * v, x.z += step * z, x.lam += step * lam;
    const Eigen::VectorXd ahead = measure(x);
    x = x_;
    x.q -= step * q, x.v -= step * v, x.z -= step * z, x.lam -= step * lam;
    return (ahead - measure(x)) / (2.0 * step);
  };
  const Linearization& m = result.motion;
  const Eigen::Index n = m.A.cols(), nu = m.B.cols();
  result.C.resize(places.size(), n), result.D.resize(places.size(), nu);
  for (Eigen::Index j = 0; j < n; ++j) result.C.col(j) = along(m.Q.col(j), m.V.col(j), m.Z.col(j), m.L.col(j));
  const Eigen::VectorXd rest = Eigen::VectorXd::Zero(index3_->nv());
  for (Eigen::Index j = 0; j < nu; ++j) result.D.col(j) = along(rest, rest, m.Z_u.col(j), m.L_u.col(j));
  return result;
}

}  // namespace trammel
