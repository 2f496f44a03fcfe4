// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "trammel/math/spline.h"
#include "trammel/mechanics/elements/frame.h"

namespace trammel {

/// A closed smooth curve in the plane: a periodic cubic spline (x, y)(s) through points, s by chords, C². Points follow
/// each other counter-clockwise.
struct CamProfile {
  CubicSpline x, y;
  double period = 0.0;  ///< of s [m]
  double reach = 0.0;   ///< largest distance from the origin [m]
  static std::shared_ptr<const CamProfile> make(const std::vector<Eigen::Vector2d>& points);
};

class ContactSurface;
class SurfacePoints;

/// A surface that can be touched, fixed in a frame: a core and a radius r around it (a sphere is a point and a radius,
/// a capsule a segment, a rounded box a smaller box), or a surface of its own. Axes of the shape: Q in the frame's.
/// Planes and spheres, of which heaps are made, are told from all others, which say themselves what they are.
struct ContactShape {
  enum class Kind { plane, solid, sphere };
  Kind kind = Kind::sphere;
  Eigen::Vector3d center = Eigen::Vector3d::Zero();  ///< from the frame's origin, frame axes [m]
  Eigen::Matrix3d Q = Eigen::Matrix3d::Identity();   ///< axes of the shape in the frame
  double radius = 0.0;                               ///< r around the core
  std::shared_ptr<const ContactSurface> surface;     ///< of solids: the core
  /// What the points of a foundation see of it, if its edges are sharp: a smaller core with a radius around it.
  std::shared_ptr<const ContactSurface> soft_surface;
  double soft_radius = 0.0;
  std::shared_ptr<const SurfacePoints> points;  ///< at which it presses as a foundation; null: it has none

  const ContactSurface& core() const;
  /// As the points of a foundation see it.
  ContactShape softened() const;
  std::string_view word() const;
  bool convex() const;
  /// Half the width of the surface along the unit direction d, given in the frame's axes: the larger of both ways from
  /// the centre; not for planes.
  double extent(const Eigen::Vector3d& d) const;
  /// A length that stands for its size: the radius of a ball of about its smallest width; infinite for planes.
  double size() const;
  /// The largest distance of its surface from its centre; infinite for planes.
  double reach() const;
  /// The radius of its curvature where it is touched, for Hertz; infinite if flat.
  double curvature_radius() const;
};

/// The place where two shapes are nearest to each other, or overlap most.
///
///   (1) depth a: > 0 if they overlap, else minus their distance [m]
///   (2) n: unit vector from a into b, world axes;  point: half-way between the two surfaces, world
///   (3) ȧ = n·(velocity of a − velocity of b) at the point, since ∂a/∂position is along n
template <class S>
struct Touch {
  S depth;
  Vec3<S> n, point;
};

/// In how many places the two shapes may touch at once; 0: there is no place that moves smoothly with them. Shapes are
/// ordered (in_order).
int n_features(const ContactShape& a, const ContactShape& b);
/// Planes before solids before spheres; of two solids b is the rounder one, whose deepest point in a is sought.
bool in_order(const ContactShape& a, const ContactShape& b);
/// Both are instantiated for double and Dual<6>: a ball of radius r about `center` against shape a, and two shapes.
template <class S>
Touch<S> touch_ball(const ContactShape& a, const Frame<S>& fa, const Vec3<S>& center, double r);
template <class S>
Touch<S> calc_touch(const ContactShape& a, const Frame<S>& fa, const ContactShape& b, const Frame<S>& fb, int feature);

extern template Touch<double> touch_ball(const ContactShape&, const Frame<double>&, const Vec3<double>&, double);
extern template Touch<Dual<6>> touch_ball(const ContactShape&, const Frame<Dual<6>>&, const Vec3<Dual<6>>&, double);
extern template Touch<double> calc_touch(const ContactShape&, const Frame<double>&, const ContactShape&,
                                         const Frame<double>&, int);
extern template Touch<Dual<6>> calc_touch(const ContactShape&, const Frame<Dual<6>>&, const ContactShape&,
                                          const Frame<Dual<6>>&, int);

}  // namespace trammel
