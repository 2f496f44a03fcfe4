// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "../mechanics/contact_certificate.h"

namespace trammel::testing {
namespace {

// 10⁵ poses of each pair of convex shapes.
TEST(ContactPairs, witness_points_are_certified_at_a_hundred_thousand_poses) {
  for (const auto& [ka, kb] : convex_pairs()) expect_certificates(ka, kb, 100000, 2);
}

}  // namespace
}  // namespace trammel::testing
