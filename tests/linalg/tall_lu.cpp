// SPDX-License-Identifier: Apache-2.0
#include "trammel/linalg/tall_lu.h"

#include <gtest/gtest.h>

#include <Eigen/Core>
#include <cmath>
#include <numeric>
#include <random>
#include <tuple>
#include "trammel/linalg/dense_decompositions.h"

namespace trammel::test_tall_lu {
namespace {

struct Tall {
  Pattern pattern;
  std::vector<double> values;
  Eigen::MatrixXd dense;
};

/// Banded with random entries: column j touches rows 2j − 2 … 2j + 4.
Tall make_tall(int m, unsigned seed) {
  const int n = 2 * m + 1;
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> number(-1.0, 1.0);
  PatternBuilder builder(n, m);
  for (int j = 0; j < m; ++j)
    for (int i = std::max(0, 2 * j - 2); i <= std::min(n - 1, 2 * j + 4); ++i) builder.add(i, j);
  Tall A{builder.build(), {}, Eigen::MatrixXd::Zero(n, m)};
  for (int j = 0; j < m; ++j)
    for (int k = A.pattern.start[j]; k < A.pattern.start[j + 1]; ++k) {
      A.values.push_back(number(random));
      A.dense(A.pattern.index[k], j) = A.values.back();
    }
  return A;
}

std::vector<int> all_columns(int m) {
  std::vector<int> columns(static_cast<std::size_t>(m));
  std::iota(columns.begin(), columns.end(), 0);
  return columns;
}

/// r_X − A_X A_Y⁻¹ r_Y and A_Y⁻¹ r_Y by dense algebra. Rounding of both, with condition numbers of random band matrices
/// up to some thousands.
constexpr double rounding = 1e-10;

void expect_right(const Tall& A, const TallLu& lu) {
  const int n = A.pattern.n_rows, m = A.pattern.n_cols;
  Eigen::MatrixXd AY(m, m);
  for (int k = 0; k < m; ++k) AY.row(k) = A.dense.row(lu.pivot_rows()[k]);
  Eigen::VectorXd r = Eigen::VectorXd::LinSpaced(n, -1.0, 2.0), rY(m), x(m);
  for (int k = 0; k < m; ++k) rY[k] = r[lu.pivot_rows()[k]];
  const Eigen::VectorXd exact = solve_square(AY, rY), rest = r - A.dense * exact;
  lu.solve(r, x);
  lu.subtract(x, r);
  EXPECT_LE((x - exact).norm(), rounding * (1.0 + exact.norm()));
  for (int i = 0; i < n; ++i) EXPECT_NEAR(r[i], lu.is_pivot(i) ? 0.0 : rest[i], rounding * (1.0 + exact.norm())) << i;
}

class TallMatrices : public ::testing::TestWithParam<int> {};

TEST_P(TallMatrices, are_solved_as_dense_algebra_says) {
  const Tall A = make_tall(GetParam(), 7);
  TallLu lu;
  lu.analyze(A.pattern, all_columns(GetParam()));
  ASSERT_TRUE(lu.factor(A.values).ok());
  if (GetParam() <= 24) {
    EXPECT_LE(lu.growth(), 1.0);
  }
  expect_right(A, lu);
}

TEST_P(TallMatrices, keep_their_pivots_when_refactored) {
  const Tall A = make_tall(GetParam(), 7);
  TallLu lu;
  lu.analyze(A.pattern, all_columns(GetParam()));
  ASSERT_TRUE(lu.factor(A.values).ok());
  const std::vector<int> pivots(lu.pivot_rows().begin(), lu.pivot_rows().end());
  Tall B = A;
  for (std::size_t k = 0; k < B.values.size(); ++k) B.values[k] *= 1.0 + 0.01 * std::sin(static_cast<double>(k));
  for (int j = 0; j < B.pattern.n_cols; ++j)
    for (int k = B.pattern.start[j]; k < B.pattern.start[j + 1]; ++k) B.dense(B.pattern.index[k], j) = B.values[k];
  ASSERT_TRUE(lu.refactor(B.values).ok());
  EXPECT_TRUE(std::equal(pivots.begin(), pivots.end(), lu.pivot_rows().begin()));
  expect_right(B, lu);
}

TEST_P(TallMatrices, have_the_estimated_norm_of_their_ratio) {
  const int m = GetParam();
  const Tall A = make_tall(m, 9);
  TallLu lu;
  lu.analyze(A.pattern, all_columns(m));
  ASSERT_TRUE(lu.factor(A.values).ok());
  Eigen::MatrixXd AY(m, m), AX(m + 1, m);
  int x = 0;
  for (int i = 0; i < A.pattern.n_rows; ++i)
    if (!lu.is_pivot(i)) AX.row(x++) = A.dense.row(i);
  for (int k = 0; k < m; ++k) AY.row(k) = A.dense.row(lu.pivot_rows()[k]);
  const Eigen::MatrixXd ratio = AX * solve_square(AY, Eigen::MatrixXd::Identity(m, m));
  const double exact = calc_right_singular_vectors(ratio).values[0], found = lu.estimate_ratio_norm();
  EXPECT_LE(found, exact * (1.0 + 1e-9));
  EXPECT_GE(found, 0.7 * exact);
}

INSTANTIATE_TEST_SUITE_P(Sizes, TallMatrices, ::testing::Values(1, 5, 60));  // natural order, and COLAMD's

TEST(TallLu, does_not_take_excluded_rows) {
  const Tall A = make_tall(6, 3);
  TallLu lu;
  std::vector<char> excluded(13, 0);
  excluded[1] = excluded[6] = 1;
  lu.analyze(A.pattern, all_columns(6), excluded);
  ASSERT_TRUE(lu.factor(A.values).ok());
  EXPECT_FALSE(lu.is_pivot(1) || lu.is_pivot(6));
  expect_right(A, lu);
}

TEST(TallLu, names_the_column_that_depends_on_others) {
  Tall A = make_tall(3, 3);
  PatternBuilder builder(7, 3);
  for (int j = 0; j < 3; ++j)
    for (int i = 0; i < 7; ++i) builder.add(i, j);
  const Pattern full = builder.build();
  std::vector<double> values(21);
  for (int i = 0; i < 7; ++i) {
    values[i] = A.dense(i, 0);
    values[7 + i] = A.dense(i, 1);
    values[14 + i] = 2.0 * A.dense(i, 0) - A.dense(i, 1);
  }
  TallLu lu;
  lu.analyze(full, all_columns(3));
  const Status status = lu.factor(values);
  EXPECT_EQ(status.cause, Cause::singular_matrix);
  EXPECT_EQ(status.row, 2);
}

// Columns of a closed chain: with the tree's own rows taken, the last ones find pivots only in rows that filled in.
TEST(TallLu, lets_columns_wait_for_rows_that_filled_in) {
  const int links = 40, m = 2 * links + 2, n = 3 * links;
  PatternBuilder builder(n, m);
  std::vector<std::tuple<int, int, double>> entries;
  for (int j = 0; j <= links; ++j)  // hinge j between links j − 1 and j: positions ±1, angles a lever
    for (int k = 0; k < 2; ++k) {
      const double lever = 0.3 * std::sin(0.7 * j + k);
      if (j < links) entries.insert(entries.end(), {{3 * j + k, 2 * j + k, 1.0}, {3 * j + 2, 2 * j + k, lever}});
      if (j > 0) entries.insert(entries.end(), {{3 * j - 3 + k, 2 * j + k, -1.0}, {3 * j - 1, 2 * j + k, lever + 0.1}});
    }
  for (const auto& [row, column, value] : entries) builder.add(row, column);
  Tall A{builder.build(), {}, Eigen::MatrixXd::Zero(n, m)};
  for (const auto& [row, column, value] : entries) A.dense(row, column) = value;
  for (int j = 0; j < m; ++j)
    for (int k = A.pattern.start[j]; k < A.pattern.start[j + 1]; ++k)
      A.values.push_back(A.dense(A.pattern.index[k], j));
  TallLu lu;
  lu.analyze(A.pattern, all_columns(m));
  ASSERT_TRUE(lu.factor(A.values).ok());
  expect_right(A, lu);
  int angles = 0;
  for (const int row : lu.pivot_rows()) angles += row % 3 == 2 ? 1 : 0;
  EXPECT_GE(angles, 2);
  EXPECT_LE(lu.nnz(), 20 * m);
}

TEST(TallLu, factors_a_part_of_the_columns) {
  const Tall A = make_tall(4, 5);
  TallLu lu;
  lu.analyze(A.pattern, {0, 2});
  ASSERT_TRUE(lu.factor(A.values).ok());
  Eigen::VectorXd x = Eigen::VectorXd::Constant(4, 9.0);
  lu.solve(A.dense.col(2), x);
  EXPECT_TRUE(x.isApprox(Eigen::Vector4d(0.0, 9.0, 1.0, 9.0), 1e-12)) << x.transpose();
}

}  // namespace
}  // namespace trammel::test_tall_lu
