// SPDX-License-Identifier: Apache-2.0
#include "trammel/simulation/velocity_jumps.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "trammel/dae/impulse.h"

namespace trammel {

namespace {

/// Jumps below this part of the velocities are rounding of u̇.
constexpr double smallest_jump = 1e-9;

constexpr std::size_t jumps_told = 3;

}  // namespace

VelocityJumps::VelocityJumps(const Machine& machine, Viewer& viewer, Motion& motion, AccelerationSolver& solver)
    : machine_(machine), full_(machine.full()), viewer_(viewer), motion_(motion), solver_(solver) {}

// The row whose rate jumps most at x.t, and by how much: Φ̇ after x.t less Φ̇ before, the machine standing still
// meanwhile.
VelocityJumps::Jump VelocityJumps::find(const MotionVariables& x) {
  Jump jump;
  const int nc = full_.system->nc();
  if (nc == 0) return jump;
  MotionVariables before = x;
  before.t -= side_of_kink(x.t);
  const Shown shown = viewer_.show(before, motion_.state);
  Eigen::VectorXd rate[2] = {Eigen::VectorXd(nc), Eigen::VectorXd(nc)}, bias(nc);
  InputBuffer inputs;
  MotionPoint p = shown.point;
  for (const int side : {0, 1}) {
    full_.system->calc_inputs(side == 0 ? before.t : x.t + side_of_kink(x.t), inputs);
    p.in = inputs.view();
    if (!full_.system->velocity_level(p, shown.state, rate[side], bias, viewer_.full_workspace()).ok()) return jump;
  }
  Eigen::Index row = 0;
  const double size = (rate[1] - rate[0]).cwiseAbs().maxCoeff(&row);
  if (!(size > smallest_jump * (1.0 + p.v.lpNorm<Eigen::Infinity>()))) return jump;
  jump.row = static_cast<int>(row);
  jump.size = rate[0][row] - rate[1][row];  // Φ̇ = G v − u̇
  return jump;
}

// Of x, which stands just before the jump, right behind it; `energy`: what the impulse took.
Status VelocityJumps::calc_velocities(double after, MotionVariables& x, double& energy) {
  const Shown shown = viewer_.show(x, motion_.state);
  const Index3 absolute(machine_.kept());
  const MotionPoint& p = shown.point;
  MotionVariables moved{p.t, p.q, p.v, p.a, p.z, p.zp, Eigen::VectorXd::Zero(absolute.nc())};
  const State state = shown.state;
  const std::unique_ptr<Workspace> workspace = absolute.make_workspace();
  Impulse impulse;
  if (const Status status = calc_impulse(absolute, moved, after, state, *workspace, impulse); !status.ok())
    return status;
  energy = impulse.energy;
  moved.v += impulse.dv;
  const JointSystem* joint = machine_.joint();
  if (!joint) {
    x.v = moved.v;
    return Status::success();
  }
  InputBuffer inputs;
  full_.system->calc_inputs(after, inputs);
  const MotionPoint at{after, inputs.view(), moved.q, moved.v, moved.a, moved.z, moved.zp, viewer_.lam()};
  const KinematicState k = full_.system->update_kinematics(at, state, viewer_.full_workspace());
  MotionVariables in_tree;
  State charts = motion_.state;
  joint->set_from_frames(k.frames, after, in_tree, charts);
  x.v = in_tree.v;
  return Status::success();
}

Status VelocityJumps::pass(const Jump& jump, MotionVariables x, RunLedger& ledger, std::vector<std::string>& notes) {
  const double t = x.t, after = t + side_of_kink(t);
  x.t = t - side_of_kink(t);
  double energy = 0.0;
  Status status = calc_velocities(after, x, energy);
  if (!status.ok()) return status;
  x.t = after;
  status = solver_.solve(x, motion_.state, viewer_.workspace());
  if (!status.ok()) return status;
  ledger.note_impulse(energy, x);
  x.t = t;
  viewer_.centre_charts(x, motion_.state);
  if (++n_ <= jumps_told)
    notes.push_back(fmt::format(
        "the velocity that {} asks for jumps by {:.4g} at t = {:.6g} s: velocities jump with it by an impulse, the "
        "kinetic energy by {:.4g} J",
        full_.system->describe_row(jump.row), jump.size, t, energy));
  return motion_.active().restart(x, motion_.state);
}

void VelocityJumps::sum_up(std::vector<std::string>& notes) const {
  if (n_ > jumps_told)
    notes.push_back(fmt::format("velocities that motions ask for jump at {} more instants", n_ - jumps_told));
}

}  // namespace trammel
