// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "trammel/base/memory.h"
#include "trammel/dae/second_order_dae.h"

namespace trammel {

inline void remember(Memory& memory, Chart& chart) { memory.keep(chart.R_ref, chart.theta); }

inline void remember(Memory& memory, State& state) {
  memory.keep(state.charts, state.branches, state.modes, state.version);
}

inline void remember(Memory& memory, MotionVariables& x) { memory.keep(x.t, x.q, x.v, x.a, x.z, x.zp, x.lam); }

}  // namespace trammel
