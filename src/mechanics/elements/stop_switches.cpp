// SPDX-License-Identifier: Apache-2.0
#include "trammel/mechanics/elements/stop_switches.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace trammel {

void StopSwitches::add_stop(Stop stop, double lower, double upper) {
  for (const double sign : {1.0, -1.0}) {
    stop.sign = sign, stop.limit = sign > 0.0 ? upper : lower;
    if (std::isfinite(stop.limit)) stops_.push_back(stop);
  }
}

int StopSwitches::n_switches() const {
  int n = 4 * static_cast<int>(flanges_.size()) + static_cast<int>(tyres_.size());
  for (const Stop& stop : stops_) n += stop.damping > 0.0 ? 3 : 1;
  return n;
}

void StopSwitches::calc_switches(const KinematicState& state, std::span<SwitchValue> values) const {
  SwitchValue* out = values.data();
  for (const Stop& stop : stops_) {
    const Frame<double> f[2] = {state.frames[stop.frame[0]], state.frames[stop.frame[1]]};
    FrameRow<double> g[2];
    stop.x.gradient(f, g);
    const double turns = stop.branch < 0 ? 0.0 : state.turns[stop.branch];
    const double depth = stop.sign * (stop.x.value(f, turns) - stop.limit);
    const double rate = stop.sign * (along(g[0], f[0]) + along(g[1], f[1]));
    SwitchValue presses{depth, rate};
    if (stop.damping > 0.0) {
      const double per_length = stop.stiffness > 0.0   ? stop.stiffness
                                : stop.quadratic > 0.0 ? stop.quadratic * stop.ramp
                                                       : stop.damping / stop.ramp;
      const double push =
          depth * (stop.stiffness + stop.quadratic * depth) + stop.damping * rate * std::min(1.0, depth / stop.ramp);
      // How fast a push falls is the business of accelerations: it is looked at instant by instant.
      if (depth > 0.0 && push < per_length * depth) presses = {push / per_length, std::nan("")};
    }
    *out++ = presses;
    if (stop.damping > 0.0) *out++ = {depth - stop.ramp, rate}, *out++ = {depth, rate};
  }
  for (const Flange& flange : flanges_) {
    const Frame<Dual<1>> moving = along_motion(state.frames[flange.frame]);
    const Dual<1> y = section_of(*flange.track, moving.p).y;
    for (const double sign : {1.0, -1.0}) {
      const SwitchValue over{sign * y.v - flange.clearance, sign * y.d[0]};
      *out++ = over;
      *out++ = {over.value - flange.rounding, over.rate};
    }
  }
  for (const Tyre& tyre : tyres_) {
    const TyreContact<double> contact(state.frames[tyre.road], state.frames[tyre.carrier], tyre.place);
    const TyrePlace& at = tyre.place;
    *out++ = {at.free_radius - contact.radius - at.damping * contact.climb / at.stiffness, -contact.climb};
  }
}

}  // namespace trammel
