#include "entities.h"

namespace trammel::detail {

namespace {

const Choices<TrackKind> track_kinds{{"ramps", TrackKind::ramps}, {"s_curve", TrackKind::s_curve}};
const Choices<WheelProfile> wheel_profiles{{"cone", WheelProfile::cone}, {"s1002", WheelProfile::s1002}};
const Choices<bool> sides{{"left", true}, {"right", false}};

std::vector<double> read_numbers(Fields& fields, const std::string& key) {
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
  if (const Node* node = fields.require("body", "the wheelset; y of its axes is the axle"))
    spec.body = fields.name_of(*node, "body");
  else
    fields.findings().add_broken("", spec.source);
  if (const Node* node = fields.require("track", "the [[track]] it runs on"))
    spec.track = fields.name_of(*node, "track");
  else
    fields.findings().add_broken("", spec.source);
}

}  // namespace

void read_track(Fields& fields, const std::string& name, ModelDraft& model) {
  TrackSpec track = begin<TrackSpec>(fields, name);
  track.kind = fields.choice("kind", track_kinds, TrackKind::ramps);
  track.from = fields.number("from", 0.0);
  track.to = fields.required_number("to", "where the track ends [m]", 1.0);
  if (track.kind == TrackKind::ramps) {
    track.positions = read_numbers(fields, "positions");
    track.changes = read_numbers(fields, "changes");
    track.ramp = fields.number("ramp", 0.0);
  } else {
    track.start = fields.required_number("start", "where the S begins [m]", 0.0);
    track.length = fields.required_number("length", "the length of the S [m]", 1.0);
    track.curvature = fields.required_number("curvature", "the largest curvature of the S [1/m]", 0.0);
  }
  fields.finish();
  model.tracks.push_back(std::move(track));
}

void read_track_joint(Fields& fields, JointSpec& joint) {
  TrackJointSpec& on = joint.on_track;
  if (const Node* node = fields.require("track", "the [[track]] it runs on"))
    on.track = fields.name_of(*node, "track");
  else
    fields.findings().add_broken(joint.name, joint.source);
  on.station = fields.required_number("station", "where it stands on the track when it has not travelled yet [m]", 0.0);
  on.height = fields.required_number("height", "of its centre of mass over the rails [m]", 0.0);
  if (const Node* node = fields.require("travel", "the way that it goes, a formula of t [m]"))
    on.travel = fields.formula_of(*node, "travel");
  else
    on.travel.text = zero_formula;
  on.guided = fields.boolean("guided", false);
  on.radius = fields.number("radius", 0.0);
}

void read_wheel(Fields& fields, const std::string& name, ModelDraft& model) {
  WheelRailSpec wheel = begin<WheelRailSpec>(fields, name);
  read_wheelset(fields, wheel);
  if (fields.require("side", "left or right") != nullptr) wheel.left = fields.choice("side", sides, true);
  wheel.profile = fields.choice("profile", wheel_profiles, WheelProfile::cone);
  wheel.radius = fields.number("radius", wheel.radius);
  wheel.half_width = fields.number("half_width", wheel.half_width);
  wheel.rail_radius = fields.number("rail_radius", wheel.rail_radius);
  if (wheel.profile == WheelProfile::cone) wheel.conicity = fields.number("conicity", wheel.conicity);
  wheel.friction = fields.number("friction", wheel.friction);
  if (wheel.friction != 0.0) {
    wheel.speed = fields.required_number("speed", "the speed to which creepages are related [m/s]", 1.0);
    wheel.load = fields.required_number("load", "the wheel load for which creep coefficients are computed [N]", 1.0);
  }
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

}  // namespace trammel::detail
