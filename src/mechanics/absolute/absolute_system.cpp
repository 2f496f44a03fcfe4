// SPDX-License-Identifier: Apache-2.0
#include "trammel/mechanics/absolute/absolute_system.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "plane_assembly.h"
#include "shared_groups.h"
#include "trammel/mechanics/chart_columns.h"
#include "trammel/mechanics/elements/constraint_group.h"
#include "trammel/mechanics/elements/constraints.h"
#include "trammel/mechanics/elements/turns.h"
#include "trammel/mechanics/small_turns.h"

namespace trammel {

using detail::AbsoluteWorkspace;
using detail::shared_frames;

namespace {

AbsoluteWorkspace& scratch(Workspace& workspace) { return static_cast<AbsoluteWorkspace&>(workspace); }

// Finds out whether a group connects a force with a row.
class ReactionSeeker final : public Connectivity {
 public:
  int pair(int, int) override { return -1; }
  int row(int, int) override { return -1; }
  int reaction(int, int) override {
    found = true;
    return -1;
  }
  int state_force(int, int) override { return -1; }
  int state_rate(int, int) override { return -1; }
  int state_state(int, int) override { return -1; }
  int state_lam(int, int) override { return -1; }
  bool found = false;
};

// Index of the first number that is not finite, or −1.
int first_not_finite(ConstVec x) {
  if (x.size() == 0 || std::isfinite(x.sum())) return -1;  // a sum is finite unless a term is not, or it overflows
  for (Eigen::Index i = 0; i < x.size(); ++i)
    if (!std::isfinite(x[i])) return static_cast<int>(i);
  return -1;
}

// Of a machine of planar bodies. What was noted of an angle serves four times as long as it is old.
bool must_note_angles(const AbsoluteSystem& system, const MotionPoint& p, const State& state) {
  const auto spin = [&](int frame) { return frame == 0 ? 0.0 : p.v[system.frame_map(frame).offset + 2]; };
  for (std::size_t b = 0; b < state.branches.size(); ++b) {
    const auto& [a, c] = system.branches()[b].frame;
    if (!turns_little(spin(a), spin(c), state.branches[b], 4.0 * (p.t - state.branches[b].t))) return true;
  }
  return false;
}

}  // namespace

AbsoluteSystem::AbsoluteSystem() {
  frames_.push_back({});
  frames_[0].name = "ground";
  inputs_.push_back(TimeFunction::polynomial({0.0, 1.0}));  // u₀ = t
}

AbsoluteSystem::~AbsoluteSystem() = default;

int AbsoluteSystem::add_frame(FrameMap frame) {
  switch (frame.kind) {
    case FrameMap::Kind::ground:
      frame.nv = 0;
      break;
    case FrameMap::Kind::rigid:
      frame.nv = 6;
      frame.inverse_inertia = frame.inertia.inverse();
      frame.chart = static_cast<int>(chart_offsets_.size());
      chart_offsets_.push_back(nv_ + 3);
      kinds_q_.insert(kinds_q_.end(), 3, Kind::position);
      kinds_q_.insert(kinds_q_.end(), 3, Kind::rotation);
      break;
    case FrameMap::Kind::planar:
      frame.nv = 3;
      frame.R_fixed = frame.R0 * frame.axis() * frame.axis().transpose();
      frame.R_cos = frame.R0 - frame.R_fixed;
      frame.R_sin = frame.R0 * hat<double>(frame.axis());
      frame.axial_inertia = frame.axis().dot(frame.inertia * frame.axis());
      kinds_q_.insert(kinds_q_.end(), {Kind::position, Kind::position, Kind::rotation});
      break;
    case FrameMap::Kind::particle:
      frame.nv = 3;
      kinds_q_.insert(kinds_q_.end(), 3, Kind::position);
      break;
    case FrameMap::Kind::scalar:
      frame.nv = 1;
      kinds_q_.push_back(Kind::position);
      break;
  }
  frame.offset = nv_;
  nv_ += frame.nv;
  frames_.push_back(std::move(frame));
  return n_frames() - 1;
}

int AbsoluteSystem::add_input(TimeFunction function) {
  inputs_.push_back(std::move(function));
  return static_cast<int>(inputs_.size()) - 1;
}

int AbsoluteSystem::add_state(std::string name, bool algebraic) {
  state_names_.push_back(std::move(name));
  E_.push_back(algebraic ? 0.0 : 1.0);
  return nz() - 1;
}

int AbsoluteSystem::add_rows(const std::string& owner, int count, bool holonomic, const std::string& unit) {
  const int first = n_rows();
  int number = first > 0 && row_owner_.back() == owner ? row_number_.back() : 0;
  for (int i = 0; i < count; ++i) {
    row_owner_.push_back(owner);
    row_unit_.push_back(unit);
    row_number_.push_back(++number);
    row_holonomic_.push_back(holonomic);
    active_.push_back(0);
  }
  return first;
}

int AbsoluteSystem::add_branch(const RelativeCoordinate& x, int frame_a, int frame_b) {
  branches_.push_back({x, {frame_a, frame_b}});
  return static_cast<int>(branches_.size()) - 1;
}

void AbsoluteSystem::drop_rows(std::span<const int> rows) {
  for (int row : rows) active_[row] = -1;
  finish();
}

void AbsoluteSystem::finish() {
  nc_ = 0;
  all_row_.clear();
  active_holonomic_.clear();
  for (int row = 0; row < n_rows(); ++row) {
    if (active_[row] < 0) continue;
    active_[row] = nc_++;
    all_row_.push_back(row);
    active_holonomic_.push_back(row_holonomic_[row]);
  }
  n_modes_ = 0;
  for (const auto& group : groups_) n_modes_ += group->n_modes();
  find_world_vectors();
  hinges_ = std::make_unique<detail::PlanarHinges>(*this);
  shared_ = std::make_unique<detail::SharedGroups>(groups_, n_frames());
}

void AbsoluteSystem::find_world_vectors() {
  world_coordinates_.clear();
  world_rows_.clear();
  for (const FrameMap& map : frames_)
    if (map.kind == FrameMap::Kind::rigid) world_coordinates_.push_back({map.offset, map.chart});
  for (const auto& group : groups_) {
    const auto* points = dynamic_cast<const ConstraintGroup<Coincident<3>>*>(group.get());
    if (!points) continue;
    for (int e = 0; e < points->size(); ++e) {
      const int first = active_[points->first_row(e)];
      const bool complete =
          first >= 0 && active_[points->first_row(e) + 1] >= 0 && active_[points->first_row(e) + 2] >= 0;
      const int chart_a = frames_[points->frame(e, 0)].chart, chart_b = frames_[points->frame(e, 1)].chart;
      const int chart = chart_b >= 0 ? chart_b : chart_a;
      if (complete && chart >= 0) world_rows_.push_back({first, chart});
    }
  }
}

State AbsoluteSystem::make_state() const {
  State state;
  state.charts.resize(chart_offsets_.size());
  state.branches.resize(branches_.size());
  state.modes.assign(n_modes_, 0);
  return state;
}

// ---- names ---------------------------------------------------------------------------------------------------------

int AbsoluteSystem::frame_of(int coordinate) const {
  const auto it = std::upper_bound(frames_.begin(), frames_.end(), coordinate,
                                   [](int i, const FrameMap& f) { return i < f.offset; });
  auto frame = std::prev(it);
  while (frame->nv == 0) --frame;
  return static_cast<int>(frame - frames_.begin());
}

std::string AbsoluteSystem::describe_row(int row) const {
  return fmt::format("{}, row {} [{}]", row_owner_[row], row_number_[row], row_unit_[row]);
}

std::string AbsoluteSystem::describe_coordinate(int i) const {
  static constexpr const char* axes = "xyz";
  const FrameMap& f = frames_[frame_of(i)];
  const int k = i - f.offset;
  switch (f.kind) {
    case FrameMap::Kind::scalar:
      return fmt::format("coordinate '{}'", f.name);
    case FrameMap::Kind::planar:
      return k < 2 ? fmt::format("body '{}', in-plane position {} [m]", f.name, k + 1)
                   : fmt::format("body '{}', angle [rad]", f.name);
    default:
      return k < 3 ? fmt::format("body '{}', position {} [m]", f.name, axes[k])
                   : fmt::format("body '{}', rotation about {} [rad]", f.name, axes[k - 3]);
  }
}

std::string AbsoluteSystem::describe_motion_row(int i) const {
  static constexpr const char* axes = "xyz";
  const FrameMap& f = frames_[frame_of(i)];
  const int k = i - f.offset;
  switch (f.kind) {
    case FrameMap::Kind::scalar:
      return fmt::format("coordinate '{}', balance of forces", f.name);
    case FrameMap::Kind::planar:
      return k < 2 ? fmt::format("body '{}', balance of forces in its plane, {} [N]", f.name, k + 1)
                   : fmt::format("body '{}', balance of moments [N m]", f.name);
    default:
      return k < 3 ? fmt::format("body '{}', balance of forces along {} [N]", f.name, axes[k])
                   : fmt::format("body '{}', balance of moments about its {} [N m]", f.name, axes[k - 3]);
  }
}

// ---- inputs and kinematics -----------------------------------------------------------------------------------------

std::unique_ptr<Workspace> AbsoluteSystem::make_workspace() const {
  auto workspace = std::make_unique<AbsoluteWorkspace>();
  workspace->frames.resize(n_frames());
  Frame<double>& ground = workspace->frames[0];
  ground.R.setIdentity();
  ground.p.setZero(), ground.v.setZero(), ground.w.setZero();
  workspace->wrench.resize(n_frames());
  workspace->mu_wrench.resize(n_frames());
  workspace->planar_turns.resize(n_frames());
  workspace->lam.assign(n_rows(), 0.0);
  workspace->mu.assign(n_rows(), 0.0);
  workspace->phi.assign(n_rows(), 0.0);
  workspace->phi_dot.assign(n_rows(), 0.0);
  workspace->bias.assign(n_rows(), 0.0);
  workspace->turns.assign(branches_.size(), 0.0);
  workspace->no_input.assign(inputs_.size(), 0.0);
  workspace->rates.assign(E_.size(), 0.0);
  workspace->no_rate.setZero(std::max(nv_, nz()));
  return workspace;
}

void AbsoluteSystem::calc_inputs(double t, InputBuffer& inputs) const {
  if (inputs.u.size() != inputs_.size()) inputs.resize(inputs_.size());
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    const TimeFunction::Value value = inputs_[i].evaluate(t);
    inputs.u[i] = value.u;
    inputs.ud[i] = value.ud;
    inputs.udd[i] = value.udd;
  }
}

double AbsoluteSystem::next_breakpoint(double t) const {
  double next = breakpoints_.next(t);
  for (const TimeFunction& input : inputs_) next = std::min(next, input.next_breakpoint(t));
  return next;
}

// Of a frame that moves.
inline void AbsoluteSystem::place_frame(int f, const MotionPoint& p, const State& state, Frame<double>& frame) const {
  const FrameMap& map = frames_[f];
  const double* q = p.q.data() + map.offset;
  const double* v = p.v.data() + map.offset;
  switch (map.kind) {
    case FrameMap::Kind::rigid:
      frame.p = {q[0], q[1], q[2]};
      frame.R.noalias() = state.charts[map.chart].R_ref * detail::turn_by(Vec3<double>(q[3], q[4], q[5]));
      frame.v = {v[0], v[1], v[2]};
      frame.w = {v[3], v[4], v[5]};
      break;
    case FrameMap::Kind::planar:
      frame.p = map.p0 + map.S.block<3, 1>(0, 0) * q[0] + map.S.block<3, 1>(0, 1) * q[1];
      frame.R = map.R_fixed + map.R_cos * std::cos(q[2]) + map.R_sin * std::sin(q[2]);
      frame.v = map.S.block<3, 1>(0, 0) * v[0] + map.S.block<3, 1>(0, 1) * v[1];
      frame.w = map.axis() * v[2];
      break;
    case FrameMap::Kind::particle:
      frame.R.setIdentity();
      frame.p = {q[0], q[1], q[2]};
      frame.v = {v[0], v[1], v[2]};
      frame.w.setZero();
      break;
    case FrameMap::Kind::scalar:
      frame.R.setIdentity();
      frame.p = {q[0], 0.0, 0.0};
      frame.v = {v[0], 0.0, 0.0};
      frame.w.setZero();
      break;
    case FrameMap::Kind::ground:
      break;
  }
}

KinematicState AbsoluteSystem::update_kinematics(const MotionPoint& p, const State& state, Workspace& workspace) const {
  AbsoluteWorkspace& ws = scratch(workspace);
  share(n_frames(), shared_frames, [&](long first, long last) {
    for (int f = std::max(1, static_cast<int>(first)); f < last; ++f) place_frame(f, p, state, ws.frames[f]);
  });
  for (int row = 0; row < n_rows(); ++row) ws.lam[row] = active_[row] < 0 ? 0.0 : p.lam[active_[row]];
  for (std::size_t b = 0; b < branches_.size(); ++b) {
    const BranchMap& branch = branches_[b];
    const Frame<double>&a = ws.frames[branch.frame[0]], &c = ws.frames[branch.frame[1]];
    const Branch& last = state.branches[b];
    if (turns_little(a, c, last, p.t - last.t)) {
      ws.turns[b] = last.predict(p.t);
    } else {
      const Frame<double> f[2] = {a, c};
      ws.turns[b] = expect_angle(branch, last, f, p.q, p.t, state);
    }
  }
  return {ws.frames, p.in, ws.lam, std::span(p.z.data(), p.z.size()), ws.turns};
}

// ---- equations -----------------------------------------------------------------------------------------------------

// Frames are for elements: hinges of planar bodies need none.
KinematicState AbsoluteSystem::begin_residual(const MotionPoint& p, const State& state, Workspace& workspace) const {
  AbsoluteWorkspace& ws = scratch(workspace);
  hinges_->update_turns(p.q, ws.planar_turns);
  if (hinges_->alone()) return {};
  std::fill(ws.rates.begin(), ws.rates.end(), 0.0);
  return update_kinematics(p, state, workspace);
}

// motion = M a + gyroscopic terms − weight − wrench, mapped by Sᵀ.
inline void AbsoluteSystem::balance_frame(int f, const MotionPoint& p, const AbsoluteWorkspace& ws, Vec motion) const {
  const FrameMap& map = frames_[f];
  const Wrench<double>& w = ws.wrench[f];
  const double* a = p.a.data() + map.offset;
  double* r = motion.data() + map.offset;
  switch (map.kind) {
    case FrameMap::Kind::rigid: {
      const Vec3<double>& omega = ws.frames[f].w;
      const Vec3<double> J_omega = map.inertia * omega;
      const Vec3<double> moment = map.inertia * Vec3<double>(a[3], a[4], a[5]) + cross(omega, J_omega) - w.moment;
      for (int i = 0; i < 3; ++i) {
        r[i] = map.mass * (a[i] - gravity_[i]) - w.force[i];
        r[3 + i] = moment[i];
      }
      break;
    }
    case FrameMap::Kind::planar: {
      const Eigen::Vector3d force = w.force + map.mass * gravity_;
      for (int i = 0; i < 2; ++i) r[i] = map.mass * a[i] - map.S.block<3, 1>(0, i).dot(force);
      r[2] = map.axial_inertia * a[2] - map.axis().dot(w.moment);
      break;
    }
    case FrameMap::Kind::particle:
      for (int i = 0; i < 3; ++i) r[i] = map.mass * (a[i] - gravity_[i]) - w.force[i];
      break;
    case FrameMap::Kind::scalar:
      r[0] = -w.force.x();
      break;
    case FrameMap::Kind::ground:
      break;
  }
}

void AbsoluteSystem::balance(const MotionPoint& p, const AbsoluteWorkspace& ws, Vec motion) const {
  share(n_frames(), shared_frames, [&](long first, long last) {
    for (int f = std::max(1, static_cast<int>(first)); f < last; ++f) balance_frame(f, p, ws, motion);
  });
}

Status AbsoluteSystem::check_finite(ConstVec motion, ConstVec internal, ConstVec phi) const {
  if (const int i = first_not_finite(motion); i >= 0) return Status::recoverable(Cause::not_finite, i);
  if (const int i = first_not_finite(internal); i >= 0) return Status::recoverable(Cause::not_finite, nv_ + i);
  if (const int i = first_not_finite(phi); i >= 0) return Status::recoverable(Cause::not_finite, nv_ + nz() + i);
  return Status::success();
}

Status AbsoluteSystem::residual(const MotionPoint& p, const State& state, Vec motion, Vec internal, Vec phi,
                                Workspace& workspace) const {
  AbsoluteWorkspace& ws = scratch(workspace);
  KinematicState k = begin_residual(p, state, workspace);
  if (hinges_->alone()) {
    hinges_->calc_balance(p.a, motion);
  } else {
    for (Wrench<double>& w : ws.wrench) w = zero_wrench<double>();
    shared_->evaluate(groups_, hinges_->group(), k, state.modes, [&](const auto& group, std::size_t, const auto& some) {
      group.add_forces(some, ws.wrench, ws.rates);
      group.add_constraints(some, ws.phi, ws.wrench);
    });
    balance(p, ws, motion);
    for (int z = 0; z < nz(); ++z) internal[z] = E_[z] * p.zp[z] - ws.rates[z];
    for (int row = 0; row < nc_; ++row) phi[row] = ws.phi[all_row_[row]];
  }
  hinges_->add_rows(p, ws.planar_turns, motion, phi);
  return with_cause(check_finite(motion, internal, phi), groups_, k);
}

Status AbsoluteSystem::stabilized_residual(const MotionPoint& p, ConstVec mu, const State& state, Vec motion,
                                           Vec internal, Vec phi, Vec phi_dot, Vec kinematic,
                                           Workspace& workspace) const {
  AbsoluteWorkspace& ws = scratch(workspace);
  KinematicState k = begin_residual(p, state, workspace);
  if (hinges_->alone()) {
    hinges_->calc_balance(p.a, motion);
    kinematic.setZero();
  } else {
    for (int f = 0; f < n_frames(); ++f) ws.wrench[f] = ws.mu_wrench[f] = zero_wrench<double>();
    for (int row = 0; row < n_rows(); ++row) ws.mu[row] = active_[row] < 0 ? 0.0 : mu[active_[row]];
    shared_->evaluate(groups_, hinges_->group(), k, state.modes, [&](const auto& group, std::size_t, const auto& some) {
      group.add_forces(some, ws.wrench, ws.rates);
      group.add_stabilized_constraints(some, ws.mu, ws.phi, ws.phi_dot, ws.wrench, ws.mu_wrench);
    });
    balance(p, ws, motion);
    push_coordinates(ws, kinematic);
    for (int z = 0; z < nz(); ++z) internal[z] = E_[z] * p.zp[z] - ws.rates[z];
    for (int row = 0; row < nc_; ++row) {
      phi[row] = ws.phi[all_row_[row]];
      phi_dot[row] = ws.phi_dot[all_row_[row]];
    }
  }
  hinges_->add_stabilized_rows(p, mu, ws.planar_turns, motion, phi, phi_dot, kinematic);
  return with_cause(check_finite(motion, internal, phi), groups_, k);
}

// kinematic = Gᵀμ, mapped by Sᵀ.
void AbsoluteSystem::push_coordinates(const AbsoluteWorkspace& ws, Vec kinematic) const {
  for (int f = 1; f < n_frames(); ++f) {
    const FrameMap& map = frames_[f];
    const Wrench<double>& w = ws.mu_wrench[f];
    double* row = kinematic.data() + map.offset;
    if (map.kind == FrameMap::Kind::planar) {
      for (int i = 0; i < 2; ++i) row[i] = -map.S.block<3, 1>(0, i).dot(w.force);
      row[2] = -map.axis().dot(w.moment);
    } else {
      for (int i = 0; i < map.nv; ++i) row[i] = i < 3 ? -w.force[i] : -w.moment[i - 3];
    }
  }
}

void AbsoluteSystem::all_constraints(const MotionPoint& p, const State& state, std::span<double> phi,
                                     Workspace& workspace) const {
  KinematicState k = update_kinematics(p, state, workspace);
  shared_->each(groups_, std::span(state.modes), [&](const auto& group, std::span<const int> modes) {
    k.modes = modes;
    group.add_constraints(k, phi, scratch(workspace).wrench);
  });
}

void AbsoluteSystem::calc_rates(const MotionPoint& p, const State& state, Vec phi_dot, Workspace& workspace) const {
  AbsoluteWorkspace& ws = scratch(workspace);
  KinematicState k = update_kinematics(p, state, workspace);
  shared_->each(groups_, std::span(state.modes), [&](const auto& group, std::span<const int> modes) {
    k.modes = modes;
    group.calc_rates(k, ws.phi_dot, ws.bias);
  });
  for (int row = 0; row < nc_; ++row) phi_dot[row] = ws.phi_dot[all_row_[row]];
}

Status AbsoluteSystem::velocity_level(const MotionPoint& p, const State& state, Vec phi_dot, Vec bias,
                                      Workspace& workspace) const {
  AbsoluteWorkspace& ws = scratch(workspace);
  KinematicState k = update_kinematics(p, state, workspace);
  shared_->evaluate(groups_, nullptr, k, state.modes, [&](const auto& group, std::size_t, const auto& some) {
    group.calc_velocity_level(some, ws.phi_dot, ws.bias);
  });
  for (int row = 0; row < nc_; ++row) {
    phi_dot[row] = ws.phi_dot[all_row_[row]];
    bias[row] = ws.bias[all_row_[row]];
  }
  if (const int i = first_not_finite(bias); i >= 0) return Status::recoverable(Cause::not_finite, nv_ + nz() + i);
  return Status::success();
}

// The velocity level of the motion w without drives is G w.
void AbsoluteSystem::calc_G_times(const MotionPoint& p, const State& state, ConstVec w, Vec product,
                                  Workspace& workspace) const {
  AbsoluteWorkspace& ws = scratch(workspace);
  const MotionPoint moving{p.t, {ws.no_input, ws.no_input, ws.no_input}, p.q, w, p.a, p.z, p.zp, p.lam};
  const KinematicState k = update_kinematics(moving, state, workspace);
  shared_->each(groups_, std::span(state.modes), [&](const auto& group, std::span<const int>) {
    group.add_stabilized_constraints(k, ws.mu, ws.phi, ws.phi_dot, ws.wrench, ws.mu_wrench);
  });
  for (int row = 0; row < nc_; ++row) product[row] = ws.phi_dot[all_row_[row]];
}

Status AbsoluteSystem::linearize(const MotionPoint& p, const State& state, PlaneSet set, MotionPlanes& planes,
                                 Workspace& workspace) const {
  AbsoluteWorkspace& ws = scratch(workspace);
  if (ws.assembly.version() != state.version) ws.assembly.rebuild(*this, state);
  if (hinges_->alone())
    planes.adopt(ws.assembly.patterns());
  else
    linearize_frames(p, state, set, planes, workspace);
  if (hinges_->empty()) return Status::success();
  hinges_->update_turns(p.q, ws.planar_turns);
  hinges_->add_planes(p, set, ws.planar_turns, ws.assembly.hinge_slots(), planes);
  return Status::success();
}

void AbsoluteSystem::linearize_frames(const MotionPoint& p, const State& state, PlaneSet set, MotionPlanes& planes,
                                      Workspace& workspace) const {
  AbsoluteWorkspace& ws = scratch(workspace);
  KinematicState k = update_kinematics(p, state, workspace);
  ws.assembly.clear(set);
  FramePlanes& frame = ws.assembly.frames();
  // The diagonal pairs were registered first: the slot of frame f is the number of moving frames before it.
  int slot = 0;
  for (int f = 1; f < n_frames(); ++f) {
    const FrameMap& map = frames_[f];
    if (map.nv == 0) continue;
    if (contains(set, PlaneSet::M)) {
      frame.M[slot].topLeftCorner<3, 3>() = map.mass * Eigen::Matrix3d::Identity();
      frame.M[slot].bottomRightCorner<3, 3>() = map.inertia;
    }
    if (contains(set, PlaneSet::D) && map.kind == FrameMap::Kind::rigid) {
      const Vec3<double>& omega = ws.frames[f].w;  // ∂(ω × Jω)/∂ω = ω̂ J − (Jω)^
      frame.D[slot].bottomRightCorner<3, 3>() +=
          hat<double>(omega) * map.inertia - hat<double>(Vec3<double>(map.inertia * omega));
    }
    ++slot;
  }
  shared_->evaluate(groups_, hinges_->group(), k, state.modes, [&](const auto& group, std::size_t g, const auto& some) {
    group.add_planes(some, set, ws.assembly.slots(g), frame);
  });
  ws.assembly.gather(*this, set, planes);
}

void AbsoluteSystem::to_chart(ConstVec q, MotionPlanes& planes, std::vector<double>& G_chart) const {
  multiply_chart_columns(chart_offsets(), q, planes, G_chart);
}

void AbsoluteSystem::calc_q_rate(ConstVec q, ConstVec v, Vec q_rate) const {
  calc_chart_rates(chart_offsets(), q, v, q_rate);
}

void AbsoluteSystem::accepted(const MotionPoint& p, double chart_threshold, Vec q, State& state,
                              Workspace& workspace) const {
  if (hinges_->alone() && !must_note_angles(*this, p, state)) return;
  const KinematicState k = update_kinematics(p, state, workspace);
  for (std::size_t b = 0; b < branches_.size(); ++b) {
    const BranchMap& branch = branches_[b];
    const auto has_chart = [&](int side) { return frames_[branch.frame[side]].kind == FrameMap::Kind::rigid; };
    // What was noted of the angle serves four times as long as it is old; but charts stand where the last step ended.
    const Branch& last = state.branches[b];
    if (!has_chart(0) && !has_chart(1) &&
        turns_little(k.frames[branch.frame[0]], k.frames[branch.frame[1]], last, 4.0 * (p.t - last.t)))
      continue;
    const Frame<double> f[2] = {k.frames[branch.frame[0]], k.frames[branch.frame[1]]};
    state.branches[b] = {p.t, branch.x.value(f, k.turns[b]), rate_of(branch.x, f), planar_turns(branch, f, p.q)};
  }
  bool pattern_changed = false;
  shared_->each(groups_, std::span(state.modes),
                [&](const auto& group, std::span<int> modes) { pattern_changed |= group.update_modes(k, modes); });
  if (pattern_changed) ++state.version;
  for (const FrameMap& map : frames_) {
    if (map.kind != FrameMap::Kind::rigid) continue;
    const Vec3<double> theta = q.segment<3>(map.offset + 3);
    state.charts[map.chart].theta = theta;
    if (theta.norm() <= chart_threshold) continue;
    state.charts[map.chart] = recentre(state.charts[map.chart], theta);
    q.segment<3>(map.offset + 3).setZero();
  }
}

MechanicalSystem::Energy AbsoluteSystem::calc_energy(const MotionPoint& p, const State& state,
                                                     Workspace& workspace) const {
  return calc_energy(update_kinematics(p, state, workspace), state, true);
}

MechanicalSystem::Energy AbsoluteSystem::calc_energy(KinematicState k, const State& state, bool with_rows) const {
  Energy energy;
  for (int f = 1; f < n_frames(); ++f) {
    const FrameMap& map = frames_[f];
    const Frame<double>& frame = k.frames[f];
    energy.kinetic += 0.5 * map.mass * frame.v.squaredNorm() + 0.5 * frame.w.dot(map.inertia * frame.w);
    energy.potential -= map.mass * gravity_.dot(frame.p);
  }
  shared_->each(groups_, std::span(state.modes), [&](const auto& group, std::span<const int> modes) {
    k.modes = modes;
    energy.potential += group.potential(k);
    if (with_rows || dynamic_cast<const ConstraintElements*>(&group) == nullptr) energy.power += group.power(k);
  });
  return energy;
}

bool AbsoluteSystem::reads_multipliers() const {
  const State state = make_state();
  ReactionSeeker seeker;
  std::vector<int> slots;
  shared_->each(groups_, std::span(state.modes),
                [&](const auto& group, std::span<const int> modes) { group.connect(modes, seeker, slots); });
  return seeker.found;
}

Wrench<double> AbsoluteSystem::calc_momentum(const KinematicState& k) const {
  Wrench<double> sum = zero_wrench<double>();
  for (int f = 1; f < n_frames(); ++f) {
    const FrameMap& map = frames_[f];
    const Frame<double>& frame = k.frames[f];
    const Vec3<double> momentum = map.mass * frame.v;
    sum.force += momentum;
    sum.moment += frame.p.cross(momentum) + frame.R * (map.inertia * frame.w);
  }
  return sum;
}

}  // namespace trammel
