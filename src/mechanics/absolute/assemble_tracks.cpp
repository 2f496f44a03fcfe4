// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "trammel/mechanics/absolute/assembler.h"
#include "trammel/mechanics/absolute/make_track.h"

namespace trammel {

Track make_track(const TrackSpec& spec) {
  std::vector<Track::Ramp> ramps;
  std::vector<Track::SCurve> curves;
  if (spec.kind == TrackKind::ramps)
    for (std::size_t k = 0; k < spec.positions.size(); ++k)
      ramps.push_back({spec.positions[k], spec.ramp, spec.changes[k]});
  else
    curves.push_back({spec.start, spec.length, spec.curvature});
  return {spec.from, spec.to, std::move(ramps), std::move(curves)};
}

namespace detail {

void Assembler::make_tracks() {
  for (const TrackSpec& spec : model_.tracks) tracks_[spec.name] = std::make_shared<Track>(make_track(spec));
}

void Assembler::add_wheel(const WheelRailSpec& spec) {
  WheelRail wheel;
  wheel.track = tracks_.at(spec.track);
  wheel.side = spec.left ? 1.0 : -1.0;
  wheel.radius = spec.radius, wheel.half_width = spec.half_width;
  wheel.conicity = spec.conicity, wheel.rail_radius = spec.rail_radius;
  if (spec.profile == WheelProfile::s1002) use_profile(wheel);
  if (spec.friction > 0.0)
    wheel.creep = make_creep_law(spec.speed, spec.friction, spec.load, spec.radius, spec.rail_radius,
                                 spec.youngs_modulus, spec.poisson, spec.kalker);
  const int row = out_.system->add_rows(fmt::format("wheel '{}'", spec.name), 1, true, "m");
  group<WheelRailGroup>().add({std::move(wheel), frame_of(spec.body), row});
}

void Assembler::add_flange_stop(const FlangeStopSpec& spec) {
  group<StopSwitches>().add({tracks_.at(spec.track), frame_of(spec.body), spec.clearance, spec.rounding});
  group<ForceGroup<FlangeStop>>().add(
      {{tracks_.at(spec.track), spec.clearance, spec.stiffness, spec.rounding}, {frame_of(spec.body)}, {}});
}

}  // namespace detail

}  // namespace trammel
