// SPDX-License-Identifier: Apache-2.0
#include "trammel/simulation/viewer.h"

#include "trammel/dae/at_rest.h"
#include "trammel/linalg/dense_decompositions.h"
#include "trammel/mechanics/elements/contact_group.h"

namespace trammel {

Viewer::Viewer(const Machine& machine) : machine_(machine), full_(machine.full()) { renew(); }

void Viewer::renew() {
  workspace_ = machine_.index3().make_workspace();
  full_workspace_ = full_.system->make_workspace();
  if (machine_.joint()) joint_workspace_ = machine_.joint()->make_workspace();
  forget_kink();
  held_ = false;
  inputs_ = {};
  shown_ = {};
  shown_state_ = {};
  all_lam_ = {};
}

// Those of every system of the machine.
void Viewer::calc_inputs(double t) {
  full_.system->calc_inputs(t, inputs_);
  if (held_) hold(inputs_);
}

// All multipliers; 0 for dropped rows, as they are integrated.
void Viewer::spread_multipliers(const MotionVariables& x) {
  const AbsoluteSystem& active = machine_.kept();
  const int n_rows = full_.system->n_rows();
  all_lam_.setZero(n_rows);
  for (int row = 0; row < n_rows; ++row)
    if (const int i = active.active_row(row); i >= 0) all_lam_[row] = x.lam[i];
}

Shown Viewer::show(const MotionVariables& x, const State& state) {
  calc_inputs(time_of_inputs(x.t));
  if (!machine_.joint()) {
    spread_multipliers(x);
    return {{x.t, inputs_.view(), x.q, x.v, x.a, x.z, x.zp, all_lam_}, state};
  }
  machine_.joint()->to_absolute(x.point(inputs_.view()), state, full_, shown_, shown_state_, *joint_workspace_);
  all_lam_ = shown_.lam;
  return {{x.t, inputs_.view(), shown_.q, shown_.v, shown_.a, shown_.z, shown_.zp, all_lam_}, shown_state_};
}

// The null space of Gᵀ is spanned by n = e_row − Σ c_i e_i, one vector per dependent row; λ ← λ − N (NᵀN)⁻¹ Nᵀ λ
// changes no force.
void Viewer::share_multipliers(const Shown& shown) {
  if (!machine_.has_dropped_rows() || machine_.study().solver.redundant != RedundancyPolicy::minimum_norm) return;
  const int n_rows = full_.system->n_rows();
  const MotionPoint& p = shown.point;
  const MotionVariables at{p.t, p.q, p.v, p.a, p.z, p.zp, p.lam};
  const RankReport rank = find_redundancy(Index3(*full_.system), at, shown.state, *full_workspace_);
  const int k = static_cast<int>(rank.dependent.size());
  Eigen::MatrixXd N = Eigen::MatrixXd::Zero(n_rows, k);
  for (int j = 0; j < k; ++j) {
    N(rank.dependent[j].row, j) = 1.0;
    for (const DependentRow::Term& term : rank.dependent[j].terms) N(term.row, j) = -term.coefficient;
  }
  if (k > 0) all_lam_ -= N * solve_symmetric(N.transpose() * N, N.transpose() * all_lam_);
}

KinematicState Viewer::update_kinematics(const Shown& shown) {
  return full_.system->update_kinematics(shown.point, shown.state, *full_workspace_);
}

MechanicalSystem::Energy Viewer::calc_energy(const Shown& shown) {
  return full_.system->calc_energy(shown.point, shown.state, *full_workspace_);
}

KinematicState Viewer::look_at(const MotionVariables& x, double t_inputs, const State& state) {
  calc_inputs(t_inputs);
  if (const JointSystem* joint = machine_.joint())
    return joint->update_kinematics(x.point(inputs_.view()), state, *joint_workspace_);
  spread_multipliers(x);
  const MotionPoint point{x.t, inputs_.view(), x.q, x.v, x.a, x.z, x.zp, all_lam_};
  return full_.system->update_kinematics(point, state, *full_workspace_);
}

MechanicalSystem::Energy Viewer::calc_energy_of_forces(const MotionVariables& x, const State& state) {
  const AbsoluteSystem& system = machine_.joint() ? *machine_.joint()->machine().system : *full_.system;
  return system.calc_energy(look_at(x, time_of_inputs(x.t), state), state, false);
}

KinematicState Viewer::update_kinematics(const MotionVariables& x, const State& state) {
  KinematicState k = look_at(x, x.t, state);
  if (full_.contacts != nullptr)
    k.modes = std::span(state.modes).subspan(full_.contact_modes, full_.contacts->n_modes());
  return k;
}

std::vector<Frame<double>> Viewer::calc_frames(const MotionVariables& x, const State& state) {
  const KinematicState k = update_kinematics(show(x, state));
  return {k.frames.begin(), k.frames.end()};
}

Status Viewer::calc_accelerations(AccelerationSolver& solver, MotionVariables& x, const State& state) {
  const JointSystem* joint = machine_.joint();
  if (!joint || joint->nc() > 0 || !joint->explicit_refusal().empty()) return solver.solve(x, state, *workspace_);
  calc_inputs(x.t);
  return joint->accelerate(x.point(inputs_.view()), state, x.a, x.zp, *workspace_);
}

void Viewer::centre_charts(MotionVariables& x, State& state) {
  calc_inputs(x.t);
  const Eigen::VectorXd q = x.q;
  const MotionPoint p{x.t, inputs_.view(), q, x.v, x.a, x.z, x.zp, x.lam};
  machine_.moved().accepted(p, 0.0, x.q, state, *workspace_);
}

}  // namespace trammel
