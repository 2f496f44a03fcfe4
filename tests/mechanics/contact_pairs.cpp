// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <map>
#include <utility>
#include <vector>

#include <cmath>

#include "../contract/elements_frames.h"
#include "contact_certificate.h"

namespace trammel::testing {
namespace {

// 300 poses of each pair; tests/slow has many more.
TEST(ContactPairs, witness_points_are_on_both_surfaces_with_opposite_normals_at_random_poses) {
  for (const auto& [ka, kb] : convex_pairs()) expect_certificates(ka, kb, 300, 1);
}

// Deep within a surface the slope along the curve jumps through zero: the point stays where that is.
TEST(ContactPairs, cams_are_no_deeper_than_the_points_of_their_curve_at_random_poses) {
  for (const GeometryKind ka : cam_targets()) {
    const PairFigures found = compare_cam(ka, 150, 2000, 5);
    EXPECT_EQ(found.failures, 0) << ka.name() << ", " << found.first;
  }
}

TEST(ContactPairs, rims_are_no_deeper_than_their_points_at_random_poses) {
  for (const GeometryKind ka : cam_targets()) {
    const PairFigures found = compare_rim(ka, 400, 2000, 6);
    EXPECT_EQ(found.failures, 0) << ka.name() << ", " << found.first;
  }
}

// Corners of what is a little within a hull often fall together: triangles between them are slivers, and a hull that
// took them by rounded signs had holes, overlapping faces and an inside without end.
TEST(ContactPairs, hulls_are_closed_and_convex_also_where_points_nearly_fall_together) {
  Random random(11);
  for (int k = 0; k < 2000; ++k) {
    std::vector<Eigen::Vector3d> points;
    const int n = 5 + static_cast<int>(random.number(0.0, 30.0));
    const double noise = std::pow(10.0, random.number(-17.0, -6.0));
    for (int i = 0; i < n; ++i)
      points.push_back(i > 3 && random.number() > 0.0 ? Eigen::Vector3d(points[i - 1] + noise * random.vector())
                                                      : random.vector());
    const auto faces = make_hull(points);
    ASSERT_FALSE(faces.empty());
    std::map<std::pair<int, int>, int> edges;
    for (const auto& f : faces)
      for (int i = 0; i < 3; ++i) ++edges[{f[i], f[(i + 1) % 3]}];
    for (const auto& [edge, count] : edges) {
      ASSERT_EQ(count, 1) << k;
      ASSERT_EQ(edges.count({edge.second, edge.first}), 1u) << k;
    }
    for (const auto& f : faces) {
      const Eigen::Vector3d u = points[f[1]] - points[f[0]], v = points[f[2]] - points[f[0]], N = u.cross(v);
      for (const Eigen::Vector3d& p : points)  // 6 times a volume: what a sliver's plane is wrong by has no weight
        ASSERT_LE(N.dot(p - points[f[0]]), 1e-9 * (u.norm() * v.norm() + 1e-9)) << k;
    }
  }
}

}  // namespace
}  // namespace trammel::testing
