// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "slot_scratch.h"

/// Contacts among the equations of a step: which places they are, their rows and derivatives.

namespace trammel {

// Those that the state lists.
void SlotSystem::list_contacts(Scratch& ws) const {
  ws.contacts.clear();
  for (const std::size_t g : contact_groups_) {
    const auto& group = static_cast<const ContactGroup&>(*system_.groups()[g]);
    const std::span<const int> modes = detail::modes_of(system_, g, ws.state);
    if (modes.empty()) continue;
    for (int i = 0; i < group.n_listed(modes); ++i)
      if (const ContactGroup::Place place = group.place(modes, i); SlotContact::has_potential(group, place))
        ws.contacts.emplace_back(group, place, modes);
  }
}

// Shapes that overlap at the end of the step and were not near at its start.
bool SlotSystem::misses(ConstVec y, Workspace& workspace) const {
  Scratch& ws = static_cast<Scratch&>(workspace);
  if (contact_groups_.empty()) return false;
  update(y, false, ws);
  const std::size_t n = frames_.size(), listed = ws.contacts.size();
  ws.way.resize(2 * n);
  for (std::size_t f = 0; f < n; ++f) ws.way[f] = ws.steps[f].start, ws.way[n + f] = ws.steps[f].at_f;
  const double t[2] = {ws.t_0, ws.t_0 + ws.h};
  const ContactGroup::Way ends{t, ws.way};
  for (const std::size_t g : contact_groups_) {
    const auto& group = static_cast<const ContactGroup&>(*system_.groups()[g]);
    const std::span<const int> modes = detail::modes_of(system_, g, ws.state);
    if (modes.empty() || group.stays_near(ends)) continue;
    ws.contact_modes.assign(modes.begin(), modes.end());
    KinematicState k = load_point(y, true, ws);
    k.frames = std::span(ws.way).subspan(n);
    group.update_modes(k, ws.contact_modes);
    for (int i = 0; i < group.n_listed(ws.contact_modes); ++i) {
      const ContactGroup::Place place = group.place(ws.contact_modes, i);
      const auto known = [&](const SlotContact& c) { return c.is(group, place); };
      if (!SlotContact::has_potential(group, place) || std::any_of(ws.contacts.begin(), ws.contacts.end(), known))
        continue;
      SlotContact c(group, place, ws.contact_modes);
      if (!(c.calc_depth(ws.steps[c.frame[0]].at_f, ws.steps[c.frame[1]].at_f) > 0.0)) continue;
      c.begin(ws.steps);
      ws.contacts.push_back(std::move(c));
    }
  }
  if (ws.contacts.size() == listed) return false;
  build_pattern(ws);
  ws.version = ~std::uint64_t{0};  // the next step lists its own
  return true;
}

void SlotSystem::add_contacts(Vec r, JumpLedger* ledger, Scratch& ws) const {
  Eigen::Vector3d couple[4];
  for (const SlotContact& c : ws.contacts) {
    const SlotContact::Ledger own = c.add_forces(ws.steps, ws.h, couple);
    if (ledger) {
      ledger->energy += own.energy;
      ledger->strain_jump += own.strain_jump;
      ledger->dissipated += own.dissipated;
    }
    for (int side = 0; side < 2; ++side) {
      const SlotFrame& frame = frames_[c.frame[side]];
      if (!frame.turns) continue;
      const SlotFrameStep& x = ws.steps[c.frame[side]];
      r.segment(v_j() + frame.offset, frame.nv) += 2.0 * x.S_row.transpose() * couple[2 * side];
      r.segment(v_f() + frame.offset, frame.nv) += 2.0 * x.S_row.transpose() * couple[2 * side + 1];
    }
  }
}

void SlotSystem::linearize_contacts(std::span<double> values, Scratch& ws) const {
  if (ws.contacts.empty()) return;
  add_contacts(ws.dropped, nullptr, ws);  // for the levers
  for (const SlotContact& c : ws.contacts) {
    c.calc_matrix(frames_, ws.steps, ws.h, ws.contact_block);
    detail::scatter(ws.contact_block, c.slots, values);
  }
}

}  // namespace trammel
