// SPDX-License-Identifier: Apache-2.0
#include "trammel/mechanics/elements/tyre.h"

#include "trammel/mechanics/elements/force_group_impl.h"
#include "trammel/mechanics/elements/state_force_group_impl.h"
#include "trammel/mechanics/elements/tyre_report.h"

namespace trammel {

template class StateForceGroup<Tyre>;
template class ForceGroup<StandingTyre>;

double calc_tyre_value(const ElementGroup& group, const KinematicState& k, int component) {
  const StateForceGroup<Tyre>::Element& e = static_cast<const StateForceGroup<Tyre>&>(group).element(0);
  const Frame<double> f[3] = {k.frames[e.frame[0]], k.frames[e.frame[1]], k.frames[e.frame[2]]};
  const double* z = k.z.data() + e.first_state;
  const TyreContact<double> contact(f[0], f[1], e.params.place);
  if (!(contact.load > 0.0)) return 0.0;
  const Tyre::Instant<double> at = Tyre::look(e.params, contact, f, z);
  const double side = e.params.data.mirrored ? -1.0 : 1.0;
  const double values[n_tyre_values] = {
      contact.load, at.slip.kappa, side * std::atan(at.slip.tan_alpha),     side * std::asin(at.slip.camber),
      at.F_x,       side * at.F_y, side * at.relative_load * at.steady.M_z, z[0],
      side * z[1]};
  return values[component];
}

}  // namespace trammel
