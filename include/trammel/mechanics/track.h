// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "trammel/mechanics/description.h"

namespace trammel {

/// A railway line in the plane z = 0 (top of the rails, no cant), by the curvature of its centre line over the arc
/// length s. It starts straight along x, through the origin at s = 0.
enum class TrackKind {
  ramps,    ///< the curvature changes by `changes[k]` over a smooth ramp from `positions[k]` on (turnouts, arcs)
  s_curve,  ///< one smooth S: κ = κ₀ c sin(2πu) sin²(πu), u = (s − start)/length within (0, 1), c = 8/(3√3)
};

struct TrackSpec {
  std::string name = {};
  Source source = {};
  TrackKind kind = TrackKind::ramps;
  double from = 0.0, to = 0.0;         ///< [m] the stretch that exists
  std::vector<double> positions = {};  ///< ramps: where each begins [m]
  std::vector<double> changes = {};    ///< ramps: what it adds to the curvature [1/m], left positive
  double ramp = 0.0;                   ///< ramps: their length [m]
  double start = 0.0;                  ///< s_curve: where it begins [m]
  double length = 0.0;                 ///< s_curve: [m]
  double curvature = 0.0;              ///< s_curve: κ₀, the largest one [1/m]
};

/// A joint of kind `track`: the body's centre of mass moves relative to a point that travels along a track.
///
///   s = station + travel(t) + σ,   r = C(s) + y y_T + (height + z) z_T,   R = Rz(Θ(s) + ψ) Rx(φ) Ry(θ)
///
/// Coordinates (σ, y, z, ψ, φ, θ), all deviations: small. `guided`: σ = 0, the body follows `travel` exactly. With a
/// rolling radius the body turns with travel/radius, and θ is the deviation from that.
struct TrackJointSpec {
  std::string track = {};
  double station = 0.0;  ///< [m]
  double height = 0.0;   ///< [m] of the centre of mass over the rails
  Formula travel = {};   ///< [m], a function of t
  bool guided = false;
  double radius = 0.0;  ///< [m] rolling radius; 0: does not roll
};

enum class WheelProfile {
  cone,   ///< a cone on a circular rail head, in closed form
  s1002,  ///< wheel S1002 on rail UIC60 1:40, quasi-elastic
};

/// One wheel of a wheelset on its rail: a constraint, and the creep forces that depend on its multiplier.
struct WheelRailSpec {
  std::string name = {};
  Source source = {};
  std::string body = {};  ///< the wheelset; its axle is y of its axes
  std::string track = {};
  bool left = true;  ///< which wheel
  WheelProfile profile = WheelProfile::cone;
  double radius = 0.46;            ///< r₀ [m], rolling radius in the middle
  double half_width = 0.75;        ///< b₀ [m], half the distance of the contact points
  double conicity = 0.05;          ///< cone: λ
  double rail_radius = 0.30;       ///< r_R [m] of the rail head
  double speed = 0.0;              ///< V [m/s] > 0, to which creepages are related
  double friction = 0.30;          ///< μ; 0: no creep forces
  double load = 0.0;               ///< N₀ [N], for which the creep coefficients are computed
  double youngs_modulus = 2.1e11;  ///< [Pa]
  double poisson = 0.27;
  double kalker[4] = {4.515, 4.127, 1.861, 1.00};  ///< C₁₁, C₂₂, C₂₃, C₃₃
};

/// A soft stop of a wheelset's lateral motion in its track: the flanges of wheels that have none.
struct FlangeStopSpec {
  std::string name = {};
  Source source = {};
  std::string body = {}, track = {};
  double clearance = 0.007;   ///< [m]
  double stiffness = 14.6e6;  ///< [N/m]
  double rounding = 1e-3;     ///< [m] over which the stiffness grows
};

}  // namespace trammel
