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

TEST(ContactPairs, cams_are_no_deeper_than_the_points_of_their_curve) {
  for (const GeometryKind ka : cam_targets())
    for (const auto& [poses, fine] : {std::pair(n_poses, 250), {n_poses / 20, 2000}})
      show(ka, GeometryKind::extrusion, compare_cam(ka, poses, fine, 5));
}

TEST(ContactPairs, rims_are_no_deeper_than_their_points) {
  for (const GeometryKind ka : cam_targets()) show(ka, GeometryKind::cylinder, compare_rim(ka, n_poses, 250, 6));
}

}  // namespace
}  // namespace trammel::testing
