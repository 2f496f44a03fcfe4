// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "trammel/mechanics/absolute/assemble.h"
#include "trammel/simulation/channel.h"

namespace trammel {

/// Energies and drift at an instant, kept by the simulation.
struct Ledger {
  double kinetic = 0.0, potential = 0.0;
  double work = 0.0;      ///< done on the machine since the start by everything that is not a potential
  double start = 0.0;     ///< kinetic + potential at the start
  double position = 0.0;  ///< largest |Φ| [m, rad]
  double velocity = 0.0;  ///< largest |Φ̇| there [m/s, rad/s]
  double load = 0.0;      ///< statics: the part that is there
  double drift() const { return kinetic + potential - start - work; }
};

/// What follows from the same computation and is shown by several channels: found once per frame.
struct FrameParts {
  /// What happens at all places of one contact.
  struct Contact {
    double normal_force = 0.0, friction_force = 0.0;   ///< sums of sizes [N]
    double penetration = 0.0;                          ///< of the place that presses most [m]
    double touching = 0.0;                             ///< number of places that press
    double slip = 0.0;                                 ///< sliding speed of the place that presses most [m/s]
    double pressure = 0.0;                             ///< the largest one of foundations [N/m²]
    double area = 0.0;                                 ///< that is pressed [m²]
    double most = 0.0;                                 ///< the normal force of that place [N]
    Eigen::Vector3d point = Eigen::Vector3d::Zero();   ///< of the place that presses most, world
    Eigen::Vector3d normal = Eigen::Vector3d::Zero();  ///< there, a unit vector out of the first side
  };
  MechanicalSystem::Energy energy;
  std::vector<Wrench<double>> reactions;  ///< of each joint on its body b: about the joint's point, world axes
  std::vector<Wrench<double>> applied;    ///< of each force at points on its body b: about that point, world axes
  std::vector<double> efforts;            ///< of each force on a coordinate
  std::vector<SectionState> sections;     ///< at the integration points of all beams
  std::vector<Contact> contacts;          ///< of each [[contact]], then of the pairs that are recorded
};

/// A point of the motion as reports see it: absolute coordinates, the multipliers of every row.
struct FrameInstant {
  const Model& model;
  const Assembly& assembly;
  const MotionPoint& point;  ///< t, q, v, v̇, …
  const State& state;
  const KinematicState& k;  ///< frames (of body i: k.frames[assembly.body_frame[i]]), λ, z, inputs
  const Ledger& ledger;
  const FrameParts& parts;
};

/// What the items of a frame's channels follow from.
struct FrameSource {
  const Model& model;
  const Assembly& assembly;
  bool statics = false;   ///< the part of the load is a channel as well
  bool reactions = true;  ///< false: kinematics knows no forces
};

using FrameChannel = ChannelKind<FrameSource, FrameInstant>;

/// Of the origin of a body, world axes [m/s²], from the accelerations of the coordinates.
Vec3<double> calc_origin_acceleration(const Assembly& assembly, const MotionPoint& point, const KinematicState& k,
                                      std::size_t body);

/// Every channel of frames that the library knows, in the order of the results file.
const std::vector<FrameChannel>& frame_channels();

}  // namespace trammel
