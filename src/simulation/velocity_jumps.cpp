#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "trammel/dae/impulse.h"
#include "trammel/simulation/simulation.h"

// Motions whose coordinate jumps: refused. Motions whose velocity jumps: an event with an impulse. It is computed in
// absolute coordinates, where every motion has a row; joint coordinates may follow a motion by themselves.

namespace trammel {

namespace {

/// Jumps below this part of the velocities are rounding of u̇.
constexpr double smallest_jump = 1e-9;

constexpr std::size_t jumps_told = 3;

// Instants that are looked at before the run; a law that has more of them is its own kind of noise.
constexpr int most_breakpoints = 10000;

}  // namespace

// How far from a kink its sides are looked at, as integrators do.
double Simulation::side_of_kink(double t) { return 8.0 * std::numeric_limits<double>::epsilon() * (1.0 + std::abs(t)); }

// No force of any size moves a body from one place to another at once: a motion whose coordinate jumps within the run
// has no solution. Seen where formulas and tables show an instant, before the run; kinematics has places alone and may
// jump.
void Simulation::refuse_position_jumps() {
  if (study_.analysis.kind != AnalysisKind::dynamics && study_.analysis.kind != AnalysisKind::inverse_dynamics) return;
  const AbsoluteSystem& system = *full_.system;
  InputBuffer before, after;
  std::vector<Issue> issues;
  std::vector<int> told;
  double t = *study_.analysis.start;
  for (int i = 0; i < most_breakpoints; ++i) {
    t = system.next_breakpoint(t);
    if (!(t < *study_.analysis.end)) break;
    system.calc_inputs(t - side_of_kink(t), before);
    system.calc_inputs(t + side_of_kink(t), after);
    for (std::size_t k = 0; k < before.u.size(); ++k) {
      const double jump = after.u[k] - before.u[k];
      if (!(std::abs(jump) > smallest_jump * (1.0 + std::abs(before.u[k])))) continue;
      const int row = find_row_of_input(static_cast<int>(k), before);
      if (row < 0 || std::find(told.begin(), told.end(), row) != told.end()) continue;
      told.push_back(row);
      issues.push_back({"", fmt::format("{}: its value jumps by {:.4g} at t = {:.6g} s, and nothing can be at another "
                                        "place at once; let it go there in a short time, for example by a ramp or "
                                        "step of some milliseconds",
                                        system.describe_row(row), jump, t)});
    }
  }
  if (!issues.empty()) throw InputError(std::move(issues));
}

// The constraint on positions that input k belongs to; −1: none.
int Simulation::find_row_of_input(int k, const InputBuffer& inputs) {
  const Index3 absolute(*full_.system);
  const std::unique_ptr<Workspace> workspace = absolute.make_workspace();
  MotionVariables x = x_;
  x.lam.setZero(absolute.nc());
  Eigen::VectorXd motion(absolute.nv()), internal(absolute.nz()), phi[2];
  InputBuffer changed = inputs;
  for (const int side : {0, 1}) {
    phi[side].resize(absolute.nc());
    changed.u[static_cast<std::size_t>(k)] += side;
    if (!absolute.residual(x.point(changed.view()), state_, motion, internal, phi[side], *workspace).ok()) return -1;
  }
  Eigen::Index row = 0;
  if (absolute.nc() == 0 || !((phi[1] - phi[0]).cwiseAbs().maxCoeff(&row) > 0.5)) return -1;
  return static_cast<int>(row);
}

// The row whose rate jumps most at x.t, and by how much: Φ̇ after x.t less Φ̇ before, the machine standing still
// meanwhile.
Simulation::VelocityJump Simulation::find_velocity_jump(const MotionVariables& x) {
  VelocityJump jump;
  const int nc = full_.system->nc();
  if (nc == 0) return jump;
  MotionVariables before = x;
  before.t -= side_of_kink(x.t);
  const Shown shown = show(before, state_);
  Eigen::VectorXd rate[2] = {Eigen::VectorXd(nc), Eigen::VectorXd(nc)}, bias(nc);
  InputBuffer inputs;
  MotionPoint p = shown.point;
  for (const int side : {0, 1}) {
    full_.system->calc_inputs(side == 0 ? before.t : x.t + side_of_kink(x.t), inputs);
    p.in = inputs.view();
    if (!full_.system->velocity_level(p, shown.state, rate[side], bias, *full_workspace_).ok()) return jump;
  }
  Eigen::Index row = 0;
  const double size = (rate[1] - rate[0]).cwiseAbs().maxCoeff(&row);
  if (!(size > smallest_jump * (1.0 + p.v.lpNorm<Eigen::Infinity>()))) return jump;
  jump.row = static_cast<int>(row);
  jump.size = rate[0][row] - rate[1][row];  // Φ̇ = G v − u̇
  return jump;
}

// Velocities after it are those of impulse.h (1); the method begins anew with them.
Status Simulation::pass_velocity_jump(const VelocityJump& jump, MotionVariables x, Summary& summary) {
  const double t = x.t, after = t + side_of_kink(t);
  x.t = t - side_of_kink(t);
  const Shown shown = show(x, state_);
  const Index3 absolute(reduced_ ? *reduced_->system : *full_.system);
  const MotionPoint& p = shown.point;
  MotionVariables moved{p.t, p.q, p.v, p.a, p.z, p.zp, Eigen::VectorXd::Zero(absolute.nc())};
  const State state = shown.state;
  const std::unique_ptr<Workspace> workspace = absolute.make_workspace();
  Impulse impulse;
  Status status = calc_impulse(absolute, moved, after, state, *workspace, impulse);
  if (!status.ok()) return status;
  moved.v += impulse.dv;
  if (joint_) {
    full_.system->calc_inputs(after, inputs_);
    const MotionPoint at{after, inputs_.view(), moved.q, moved.v, moved.a, moved.z, moved.zp, all_lam_};
    const KinematicState k = full_.system->update_kinematics(at, state, *full_workspace_);
    MotionVariables in_tree;
    State charts = state_;
    joint_->set_from_frames(k.frames, after, in_tree, charts);
    x.v = in_tree.v;
  } else {
    x.v = moved.v;
  }
  if (!acceleration_) acceleration_ = std::make_unique<AccelerationSolver>(*index3_, solver_kind());
  x.t = after;
  status = acceleration_->solve(x, state_, *workspace_);
  if (!status.ok()) return status;
  ledger_.work += impulse.energy;
  const Shown later = show(x, state_);
  last_power_ = full_.system->calc_energy(later.point, later.state, *full_workspace_).power;
  x.t = t;
  centre_charts(x);
  if (change_) x_change_.v = x.v;  // contact changes at the same instant
  if (++velocity_jumps_ <= jumps_told)
    summary.notes.push_back(fmt::format(
        "the velocity that {} asks for jumps by {:.4g} at t = {:.6g} s: velocities jump with it by an impulse, the "
        "kinetic energy by {:.4g} J",
        full_.system->describe_row(jump.row), jump.size, t, impulse.energy));
  return integrator_->restart(x, state_);
}

void Simulation::sum_up_velocity_jumps(Summary& summary) const {
  if (velocity_jumps_ > jumps_told)
    summary.notes.push_back(
        fmt::format("velocities that motions ask for jump at {} more instants", velocity_jumps_ - jumps_told));
}

}  // namespace trammel
