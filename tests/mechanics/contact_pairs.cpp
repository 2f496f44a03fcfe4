// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

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

}  // namespace
}  // namespace trammel::testing
