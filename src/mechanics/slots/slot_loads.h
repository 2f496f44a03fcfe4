// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "slot_scratch.h"

namespace trammel {

template <class Action>
void SlotSystem::for_each_load_block(Loads& loads, const Action& action) const {
  const auto of_frame = [this](int f) {
    std::vector<int> list;
    for (int i = 0; i < frames_[f].nv; ++i) list.push_back(v_j() + frames_[f].offset + i);
    for (int i = 0; i < frames_[f].nv; ++i) list.push_back(v_f() + frames_[f].offset + i);
    return list;
  };
  const auto of_state = [this](int z) { return std::vector<int>{z_j() + z, z_f() + z}; };
  const auto of_row = [this](int m) { return std::vector<int>{L_j() + m, L_f() + m}; };
  for (Loads::Pair& p : loads.pairs) action(p, of_frame(p.i), of_frame(p.k));
  for (Loads::Pair& p : loads.reactions) action(p, of_frame(p.i), of_row(p.k));
  for (Loads::Pair& p : loads.state_forces) action(p, of_frame(p.i), of_state(p.k));
  for (Loads::Pair& p : loads.state_rates) action(p, of_state(p.i), of_frame(p.k));
  for (Loads::Pair& p : loads.state_states) action(p, of_state(p.i), of_state(p.k));
  for (Loads::Pair& p : loads.state_lams) action(p, of_state(p.i), of_row(p.k));
}

}  // namespace trammel
