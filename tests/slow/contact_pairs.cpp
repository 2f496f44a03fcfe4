// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <iostream>
#include <numbers>

#include "../mechanics/contact_certificate.h"

// Distances at 10⁵ random poses of each pair; figures are printed.

namespace trammel::testing {
namespace {

constexpr int n_poses = 100000;

void show(GeometryKind ka, GeometryKind kb, const PairFigures& found) {
  std::cout
      << fmt::format(
             "{:>10} {:>12}: certificate {:.1e}, distance {:.1e}, slope {:.1e}, difference {:.1e}, {} failures {}\n",
             ka.name(), kb.name(), found.certificate, found.distance, found.slope, found.difference, found.failures,
             found.first)
      << std::flush;
  EXPECT_EQ(found.failures, 0) << ka.name() << " " << kb.name();
}

TEST(ContactPairs, witness_points_are_certified_at_a_hundred_thousand_poses) {
  for (const auto& [ka, kb] : convex_pairs()) {
    const PairFigures found = certify_convex(ka, kb, n_poses, 2);
    show(ka, kb, found);
    EXPECT_GT(found.apart, n_poses / 4);
  }
}

// The deepest of a shape's places in a plane is the farthest point against its normal: the support function.
TEST(ContactPairs, places_in_planes_are_the_farthest_points) {
  for (const GeometryKind kb : {GeometryKind::sphere, GeometryKind::capsule, GeometryKind::box, GeometryKind::cylinder,
                                GeometryKind::cone, GeometryKind::ellipsoid}) {
    Random random(3);
    PairFigures out;
    for (; out.poses < n_poses; ++out.poses) {
      const ContactShape b = random_shape(kb, random);
      ContactShape a;
      a.kind = ContactShape::Kind::plane;
      a.Q = random.rotation(), a.center = random.vector(0.2);
      const FrameInstant at(random, 2, 0);
      const Frame<double>&fa = at.frames[1], &fb = at.frames[2];
      Touch<double> t = calc_touch(a, fa, b, fb, 0);
      for (int i = 1; i < n_features(a, b); ++i)
        if (const Touch<double> other = calc_touch(a, fa, b, fb, i); other.depth > t.depth) t = other;
      const Eigen::Vector3d low = support_point(b, fb, -t.n), normal = fa.R * a.Q.col(2);
      const double height = normal.dot(low - point_position(fa, a.center));
      const double off = std::max(std::abs(height + t.depth) / b.reach(), (t.n - normal).norm());
      out.certificate = std::max(out.certificate, off);
      out.note(off < 1e-9, fmt::format("pose {}: {:.2g}", out.poses, off));
    }
    show(GeometryKind::plane, kb, out);
  }
}

// Triangles about a point, of different distances from it: closed, and not convex.
Shape random_star(Random& random) {
  Shape s;
  s.kind = GeometryKind::mesh;
  std::vector<Eigen::Vector3d> directions;
  for (int i = 0; i < 24; ++i) directions.push_back(random.vector().normalized());
  s.triangles = make_hull(directions);
  for (const Eigen::Vector3d& d : directions) s.vertices.push_back((random.number(0.3, 0.7) * d).cast<float>());
  s.position = random.vector(0.1), s.orientation = random.rotation();
  return s;
}

// Of all triangles the nearest, by the point of least norm of their hulls; inside where they are seen under 4π
// [A. Van Oosterom, J. Strackee, IEEE Trans. Biomed. Eng. 30 (1983) 125–126].
double signed_distance(const Shape& mesh, const Eigen::Vector3d& y) {
  double least = std::numeric_limits<double>::infinity(), angle = 0.0;
  for (const auto& t : mesh.triangles) {
    std::vector<Eigen::Vector3d> p;
    for (const int corner : t) p.push_back(mesh.vertices[corner].cast<double>() - y);
    const double a = p[0].norm(), b = p[1].norm(), c = p[2].norm();
    angle += 2.0 * std::atan2(p[0].dot(p[1].cross(p[2])),
                              a * b * c + p[0].dot(p[1]) * c + p[1].dot(p[2]) * a + p[2].dot(p[0]) * b);
    least = std::min(least, reduce_simplex(p).norm());
  }
  return angle > 2.0 * std::numbers::pi ? -least : least;
}

TEST(ContactPairs, balls_are_as_far_from_meshes_as_from_the_nearest_triangle) {
  Random random(4);
  PairFigures out;
  Shape mesh = random_star(random);
  for (; out.poses < n_poses; ++out.poses) {
    if (out.poses % 100 == 0) mesh = random_star(random);
    const ContactShape a = *make_contact_shape(mesh, Eigen::Vector3d::Zero());
    const ContactShape b = random_shape(GeometryKind::sphere, random);
    FrameInstant at(random, 2, 0);
    at.frames[2].p = at.frames[1].p + random.number(0.0, 1.5) * random.vector().normalized();
    const Touch<double> t = calc_touch(a, at.frames[1], b, at.frames[2], 0);
    const Eigen::Vector3d apart = point_position(at.frames[2], b.center) - point_position(at.frames[1], a.center);
    const double d = signed_distance(mesh, a.Q.transpose() * (at.frames[1].R.transpose() * apart));
    const double off = std::abs(b.radius - d - t.depth);
    out.distance = std::max(out.distance, off);
    out.note(off < 1e-9, fmt::format("pose {}: {:.2g} at {:.2g}", out.poses, off, d));
  }
  show(GeometryKind::mesh, GeometryKind::sphere, out);
}

// A cam among convex shapes, and balls on it: brute force over points of its curve bounds the depth at its resolution.
TEST(ContactPairs, cams_are_no_deeper_than_the_points_of_their_curve) {
  constexpr int fine = 2000, few = n_poses / 20;
  std::vector<GeometryKind> targets = flat_kinds();
  targets.push_back(GeometryKind::ellipsoid), targets.push_back(GeometryKind::capsule);
  for (const GeometryKind ka : targets) {
    Random random(5);
    PairFigures out;
    for (; out.poses < few; ++out.poses) {
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
        deepest = std::max(deepest,
                           touch_ball(a, at.frames[1], Vec3<double>(at.frames[2].p + at.frames[2].R * x), 0.0).depth);
      }
      // An ellipsoid has one nearest point up to its least radius of curvature.
      Eigen::Vector3d axes;
      for (int i = 0; i < 3; ++i) axes[i] = a.core().support(Eigen::Vector3d::Unit(i))[i];
      if (ka == GeometryKind::ellipsoid && deepest > axes.minCoeff() * axes.minCoeff() / axes.maxCoeff()) continue;
      // A point of the curve is within half a step of the deepest one: way²·curvature/2 at most, or that way on a
      // ridge.
      const double off = t.depth - deepest, step = 0.5 * profile->period / fine;
      out.distance = std::max(out.distance, std::abs(off));
      out.note(off > -1e-9 && off < step, fmt::format("pose {}: {:.2g}, depth {}", out.poses, off, t.depth));
    }
    show(ka, GeometryKind::extrusion, out);
  }
}

}  // namespace
}  // namespace trammel::testing
