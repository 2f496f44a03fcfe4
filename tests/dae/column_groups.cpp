// SPDX-License-Identifier: Apache-2.0
#include <ColPack/ColPackHeaders.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "trammel/dae/differences.h"

// Groups of columns that one difference serves [arnold2004 section 3.1].

namespace trammel {
namespace {

int longest_row(const Pattern& pattern) {
  std::vector<int> length(pattern.n_rows, 0);
  for (const int row : pattern.index) ++length[row];
  return *std::max_element(length.begin(), length.end());
}

// Every column once, and no row twice within a group.
void expect_consistent(const Pattern& pattern, const std::vector<int>& start, const std::vector<int>& columns) {
  std::vector<int> times(pattern.n_cols, 0);
  for (const int j : columns) ++times[j];
  EXPECT_EQ(std::count(times.begin(), times.end(), 1), pattern.n_cols);
  for (std::size_t g = 0; g + 1 < start.size(); ++g) {
    std::vector<int> used(pattern.n_rows, 0);
    for (int c = start[g]; c < start[g + 1]; ++c)
      for (int k = pattern.start[columns[c]]; k < pattern.start[columns[c] + 1]; ++k)
        EXPECT_EQ(used[pattern.index[k]]++, 0) << "group " << g;
  }
}

TEST(ColumnGroups, are_consistent_on_random_patterns) {
  std::mt19937 engine(1);
  for (const int n : {1, 5, 40, 300})
    for (const int per_column : {1, 3, 6}) {
      PatternBuilder builder(n, n);
      builder.add_diagonal();
      for (int j = 0; j < n; ++j)
        for (int k = 0; k < per_column; ++k) builder.add(static_cast<int>(engine() % static_cast<unsigned>(n)), j);
      const Pattern pattern = builder.build();
      std::vector<int> start, columns;
      make_column_groups(pattern, start, columns);
      expect_consistent(pattern, start, columns);
      EXPECT_GE(static_cast<int>(start.size()) - 1, longest_row(pattern));
    }
}

// Where the longest row is the answer it is found: bands, and arrows whose tip must not be taken first.
TEST(ColumnGroups, need_no_more_than_the_longest_row_of_bands_and_trees) {
  for (const int width : {1, 2, 5}) {
    PatternBuilder band(200, 200);
    for (int i = 0; i < 200; ++i)
      for (int j = std::max(0, i - width); j <= std::min(199, i + width); ++j) band.add(i, j);
    std::vector<int> start, columns;
    make_column_groups(band.build(), start, columns);
    EXPECT_EQ(static_cast<int>(start.size()) - 1, 2 * width + 1);
  }
  PatternBuilder tree(127, 127);  // a body and the one that it hangs on
  for (int i = 0; i < 127; ++i) {
    tree.add(i, i);
    if (i > 0) tree.add(i, (i - 1) / 2);
  }
  std::vector<int> start, columns;
  make_column_groups(tree.build(), start, columns);
  EXPECT_EQ(static_cast<int>(start.size()) - 1, 2);
}

// [arnold2004 (19)]: the text names the entries of columns 2, 4 and 6; those of 1, 3 and 5 are chosen so that three
// groups are possible in one way only, the paper's {1, 5}, {2, 4, 6}, {3}.
TEST(ColumnGroups, of_the_example_of_the_paper_are_three) {
  const std::vector<std::vector<int>> rows{{1, 2}, {2, 5, 6}, {1, 3, 6}, {1, 4}, {3, 4, 5}, {3}};
  PatternBuilder builder(6, 6);
  for (int j = 0; j < 6; ++j)
    for (const int i : rows[j]) builder.add(i - 1, j);
  std::vector<int> start, columns;
  make_column_groups(builder.build(), start, columns);
  std::vector<std::vector<int>> groups;
  for (std::size_t g = 0; g + 1 < start.size(); ++g) {
    groups.emplace_back();
    for (int k = start[g]; k < start[g + 1]; ++k) groups.back().push_back(columns[k] + 1);
    std::sort(groups.back().begin(), groups.back().end());
  }
  std::sort(groups.begin(), groups.end());
  EXPECT_EQ(groups, (std::vector<std::vector<int>>{{1, 5}, {2, 4, 6}, {3}}));
}

int groups_of_colpack(const Pattern& pattern, const char* ordering) {
  std::vector<std::vector<unsigned>> rows(static_cast<std::size_t>(pattern.n_rows), std::vector<unsigned>(1, 0));
  for (int j = 0; j < pattern.n_cols; ++j)
    for (int k = pattern.start[j]; k < pattern.start[j + 1]; ++k) {
      std::vector<unsigned>& row = rows[pattern.index[k]];
      row.push_back(static_cast<unsigned>(j));
      ++row[0];
    }
  std::vector<unsigned*> pointers;
  for (std::vector<unsigned>& row : rows) pointers.push_back(row.data());
  ColPack::BipartiteGraphPartialColoringInterface graph(SRC_MEM_ADOLC, pointers.data(), pattern.n_rows, pattern.n_cols);
  graph.PartialDistanceTwoColoring(ordering, "COLUMN_PARTIAL_DISTANCE_TWO");
  return graph.GetRightVertexColorCount();
}

// ColPack's smallest-last and largest-first greedy colourings as the judge: never more than 10 % above the better one.
TEST(ColumnGroups, are_as_few_as_those_of_colpack) {
  std::mt19937 engine(7);
  for (const int n : {60, 100, 400})
    for (const int per_column : {2, 4, 8}) {
      PatternBuilder builder(n, n);
      builder.add_diagonal();
      for (int j = 0; j < n; ++j)
        for (int k = 0; k < per_column; ++k) {
          // Mostly neighbours, some far: like a machine whose bodies couple along a tree and by a few springs.
          const bool near = engine() % 4 != 0;
          const int i = near ? std::clamp(j + static_cast<int>(engine() % 9) - 4, 0, n - 1)
                             : static_cast<int>(engine() % static_cast<unsigned>(n));
          builder.add(i, j);
        }
      const Pattern pattern = builder.build();
      std::vector<int> start, columns;
      make_column_groups(pattern, start, columns);
      const int ours = static_cast<int>(start.size()) - 1;
      const int theirs =
          std::min(groups_of_colpack(pattern, "SMALLEST_LAST"), groups_of_colpack(pattern, "LARGEST_FIRST"));
      EXPECT_LE(ours, theirs + std::max(1, theirs / 10)) << n << " columns, " << per_column << " entries";
    }
}

TEST(ColumnGroups, leave_the_columns_of_a_full_row_alone) {
  PatternBuilder builder(50, 50);
  builder.add_diagonal();
  for (int j = 0; j < 50; ++j) builder.add(7, j);
  std::vector<int> start, columns;
  make_column_groups(builder.build(), start, columns);
  EXPECT_EQ(start.size(), 51u);
}

}  // namespace
}  // namespace trammel
