// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <Eigen/QR>
#include <algorithm>
#include <limits>
#include <memory>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include "../contract/elements_frames.h"
#include "trammel/mechanics/contact_model.h"
#include "trammel/mechanics/elements/contact_surface.h"
#include "trammel/mechanics/elements/triangle_mesh.h"

namespace trammel::testing {

inline const std::vector<GeometryKind>& flat_kinds() {
  static const std::vector<GeometryKind> kinds{GeometryKind::box, GeometryKind::cylinder, GeometryKind::cone,
                                               GeometryKind::hull};
  return kinds;
}

/// All pairs of convex kinds that have a place, in order.
inline std::vector<std::pair<GeometryKind, GeometryKind>> convex_pairs() {
  std::vector<std::pair<GeometryKind, GeometryKind>> pairs;
  std::vector<GeometryKind> targets = flat_kinds();
  targets.push_back(GeometryKind::ellipsoid), targets.push_back(GeometryKind::capsule);
  for (const GeometryKind a : targets) {
    if (!(a == GeometryKind::capsule)) pairs.emplace_back(a, GeometryKind::ellipsoid);
    pairs.emplace_back(a, GeometryKind::capsule);
    pairs.emplace_back(a, GeometryKind::sphere);
  }
  pairs.emplace_back(GeometryKind::sphere, GeometryKind::sphere);
  return pairs;
}

inline ContactShape random_shape(GeometryKind kind, Random& random) {
  const auto between = [&](double low, double high) { return random.number(low, high); };
  Shape s;
  s.kind = kind;
  s.position = random.vector(0.1);
  s.orientation = random.rotation();
  for (int i = 0; i < 3; ++i) s.size[i] = between(0.2, 1.0);
  s.radius = between(0.1, 0.6), s.length = between(0.2, 1.5);
  if (random.number() > 0.0) s.rounding = 0.1 * std::min({s.size.minCoeff(), s.radius, s.length});
  if (kind == GeometryKind::hull) {
    std::vector<Eigen::Vector3d> points;
    for (int i = 0; i < 20; ++i) points.push_back(random.vector(0.6).cast<float>().cast<double>());  // as it keeps them
    s.triangles = make_hull(points);
    for (const Eigen::Vector3d& p : points) s.vertices.push_back(p.cast<float>());
  }
  return *make_contact_shape(s, Eigen::Vector3d::Zero());
}

/// The point of least norm in the hull of up to four points: of all their subsets the one whose nearest point of the
/// affine hull has no negative weight and is nearest. The points that carry it are kept.
inline Eigen::Vector3d reduce_simplex(std::vector<Eigen::Vector3d>& points) {
  const int n = static_cast<int>(points.size());
  double least = std::numeric_limits<double>::infinity();
  Eigen::Vector3d nearest = points[0];
  std::vector<Eigen::Vector3d> kept;
  for (int subset = 1; subset < (1 << n); ++subset) {
    std::vector<Eigen::Vector3d> own;
    for (int i = 0; i < n; ++i)
      if ((subset >> i) & 1) own.push_back(points[i]);
    const int m = static_cast<int>(own.size());
    Eigen::MatrixXd edges(3, m - 1);
    for (int i = 1; i < m; ++i) edges.col(i - 1) = own[i] - own[0];
    const Eigen::VectorXd weights =
        m > 1 ? Eigen::VectorXd(edges.colPivHouseholderQr().solve(-own[0])) : Eigen::VectorXd(0);
    if (m > 1 && (weights.minCoeff() < 0.0 || weights.sum() > 1.0)) continue;
    const Eigen::Vector3d x = m > 1 ? Eigen::Vector3d(own[0] + edges * weights) : own[0];
    if (x.squaredNorm() < least) least = x.squaredNorm(), nearest = x, kept = own;
  }
  points = kept;
  return nearest;
}

/// The distance of two convex shapes from their support functions alone, as the point of least norm of their difference
/// [E. G. Gilbert, D. W. Johnson, S. S. Keerthi, IEEE J. Robotics Automation 4 (1988) 193–203]: an independent way.
/// Ends where no support comes nearer by `gap`, which bounds the error.
template <class Support>
double calc_distance_by_supports(const Support& difference, const Eigen::Vector3d& start, double gap) {
  std::vector<Eigen::Vector3d> simplex{difference(start)};
  Eigen::Vector3d v = simplex[0];
  for (int k = 0; k < 400; ++k) {
    const Eigen::Vector3d w = difference(-v);
    if (v.dot(v - w) <= gap * v.norm()) break;
    simplex.push_back(w);
    const Eigen::Vector3d next = reduce_simplex(simplex);
    if (!(next.norm() < v.norm())) break;
    v = next;
  }
  return v.norm();
}

/// What random poses of a pair show, over the size of the shapes.
struct PairFigures {
  int poses = 0, apart = 0, failures = 0;
  double certificate = 0.0;  ///< the worst of: off the surfaces, further along the normal, |n| − 1
  double distance = 0.0;     ///< against the independent solver, or brute force where there is none
  double slope = 0.0;        ///< of the depth: derivatives against the normal at the point
  double difference = 0.0;   ///< the same against central differences
  std::string first;         ///< failure

  void note(bool good, const std::string& what) {
    if (!good && ++failures == 1) first = what;
  }
};

/// The point of a shape that is farthest along the unit vector d, world.
inline Eigen::Vector3d support_point(const ContactShape& s, const Frame<double>& f, const Eigen::Vector3d& d) {
  const Eigen::Vector3d m = s.Q.transpose() * (f.R.transpose() * d);
  return point_position(f, s.center) + f.R * (s.Q * s.core().support(m)) + s.radius * d;
}

/// ∂depth/∂pose of a place is n·(displacement at the point): by derivatives to rounding, and by differences, of which a
/// kink of the curvature leaves ε of the curvature.
inline void note_slopes(const ContactShape& a, const ContactShape& b, const FrameInstant& at, const Touch<double>& t,
                        Random& random, PairFigures& out) {
  const double size = std::max(a.reach(), b.reach()), eps = 1e-6 * size;
  const int k = static_cast<int>(random.number(0.0, 5.999)), frame = random.number() > 0.0 ? 1 : 2;
  const Frame<double>& f = at.frames[frame];
  const Eigen::Vector3d shift =
      k < 3 ? Eigen::Vector3d::Unit(k) : (f.R * Eigen::Vector3d::Unit(k - 3)).cross(t.point - f.p).eval();
  const double expected = (frame == 1 ? 1.0 : -1.0) * t.n.dot(shift), unit = k < 3 ? 1.0 : size;
  const Frame<Dual<6>> fa = frame == 1 ? seed_position(at.frames[1]) : lift<Dual<6>>(at.frames[1]);
  const Frame<Dual<6>> fb = frame == 2 ? seed_position(at.frames[2]) : lift<Dual<6>>(at.frames[2]);
  const double slope = std::abs(calc_touch(a, fa, b, fb, 0).depth.d[k] - expected) / unit;
  const auto depth = [&](double e) {
    const FrameInstant moved = at.moved(frame, k, e / unit);
    return calc_touch(a, moved.frames[1], b, moved.frames[2], 0).depth;
  };
  const double difference = std::abs((depth(eps) - depth(-eps)) * unit / (2.0 * eps) - expected) / unit;
  out.slope = std::max(out.slope, slope), out.difference = std::max(out.difference, difference);
  constexpr double slope_tol = 1e-7, difference_tol = 1e-4;
  out.note(slope < slope_tol && difference < difference_tol,
           fmt::format("pose {}: slope {:.2g}, difference {:.2g}, depth {}", out.poses, slope, difference, t.depth));
}

/// The certificate of a place of two convex shapes, from their support functions h alone: x_a and x_b are the two
/// points on the surfaces, x_a = x + n a/2 and x_b = x − n a/2. If h_a(n) = n·x_a and h_b(−n) = −n·x_b, no point of
/// either is further along the normal: the normals are opposite, and of separate shapes −a is the distance, because the
/// planes through x_a and x_b keep them apart. Points of b that are drawn at random are not deeper in a: brute force.
inline PairFigures certify_convex(GeometryKind ka, GeometryKind kb, int n, unsigned seed) {
  Random random(seed);
  PairFigures out;
  constexpr double tol = 1e-9;
  for (; out.poses < n; ++out.poses) {
    const ContactShape b = random_shape(kb, random);
    ContactShape a = random_shape(ka, random);
    if (!(b.radius > 0.0)) a = a.softened();  // as it is seen by what has no radius around it
    FrameInstant at(random, 2, 0);
    Frame<double>&fa = at.frames[1], &fb = at.frames[2];
    fa.p.setZero();
    fb.p = (a.reach() + b.reach() + 0.2) * random.number(1.0, 1.5) * random.vector().normalized();
    Touch<double> t = calc_touch(a, fa, b, fb, 0);
    // Half of them overlap by a little.
    if (out.poses % 2 == 0)
      for (int i = 0; i < 20; ++i) {
        fb.p += (t.depth - 0.005 * std::min(a.size(), b.size())) * t.n;
        t = calc_touch(a, fa, b, fb, 0);
      }
    if (t.depth < 0.0) ++out.apart;
    const double size = std::max(a.reach(), b.reach());
    const Eigen::Vector3d xa = t.point + 0.5 * t.depth * t.n, xb = t.point - 0.5 * t.depth * t.n;
    const auto off_surface = [&](const ContactShape& s, const Frame<double>& f, const Eigen::Vector3d& x) {
      const Eigen::Vector3d y = s.Q.transpose() * (f.R.transpose() * (x - point_position(f, s.center)));
      return std::abs(s.core().nearest(y).distance - s.radius) / size;
    };
    const double off = std::max({std::abs(t.n.norm() - 1.0), std::abs(t.n.dot(support_point(a, fa, t.n) - xa)) / size,
                                 std::abs(t.n.dot(support_point(b, fb, -t.n) - xb)) / size, off_surface(a, fa, xa),
                                 off_surface(b, fb, xb)});
    out.certificate = std::max(out.certificate, off);
    out.note(off < tol, fmt::format("pose {}: certificate {:.2g}, depth {}", out.poses, off, t.depth));
    if (t.depth < -0.01 * size) {
      const auto difference = [&](const Eigen::Vector3d& d) {
        const Eigen::Vector3d m = d.normalized();
        return Eigen::Vector3d(support_point(a, fa, m) - support_point(b, fb, -m));
      };
      const double error = std::abs(calc_distance_by_supports(difference, t.n, 0.1 * tol * size) + t.depth) / size;
      out.distance = std::max(out.distance, error);
      out.note(error < tol, fmt::format("pose {}: distance off by {:.2g}, depth {}", out.poses, error, t.depth));
    }
    for (int i = 0; i < 20; ++i) {
      const Vec3<double> x = support_point(b, fb, random.vector().normalized());
      const double deeper = touch_ball(a, fa, x, 0.0).depth - t.depth;
      out.note(deeper < tol * size, fmt::format("pose {}: a point is deeper by {:.2g}", out.poses, deeper));
    }
    note_slopes(a, b, at, t, random, out);
  }
  return out;
}

/// What a cam meets by the deepest point of its curve.
inline std::vector<GeometryKind> cam_targets() {
  std::vector<GeometryKind> targets = flat_kinds();
  targets.push_back(GeometryKind::ellipsoid), targets.push_back(GeometryKind::capsule);
  return targets;
}

/// Points within have one nearest point of an ellipsoid up to its least radius of curvature.
inline bool has_one_nearest(const ContactShape& a, GeometryKind ka, double depth) {
  if (ka != GeometryKind::ellipsoid) return true;
  Eigen::Vector3d half;
  for (int i = 0; i < 3; ++i) half[i] = a.core().support(Eigen::Vector3d::Unit(i))[i];
  return depth <= half.minCoeff() * half.minCoeff() / half.maxCoeff();
}

/// A cam among convex shapes, apart or deep in each other: `fine` points of its curve bound the depth by brute force.
inline PairFigures compare_cam(GeometryKind ka, int n, int fine, unsigned seed) {
  Random random(seed);
  PairFigures out;
  for (; out.poses < n; ++out.poses) {
    Shape cam;
    cam.kind = GeometryKind::extrusion, cam.smooth = true, cam.length = random.number(0.1, 0.4);
    const double e = random.number(0.0, 0.15), f = random.number(0.0, 0.03);
    for (int i = 0; i < 24; ++i) {
      const double phi = 2.0 * std::numbers::pi * i / 24, r = 0.5 + e * std::cos(phi) + f * std::cos(2.0 * phi);
      cam.polygon.emplace_back(r * std::cos(phi), r * std::sin(phi));
    }
    cam.orientation = random.rotation();
    const ContactShape b = *make_contact_shape(cam, Eigen::Vector3d::Zero());
    const ContactShape a = random_shape(ka, random).softened();
    FrameInstant at(random, 2, 0);
    at.frames[2].p = at.frames[1].p + (a.reach() + 0.7) * random.number(0.6, 1.3) * random.vector().normalized();
    const Touch<double> t = calc_touch(a, at.frames[1], b, at.frames[2], 0);
    const std::shared_ptr<const CamProfile> profile = CamProfile::make(cam.polygon);
    double deepest = -std::numeric_limits<double>::infinity();
    for (int i = 0; i < fine; ++i) {
      const double s = profile->period * i / fine;
      const Eigen::Vector3d x = b.Q * Eigen::Vector3d(profile->x.evaluate(s), profile->y.evaluate(s), 0.0);
      deepest =
          std::max(deepest, touch_ball(a, at.frames[1], Vec3<double>(at.frames[2].p + at.frames[2].R * x), 0.0).depth);
    }
    if (!has_one_nearest(a, ka, deepest)) continue;
    // A point of the curve is within half a step of the deepest one: way²·curvature/2 at most, or that way on a ridge.
    const double off = t.depth - deepest, step = 0.5 * profile->period / fine;
    out.distance = std::max(out.distance, std::abs(off));
    // Of two places that are nearer to each other than the samples of the curve the shallower may be found.
    out.note(off > -1e-5 && off < step, fmt::format("pose {}: {:.2g}, depth {}", out.poses, off, t.depth));
  }
  return out;
}

/// The rims of cylinders among convex shapes: `fine` points of the circle bound its depth by brute force.
inline PairFigures compare_rim(GeometryKind ka, int n, int fine, unsigned seed) {
  Random random(seed);
  PairFigures out;
  for (; out.poses < n; ++out.poses) {
    const ContactShape a = random_shape(ka, random).softened(), b = random_shape(GeometryKind::cylinder, random);
    FrameInstant at(random, 2, 0);
    at.frames[2].p = at.frames[1].p + (a.reach() + b.reach()) * random.number(0.0, 1.3) * random.vector().normalized();
    const DistanceField<double> field(a, at.frames[1], b, at.frames[2]);
    const double r = random.number(0.1, 0.6), height = random.number(-0.5, 0.5), step = std::numbers::pi / fine;
    const double found = field.value(deepest_of_circle(field, r, height)).distance;
    double deepest = std::numeric_limits<double>::infinity();
    for (int i = 0; i < fine; ++i) {
      const double phi = 2.0 * step * i;
      deepest = std::min(deepest, field.value({r * std::cos(phi), r * std::sin(phi), height}).distance);
    }
    if (!has_one_nearest(a, ka, -deepest)) continue;
    const double off = deepest - found;
    out.distance = std::max(out.distance, std::abs(off));
    out.note(off > -1e-9 && off < r * step, fmt::format("pose {}: {:.2g}, distance {}", out.poses, off, found));
  }
  return out;
}

inline void expect_certificates(GeometryKind ka, GeometryKind kb, int n, unsigned seed) {
  const PairFigures found = certify_convex(ka, kb, n, seed);
  EXPECT_EQ(found.failures, 0) << ka.name() << " " << kb.name() << ", " << found.first;
  EXPECT_GT(found.apart, n / 4);
}

}  // namespace trammel::testing
