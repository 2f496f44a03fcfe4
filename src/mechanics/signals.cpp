// SPDX-License-Identifier: Apache-2.0
#include "trammel/mechanics/signals.h"

#include <fmt/format.h>

#include <algorithm>
#include <numbers>

#include "trammel/base/text.h"
#include "trammel/mechanics/kinds/force_descriptor.h"
#include "trammel/mechanics/kinds/joint_descriptor.h"
#include "trammel/mechanics/kinds/measure_descriptor.h"

namespace trammel {

namespace {

using Entity = SignalTable::Entity;

// "x" "y" "z" after a prefix -> 0 1 2; −1 if it is none of them.
int axis_of(const std::string& text, const std::string& prefix) {
  if (text.size() != prefix.size() + 1 || text.compare(0, prefix.size(), prefix) != 0) return -1;
  const char letter = text.back();
  return letter >= 'x' && letter <= 'z' ? letter - 'x' : -1;
}

Signal signal(SignalKind kind, int entity, int component = 0) { return {kind, entity, component}; }

// "'rod' is a body: write rod.x, rod.y, …" or "body 'rod' has no 'vxx'; did you mean 'vx'? It has …"
std::string no_such_component(std::string_view kind, const std::vector<std::string>& path,
                              const std::vector<std::string>& components) {
  if (components.empty()) return fmt::format("{} '{}' has no values that a formula could use", kind, path[0]);
  if (path.size() == 1)
    return fmt::format("'{}' is a {}, not a value; say which value of it, such as {}.{} (it has {})", path[0], kind,
                       path[0], components[0], join_quoted(components));
  if (path.size() > 2) return fmt::format("'{}.{}' has no parts of its own", path[0], path[1]);
  const std::string near = did_you_mean(path[1], components);
  return fmt::format("{} '{}' has no '{}'{} It has {}", kind, path[0], path[1], near.empty() ? "." : near,
                     join_quoted(components));
}

// One of several words, by its place.
ResolvedPath resolve_word(SignalKind kind, int entity, std::string_view what, const std::vector<std::string>& path,
                          const std::vector<std::string>& words) {
  const auto it = path.size() == 2 ? std::find(words.begin(), words.end(), path[1]) : words.end();
  if (it != words.end()) return signal(kind, entity, static_cast<int>(it - words.begin()));
  return no_such_component(what, path, words);
}

const std::vector<std::string> angle_words{"roll", "pitch", "yaw"};
const std::vector<std::string> energy_words{"kinetic", "potential", "total"};
const std::vector<std::string> momentum_words{"x", "y", "z", "lx", "ly", "lz"};
const std::vector<std::string> contact_words{"normal", "friction", "penetration", "touching", "slip", "pressure"};
const std::vector<std::string> wrench_words{"fx", "fy", "fz", "mx", "my", "mz", "force", "moment"};
const std::vector<std::string> tyre_words{"load", "slip", "slip_angle", "camber", "drive", "side", "aligning"};

ResolvedPath resolve_body(const BodySpec& body, int index, const std::vector<std::string>& path) {
  std::vector<std::string> components{"x", "y", "z", "vx", "vy", "vz", "ax", "ay", "az"};
  const bool turns = body.kind != BodyKind::particle;
  if (turns)
    components.insert(components.end(), {"wx", "wy", "wz", "world_wx", "world_wy", "world_wz", "roll", "pitch", "yaw"});
  if (path.size() == 2) {
    if (const int i = axis_of(path[1], "a"); i >= 0) return signal(SignalKind::body_acceleration, index, i);
    if (const int i = axis_of(path[1], "world_w"); i >= 0 && turns)
      return signal(SignalKind::body_world_spin, index, i);
    for (int i = 0; turns && i < 3; ++i)
      if (path[1] == angle_words[static_cast<std::size_t>(i)]) return signal(SignalKind::body_angle, index, i);
  }
  if (path.size() == 2) {
    if (const int i = axis_of(path[1], ""); i >= 0) return signal(SignalKind::body_position, index, i);
    if (const int i = axis_of(path[1], "v"); i >= 0) return signal(SignalKind::body_velocity, index, i);
    if (const int i = axis_of(path[1], "w"); i >= 0 && turns)
      return signal(SignalKind::body_angular_velocity, index, i);
  }
  return no_such_component(turns ? "body" : "particle", path, components);
}

ResolvedPath resolve_coordinate(int index, const std::vector<std::string>& path) {
  if (path.size() == 1) return signal(SignalKind::coordinate_value, index);
  if (path.size() == 2 && path[1] == "rate") return signal(SignalKind::coordinate_rate, index);
  return no_such_component("coordinate", path, {"rate"});
}

ResolvedPath resolve_control(const ControlSpec& control, int index, const std::vector<std::string>& path) {
  if (path.size() == 1) return signal(SignalKind::control_output, index);
  const auto it = std::find(control.states.begin(), control.states.end(), path[1]);
  if (path.size() == 2 && it != control.states.end())
    return signal(SignalKind::state, index, static_cast<int>(it - control.states.begin()));
  return no_such_component("control", path, control.states);
}

ResolvedPath resolve_measure(const MeasureSpec& measure, int index, const std::vector<std::string>& path) {
  if (measure.kind->is_point) {
    if (path.size() == 2) {
      if (const int i = axis_of(path[1], ""); i >= 0) return signal(SignalKind::point_position, index, i);
      if (const int i = axis_of(path[1], "v"); i >= 0) return signal(SignalKind::point_velocity, index, i);
    }
    return no_such_component("point measure", path, {"x", "y", "z", "vx", "vy", "vz"});
  }
  if (path.size() == 1) return signal(SignalKind::measure, index);
  if (measure.kind->has_rate && path.size() == 2 && path[1] == "rate") return signal(SignalKind::measure_rate, index);
  if (measure.kind->has_rate) return no_such_component("measure", path, {"rate"});
  return fmt::format("measure '{}' is a formula and has no '{}'; use '{}' alone", path[0], path[1], path[0]);
}

ResolvedPath resolve_force(const ForceSpec& force, int index, const std::vector<std::string>& path) {
  const std::string own(own_coordinate(force.kind));
  if (!own.empty() && path.size() == 2) {
    if (path[1] == own) return signal(SignalKind::spring_length, index);
    if (path[1] == own + "_rate") return signal(SignalKind::spring_length_rate, index);
  }
  const auto find = [&](const std::vector<std::string>& words) {
    const auto it = path.size() == 2 ? std::find(words.begin(), words.end(), path[1]) : words.end();
    return it == words.end() ? -1 : static_cast<int>(it - words.begin());
  };
  std::vector<std::string> all;
  if (!own.empty()) all = {own, own + "_rate"};
  if (force.kind->acts_on == ActsOn::coordinate) {
    if (find({"effort"}) == 0) return signal(SignalKind::force_value, index, 8);
    all.push_back("effort");
    return no_such_component("force", path, all);
  }
  if (const int i = find(wrench_words); i >= 0) return signal(SignalKind::force_value, index, i);
  all.insert(all.end(), wrench_words.begin(), wrench_words.end());
  if (force.kind == ForceKind::tyre) {
    if (const int i = find(tyre_words); i >= 0) return signal(SignalKind::tyre_value, index, i);
    all.insert(all.end(), tyre_words.begin(), tyre_words.end());
  }
  return no_such_component("force", path, all);
}

ResolvedPath resolve_wheel(int index, const std::vector<std::string>& path) {
  static const std::vector<std::string> values{"load", "normal", "creep_x", "creep_y", "spin",
                                               "fx",   "fy",     "radius",  "lateral"};
  return resolve_word(SignalKind::wheel_value, index, "wheel", path, values);
}

}  // namespace

bool is_recorded(SignalKind kind) {
  switch (kind) {
    case SignalKind::body_acceleration:
    case SignalKind::force_value:
    case SignalKind::tyre_value:
    case SignalKind::contact_value:
    case SignalKind::machine_energy:
    case SignalKind::machine_momentum:
      return true;
    default:
      return false;
  }
}

bool has_coordinate(JointKind kind, JointCoordinate coordinate) {
  switch (coordinate) {
    case JointCoordinate::angle:
      return kind->coordinates.angle;
    case JointCoordinate::displacement:
      return kind->coordinates.displacement;
    case JointCoordinate::automatic:
      return only_coordinate(kind) != JointCoordinate::automatic;
  }
  return false;
}

JointCoordinate only_coordinate(JointKind kind) {
  const bool angle = has_coordinate(kind, JointCoordinate::angle);
  const bool displacement = has_coordinate(kind, JointCoordinate::displacement);
  if (angle == displacement) return JointCoordinate::automatic;
  return angle ? JointCoordinate::angle : JointCoordinate::displacement;
}

std::string_view to_string(SignalTable::Entity entity) {
  switch (entity) {
    case Entity::body:
      return "body";
    case Entity::coordinate:
      return "coordinate";
    case Entity::joint:
      return "joint";
    case Entity::coupler:
      return "coupler";
    case Entity::motion:
      return "motion";
    case Entity::force:
      return "force";
    case Entity::control:
      return "control";
    case Entity::measure:
      return "measure";
    case Entity::table:
      return "table";
    case Entity::parameter:
      return "parameter";
    case Entity::track:
      return "track";
    case Entity::wheel:
      return "wheel";
    case Entity::road:
      return "road";
    case Entity::contact:
      return "contact";
    case Entity::input:
      return "input";
  }
  return "";
}

SignalTable::SignalTable(const Model& model) : model_(model) {
  const auto add = [&](Entity entity, const auto& list) {
    for (std::size_t i = 0; i < list.size(); ++i)
      if (!list[i].name.empty()) entries_.try_emplace(list[i].name, Entry{entity, static_cast<int>(i)});
  };
  add(Entity::body, model.bodies);
  add(Entity::coordinate, model.coordinates);
  add(Entity::joint, model.joints);
  add(Entity::coupler, model.couplers);
  add(Entity::motion, model.motions);
  add(Entity::force, model.forces);
  add(Entity::control, model.controls);
  add(Entity::measure, model.measures);
  add(Entity::table, model.tables);
  add(Entity::track, model.tracks);
  add(Entity::wheel, model.wheels);
  add(Entity::road, model.roads);
  add(Entity::contact, model.contacts);
  add(Entity::input, model.inputs);
  for (const auto& [name, value] : model.parameters) entries_.try_emplace(name, Entry{Entity::parameter, 0});
}

const SignalTable::Entry* SignalTable::find(const std::string& name) const {
  const auto it = entries_.find(name);
  return it == entries_.end() ? nullptr : &it->second;
}

std::vector<std::string> SignalTable::names(Entity entity) const {
  std::vector<std::string> names;
  for (const auto& [name, entry] : entries_)
    if (entry.entity == entity) names.push_back(name);
  std::sort(names.begin(), names.end());
  return names;
}

std::string SignalTable::unknown(const FormulaScope& scope, const std::string& name) const {
  if (name == ground_name) return "'ground' never moves and has no values; write numbers instead";
  std::vector<std::string> names{"t"};
  for (const auto& [candidate, entry] : entries_)
    if (!scope.time_only || entry.entity == Entity::parameter || entry.entity == Entity::input)
      names.push_back(candidate);
  if (scope.control >= 0) {
    const std::vector<std::string>& states = model_.controls[static_cast<std::size_t>(scope.control)].states;
    names.insert(names.end(), states.begin(), states.end());
  }
  if (scope.force >= 0) names.insert(names.end(), {"length", "angle", "displacement", "rate"});
  std::sort(names.begin(), names.end());
  return fmt::format("nothing in the model is called '{}'{}", name, did_you_mean(name, names));
}

// The bare names that only this place knows: states of the control, the coordinate of the force. Empty text: not one.
ResolvedPath SignalTable::resolve_own(const FormulaScope& scope, const std::string& name) const {
  if (scope.control >= 0) {
    const std::vector<std::string>& states = model_.controls[static_cast<std::size_t>(scope.control)].states;
    const auto it = std::find(states.begin(), states.end(), name);
    if (it != states.end()) return signal(SignalKind::state, scope.control, static_cast<int>(it - states.begin()));
  }
  if (scope.force < 0) return std::string();
  const bool rate = name == "rate";
  if (!rate && name != "length" && name != "angle" && name != "displacement") return std::string();
  const ForceSpec& force = model_.forces[static_cast<std::size_t>(scope.force)];
  std::string own;
  ResolvedPath result = std::string();
  if (!own_coordinate(force.kind).empty()) {
    own = own_coordinate(force.kind);
    result = signal(rate ? SignalKind::spring_length_rate : SignalKind::spring_length, scope.force);
  } else if (force.kind->strain == Strain::joint) {
    const Entry* entry = find(force.joint);
    if (entry == nullptr) return std::string();
    if (entry->entity == Entity::coordinate)
      return name == "length" ? ResolvedPath(std::string())
                              : signal(rate ? SignalKind::coordinate_rate : SignalKind::coordinate_value, entry->index);
    if (entry->entity != Entity::joint) return std::string();
    const JointKind kind = model_.joints[static_cast<std::size_t>(entry->index)].kind;
    const JointCoordinate meant =
        force.coordinate == JointCoordinate::automatic ? only_coordinate(kind) : force.coordinate;
    if (meant == JointCoordinate::automatic) return std::string();
    const bool angle = meant == JointCoordinate::angle;
    own = angle ? "angle" : "displacement";
    const SignalKind value = angle ? SignalKind::joint_angle : SignalKind::joint_displacement;
    const SignalKind speed = angle ? SignalKind::joint_angle_rate : SignalKind::joint_displacement_rate;
    result = signal(rate ? speed : value, entry->index);
  } else {
    return std::string();
  }
  if (rate || name == own) return result;
  return entries_.count(name) > 0 ? ResolvedPath(std::string())
                                  : fmt::format("this law is a formula of '{}' and 'rate', not of '{}'", own, name);
}

ResolvedPath SignalTable::resolve_joint(int joint, const std::vector<std::string>& path) const {
  const JointKind kind = model_.joints[static_cast<std::size_t>(joint)].kind;
  std::vector<std::string> components;
  const bool angle = has_coordinate(kind, JointCoordinate::angle);
  const bool displacement = has_coordinate(kind, JointCoordinate::displacement);
  if (angle) components.insert(components.end(), {"angle", "angle_rate"});
  if (displacement) components.insert(components.end(), {"displacement", "displacement_rate"});
  for (const JointSignal& own : kind->signals) {
    components.emplace_back(own.name);
    if (path.size() == 2 && path[1] == own.name) return signal(own.kind, joint, own.component);
  }
  components.insert(components.end(), {"fx", "fy", "fz", "mx", "my", "mz", "force", "moment"});
  if (path.size() == 2) {
    const std::string& what = path[1];
    if (what == "force") return signal(SignalKind::joint_force_norm, joint);
    if (what == "moment") return signal(SignalKind::joint_moment_norm, joint);
    if (what == "angle" && angle) return signal(SignalKind::joint_angle, joint);
    if (what == "angle_rate" && angle) return signal(SignalKind::joint_angle_rate, joint);
    if (what == "displacement" && displacement) return signal(SignalKind::joint_displacement, joint);
    if (what == "displacement_rate" && displacement) return signal(SignalKind::joint_displacement_rate, joint);
    if (const int i = axis_of(what, "f"); i >= 0) return signal(SignalKind::joint_force, joint, i);
    if (const int i = axis_of(what, "m"); i >= 0) return signal(SignalKind::joint_moment, joint, i);
  }
  return no_such_component("joint", path, components);
}

ResolvedPath SignalTable::resolve_entity(const Entry& entry, const std::vector<std::string>& path) const {
  const std::size_t i = static_cast<std::size_t>(entry.index);
  switch (entry.entity) {
    case Entity::body:
      return resolve_body(model_.bodies[i], entry.index, path);
    case Entity::coordinate:
      return resolve_coordinate(entry.index, path);
    case Entity::joint:
      return resolve_joint(entry.index, path);
    case Entity::coupler:
      return resolve_word(SignalKind::coupler_effort, entry.index, "coupler", path, {"effort"});
    case Entity::motion:
      if (path.size() == 2 && path[1] == "effort") return signal(SignalKind::motion_effort, entry.index);
      return no_such_component("motion", path, {"effort"});
    case Entity::force:
      return resolve_force(model_.forces[i], entry.index, path);
    case Entity::control:
      return resolve_control(model_.controls[i], entry.index, path);
    case Entity::measure:
      return resolve_measure(model_.measures[i], entry.index, path);
    case Entity::table:
      return fmt::format("'{0}' is a table; write table({0}, x) with its argument", path[0]);
    case Entity::track:
      return no_such_component("track", path, {});
    case Entity::wheel:
      return resolve_wheel(entry.index, path);
    case Entity::road:
      return no_such_component("road", path, {});
    case Entity::contact:
      return resolve_word(SignalKind::contact_value, entry.index, "contact", path, contact_words);
    case Entity::input:
      if (path.size() == 1) return signal(SignalKind::input, entry.index);
      return fmt::format("'{}' is an input, a number, and has no '{}'", path[0], path[1]);
    case Entity::parameter:
      break;
  }
  if (path.size() == 1) return model_.parameters.at(path[0]);
  return fmt::format("'{}' is a parameter and has no '{}'", path[0], path[1]);
}

ResolvedPath SignalTable::resolve(const FormulaScope& scope, const std::vector<std::string>& path) const {
  if (path.size() == 1) {
    if (path[0] == "t") return signal(SignalKind::time, 0);
    if (path[0] == "pi") return std::numbers::pi;
    const ResolvedPath own = resolve_own(scope, path[0]);
    const std::string* text = std::get_if<std::string>(&own);
    if (text == nullptr || !text->empty()) return own;
  }
  const Entry* entry = find(path[0]);
  if (entry == nullptr && !scope.time_only) {
    if (path[0] == "energy") return resolve_word(SignalKind::machine_energy, 0, "energy", path, energy_words);
    if (path[0] == "momentum") return resolve_word(SignalKind::machine_momentum, 0, "momentum", path, momentum_words);
  }
  if (entry == nullptr) return unknown(scope, path[0]);
  const Entity entity = entry->entity;
  if (scope.time_only && entity != Entity::parameter && entity != Entity::table && entity != Entity::input)
    return fmt::format("'{}' is a {} and depends on the motion; here only t, inputs, parameters and tables may be used",
                       path[0], to_string(entry->entity));
  return resolve_entity(*entry, path);
}

ResolvedPath resolve(const Model& model, const FormulaScope& scope, const std::vector<std::string>& path) {
  return SignalTable(model).resolve(scope, path);
}

}  // namespace trammel
