// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <variant>
#include <vector>

#include "trammel/mechanics/model.h"

namespace trammel {

/// What a path in a formula can mean: `t`, `rod.x`, `elbow.angle`, `'left spring'.length`, ….
///
/// | path                                   | kind                    | entity              | component |
/// |----------------------------------------|-------------------------|---------------------|-----------|
/// | t                                      | time                    | –                   | –         |
/// | BODY.x .y .z                           | body_position           | body                | 0 1 2     |
/// | BODY.vx .vy .vz                        | body_velocity           | body                | 0 1 2     |
/// | BODY.wx .wy .wz (body axes)            | body_angular_velocity   | body                | 0 1 2     |
/// | BODY.world_wx .world_wy .world_wz      | body_world_spin         | body                | 0 1 2     |
/// | BODY.roll .pitch .yaw                  | body_angle              | body                | 0 1 2     |
/// | BODY.ax .ay .az                        | body_acceleration *     | body                | 0 1 2     |
/// | JOINT.angle .angle_rate                | joint_angle(_rate)      | joint               | –         |
/// | JOINT.displacement .displacement_rate  | joint_displacement(…)   | joint               | –         |
/// | JOINT.fx .fy .fz                       | joint_force             | joint               | 0 1 2     |
/// | JOINT.mx .my .mz                       | joint_moment            | joint               | 0 1 2     |
/// | JOINT.force .moment (norms)            | joint_force_norm, …     | joint               | –         |
/// | TRACK_JOINT.s .y .z .yaw .roll .pitch  | track_coordinate        | joint               | 0 … 5     |
/// | WHEEL.load .normal .creep_x .creep_y   | wheel_value             | wheel               | 0 … 3     |
/// | WHEEL.spin .fx .fy .radius .lateral    | wheel_value             | wheel               | 4 … 8     |
/// | MOTION.effort (N or N m)               | motion_effort           | motion              | –         |
/// | COUPLER.effort (N or N m)              | coupler_effort          | coupler             | –         |
/// | FORCE.fx … .mz .force .moment .effort  | force_value *           | force               | 0 … 8     |
/// | TYRE.load .slip .slip_angle .camber …  | tyre_value *            | force               | 0 … 6     |
/// | CONTACT.normal .friction .penetration  | contact_value *         | contact             | 0 … 3     |
/// | energy.kinetic .potential .total       | machine_energy *        | –                   | 0 1 2     |
/// | momentum.x … .lz                       | machine_momentum *      | –                   | 0 … 5     |
/// | COORDINATE, COORDINATE.rate            | coordinate_value, _rate | coordinate          | –         |
/// | CONTROL                                | control_output          | control             | –         |
/// | CONTROL.STATE                          | state                   | control             | state     |
/// | MEASURE                                | measure                 | measure             | –         |
/// | MEASURE.rate (distance)                | measure_rate            | measure             | –         |
/// | MEASURE.x … .vz (point)                | point_position/velocity | measure             | 0 1 2     |
/// | SPRING.length .length_rate             | spring_length(_rate)    | force               | –         |
/// | TORSION_SPRING.angle .angle_rate       | spring_length(_rate)    | force               | –         |
/// | INPUT                                  | input                   | input               | –         |
/// | PARAMETER                              | (a constant)            |                     |           |
///
/// *: known where frames are recorded; measures may use it, forces and controls may not.
/// Body positions are those of the origin, in the world. Joint forces and moments are the reaction on body b, at the
/// joint's point, in world axes.
enum class SignalKind {
  time,
  body_position,
  body_velocity,
  body_angular_velocity,
  joint_angle,
  joint_angle_rate,
  joint_displacement,
  joint_displacement_rate,
  joint_force,
  joint_moment,
  joint_force_norm,
  joint_moment_norm,
  motion_effort,
  coordinate_value,
  coordinate_rate,
  control_output,
  state,
  measure,
  measure_rate,
  point_position,
  point_velocity,
  spring_length,
  spring_length_rate,
  track_coordinate,
  wheel_value,
  body_world_spin,
  body_angle,
  coupler_effort,
  body_acceleration,
  force_value,
  tyre_value,
  contact_value,
  machine_energy,
  machine_momentum,
  input,
};

/// Whether it is known only where frames are recorded.
bool is_recorded(SignalKind kind);

struct Signal {
  SignalKind kind = SignalKind::time;
  int entity = 0;  ///< index into the model's list
  int component = 0;

  friend bool operator==(const Signal&, const Signal&) = default;
};

/// A signal, a constant (parameter, pi), or a message that says why the path means nothing and what is near.
using ResolvedPath = std::variant<Signal, double, std::string>;

/// Where a formula stands decides which names it may use.
struct FormulaScope {
  int control = -1;        ///< ≥ 0: the states of this control are known by their bare names
  int force = -1;          ///< ≥ 0: `length`/`angle`/`displacement` and `rate` mean this force's own coordinate
  bool time_only = false;  ///< motions: only t, inputs, parameters and tables
};

/// Everything a model has by name, indexed once: build it once per model when there are many formulas to resolve.
/// Refers to the model, which must outlive it and not change.
class SignalTable {
 public:
  explicit SignalTable(const Model& model);
  ResolvedPath resolve(const FormulaScope& scope, const std::vector<std::string>& path) const;

  enum class Entity {
    body,
    coordinate,
    joint,
    coupler,
    motion,
    force,
    control,
    measure,
    table,
    parameter,
    track,
    wheel,
    road,
    contact,
    input
  };
  struct Entry {
    Entity entity = Entity::body;
    int index = 0;
  };
  /// What has this name, or nullptr; of several the first.
  const Entry* find(const std::string& name) const;
  /// The names of all entities of one kind.
  std::vector<std::string> names(Entity entity) const;

 private:
  ResolvedPath resolve_own(const FormulaScope& scope, const std::string& name) const;
  ResolvedPath resolve_entity(const Entry& entry, const std::vector<std::string>& path) const;
  ResolvedPath resolve_joint(int joint, const std::vector<std::string>& path) const;
  std::string unknown(const FormulaScope& scope, const std::string& name) const;

  const Model& model_;
  std::unordered_map<std::string, Entry> entries_;
};

/// The same for a single path.
ResolvedPath resolve(const Model& model, const FormulaScope& scope, const std::vector<std::string>& path);

/// Whether joints of this kind have an angle about, or a displacement along, their axis.
bool has_coordinate(JointKind kind, JointCoordinate coordinate);

/// The coordinate that is meant when nothing is said: the only one there is; else `automatic`.
JointCoordinate only_coordinate(JointKind kind);

/// "body", "joint", …
std::string_view to_string(SignalTable::Entity entity);

}  // namespace trammel
