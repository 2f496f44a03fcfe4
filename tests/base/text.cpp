// SPDX-License-Identifier: Apache-2.0
#include "trammel/base/text.h"

#include <gtest/gtest.h>

#include <array>

namespace trammel {
namespace {

const std::array<std::string, 3> names{"elbow", "wrist", "shoulder"};

TEST(NearestName, finds_a_misspelling_and_ignores_case) {
  EXPECT_EQ(nearest_name("elbwo", names), "elbow");
  EXPECT_EQ(nearest_name("WRIST", names), "wrist");
  EXPECT_EQ(nearest_name("sholder", names), "shoulder");
}

TEST(NearestName, offers_nothing_when_nothing_is_near) {
  const std::array<std::string, 2> letters{"L", "m"};
  EXPECT_EQ(nearest_name("k", letters), "");
  EXPECT_EQ(nearest_name("l", letters), "L");
  EXPECT_EQ(nearest_name("piston", names), "");
  EXPECT_EQ(did_you_mean("piston", names), "");
}

TEST(JoinQuoted, reads_as_a_sentence) {
  EXPECT_EQ(join_quoted(names), "'elbow', 'wrist' and 'shoulder'");
  EXPECT_EQ(join_quoted(std::span<const std::string>{}), "nothing");
}

}  // namespace
}  // namespace trammel
