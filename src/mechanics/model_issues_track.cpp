// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "trammel/mechanics/elements/track.h"
#include "trammel/mechanics/model_checks.h"

namespace trammel::detail {

namespace {

// Beyond this the foot of a point can no longer be found from its x coordinate.
constexpr double largest_heading = 1.2;
constexpr double longest_track = 1e6;  // [m] 16 points of 40 B per metre

const TrackSpec* find_track(const ModelChecks& checks, const std::string& name) {
  const SignalTable::Entry* entry = checks.table.find(name);
  if (entry == nullptr || entry->entity != SignalTable::Entity::track) return nullptr;
  return &checks.model.tracks[static_cast<std::size_t>(entry->index)];
}

void check_curvature(ModelChecks& checks, const TrackSpec& track) {
  std::vector<Track::Ramp> ramps;
  std::vector<Track::SCurve> curves;
  if (track.kind == TrackKind::ramps) {
    if (track.positions.size() != track.changes.size())
      return checks.report("track", track, "changes",
                           fmt::format("'positions' has {} numbers and 'changes' {}; give one change of curvature for "
                                       "each position",
                                       track.positions.size(), track.changes.size()));
    if (!track.positions.empty() && !(track.ramp > 0.0))
      return checks.report("track", track, "ramp", fmt::format("'ramp' is {} m but must be > 0", track.ramp));
    for (std::size_t k = 0; k < track.positions.size(); ++k)
      ramps.push_back({track.positions[k], track.ramp, track.changes[k]});
  } else {
    if (!(track.length > 0.0))
      return checks.report("track", track, "length", fmt::format("'length' is {} m but must be > 0", track.length));
    curves.push_back({track.start, track.length, track.curvature});
  }
  // Headings are in closed form: nothing is tabulated but one metre.
  const Track line(track.from, std::min(track.to, track.from + 1.0), std::move(ramps), std::move(curves));
  const int n = std::max(10, static_cast<int>(track.to - track.from));
  for (int i = 0; i <= n; ++i) {
    const double s = track.from + (track.to - track.from) * i / n, heading = line.heading(s);
    if (std::abs(heading) <= largest_heading && std::isfinite(heading)) continue;
    return checks.report("track", track, "name",
                         fmt::format("at {:.4g} m it turns by {:.3g} rad from its first direction; tracks up to {} rad "
                                     "are possible",
                                     s, heading, largest_heading));
  }
}

template <class Spec>
void check_reference(ModelChecks& checks, std::string_view kind, const Spec& spec, const std::string& track) {
  if (find_track(checks, track) == nullptr)
    checks.report(kind, spec, "track", no_such(checks, SignalTable::Entity::track, track));
}

template <class Spec>
void check_wheelset(ModelChecks& checks, std::string_view kind, const Spec& spec) {
  if (!check_body_reference(checks, kind, spec, "body", spec.body)) return;
  const BodySpec* body = checks.find_body(spec.body);
  if (body == nullptr || body->kind != BodyKind::rigid)
    checks.report(kind, spec, "body", fmt::format("'{}' must be a rigid body whose y axis is the axle", spec.body));
}

template <class Spec>
void check_positive(ModelChecks& checks, std::string_view kind, const Spec& spec, const std::string& key,
                    double value) {
  if (!(value > 0.0 && std::isfinite(value)))
    checks.report(kind, spec, key, fmt::format("'{}' is {} but must be > 0", key, value));
}

}  // namespace

void check_tracks(ModelChecks& checks) {
  for (const TrackSpec& track : checks.model.tracks) {
    if (!(track.to > track.from) || !std::isfinite(track.to - track.from))
      checks.report("track", track, "to", fmt::format("it ends at {} m but begins at {} m", track.to, track.from));
    else if (track.to - track.from > longest_track)
      checks.report("track", track, "to",
                    fmt::format("it is {:.6g} m long, and tracks up to {:.6g} m are possible; beyond its ends a track "
                                "goes on straight",
                                track.to - track.from, longest_track));
    else
      check_curvature(checks, track);
  }
  for (const WheelRailSpec& wheel : checks.model.wheels) {
    check_reference(checks, "wheel", wheel, wheel.track);
    check_wheelset(checks, "wheel", wheel);
    check_positive(checks, "wheel", wheel, "radius", wheel.radius);
    check_positive(checks, "wheel", wheel, "half_width", wheel.half_width);
    check_positive(checks, "wheel", wheel, "rail_radius", wheel.rail_radius);
    if (wheel.profile == WheelProfile::s1002 && std::abs(wheel.half_width - 0.75) > 1e-12)
      checks.report(
          "wheel", wheel, "half_width",
          fmt::format("'half_width' is {} m, but the profile S1002 on UIC60 is that of 0.75 m", wheel.half_width));
    if (wheel.friction == 0.0) continue;
    check_positive(checks, "wheel", wheel, "friction", wheel.friction);
    check_positive(checks, "wheel", wheel, "speed", wheel.speed);
    check_positive(checks, "wheel", wheel, "load", wheel.load);
    check_positive(checks, "wheel", wheel, "youngs_modulus", wheel.youngs_modulus);
    if (!(wheel.poisson >= 0.0 && wheel.poisson < 0.5))
      checks.report("wheel", wheel, "poisson", fmt::format("'poisson' is {} but must be in [0, 0.5)", wheel.poisson));
  }
  for (const FlangeStopSpec& stop : checks.model.flange_stops) {
    check_reference(checks, "flange_stop", stop, stop.track);
    check_wheelset(checks, "flange_stop", stop);
    check_positive(checks, "flange_stop", stop, "stiffness", stop.stiffness);
    check_positive(checks, "flange_stop", stop, "rounding", stop.rounding);
    if (!(stop.clearance >= 0.0))
      checks.report("flange_stop", stop, "clearance",
                    fmt::format("'clearance' is {} m but must be ≥ 0", stop.clearance));
  }
}

}  // namespace trammel::detail
