// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <cmath>
#include <vector>

#include "trammel/math/scalar.h"
#include "trammel/mechanics/elements/frame.h"

namespace trammel {

/// The centre line of a railway track in the plane z = 0, by its curvature over the arc length s:
///
///   (1) κ(s), Θ = ∫ κ ds, C = ∫ (cos Θ, sin Θ) ds,   straight along x at the beginning, C(0) = 0
///   (2) track frame T(s): x_T = (cos Θ, sin Θ, 0), y_T = (−sin Θ, cos Θ, 0), z_T = z;   κ > 0: to the left
///
/// κ, κ′, κ″ and Θ are in closed form. C is tabulated every 1/16 m by Gauss' rule with six points and interpolated with
/// C, C′ and C″ at the two nodes: 1e-13 m for ramps of 4 m. Beyond its ends the track goes on straight.
///
/// The heading must stay within ±1.2 rad, so that the foot of a point is found from its x coordinate.
class Track {
 public:
  /// Adds `change` to the curvature over [start, start + length], with the smooth step 10u³ − 15u⁴ + 6u⁵.
  struct Ramp {
    double start, length, change;
  };
  /// κ = κ₀ c sin(2πu) sin²(πu), u = (s − start)/length within (0, 1), c = 8/(3√3): its largest value is κ₀.
  struct SCurve {
    double start, length, curvature;
  };
  Track(double from, double to, std::vector<Ramp> ramps, std::vector<SCurve> curves = {});

  double from() const { return from_; }
  double to() const { return to_; }
  double heading(double s) const;

  struct Point {
    double s;
    double x, y;                    ///< C
    double heading;                 ///< Θ
    double kappa, dkappa, ddkappa;  ///< κ, κ′, κ″
    double cosine, sine;            ///< of Θ
  };
  Point at(double s) const;
  /// The point whose cross section contains (x, y): (p − C)·x_T = 0.
  Point foot(double x, double y) const;

 private:
  struct Node {
    double x, y, cosine, sine, kappa;
  };
  void calc_curvature(double s, Point& point) const;
  void calc_position(double s, double& x, double& y) const;

  double from_, to_, cell_;
  std::vector<Ramp> ramps_;
  std::vector<SCurve> curves_;
  std::vector<Node> nodes_;
};

/// Where a frame stands in its track: the section T(s) through its origin, and its place there.
///
///   (3) y = (p − C)·y_T,  z = p_z,  R_T: axes of the frame in T;  ṡ = v·x_T/(1 − κ y)
template <class S>
struct TrackSection {
  S s, y, z;
  S cosine, sine;  ///< of Θ
  S kappa;

  /// Components in T of a vector in the world, and back.
  Vec3<S> to_track(const Vec3<S>& a) const {
    return {cosine * a.x() + sine * a.y(), cosine * a.y() - sine * a.x(), a.z()};
  }
  Vec3<S> to_world(const Vec3<S>& a) const {
    return {cosine * a.x() - sine * a.y(), sine * a.x() + cosine * a.y(), a.z()};
  }
};

/// The section through p. Derivatives are those of the implicit function (p − C(s))·x_T(s) = 0.
template <class S>
TrackSection<S> section_of(const Track& track, const Vec3<S>& p) {
  using std::cos, std::sin;
  const Track::Point c = track.foot(value_of(p.x()), value_of(p.y()));
  const S dx = p.x() - c.x, dy = p.y() - c.y;
  const S along = dx * c.cosine + dy * c.sine, across = dy * c.cosine - dx * c.sine;
  const double slope = 1.0 - c.kappa * value_of(across);
  TrackSection<S> t;
  if constexpr (std::is_same_v<S, double>) {
    t = {c.s, across, p.z(), c.cosine, c.sine, c.kappa};
  } else {
    const S ds = (along - value_of(along)) / slope;
    t.s = c.s + ds;
    t.y = across;  // y_T turns with κ ds x_T, along which p − C has no component; C moves along x_T
    t.z = p.z();
    t.cosine = c.cosine - ds * (c.kappa * c.sine);
    t.sine = c.sine + ds * (c.kappa * c.cosine);
    t.kappa = c.kappa + ds * c.dkappa;
  }
  return t;
}

}  // namespace trammel
