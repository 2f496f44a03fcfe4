// SPDX-License-Identifier: Apache-2.0
#include "trammel/dae/second_order_dae.h"

namespace trammel {

void MotionPlanes::adopt(const MotionPatterns& patterns) {
  if (version == patterns.version) return;
  static_cast<MotionPatterns&>(*this) = patterns;
  for (auto* plane : {&M, &D, &K, &K_lam}) plane->assign(motion.nnz(), 0.0);
  for (auto* plane : {&G, &Gv_q}) plane->assign(constraint.nnz(), 0.0);
  f_lam.assign(reaction.nnz(), 0.0);
  f_z.assign(state_force.nnz(), 0.0);
  for (auto* plane : {&g_q, &g_v}) plane->assign(state_rate.nnz(), 0.0);
  g_z.assign(state_state.nnz(), 0.0);
  g_lam.assign(state_lam.nnz(), 0.0);
}

}  // namespace trammel
