// SPDX-License-Identifier: Apache-2.0
#include "trammel/mechanics/joint/joint_system.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "joint_workspace.h"
#include "trammel/math/rotations.h"
#include "trammel/mechanics/chart_columns.h"
#include "trammel/mechanics/elements/turns.h"

namespace trammel {

using detail::JointWorkspace;

namespace {

using V3 = Vec3<double>;

JointWorkspace& scratch(Workspace& workspace) { return static_cast<JointWorkspace&>(workspace); }

// Index of the first number that is not finite, or −1.
int first_not_finite(ConstVec x) {
  if (x.size() == 0 || std::isfinite(x.sum())) return -1;  // a sum is finite unless a term is not, or it overflows
  for (Eigen::Index i = 0; i < x.size(); ++i)
    if (!std::isfinite(x[i])) return static_cast<int>(i);
  return -1;
}

// Calls `visit` for every group with its own part of the state's modes set in k.
template <class Visit>
void for_groups(const AbsoluteSystem& machine, const State& state, KinematicState& k, Visit&& visit) {
  std::size_t mode = 0;
  for (const auto& group : machine.groups()) {
    k.modes = std::span(state.modes).subspan(mode, group->n_modes());
    mode += k.modes.size();
    visit(*group);
  }
}

}  // namespace

// ---- names and rows ------------------------------------------------------------------------------------------------

std::string JointSystem::describe_coordinate(int i) const { return coordinate_names_[i]; }
std::string JointSystem::describe_motion_row(int i) const { return motion_names_[i]; }

void JointSystem::finish_rows(std::span<const int> dropped) {
  const AbsoluteSystem& machine = *machine_.system;
  active_.assign(machine.n_rows(), 0);
  for (const int row : dropped) active_[row] = -1;
  for (const detail::Bearing& bearing : bearings_)
    for (int r = 0; r < bearing.n; ++r) active_[bearing.row[r]] = -1;
  all_row_.clear(), holonomic_.clear();
  for (int row = 0; row < machine.n_rows(); ++row) {
    if (active_[row] < 0) continue;
    active_[row] = static_cast<int>(all_row_.size());
    all_row_.push_back(row);
    holonomic_.push_back(machine.all_holonomic()[row]);
  }
}

void JointSystem::drop_rows(std::span<const int> rows) { finish_rows(rows); }

std::string JointSystem::explicit_refusal() const {
  if (!massless_.empty()) return fmt::format("{} has no inertia", massless_);
  for (int z = 0; z < nz(); ++z)
    if (E()[z] == 0.0) return fmt::format("{} is algebraic", describe_state(z));
  return {};
}

// ---- kinematics ----------------------------------------------------------------------------------------------------

std::unique_ptr<Workspace> JointSystem::make_workspace() const {
  const AbsoluteSystem& machine = *machine_.system;
  auto ws = std::make_unique<JointWorkspace>();
  ws->tree = tree_.make_memory();
  ws->frames.resize(machine.n_frames());
  Frame<double>& ground = ws->frames[0];
  ground.R.setIdentity();
  ground.p.setZero(), ground.v.setZero(), ground.w.setZero();
  ws->link_frames.resize(tree_.size());
  ws->wrench.resize(machine.n_frames());
  if (!bearings_.empty()) ws->row_wrench.resize(machine.n_frames()), ws->sweep.setZero(nv());
  ws->mu_wrench.resize(machine.n_frames());
  ws->by_link.resize(tree_.size());
  for (auto* x : {&ws->lam, &ws->mu, &ws->phi, &ws->phi_dot, &ws->bias}) x->assign(machine.n_rows(), 0.0);
  ws->turns.assign(machine.branches().size(), 0.0);
  InputBuffer inputs;
  machine.calc_inputs(0.0, inputs);
  ws->no_input.assign(inputs.u.size(), 0.0);
  ws->rates.assign(nz(), 0.0);
  ws->zero.setZero(nv());
  ws->scratch.setZero(nv());
  return ws;
}

void JointSystem::update_frames(JointWorkspace& ws) const {
  for (int i = 0; i < tree_.size(); ++i) {
    ws.link_frames[i] = tree_.calc_frame(i, ws.tree);
    ws.frames[tree_.link(i).tag] = ws.link_frames[i];
  }
}

KinematicState JointSystem::update_kinematics(const MotionPoint& p, const State& state, JointWorkspace& ws) const {
  tree_.update_motion(p.q, p.v, state.charts, p.in, ws.tree);
  update_frames(ws);
  for (std::size_t row = 0; row < active_.size(); ++row) ws.lam[row] = active_[row] < 0 ? 0.0 : p.lam[active_[row]];
  // The angle of a tree joint counts its turns by itself; others are predicted from the last accepted instant.
  for (std::size_t b = 0; b < ws.turns.size(); ++b) {
    if (branch_coordinate_[b] >= 0) {
      ws.turns[b] = p.q[branch_coordinate_[b]];
    } else if (branch_input_[b] >= 0) {
      ws.turns[b] = p.in.u[branch_input_[b]];
    } else {
      const AbsoluteSystem::BranchMap& branch = machine_.system->branches()[b];
      const Frame<double> f[2] = {ws.frames[branch.frame[0]], ws.frames[branch.frame[1]]};
      ws.turns[b] = expected_angle(branch.x, f, state.branches[b], p.t);
    }
  }
  return known_kinematics(p, ws);
}

KinematicState JointSystem::known_kinematics(const MotionPoint& p, const JointWorkspace& ws) const {
  return {ws.frames, p.in, ws.lam, std::span(p.z.data(), p.z.size()), ws.turns};
}

KinematicState JointSystem::update_kinematics(const MotionPoint& p, const State& state, Workspace& workspace) const {
  JointWorkspace& ws = scratch(workspace);
  KinematicState k = update_kinematics(p, state, ws);
  if (!bearings_.empty()) add_bearing_forces(p, state, k, ws);
  return k;
}

void JointSystem::to_links(std::span<const Wrench<double>> by_frame, JointWorkspace& ws) const {
  for (int i = 0; i < tree_.size(); ++i) ws.by_link[i] = by_frame[tree_.link(i).tag];
}

// ---- equations -----------------------------------------------------------------------------------------------------

// Forces beside what rows have left in row_wrench.
void JointSystem::add_forces(const State& state, KinematicState& k, JointWorkspace& ws) const {
  ws.wrench = ws.row_wrench;
  std::fill(ws.rates.begin(), ws.rates.end(), 0.0);
  for_groups(*machine_.system, state, k, [&](const ElementGroup& group) { group.add_forces(k, ws.wrench, ws.rates); });
  to_links(ws.wrench, ws);
}

void JointSystem::add_rows(const State& state, KinematicState& k, JointWorkspace& ws) const {
  for (Wrench<double>& w : ws.row_wrench) w = zero_wrench<double>();
  for_groups(*machine_.system, state, k,
             [&](const ElementGroup& group) { group.add_constraints(k, ws.phi, ws.row_wrench); });
}

// Reactions of bearings from a sweep without the forces that they feed, then all forces.
void JointSystem::add_forces_by_reactions(const MotionPoint& p, const State& state, KinematicState& k,
                                          JointWorkspace& ws) const {
  tree_.update_accelerations(p.v, p.a, p.in, ws.tree);
  add_forces(state, k, ws);
  tree_.calc_newton_euler(ws.by_link, ws.sweep, ws.tree);
  find_bearing_reactions(ws);
  add_forces(state, k, ws);
}

void JointSystem::add_bearing_forces(const MotionPoint& p, const State& state, KinematicState& k,
                                     JointWorkspace& ws) const {
  add_rows(state, k, ws);
  add_forces_by_reactions(p, state, k, ws);
}

Status JointSystem::check_finite(ConstVec motion, ConstVec internal, ConstVec phi) const {
  if (const int i = first_not_finite(motion); i >= 0) return Status::recoverable(Cause::not_finite, i);
  if (const int i = first_not_finite(internal); i >= 0) return Status::recoverable(Cause::not_finite, nv() + i);
  if (const int i = first_not_finite(phi); i >= 0) return Status::recoverable(Cause::not_finite, nv() + nz() + i);
  return Status::success();
}

Status JointSystem::residual(const MotionPoint& p, const State& state, Vec motion, Vec internal, Vec phi,
                             Workspace& workspace) const {
  JointWorkspace& ws = scratch(workspace);
  KinematicState k = update_kinematics(p, state, ws);
  if (bearings_.empty()) {
    for (Wrench<double>& w : ws.wrench) w = zero_wrench<double>();
    std::fill(ws.rates.begin(), ws.rates.end(), 0.0);
    for_groups(*machine_.system, state, k, [&](const ElementGroup& group) {
      group.add_forces(k, ws.wrench, ws.rates);
      group.add_constraints(k, ws.phi, ws.wrench);
    });
    to_links(ws.wrench, ws);
    tree_.update_accelerations(p.v, p.a, p.in, ws.tree);
  } else {
    add_bearing_forces(p, state, k, ws);
  }
  tree_.calc_newton_euler(ws.by_link, motion, ws.tree);
  for (int z = 0; z < nz(); ++z) internal[z] = E()[z] * p.zp[z] - ws.rates[z];
  for (int row = 0; row < nc(); ++row) phi[row] = ws.phi[all_row_[row]];
  return with_cause(check_finite(motion, internal, phi), machine_.system->groups(), k);
}

// Forces and rows in one pass: the wrenches by link, rates of states, Φ, Φ̇ and Gᵀμ. With bearings rows alone.
void JointSystem::add_stabilized(const MotionPoint& p, ConstVec mu, const State& state, Vec phi, Vec phi_dot,
                                 Vec kinematic, JointWorkspace& ws) const {
  KinematicState k = update_kinematics(p, state, ws);
  for (std::size_t f = 0; f < ws.wrench.size(); ++f) ws.wrench[f] = ws.mu_wrench[f] = zero_wrench<double>();
  std::fill(ws.rates.begin(), ws.rates.end(), 0.0);
  for (std::size_t row = 0; row < active_.size(); ++row) ws.mu[row] = active_[row] < 0 ? 0.0 : mu[active_[row]];
  for_groups(*machine_.system, state, k, [&](const ElementGroup& group) {
    if (bearings_.empty()) group.add_forces(k, ws.wrench, ws.rates);
    group.add_stabilized_constraints(k, ws.mu, ws.phi, ws.phi_dot, ws.wrench, ws.mu_wrench);
  });
  if (!bearings_.empty()) ws.row_wrench = ws.wrench;
  to_links(ws.mu_wrench, ws);
  if (nc() > 0)
    tree_.project(ws.by_link, kinematic, ws.tree);
  else
    kinematic.setZero();
  to_links(ws.wrench, ws);
  for (int row = 0; row < nc(); ++row) {
    phi[row] = ws.phi[all_row_[row]];
    phi_dot[row] = ws.phi_dot[all_row_[row]];
  }
}

Status JointSystem::stabilized_residual(const MotionPoint& p, ConstVec mu, const State& state, Vec motion, Vec internal,
                                        Vec phi, Vec phi_dot, Vec kinematic, Workspace& workspace) const {
  JointWorkspace& ws = scratch(workspace);
  add_stabilized(p, mu, state, phi, phi_dot, kinematic, ws);
  if (bearings_.empty()) {
    tree_.update_accelerations(p.v, p.a, p.in, ws.tree);
  } else {
    KinematicState k = known_kinematics(p, ws);
    add_forces_by_reactions(p, state, k, ws);
  }
  tree_.calc_newton_euler(ws.by_link, motion, ws.tree);
  for (int z = 0; z < nz(); ++z) internal[z] = E()[z] * p.zp[z] - ws.rates[z];
  const Status status = check_finite(motion, internal, phi);
  return status.ok() ? status : with_cause(status, machine_.system->groups(), update_kinematics(p, state, ws));
}

// The frames' accelerations at v̇ = 0 are part of the bias: d/dt (G J v) = (d/dt of G at constant twists) J v + G J̇ v.
Status JointSystem::velocity_level(const MotionPoint& p, const State& state, Vec phi_dot, Vec bias,
                                   Workspace& workspace) const {
  JointWorkspace& ws = scratch(workspace);
  KinematicState k = update_kinematics(p, state, ws);
  for_groups(*machine_.system, state, k,
             [&](const ElementGroup& group) { group.calc_velocity_level(k, ws.phi_dot, ws.bias); });
  for (int row = 0; row < nc(); ++row) {
    phi_dot[row] = ws.phi_dot[all_row_[row]];
    bias[row] = ws.bias[all_row_[row]];
  }
  tree_.update_accelerations(p.v, ws.zero, p.in, ws.tree);
  for (int i = 0; i < tree_.size(); ++i) {
    const auto [v_dot, w_dot] = tree_.calc_frame_acceleration(i, ws.tree);
    Frame<double>& frame = ws.frames[tree_.link(i).tag];
    frame.v = v_dot, frame.w = w_dot;
  }
  k.in = {ws.no_input, ws.no_input, ws.no_input};
  for_groups(*machine_.system, state, k, [&](const ElementGroup& group) {
    group.add_stabilized_constraints(k, ws.mu, ws.phi, ws.phi_dot, ws.wrench, ws.mu_wrench);
  });
  for (int row = 0; row < nc(); ++row) bias[row] += ws.phi_dot[all_row_[row]];
  if (const int i = first_not_finite(bias); i >= 0) return Status::recoverable(Cause::not_finite, nv() + nz() + i);
  return Status::success();
}

void JointSystem::calc_G_times(const MotionPoint& p, const State& state, ConstVec w, Vec product,
                               Workspace& workspace) const {
  JointWorkspace& ws = scratch(workspace);
  const MotionPoint moving{p.t, {p.in.u, ws.no_input, ws.no_input}, p.q, w, p.a, p.z, p.zp, p.lam};
  KinematicState k = update_kinematics(moving, state, ws);
  k.in = {ws.no_input, ws.no_input, ws.no_input};
  for_groups(*machine_.system, state, k, [&](const ElementGroup& group) {
    group.add_stabilized_constraints(k, ws.mu, ws.phi, ws.phi_dot, ws.wrench, ws.mu_wrench);
  });
  for (int row = 0; row < nc(); ++row) product[row] = ws.phi_dot[all_row_[row]];
}

Status JointSystem::accelerate(const MotionPoint& p, const State& state, Vec a, Vec zp, Workspace& workspace,
                               std::span<const double> tau) const {
  JointWorkspace& ws = scratch(workspace);
  Status status = Status::success();
  if (!has_elements_) {
    status = tree_.accelerate(p.q, p.v, state.charts, p.in, {}, {}, a, ws.tree, tau);
  } else if (!bearings_.empty()) {
    KinematicState k = update_kinematics(p, state, ws);
    add_rows(state, k, ws);
    status = accelerate_with_bearings(p, state, a, ws, tau);
    for (int z = 0; z < nz(); ++z) zp[z] = ws.rates[z];
  } else {
    KinematicState k = update_kinematics(p, state, ws);
    for (Wrench<double>& w : ws.wrench) w = zero_wrench<double>();
    std::fill(ws.rates.begin(), ws.rates.end(), 0.0);
    for_groups(*machine_.system, state, k, [&](const ElementGroup& group) {
      group.add_forces(k, ws.wrench, ws.rates);
      if (nc() > 0) group.add_constraints(k, ws.phi, ws.wrench);
    });
    to_links(ws.wrench, ws);
    status = tree_.accelerate(p.q, p.v, state.charts, p.in, ws.link_frames, ws.by_link, a, ws.tree, tau);
    for (int z = 0; z < nz(); ++z) zp[z] = ws.rates[z];
  }
  return status.ok() ? check_finite(a, zp, ws.zero) : status;
}

Status JointSystem::stabilized_acceleration(const MotionPoint& p, ConstVec mu, const State& state, Vec a, Vec zp,
                                            Vec phi, Vec phi_dot, Vec kinematic, Workspace& workspace) const {
  JointWorkspace& ws = scratch(workspace);
  add_stabilized(p, mu, state, phi, phi_dot, kinematic, ws);
  const Status status = bearings_.empty()
                            ? tree_.accelerate(p.q, p.v, state.charts, p.in, ws.link_frames, ws.by_link, a, ws.tree)
                            : accelerate_with_bearings(p, state, a, ws, {});
  for (int z = 0; z < nz(); ++z) zp[z] = ws.rates[z];
  return status.ok() ? check_finite(a, zp, phi) : status;
}

// ---- charts and bookkeeping ----------------------------------------------------------------------------------------

void JointSystem::to_chart(ConstVec q, MotionPlanes& planes, std::vector<double>& G_chart) const {
  multiply_chart_columns(chart_offsets(), q, planes, G_chart);
}

void JointSystem::calc_q_rate(ConstVec q, ConstVec v, Vec q_rate) const {
  calc_chart_rates(chart_offsets(), q, v, q_rate);
}

void JointSystem::accepted(const MotionPoint& p, double chart_threshold, Vec q, State& state,
                           Workspace& workspace) const {
  JointWorkspace& ws = scratch(workspace);
  const AbsoluteSystem& machine = *machine_.system;
  if (!machine.branches().empty() || !state.modes.empty()) {
    const KinematicState k = update_kinematics(p, state, ws);
    for (std::size_t b = 0; b < machine.branches().size(); ++b) {
      const AbsoluteSystem::BranchMap& branch = machine.branches()[b];
      const Frame<double> f[2] = {k.frames[branch.frame[0]], k.frames[branch.frame[1]]};
      state.branches[b] = {p.t, branch.x.value(f, k.turns[b]), rate_of(branch.x, f)};
    }
    int mode = 0;
    bool pattern_changed = false;
    for (const auto& group : machine.groups()) {
      pattern_changed |= group->update_modes(k, std::span(state.modes).subspan(mode, group->n_modes()));
      mode += group->n_modes();
    }
    if (pattern_changed) ++state.version;
  }
  for (std::size_t c = 0; c < chart_offsets().size(); ++c) {
    const int at = chart_offsets()[c];
    const V3 theta = q.segment<3>(at);
    if (theta.norm() <= chart_threshold) continue;
    state.charts[c] = recentre(state.charts[c], theta);
    q.segment<3>(at).setZero();
  }
}

// Driven joints do work as well: the effort along their freedom times u̇. So does the section that a body on a track is
// described from, as far as the point misses the equations: what is left of the rows of σ and θ, times their share of
// u̇.
MechanicalSystem::Energy JointSystem::calc_energy(const MotionPoint& p, const State& state,
                                                  Workspace& workspace) const {
  JointWorkspace& ws = scratch(workspace);
  ws.phi_dot.resize(machine_.system->n_rows());
  Eigen::VectorXd internal(nz()), phi(nc());
  // For the frames that it leaves in the workspace; laws outside their domain (the status) do not move them.
  static_cast<void>(residual(p, state, ws.scratch, internal, phi, workspace));
  Energy energy;
  for (int i = 0; i < tree_.size(); ++i) {
    const JointTree::Link& link = tree_.link(i);
    const Frame<double>& frame = ws.link_frames[i];
    energy.kinetic += 0.5 * link.mass * frame.v.squaredNorm() + 0.5 * frame.w.dot(link.inertia * frame.w);
    energy.potential -= link.mass * tree_.gravity().dot(frame.p);
    if (link.track) {
      const double turning = link.turns * ws.scratch[link.offset + link.nv - 1];
      const double along = link.mobility == Mobility::track ? ws.scratch[link.offset] : 0.0;
      energy.power += p.in.ud[link.travel] * (turning + along);
    }
    const int drive = tree_.drive_of(i);
    if (drive < 0) continue;
    const JointTree::Freedom& s = ws.tree.driven[i];
    energy.power += p.in.ud[drive] * (dot(s.sigma, ws.tree.moment[i]) + dot(s.nu, ws.tree.force[i]));
  }
  KinematicState k = known_kinematics(p, ws);
  for_groups(*machine_.system, state, k, [&](const ElementGroup& group) {
    energy.potential += group.potential(k);
    energy.power += group.power(k);
  });
  return energy;
}

}  // namespace trammel
