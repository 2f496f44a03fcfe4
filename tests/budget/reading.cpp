// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "places.h"
#include "support/allocation_counter.h"
#include "trammel/io/model_reader.h"

// What reading a model costs.

namespace trammel::testing {
namespace {

// A list copied for every link would show as a square.
TEST(ReadingBudget, allocations_are_linear_in_the_number_of_links) {
  const auto allocations = [](int n) {
    const std::vector<std::string> settings{fmt::format("parameters.N={}", n)};
    const AllocationScope scope;
    const Study study = read_study(places::source_dir() / "examples/models/chain.toml", settings);
    EXPECT_EQ(study.model.bodies.size(), static_cast<std::size_t>(n));
    return static_cast<double>(scope.count());
  };
  const double small = allocations(1000), large = allocations(10000);
  EXPECT_LE(large, 10.5 * small);
  EXPECT_LE(large, 10000 * 600.0);
}

}  // namespace
}  // namespace trammel::testing
