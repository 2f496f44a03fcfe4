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

}  // namespace
}  // namespace trammel::testing
