// SPDX-License-Identifier: Apache-2.0
#include <map>

#include "slot_loads.h"

/// External loads of a step, (1) and (2) of slot_system.h, and their derivatives: planes of the elements' own kernels,
/// by velocities at j and f and by positions at f.
///
///   at f:  δx = h/2 S_x (u_j + u_f),   δβ = h/2 T S_w (u_j + u_f),   T = (I − Θ̂/2)/(1 + |Θ|²/4)

namespace trammel {

// What elements touch, numbered in the order of first mention.
class SlotSystem::Loads::Recorder final : public Connectivity {
 public:
  Recorder(const SlotSystem& system, Loads& loads) : system_(system), loads_(loads) {}
  int pair(int i, int j) override { return moves(i) && moves(j) ? number(loads_.pairs, pairs_, i, j) : -1; }
  int row(int, int) override { return -1; }
  int reaction(int frame, int row) override {
    const int active = system_.system_.active_row(row);
    return moves(frame) && active >= 0 ? number(loads_.reactions, reactions_, frame, active) : -1;
  }
  int state_force(int frame, int z) override {
    return moves(frame) ? number(loads_.state_forces, state_forces_, frame, z) : -1;
  }
  int state_rate(int z, int frame) override {
    return moves(frame) ? number(loads_.state_rates, state_rates_, z, frame) : -1;
  }
  int state_state(int z, int other) override { return number(loads_.state_states, state_states_, z, other); }
  int state_lam(int z, int row) override {
    const int active = system_.system_.active_row(row);
    return active >= 0 ? number(loads_.state_lams, state_lams_, z, active) : -1;
  }

 private:
  using Numbers = std::map<std::pair<int, int>, int>;
  bool moves(int frame) const { return system_.frames_[frame].nv > 0; }
  static int number(std::vector<Pair>& list, Numbers& numbers, int i, int k) {
    const auto [it, fresh] = numbers.try_emplace({i, k}, static_cast<int>(list.size()));
    if (fresh) list.push_back({i, k, {}});
    return it->second;
  }

  const SlotSystem& system_;
  Loads& loads_;
  Numbers pairs_, reactions_, state_forces_, state_rates_, state_states_, state_lams_;
};

namespace {

// What groups with rows of their own would add beside forces is no load.
constexpr PlaneSet load_planes = PlaneSet::K | PlaneSet::D | PlaneSet::f_lam | PlaneSet::internal;

bool lacks_potential(const ContactGroup& group, const ContactGroup::Place& place) {
  return !SlotContact::has_potential(group, place);
}

}  // namespace

// Contacts that have a potential are no loads.
std::span<const int> SlotSystem::load_modes(std::size_t i, const Scratch& ws) const {
  return ws.loads.modes[i].empty() ? detail::modes_of(system_, load_groups_[i], ws.state)
                                   : std::span<const int>(ws.loads.modes[i]);
}

void SlotSystem::connect_loads(Scratch& ws) const {
  Loads& loads = ws.loads;
  loads.modes.resize(load_groups_.size());
  for (auto* list : {&loads.pairs, &loads.reactions, &loads.state_forces, &loads.state_rates, &loads.state_states,
                     &loads.state_lams})
    list->clear();
  loads.group_slots.assign(load_groups_.size(), {});
  Loads::Recorder recorder(*this, loads);
  for (std::size_t i = 0; i < load_groups_.size(); ++i) {
    const ElementGroup& group = *system_.groups()[load_groups_[i]];
    if (const auto* contacts = dynamic_cast<const ContactGroup*>(&group)) {
      const std::span<const int> all = detail::modes_of(system_, load_groups_[i], ws.state);
      loads.modes[i].assign(all.begin(), all.end());
      contacts->keep_listed(loads.modes[i], lacks_potential);
    }
    group.connect(load_modes(i, ws), recorder, loads.group_slots[i]);
  }
  for (FramePlanes* planes : {&loads.planes_j, &loads.planes_f}) {
    planes->K.resize(loads.pairs.size()), planes->D.resize(loads.pairs.size());
    planes->f_lam.resize(loads.reactions.size()), planes->f_z.resize(loads.state_forces.size());
    planes->g_q.resize(loads.state_rates.size()), planes->g_v.resize(loads.state_rates.size());
    planes->g_z.resize(loads.state_states.size()), planes->g_lam.resize(loads.state_lams.size());
  }
}

// ---- values --------------------------------------------------------------------------------------------------------

KinematicState SlotSystem::load_point(ConstVec y, bool at_f, Scratch& ws) const {
  Loads& loads = ws.loads;
  const Inputs in = at_f ? ws.in_f.view() : ws.in_0.view();
  const double* z = y.data() + (at_f ? z_f() : z_j());
  return {at_f ? loads.frames_f : loads.frames_j, in, at_f ? loads.lam_f : loads.lam_j,
          std::span(z, static_cast<std::size_t>(nz())), at_f ? loads.turns_f : ws.turns};
}

void SlotSystem::update_load_points(ConstVec y, Scratch& ws) const {
  Loads& loads = ws.loads;
  for (std::size_t f = 1; f < frames_.size(); ++f) {
    loads.frames_j[f] = ws.steps[f].at_j;
    loads.frames_f[f] = ws.steps[f].at_f;
  }
  for (int row = 0; row < system_.n_rows(); ++row) {
    const int m = system_.active_row(row);
    if (m < 0) continue;
    const double j = y[L_j() + m] / ws.h, f = y[L_f() + m] / ws.h;
    loads.lam_j[row] = 4.0 * j - 2.0 * f;
    loads.lam_f[row] = 4.0 * f - 2.0 * j;
  }
  for (const bool at_f : {false, true}) {
    KinematicState k = load_point(y, at_f, ws);
    std::vector<Wrench<double>>& force = at_f ? loads.force_f : loads.force_j;
    std::vector<double>& g = at_f ? loads.g_f : loads.g_j;
    for (Wrench<double>& w : force) w = zero_wrench<double>();
    std::fill(g.begin(), g.end(), 0.0);
    for (std::size_t i = 0; i < load_groups_.size(); ++i) {
      k.modes = load_modes(i, ws);
      system_.groups()[load_groups_[i]]->add_forces(k, force, g);
    }
  }
}

// (3). Loads that do not know the time leave exactly nothing. Contacts know none, and wheels meet the rail where the
// time has brought them.
void SlotSystem::update_bow(Scratch& ws) const {
  if (load_groups_.empty()) return;
  Loads& loads = ws.loads;
  for (Wrench<double>& w : loads.bow) w = zero_wrench<double>();
  std::fill(loads.g_bow.begin(), loads.g_bow.end(), 0.0);
  for (std::size_t f = 1; f < frames_.size(); ++f) loads.frames_j[f] = ws.steps[f].start;
  for (int row = 0; row < system_.n_rows(); ++row)
    if (const int m = system_.active_row(row); m >= 0) loads.lam_j[row] = ws.Lambda_j[m] + ws.Lambda_f[m];
  for (const auto& [weight, in] : {std::pair{-0.5, &ws.in_0}, {1.0, &ws.in_m}, {-0.5, &ws.in_f}}) {
    for (Wrench<double>& w : loads.force_j) w = zero_wrench<double>();
    std::fill(loads.g_j.begin(), loads.g_j.end(), 0.0);
    KinematicState k{loads.frames_j, in->view(), loads.lam_j, std::span(ws.z_0.data(), loads.g_j.size()), ws.turns};
    for (std::size_t i = 0; i < load_groups_.size(); ++i) {
      const ElementGroup& group = *system_.groups()[load_groups_[i]];
      if (dynamic_cast<const ContactGroup*>(&group) || dynamic_cast<const ConstraintElements*>(&group)) continue;
      k.modes = load_modes(i, ws);
      group.add_forces(k, loads.force_j, loads.g_j);
    }
    for (std::size_t f = 1; f < frames_.size(); ++f) {
      loads.bow[f].force += weight * loads.force_j[f].force;
      loads.bow[f].moment += weight * (ws.steps[f].start.R * loads.force_j[f].moment);
    }
    for (std::size_t z = 0; z < loads.g_j.size(); ++z) loads.g_bow[z] += weight * loads.g_j[z];
  }
  const auto bends = [](const Wrench<double>& w) { return !w.force.isZero(0.0) || !w.moment.isZero(0.0); };
  loads.bends =
      std::ranges::any_of(loads.bow, bends) || std::ranges::any_of(loads.g_bow, [](double g) { return g != 0.0; });
}

void SlotSystem::add_loads(ConstVec y, Vec r, Scratch& ws) const {
  if (load_groups_.empty()) return;
  update_load_points(y, ws);
  const Loads& loads = ws.loads;
  const double third = ws.h / 3.0;
  for (std::size_t f = 1; f < frames_.size(); ++f) {
    const SlotFrame& frame = frames_[f];
    const SlotFrameStep& x = ws.steps[f];
    auto row_j = r.segment(v_j() + frame.offset, frame.nv), row_f = r.segment(v_f() + frame.offset, frame.nv);
    const Wrench<double>&a = loads.force_j[f], &b = loads.force_f[f];
    row_j -= third * frame.S_x.transpose() * (2.0 * a.force + b.force);
    row_f -= third * frame.S_x.transpose() * (a.force + 2.0 * b.force);
    if (!frame.turns) continue;
    const Eigen::Vector3d M_j = x.at_j.R * a.moment, M_f = x.at_f.R * b.moment;
    row_j -= third * x.S_row.transpose() * (2.0 * M_j + M_f);
    row_f -= third * x.S_row.transpose() * (M_j + 2.0 * M_f);
  }
  for (int z = 0; z < nz(); ++z) {
    const double E = system_.E()[z], z_at_j = y[z_j() + z], z_at_f = y[z_f() + z];
    if (E == 0.0) {
      r[z_j() + z] = -loads.g_j[z];
      r[z_f() + z] = -loads.g_f[z];
    } else {
      r[z_j() + z] = z_at_f + z_at_j - 2.0 * ws.z_0[z] - third * (2.0 * loads.g_j[z] + loads.g_f[z]);
      r[z_f() + z] = z_at_f - z_at_j - third * (loads.g_j[z] + 2.0 * loads.g_f[z]);
    }
  }
  add_bow(r, ws);
}

// (3) in the rows of both points.
void SlotSystem::add_bow(Vec r, const Scratch& ws) const {
  const Loads& loads = ws.loads;
  if (!loads.bends) return;
  const double part = 2.0 * ws.h / 3.0;
  for (std::size_t f = 1; f < frames_.size(); ++f) {
    const SlotFrame& frame = frames_[f];
    for (const int rows : {v_j(), v_f()}) {
      auto row = r.segment(rows + frame.offset, frame.nv);
      row -= part * frame.S_x.transpose() * loads.bow[f].force;
      if (frame.turns) row -= part * ws.steps[f].S_row.transpose() * loads.bow[f].moment;
    }
  }
  for (int z = 0; z < nz(); ++z)
    if (system_.E()[z] != 0.0)
      for (const int rows : {z_j(), z_f()}) r[rows + z] -= part * loads.g_bow[z];
}

bool SlotSystem::calc_bow(Vec r, const Workspace& workspace) const {
  r.setZero();
  add_bow(r, static_cast<const Scratch&>(workspace));
  return !r.isZero(0.0);
}

// ---- derivatives ---------------------------------------------------------------------------------------------------

using detail::increment_of, detail::rows_of, detail::scatter, detail::twist_of;
using detail::Small, detail::ToRows, detail::ToTwist;

namespace {

// Rows of a state: (2a_j + a_f, a_j + 2a_f) h/3, or (a_j, a_f) of an algebraic one.
struct StateWeights {
  double jj, jf, fj, ff;  // row, point
};
StateWeights weights_of(double E, double third) {
  return E == 0.0 ? StateWeights{1.0, 0.0, 0.0, 1.0} : StateWeights{2.0 * third, third, third, 2.0 * third};
}

void clear(FramePlanes& planes) {
  planes.K.clear(), planes.D.clear();
  for (auto* rows : {&planes.f_lam, &planes.f_z, &planes.g_q, &planes.g_v})
    for (Row6& row : *rows) row.setZero();
  std::fill(planes.g_z.begin(), planes.g_z.end(), 0.0);
  std::fill(planes.g_lam.begin(), planes.g_lam.end(), 0.0);
}

}  // namespace

void SlotSystem::linearize_loads(ConstVec y, std::span<double> values, Scratch& ws) const {
  if (load_groups_.empty()) return;
  Loads& loads = ws.loads;
  update_load_points(y, ws);
  for (const bool at_f : {false, true}) {
    KinematicState k = load_point(y, at_f, ws);
    FramePlanes& planes = at_f ? loads.planes_f : loads.planes_j;
    clear(planes);
    for (std::size_t i = 0; i < load_groups_.size(); ++i) {
      k.modes = load_modes(i, ws);
      system_.groups()[load_groups_[i]]->add_planes(k, load_planes, loads.group_slots[i], planes);
    }
  }
  const double h = ws.h, third = h / 3.0;
  // σ_j = (4L_j − 2L_f)/h, σ_f = (4L_f − 2L_j)/h
  const double own = 4.0 / h, other = -2.0 / h;
  Small block;
  for (std::size_t s = 0; s < loads.pairs.size(); ++s) {
    const Loads::Pair& pair = loads.pairs[s];
    const SlotFrame &a = frames_[pair.i], &b = frames_[pair.k];
    const SlotFrameStep &xa = ws.steps[pair.i], &xb = ws.steps[pair.k];
    const ToRows rows_j = rows_of(a, xa, false), rows_f = rows_of(a, xa, true);
    const ToTwist twist = twist_of(b), increment = increment_of(b, xb, h);
    const Small v_at_j = rows_j * loads.planes_j.D[s] * twist, v_at_f = rows_f * loads.planes_f.D[s] * twist;
    const Small q_at_f = rows_f * loads.planes_f.K[s] * increment;
    block.resize(2 * a.nv, 2 * b.nv);
    block.topLeftCorner(a.nv, b.nv) = third * (2.0 * v_at_j + q_at_f);
    block.topRightCorner(a.nv, b.nv) = third * (v_at_f + q_at_f);
    block.bottomLeftCorner(a.nv, b.nv) = third * (v_at_j + 2.0 * q_at_f);
    block.bottomRightCorner(a.nv, b.nv) = 2.0 * third * (v_at_f + q_at_f);
    scatter(block, pair.slots, values);
  }
  // moments turn with their frame: −S_rowᵀ R_f (δβ × m)
  for (std::size_t f = 1; f < frames_.size(); ++f) {
    const SlotFrame& frame = frames_[f];
    if (!frame.turns || loads.force_f[f].moment.isZero(0.0)) continue;
    const Eigen::Matrix3d turned = ws.steps[f].at_f.R * hat<double>(loads.force_f[f].moment);
    const Small part = ws.steps[f].S_row.transpose() * turned * increment_of(frame, ws.steps[f], h).bottomRows<3>();
    block.resize(2 * frame.nv, 2 * frame.nv);
    block.topLeftCorner(frame.nv, frame.nv) = block.topRightCorner(frame.nv, frame.nv) = third * part;
    block.bottomLeftCorner(frame.nv, frame.nv) = block.bottomRightCorner(frame.nv, frame.nv) = 2.0 * third * part;
    scatter(block, ws.frame_tables[f].slots, values);
  }
  const auto add_columns = [&](const Loads::Pair& pair, const Row6& at_j, const Row6& at_f, double by_own,
                               double by_other) {
    const SlotFrame& a = frames_[pair.i];
    const Small col_j = rows_of(a, ws.steps[pair.i], false) * at_j.transpose();
    const Small col_f = rows_of(a, ws.steps[pair.i], true) * at_f.transpose();
    block.resize(2 * a.nv, 2);
    block.topLeftCorner(a.nv, 1) = third * (2.0 * by_own * col_j + by_other * col_f);
    block.topRightCorner(a.nv, 1) = third * (2.0 * by_other * col_j + by_own * col_f);
    block.bottomLeftCorner(a.nv, 1) = third * (by_own * col_j + 2.0 * by_other * col_f);
    block.bottomRightCorner(a.nv, 1) = third * (by_other * col_j + 2.0 * by_own * col_f);
    scatter(block, pair.slots, values);
  };
  for (std::size_t s = 0; s < loads.reactions.size(); ++s)
    add_columns(loads.reactions[s], loads.planes_j.f_lam[s], loads.planes_f.f_lam[s], own, other);
  for (std::size_t s = 0; s < loads.state_forces.size(); ++s)
    add_columns(loads.state_forces[s], loads.planes_j.f_z[s], loads.planes_f.f_z[s], 1.0, 0.0);

  for (std::size_t s = 0; s < loads.state_rates.size(); ++s) {
    const Loads::Pair& pair = loads.state_rates[s];
    const SlotFrame& b = frames_[pair.k];
    const StateWeights w = weights_of(system_.E()[pair.i], third);
    const ToTwist twist = twist_of(b), increment = increment_of(b, ws.steps[pair.k], h);
    const Small v_at_j = loads.planes_j.g_v[s] * twist, v_at_f = loads.planes_f.g_v[s] * twist;
    const Small q_at_f = loads.planes_f.g_q[s] * increment;
    block.resize(2, 2 * b.nv);
    block.topLeftCorner(1, b.nv) = w.jj * v_at_j + w.jf * q_at_f;
    block.topRightCorner(1, b.nv) = w.jf * (v_at_f + q_at_f);
    block.bottomLeftCorner(1, b.nv) = w.fj * v_at_j + w.ff * q_at_f;
    block.bottomRightCorner(1, b.nv) = w.ff * (v_at_f + q_at_f);
    scatter(block, pair.slots, values);
  }
  const auto add_numbers = [&](const Loads::Pair& pair, double at_j, double at_f, double by_own, double by_other) {
    const StateWeights w = weights_of(system_.E()[pair.i], third);
    block.resize(2, 2);
    block(0, 0) = w.jj * at_j * by_own + w.jf * at_f * by_other;
    block(0, 1) = w.jj * at_j * by_other + w.jf * at_f * by_own;
    block(1, 0) = w.fj * at_j * by_own + w.ff * at_f * by_other;
    block(1, 1) = w.fj * at_j * by_other + w.ff * at_f * by_own;
    scatter(block, pair.slots, values);
  };
  for (std::size_t s = 0; s < loads.state_states.size(); ++s)
    add_numbers(loads.state_states[s], loads.planes_j.g_z[s], loads.planes_f.g_z[s], 1.0, 0.0);
  for (std::size_t s = 0; s < loads.state_lams.size(); ++s)
    add_numbers(loads.state_lams[s], loads.planes_j.g_lam[s], loads.planes_f.g_lam[s], own, other);
}

}  // namespace trammel
