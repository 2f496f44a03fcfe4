#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "trammel/dae/impulse.h"
#include "trammel/simulation/runner.h"

// Motions whose coordinate jumps: refused. Motions whose velocity jumps: an event with an impulse. It is computed in
// absolute coordinates, where every motion has a row; joint coordinates may follow a motion by themselves.

namespace trammel {

namespace {

/// Jumps below this part of the velocities are rounding of u̇.
constexpr double smallest_jump = 1e-9;

constexpr std::size_t jumps_told = 3;

}  // namespace

// The row whose rate jumps most at x.t, and by how much: Φ̇ after x.t less Φ̇ before, the machine standing still
// meanwhile.
Runner::VelocityJump Runner::find_velocity_jump(const MotionVariables& x) {
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
Status Runner::pass_velocity_jump(const VelocityJump& jump, MotionVariables x, Summary& summary) {
  const double t = x.t, after = t + side_of_kink(t);
  x.t = t - side_of_kink(t);
  const Shown shown = show(x, state_);
  const Index3 absolute(machine_.kept());
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
    const MotionPoint at{after, inputs_.view(), moved.q, moved.v, moved.a, moved.z, moved.zp, viewer_.lam()};
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

void Runner::sum_up_velocity_jumps(Summary& summary) const {
  if (velocity_jumps_ > jumps_told)
    summary.notes.push_back(
        fmt::format("velocities that motions ask for jump at {} more instants", velocity_jumps_ - jumps_told));
}

}  // namespace trammel
