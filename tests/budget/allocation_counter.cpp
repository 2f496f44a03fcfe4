// SPDX-License-Identifier: Apache-2.0
#define TRAMMEL_DEFINE_ALLOCATION_COUNTER
#include "support/allocation_counter.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>
#include <vector>

// The counter itself must be able to fail the budget tests: it sees C++ and C allocations, and nothing else.

namespace trammel::testing {
namespace {

TEST(AllocationCounter, counts_every_kind_of_allocation) {
  const AllocationScope scope;
  EXPECT_EQ(scope.count(), 0);
  const auto cpp = std::make_unique<volatile int>(3);
  EXPECT_EQ(scope.count(), 1);
  void* volatile block = std::malloc(100);
  EXPECT_EQ(scope.count(), 2);
  block = std::realloc(block, 100000);
  EXPECT_GE(scope.count(), 3);
  std::free(block);
  const long before_calloc = scope.count();
  block = std::calloc(10, 10);
  EXPECT_EQ(scope.count(), before_calloc + 1);
  std::free(block);
  block = std::aligned_alloc(64, 128);
  EXPECT_EQ(scope.count(), before_calloc + 2);
  std::free(block);
}

TEST(AllocationCounter, does_not_count_releases_and_arithmetic) {
  auto v = std::make_unique<std::vector<double>>(1000, 1.0);
  const AllocationScope scope;
  double sum = 0;
  for (const double x : *v) sum += x;
  v.reset();
  const long count = scope.count();
  EXPECT_EQ(sum, 1000.0);
  EXPECT_EQ(count, 0);
}

}  // namespace
}  // namespace trammel::testing
