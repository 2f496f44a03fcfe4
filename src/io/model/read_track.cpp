// SPDX-License-Identifier: Apache-2.0
#include "entities.h"

namespace trammel::detail {

namespace {

const Choices<TrackKind> track_kinds{{"ramps", TrackKind::ramps, "the curvature changes here and there"},
                                     {"s_curve", TrackKind::s_curve, "one smooth S"}};
const Choices<WheelProfile> wheel_profiles{{"cone", WheelProfile::cone, "on a circular rail head"},
                                           {"s1002", WheelProfile::s1002, "on UIC60 1:40"}};
const Choices<bool> sides{{"left", true}, {"right", false}};

std::vector<double> read_numbers(Fields& fields, std::string_view key) {
  const Node* node = fields.get(key);
  return node == nullptr ? std::vector<double>{} : fields.list_of(*node, key);
}

template <class Spec>
Spec begin(Fields& fields, const std::string& name) {
  Spec spec;
  spec.name = name;
  spec.source = fields.source();
  return spec;
}

// What runs on rails: a wheelset and its track.
template <class Spec>
void read_wheelset(Fields& fields, Spec& spec) {
  if (const Node* node = fields.get("body"))
    spec.body = fields.name_of(*node, "body");
  else
    fields.findings().add_broken("", spec.source);
  if (const Node* node = fields.get("track"))
    spec.track = fields.name_of(*node, "track");
  else
    fields.findings().add_broken("", spec.source);
}

void read_track(Fields& fields, const std::string& name, ModelDraft& model) {
  TrackSpec track = begin<TrackSpec>(fields, name);
  if (!fields.kind(track_kinds, track.kind)) return fields.findings().add_broken(name, track.source);
  track.from = fields.number("from", 0.0);
  track.to = fields.number("to", track.from + 1.0);
  if (track.kind == TrackKind::ramps) {
    track.positions = read_numbers(fields, "positions");
    track.changes = read_numbers(fields, "changes");
    track.ramp = fields.number("ramp", 0.0);
  } else {
    track.start = fields.number("start", 0.0);
    track.length = fields.number("length", 1.0);
    track.curvature = fields.number("curvature", 0.0);
  }
  fields.finish();
  model.tracks.push_back(std::move(track));
}

void read_wheel(Fields& fields, const std::string& name, ModelDraft& model) {
  WheelRailSpec wheel = begin<WheelRailSpec>(fields, name);
  read_wheelset(fields, wheel);
  wheel.left = fields.choice("side", sides, true);
  if (!fields.kind(wheel_profiles, wheel.profile, "profile")) return fields.findings().add_broken(name, wheel.source);
  wheel.radius = fields.number("radius", wheel.radius);
  wheel.half_width = fields.number("half_width", wheel.half_width);
  wheel.rail_radius = fields.number("rail_radius", wheel.rail_radius);
  if (wheel.profile == WheelProfile::cone) wheel.conicity = fields.number("conicity", wheel.conicity);
  wheel.friction = fields.number("friction", wheel.friction);
  for (const char* key : {"speed", "load"})
    if (wheel.friction == 0.0)
      fields.refuse(key, "without 'friction'");
    else
      fields.require(key);
  wheel.speed = fields.number("speed", wheel.speed);
  wheel.load = fields.number("load", wheel.load);
  wheel.youngs_modulus = fields.number("youngs_modulus", wheel.youngs_modulus);
  wheel.poisson = fields.number("poisson", wheel.poisson);
  if (const Node* node = fields.get("kalker")) {
    const std::vector<double> numbers = fields.list_of(*node, "kalker");
    if (numbers.size() != 4)
      fields.report(*node, "'kalker' must be the four coefficients [C11, C22, C23, C33]");
    else
      std::copy(numbers.begin(), numbers.end(), wheel.kalker);
  }
  fields.finish();
  model.wheels.push_back(std::move(wheel));
}

void read_flange_stop(Fields& fields, const std::string& name, ModelDraft& model) {
  FlangeStopSpec stop = begin<FlangeStopSpec>(fields, name);
  read_wheelset(fields, stop);
  stop.clearance = fields.number("clearance", stop.clearance);
  stop.stiffness = fields.number("stiffness", stop.stiffness);
  stop.rounding = fields.number("rounding", stop.rounding);
  fields.finish();
  model.flange_stops.push_back(std::move(stop));
}

std::vector<Key> track_keys() {
  const KindNames ramps{"ramps"}, s_curve{"s_curve"};
  return {name_key(),
          {.name = "kind", .type = KeyType::word, .fallback = "ramps", .words = words(track_kinds)},
          {.name = "from", .unit = "m", .fallback = "0", .meaning = "where the stretch that exists begins"},
          {.name = "to", .unit = "m", .required = true, .meaning = "where the track ends, beyond `from`"},
          {.name = "positions",
           .type = KeyType::numbers,
           .unit = "m",
           .fallback = "[]",
           .meaning = "where the curvature begins to change",
           .kinds = ramps},
          {.name = "changes",
           .type = KeyType::numbers,
           .unit = "1/m",
           .fallback = "[]",
           .meaning = "by how much it changes from each of `positions` on; left is positive",
           .kinds = ramps},
          {.name = "ramp",
           .unit = "m",
           .meaning = "the length of each change; needed with `positions`",
           .range = Range::above(0.0),
           .kinds = ramps},
          {.name = "start", .unit = "m", .required = true, .meaning = "where the S begins", .kinds = s_curve},
          {.name = "length",
           .unit = "m",
           .required = true,
           .meaning = "the length of the S",
           .range = Range::above(0.0),
           .kinds = s_curve},
          {.name = "curvature",
           .unit = "1/m",
           .required = true,
           .meaning = "κ₀, the largest curvature of the S",
           .kinds = s_curve}};
}

Key wheelset_key() {
  return {
      .name = "body", .type = KeyType::name, .required = true, .meaning = "the wheelset; y of its axes is the axle"};
}

Key on_track_key() {
  return {.name = "track", .type = KeyType::name, .required = true, .meaning = "the [[track]] it runs on"};
}

std::vector<Key> wheel_keys() {
  const Range positive = Range::above(0.0);
  return {
      name_key(),
      wheelset_key(),
      on_track_key(),
      {.name = "side", .type = KeyType::word, .required = true, .meaning = "which wheel", .words = words(sides)},
      {.name = "profile", .type = KeyType::word, .fallback = "cone", .words = words(wheel_profiles)},
      {.name = "radius",
       .unit = "m",
       .fallback = "0.46",
       .meaning = "r₀, rolling radius in the middle",
       .range = positive},
      {.name = "half_width",
       .unit = "m",
       .fallback = "0.75",
       .meaning = "b₀, half the distance of the contact points in the middle",
       .range = positive},
      {.name = "rail_radius", .unit = "m", .fallback = "0.30", .meaning = "r_R of the rail head", .range = positive},
      {.name = "conicity", .fallback = "0.05", .meaning = "λ of the cone", .kinds = {"cone"}},
      {.name = "friction", .fallback = "0.30", .meaning = "μ; 0: no creep forces", .range = Range::from(0.0)},
      {.name = "speed",
       .unit = "m/s",
       .meaning = "V to which creepages are related; needed with `friction`",
       .range = positive},
      {.name = "load",
       .unit = "N",
       .meaning = "N₀, the wheel load for which creep coefficients are computed; needed with `friction`",
       .range = positive},
      {.name = "youngs_modulus", .unit = "Pa", .fallback = "2.1e11", .meaning = "of steel", .range = positive},
      {.name = "poisson",
       .fallback = "0.27",
       .meaning = "Poisson's ratio",
       .range = {.low = 0.0, .high = 0.5, .low_open = false}},
      {.name = "kalker",
       .type = KeyType::numbers,
       .fallback = "[4.515, 4.127, 1.861, 1]",
       .meaning = "the four coefficients `[C11, C22, C23, C33]`"}};
}

}  // namespace

EntityKind track_kind() {
  return {{.name = "track",
           .is_list = true,
           .meaning = "A railway line in the plane z = 0, by the curvature of its centre line.",
           .keys = track_keys()},
          read_track};
}

EntityKind wheel_kind() {
  return {{.name = "wheel",
           .is_list = true,
           .meaning = "One wheel of a wheelset on its rail, with its creep forces.",
           .keys = wheel_keys(),
           .kind_key = "profile"},
          read_wheel};
}

EntityKind flange_stop_kind() {
  return {{.name = "flange_stop",
           .is_list = true,
           .meaning = "A soft stop of a wheelset's lateral motion in its track: the flanges of wheels that have none.",
           .keys = {name_key(),
                    wheelset_key(),
                    on_track_key(),
                    {.name = "clearance",
                     .unit = "m",
                     .fallback = "0.007",
                     .meaning = "beyond which it acts",
                     .range = Range::from(0.0)},
                    {.name = "stiffness",
                     .unit = "N/m",
                     .fallback = "14.6e6",
                     .meaning = "k beyond the clearance",
                     .range = Range::above(0.0)},
                    {.name = "rounding",
                     .unit = "m",
                     .fallback = "1e-3",
                     .meaning = "w, over which the stiffness grows",
                     .range = Range::above(0.0)}}},
          read_flange_stop};
}

}  // namespace trammel::detail
