// SPDX-License-Identifier: Apache-2.0
#include "trammel/mechanics/elements/formula_switches.h"

namespace trammel {

void FormulaSwitches::add(int program) {
  FormulaDependence dependence = formulas_.calc_dependence(program);
  std::erase(dependence.frames, 0);  // the ground
  if (dependence.frames.empty() || dependence.on_velocity || !dependence.states.empty() || !dependence.rows.empty())
    return;
  programs_.push_back({program, std::move(dependence.frames)});
}

// The rate is the derivative by the frames' increments along their twists; that by the time alone is left out, which
// matters to bounds between instants only.
void FormulaSwitches::calc_switches(const KinematicState& state, std::span<SwitchValue> values) const {
  for (std::size_t i = 0; i < programs_.size(); ++i) {
    SwitchValue& out = values[i];
    out.rate = 0.0;
    for (const int frame : programs_[i].frames) {
      const FormulaSeed seed{.family = FormulaSeed::Family::position, .frame = frame, .ids = {}};
      const Dual<6> g = formulas_.evaluate(programs_[i].program, state, seed);
      const Frame<double>& f = state.frames[frame];
      out.value = g.v;
      for (int k = 0; k < 3; ++k) out.rate += g.d[k] * f.v[k] + g.d[3 + k] * f.w[k];
    }
  }
}

}  // namespace trammel
