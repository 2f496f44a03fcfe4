// SPDX-License-Identifier: Apache-2.0
#include "trammel/linalg/pattern.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>
#include <set>
#include <utility>

#include "trammel/base/error.h"

namespace trammel::test_pattern {
namespace {

Pattern random_pattern(int n_rows, int n_cols, int n_entries, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_int_distribution<int> row(0, n_rows - 1), col(0, n_cols - 1);
  PatternBuilder builder(n_rows, n_cols);
  for (int k = 0; k < n_entries; ++k) {
    const int r = row(random);
    builder.add(r, col(random));
  }
  return builder.build(5);
}

std::set<std::pair<int, int>> entries_of(const Pattern& p) {
  std::set<std::pair<int, int>> entries;
  for (int j = 0; j < p.n_cols; ++j)
    for (int k = p.start[j]; k < p.start[j + 1]; ++k) entries.insert({p.index[k], j});
  return entries;
}

TEST(Pattern, is_sorted_without_repetitions_and_holds_what_was_added) {
  std::mt19937 random(1);
  std::uniform_int_distribution<int> row(0, 19), col(0, 29);
  PatternBuilder builder(20, 30);
  std::set<std::pair<int, int>> expected;
  for (int k = 0; k < 300; ++k) {
    const int r = row(random), c = col(random);
    builder.add(r, c);
    builder.add(r, c);
    expected.insert({r, c});
  }
  const Pattern p = builder.build(7);
  EXPECT_EQ(p.version, 7u);
  EXPECT_EQ(entries_of(p), expected);
  EXPECT_EQ(p.nnz(), static_cast<int>(expected.size())) << "repetitions were merged";
  for (int j = 0; j < p.n_cols; ++j)
    EXPECT_TRUE(std::is_sorted(p.index.begin() + p.start[j], p.index.begin() + p.start[j + 1]));
}

TEST(Pattern, slot_finds_every_entry_and_nothing_else) {
  const Pattern p = random_pattern(15, 12, 60, 2);
  const std::set<std::pair<int, int>> entries = entries_of(p);
  for (int i = 0; i < p.n_rows; ++i)
    for (int j = 0; j < p.n_cols; ++j) {
      const int k = p.slot(i, j);
      if (!entries.contains({i, j})) {
        EXPECT_EQ(k, -1);
        continue;
      }
      ASSERT_GE(k, p.start[j]);
      ASSERT_LT(k, p.start[j + 1]);
      EXPECT_EQ(p.index[k], i);
    }
}

TEST(Pattern, blocks_leave_ground_out_and_give_their_slots_row_by_row) {
  PatternBuilder builder(6, 6);
  const std::array<int, 3> rows{4, -1, 1};
  const std::array<int, 2> cols{0, 5};
  builder.add_block(rows, cols);
  const Pattern p = builder.build();
  EXPECT_EQ(p.nnz(), 4);
  std::array<int, 6> slots{};
  p.slots(rows, cols, slots);
  EXPECT_EQ(slots, (std::array<int, 6>{p.slot(4, 0), p.slot(4, 5), -1, -1, p.slot(1, 0), p.slot(1, 5)}));
}

TEST(Pattern, a_builder_can_embed_a_pattern_and_be_built_again) {
  const Pattern small = random_pattern(3, 4, 5, 3);
  PatternBuilder builder(10, 10);
  builder.add(small, 2, 5);
  const Pattern first = builder.build(1);
  for (const auto& [row, col] : entries_of(small)) EXPECT_GE(first.slot(row + 2, col + 5), 0);
  EXPECT_EQ(first.nnz(), small.nnz());
  builder.add_diagonal();
  const Pattern second = builder.build(2);
  for (int i = 0; i < 10; ++i) EXPECT_GE(second.slot(i, i), 0);
}

// The version is the only thing that tells holders of slots that these have moved.
TEST(Pattern, a_union_changes_its_version_exactly_when_entries_were_added) {
  const Pattern a = random_pattern(20, 20, 50, 4), b = random_pattern(20, 20, 50, 5);
  const Pattern u = make_union(a, b);
  std::set<std::pair<int, int>> expected = entries_of(a);
  expected.merge(entries_of(b));
  EXPECT_EQ(entries_of(u), expected);
  EXPECT_GT(u.version, a.version);
  EXPECT_GT(u.version, b.version);
  const Pattern again = make_union(u, b);
  EXPECT_TRUE(again.same_entries(u));
  EXPECT_EQ(again.version, u.version);
  EXPECT_THROW(make_union(a, random_pattern(20, 21, 5, 6)), Error);
}

TEST(Pattern, the_transposed_pattern_knows_where_its_values_come_from) {
  const Pattern a = random_pattern(9, 14, 50, 7);
  const TransposedPattern t = make_transposed(a);
  ASSERT_EQ(t.pattern.n_rows, 14);
  ASSERT_EQ(t.pattern.n_cols, 9);
  for (int i = 0; i < a.n_rows; ++i)
    for (int j = 0; j < a.n_cols; ++j) {
      const int k = t.pattern.slot(j, i);
      EXPECT_EQ(k < 0 ? -1 : t.from[k], a.slot(i, j));
    }
}

TEST(Pattern, entries_outside_the_matrix_are_refused) {
  PatternBuilder builder(2, 3);
  EXPECT_THROW(builder.add(2, 0), Error);
  EXPECT_THROW(builder.add(0, 3), Error);
  EXPECT_THROW(builder.add(-1, 0), Error);
  EXPECT_THROW(PatternBuilder(-1, 2), Error);
}

TEST(Pattern, ten_million_entries_are_built_in_linear_time) {
  constexpr int n = 1'000'000;
  PatternBuilder builder(n, n);
  builder.reserve(10u * n);
  for (int k = 0; k < 10; ++k)
    for (int j = 0; j < n; ++j) builder.add((j * 7 + k * 13) % n, j);
  const Pattern p = builder.build();
  EXPECT_EQ(p.nnz(), 10 * n);
  EXPECT_EQ(p.index[p.slot((5 * 7 + 3 * 13) % n, 5)], 5 * 7 + 3 * 13);
}

}  // namespace
}  // namespace trammel::test_pattern
