// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <array>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "trammel/base/error.h"
#include "trammel/mechanics/beam.h"
#include "trammel/mechanics/contact.h"
#include "trammel/mechanics/description.h"
#include "trammel/mechanics/elements/vehicle_data.h"
#include "trammel/mechanics/geometry.h"
#include "trammel/mechanics/kinds.h"
#include "trammel/mechanics/library_spec.h"
#include "trammel/mechanics/road.h"
#include "trammel/mechanics/track.h"

namespace trammel {

/// The description of a machine, as a user states it: bodies, joints, forces, motions, controls, measures, by name.
/// Plain data; nothing here computes. A TOML file, C++ code and scripts all fill the same structs, and
/// `issues(model)` finds everything wrong with it at once. SI units, right-handed axes.
///
/// `ground` exists always and never moves. Points and axes are given in the world of the *drawn configuration* (the
/// one that the bodies' `position` and `orientation` show) or relative to a body.

/// A point: world coordinates of the drawn configuration if `body` is empty, else coordinates in that body's axes
/// from that body's origin.
struct PointSpec {
  std::string body = {};
  Eigen::Vector3d at = Eigen::Vector3d::Zero();
};

/// A direction, in the world of the drawn configuration or in a body's axes; its length is not used.
struct AxisSpec {
  std::string body = {};
  Eigen::Vector3d direction = Eigen::Vector3d::UnitZ();
};

enum class BodyKind {
  rigid,     ///< 6 freedoms: position and orientation
  planar,    ///< 3 freedoms: moves in a plane, turns about its normal
  particle,  ///< 3 freedoms: a point; no orientation
};

struct BodySpec {
  std::string name = {};
  Source source = {};
  BodyKind kind = BodyKind::rigid;
  double mass = 0.0;                                           ///< [kg] > 0
  Eigen::Matrix3d inertia = Eigen::Matrix3d::Zero();           ///< [kg m²] about the centre of mass, body axes
  Eigen::Vector3d center_of_mass = Eigen::Vector3d::Zero();    ///< [m] from the origin, body axes
  Eigen::Vector3d position = Eigen::Vector3d::Zero();          ///< [m] of the origin in the world
  Eigen::Matrix3d orientation = Eigen::Matrix3d::Identity();   ///< R_WB
  Eigen::Vector3d velocity = Eigen::Vector3d::Zero();          ///< [m/s] of the origin, world axes
  Eigen::Vector3d angular_velocity = Eigen::Vector3d::Zero();  ///< [rad/s] **body** axes
  Eigen::Vector3d plane_normal = Eigen::Vector3d::UnitZ();     ///< planar bodies: normal of the plane, world
  bool firm_position = false;  ///< the drawn position and orientation must not be moved by the initial projection
  bool firm_velocity = false;  ///< the given velocities must not be changed by the initial projection
};

/// A massless scalar coordinate with a name: a joint angle made explicit, the stretch of a spring in series, ….
struct CoordinateSpec {
  std::string name = {};
  Source source = {};
  double value = 0.0;
  double rate = 0.0;
};

/// A point of a body with axes, and a name.
struct FrameSpec {
  std::string name = {};  ///< those that a body lists are called BODY.NAME
  Source source = {};
  std::string body = ground_name;
  Eigen::Vector3d position = Eigen::Vector3d::Zero();         ///< [m] of its origin, world of the drawn configuration
  Eigen::Matrix3d orientation = Eigen::Matrix3d::Identity();  ///< its axes there, columns
};

struct JointSpec {
  std::string name = {};
  Source source = {};
  JointKind kind = JointKind::revolute;
  std::string body_a = ground_name;
  std::string body_b = {};
  PointSpec point = {};                   ///< on a (and on b where both coincide in the drawn configuration)
  std::optional<PointSpec> point_b = {};  ///< on b, where it is another point (distance, prismatic, point_on_…)
  AxisSpec axis = {};                     ///< joint axis; fixed in a (and in b, where both coincide when drawn)
  std::optional<AxisSpec> axis_b = {};    ///< universal: second axis; rolling_disc: axle; knife_edge: blocked direction
  std::optional<double> length = {};      ///< distance: ℓ > 0 [m], default: as drawn
  bool squared = false;                   ///< distance: the row ‖d‖² − ℓ² [m²] in place of ‖d‖ − ℓ
  double pitch = 0.0;                     ///< screw: [m] per turn
  double radius = 0.0;                    ///< rolling: [m] > 0
  /// Non-empty: this [[coordinate]] carries the joint's relative coordinate; of a distance, the angle of the rod about
  /// `axis` from its drawn direction (one more row).
  std::string coordinate = {};
  /// Of joints with several relative coordinates: the [[coordinate]]s that carry them, all of them or none, in the
  /// order of JointCoordinates::carried.
  std::vector<std::string> coordinates = {};
  /// Joint coordinates: true: closed by constraints, false: part of the spanning tree; absent: as the program chooses.
  std::optional<bool> loop = {};
  TrackJointSpec on_track = {};                ///< track
  std::map<std::string, double> numbers = {};  ///< by key, of kinds that have numbers beside these
};

/// Which coordinate of a joint is meant: angle [rad] about the axis or displacement [m] along it.
/// `automatic` is the only one the joint has (revolute: angle, prismatic: displacement); cylindrical must say.
enum class JointCoordinate { automatic, angle, displacement };

/// One term of a coupler: factor × (coordinate of a joint, or a named scalar coordinate).
struct CouplerTerm {
  std::string name = {};  ///< joint or [[coordinate]]
  JointCoordinate coordinate = JointCoordinate::automatic;
  double factor = 1.0;
};

/// Σ factor · coordinate = constant as drawn (gear, rack, belt), or Σ factor · rate = `rate` (speed coupler).
struct CouplerSpec {
  std::string name = {};
  Source source = {};
  std::vector<CouplerTerm> terms = {};  ///< one to three
  bool velocity_level = false;          ///< a nonholonomic row on the rates
  Formula value = {};                   ///< right-hand side, a function of t; default: position level as drawn, speed 0
};

/// Prescribes a joint's free coordinate (or a named scalar coordinate) as a function of time.
struct MotionSpec {
  std::string name = {};
  Source source = {};
  std::string joint = {};  ///< joint or [[coordinate]]
  JointCoordinate coordinate = JointCoordinate::automatic;
  Formula function = {};  ///< [rad] or [m], a function of t (parameters and tables allowed); zero is as drawn
  Formula velocity = {};  ///< instead of `function`: prescribes the rate [rad/s], [m/s]
};

enum class BushingAngles {
  printed,  ///< small-angle projection angles of the axes, as in [yen1996 5.2]
  log,      ///< the exact rotation vector log(R_AB)
};

struct ForceSpec {
  std::string name = {};
  Source source = {};
  ForceKind kind = ForceKind::force;
  std::string body_a = ground_name;      ///< reaction body (two-body forces; force/torque: "" or ground for none)
  std::string body_b = {};               ///< the body acted upon
  PointSpec point_a = {}, point_b = {};  ///< points of application (force: point_b)
  AxisSpec axis = {};                    ///< torsion_spring, axial_spring; bushing: its z axis
  std::optional<AxisSpec> axis_x = {};   ///< bushing: its x axis (default: world x, made normal to z)
  std::string joint = {};                ///< joint_spring, joint_limit: joint or [[coordinate]]
  JointCoordinate coordinate = JointCoordinate::automatic;
  std::array<Formula, 3> components = {};  ///< force [N], torque [N m]: each a formula
  bool in_body_axes = false;               ///< components are in body_b's axes and turn with it
  double stiffness = 0.0;                  ///< [N/m], [N m/rad]
  double damping = 0.0;                    ///< [N s/m], [N m s/rad]
  double preload = 0.0;                    ///< [N], [N m]: force at rest length, > 0 pulls together / turns back
  std::optional<double> free_value = {};   ///< rest length or angle; default: as drawn
  Formula law = {};                ///< instead of k, c: force as formula of `length`/`angle`/`displacement` and `rate`
  Eigen::MatrixXd K = {}, C = {};  ///< bushing: 6×6 or 3×3 (reader expands diagonals)
  BushingAngles angles = BushingAngles::log;
  std::optional<double> lower = {}, upper = {};  ///< joint_limit, bump_stop
  VehicleSpec vehicle = {};                      ///< bump_stop, anti_roll_bar, tyre, standing_tyre
  LibrarySpec library = {};                      ///< library
  std::map<std::string, double> numbers = {};    ///< by key, of kinds that have numbers beside these
};

/// Internal states ż = g(…), E ż with E = 1 for states and 0 for algebraic ones.
struct ControlSpec {
  std::string name = {};
  Source source = {};
  std::vector<std::string> states = {};  ///< names of the states, at least one
  std::vector<Formula> rates = {};       ///< ż of each; may use own states by name, t, measures, other controls
  std::vector<bool> algebraic = {};      ///< true: 0 = rate formula (E = 0)
  std::vector<double> initial = {};
  Formula output = {};  ///< the value of the control's name in formulas; default: the first state
  /// > 0: sampled [s]. The states are held, and at t = 0, period, 2 period, … they become what `rates` say then.
  double period = 0.0;
};

struct MeasureSpec {
  std::string name = {};
  Source source = {};
  MeasureKind kind = MeasureKind::expression;
  Formula expression = {};
  std::string body_a = ground_name, body_b = ground_name;
  PointSpec point_a = {}, point_b = {};
  std::string third = {};  ///< relative: the body in whose axes it is measured
  AxisSpec axis = {};      ///< relative: the direction, fixed there
  int angle = -1;          ///< relative: roll, pitch, yaw (0, 1, 2) of b in a instead of a displacement
  std::string unit = {};
  std::map<std::string, double> numbers = {};  ///< by key, of kinds that have numbers beside these
};

/// A number that is set from outside while the machine moves (LiveSimulation): a value of every formula, by its name.
/// A run that nobody drives keeps `value`.
struct InputSpec {
  enum class Between {
    held,    ///< from the instant at which it was set
    linear,  ///< it arrives at the end of the next step, on a straight line
  };
  std::string name = {};
  Source source = {};
  double value = 0.0;  ///< at the start
  Between between = Between::held;
  std::string unit = {};  ///< a text for the results
};

/// Tabulated data, usable as table(name, x) in formulas.
struct TableSpec {
  std::string name = {};
  Source source = {};
  std::vector<double> x = {}, y = {};
  std::string extrapolation = "linear";  ///< error | constant | linear
};

/// A measure that passes a level: located within the step, recorded as a frame of its own, and possibly the end.
struct EventSpec {
  std::string name = {};
  Source source = {};
  std::string measure = {};  ///< an expression or a distance
  double level = 0.0;
  bool rising = true, falling = true;  ///< which crossings count
  bool stops = false;                  ///< the run ends there
};

/// A shape fixed to a body, or to the ground: what pictures of the machine show, and what contacts see.
struct GeometrySpec {
  std::string name = {};  ///< may be empty if no contact refers to it
  Source source = {};
  std::string body = ground_name;
  Shape shape = {};
  std::string group = {};  ///< may be empty; contacts can name all geometry of a group at once
  Eigen::Vector3d surface_velocity = Eigen::Vector3d::Zero();  ///< [m/s] on the body, body axes: a belt
};

struct Model {
  std::string title = {};
  Eigen::Vector3d gravity{0.0, 0.0, -9.81};  ///< [m/s²]
  std::map<std::string, double> parameters = {};
  std::vector<BodySpec> bodies = {};
  std::vector<FrameSpec> frames = {};
  std::vector<CoordinateSpec> coordinates = {};
  std::vector<JointSpec> joints = {};
  std::vector<CouplerSpec> couplers = {};
  std::vector<MotionSpec> motions = {};
  std::vector<ForceSpec> forces = {};
  std::vector<ControlSpec> controls = {};
  std::vector<MeasureSpec> measures = {};
  std::vector<EventSpec> events = {};
  std::vector<TableSpec> tables = {};
  std::vector<InputSpec> inputs = {};
  std::vector<GeometrySpec> geometry = {};
  std::vector<Beam> beams = {};  ///< put in by add_beam, with their nodes among the bodies
  std::vector<ContactSpec> contacts = {};
  std::vector<TrackSpec> tracks = {};
  std::vector<WheelRailSpec> wheels = {};
  std::vector<FlangeStopSpec> flange_stops = {};
  std::vector<RoadSpec> roads = {};

  // model.add_body({.name = "rod", .mass = 2}).add_joint({.name = "hinge", .body_b = "rod"}); beams: add_beam.
  Model& add_body(BodySpec body) { return add(bodies, std::move(body)); }
  Model& add_frame(FrameSpec frame) { return add(frames, std::move(frame)); }
  Model& add_coordinate(CoordinateSpec coordinate) { return add(coordinates, std::move(coordinate)); }
  Model& add_joint(JointSpec joint) { return add(joints, std::move(joint)); }
  Model& add_coupler(CouplerSpec coupler) { return add(couplers, std::move(coupler)); }
  Model& add_motion(MotionSpec motion) { return add(motions, std::move(motion)); }
  Model& add_force(ForceSpec force) { return add(forces, std::move(force)); }
  Model& add_control(ControlSpec control) { return add(controls, std::move(control)); }
  Model& add_measure(MeasureSpec measure) { return add(measures, std::move(measure)); }
  Model& add_event(EventSpec event) { return add(events, std::move(event)); }
  Model& add_input(InputSpec input) { return add(inputs, std::move(input)); }
  Model& add_table(TableSpec table) { return add(tables, std::move(table)); }
  Model& add_geometry(GeometrySpec shape) { return add(geometry, std::move(shape)); }
  Model& add_contact(ContactSpec contact) { return add(contacts, std::move(contact)); }
  Model& add_track(TrackSpec track) { return add(tracks, std::move(track)); }
  Model& add_wheel(WheelRailSpec wheel) { return add(wheels, std::move(wheel)); }
  Model& add_flange_stop(FlangeStopSpec stop) { return add(flange_stops, std::move(stop)); }
  Model& add_road(RoadSpec road) { return add(roads, std::move(road)); }

 private:
  template <class Spec>
  Model& add(std::vector<Spec>& list, Spec spec) {
    list.push_back(std::move(spec));
    return *this;
  }
};

/// Everything wrong with the model itself (names, masses, inertias, axes, joints that do not fit their bodies,
/// formulas), in the order of the descriptions. Empty: the model can be assembled.
std::vector<Issue> issues(const Model& model);

}  // namespace trammel
