// SPDX-License-Identifier: Apache-2.0
#include "trammel/linalg/condensed_solver.h"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <complex>
#include <random>

#include "trammel/linalg/sparse_lu.h"

// Unknowns with a row of their own are taken out before the rest is factored; nothing of the answer may tell.

namespace trammel::test_condensed_solver {
namespace {

constexpr double close = 1e-11;  // of well-conditioned matrices of 30 unknowns

template <class S>
S random_number(std::mt19937& engine) {
  std::uniform_real_distribution<double> any(-1.0, 1.0);
  if constexpr (std::is_same_v<S, double>)
    return any(engine);
  else
    return {any(engine), any(engine)};
}

template <class S>
struct Matrix {
  Matrix() = default;
  explicit Matrix(Pattern on) : pattern(std::move(on)), values(pattern.index.size(), S(0)) {}
  Eigen::Matrix<S, Eigen::Dynamic, Eigen::Dynamic> to_dense() const {
    Eigen::Matrix<S, Eigen::Dynamic, Eigen::Dynamic> A(pattern.n_rows, pattern.n_cols);
    A.setZero();
    for (int j = 0; j < pattern.n_cols; ++j)
      for (int k = pattern.start[j]; k < pattern.start[j + 1]; ++k) A(pattern.index[k], j) = values[k];
    return A;
  }
  Pattern pattern;
  std::vector<S> values;
};

template <class S>
struct Sample {
  Matrix<S> A;
  OrderingHint hint;
};

// n unknowns of which m (in scattered places, with scattered rows) have a row of their own; sparse besides.
template <class S>
Sample<S> make_sample(int n, int m, unsigned seed) {
  std::mt19937 engine(seed);
  std::vector<int> unknowns(n), rows(n);
  std::iota(unknowns.begin(), unknowns.end(), 0);
  std::iota(rows.begin(), rows.end(), 0);
  std::shuffle(unknowns.begin(), unknowns.end(), engine);
  std::shuffle(rows.begin(), rows.end(), engine);
  std::vector<char> out(n, 0), own(n, 0);
  Sample<S> sample;
  sample.hint.own_rows.assign(n, -1);
  sample.hint.rows.assign(n, -1);
  for (int e = 0; e < m; ++e) {
    sample.hint.own_rows[unknowns[e]] = rows[e];
    out[unknowns[e]] = own[rows[e]] = 1;
  }
  PatternBuilder builder(n, n);
  for (int k = 0; k < n; ++k) {
    builder.add(rows[k], unknowns[k]);
    sample.hint.rows[unknowns[k]] = rows[k];
  }
  std::uniform_int_distribution<int> place(0, n - 1);
  for (int k = 0; k < 3 * n; ++k) {
    const int i = place(engine), j = place(engine);
    if (!(own[i] && out[j])) builder.add(i, j);
  }
  sample.A = Matrix<S>(builder.build());
  for (int j = 0; j < n; ++j)
    for (int k = sample.A.pattern.start[j]; k < sample.A.pattern.start[j + 1]; ++k)
      sample.A.values[k] = sample.A.pattern.index[k] == sample.hint.rows[j] ? S(6.0) : random_number<S>(engine);
  return sample;
}

template <class S>
void expect_solves(LinearSolver<S>& solver, const Matrix<S>& A, std::mt19937& engine) {
  const auto dense = A.to_dense();
  typename LinearSolver<S>::Vector b(A.pattern.n_cols), x;
  for (auto& entry : b) entry = random_number<S>(engine);
  x = b;
  ASSERT_TRUE(solver.solve(x).ok());
  EXPECT_LT((dense * x - b).cwiseAbs().maxCoeff(), close);
  x = b;
  ASSERT_TRUE(solver.solve_transposed(x).ok());
  EXPECT_LT((dense.transpose() * x - b).cwiseAbs().maxCoeff(), close);
}

template <class S>
void expect_answers_of_the_whole_matrix() {
  std::mt19937 engine(5);
  for (const unsigned seed : {1u, 2u, 3u, 4u, 5u, 6u})
    for (const int m : {0, 1, 10, 15}) {
      Sample<S> sample = make_sample<S>(30, m, seed);
      const auto solver = make_condensed_solver<S>(make_sparse_lu<S>());
      ASSERT_TRUE(solver->analyze(sample.A.pattern, sample.hint).ok());
      ASSERT_TRUE(solver->factor(sample.A.values).ok()) << "seed " << seed << ", m = " << m;
      expect_solves<S>(*solver, sample.A, engine);
      for (S& value : sample.A.values) value *= S(1.5) + S(0.1) * random_number<S>(engine);
      ASSERT_TRUE(solver->refactor(sample.A.values).ok());
      expect_solves<S>(*solver, sample.A, engine);
    }
}

TEST(CondensedSolver, gives_the_answers_of_the_whole_matrix) {
  expect_answers_of_the_whole_matrix<double>();
  expect_answers_of_the_whole_matrix<std::complex<double>>();
}

TEST(CondensedSolver, takes_unknowns_out) {
  const Sample<double> sample = make_sample<double>(30, 12, 1);
  const auto solver = make_condensed_solver<double>(make_sparse_lu<double>());
  ASSERT_TRUE(solver->analyze(sample.A.pattern, sample.hint).ok());
  ASSERT_TRUE(solver->factor(sample.A.values).ok());
  // 2 × 2: [1 1; x 2] with the second unknown in the first row is 1 × 1 inside.
  PatternBuilder builder(2, 2);
  for (const int k : {0, 1}) builder.add(k, 0), builder.add(k, 1);
  OrderingHint hint;
  hint.own_rows = {-1, 0};
  ASSERT_TRUE(solver->analyze(builder.build(), hint).ok());
  ASSERT_TRUE(solver->factor(std::vector<double>{1.0, 3.0, 1.0, 2.0}).ok());
  EXPECT_EQ(solver->smallest_pivot().value, 1.0);  // 3 − 2·1/1
  EXPECT_EQ(solver->smallest_pivot().unknown, 0);
}

TEST(CondensedSolver, names_the_unknown_of_a_vanished_pivot) {
  PatternBuilder builder(3, 3);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      if (!(i == 2 && j == 0)) builder.add(i, j);
  OrderingHint hint;
  hint.own_rows = {1, -1, -1};  // row 1 gives unknown 0
  const auto solver = make_condensed_solver<double>(make_sparse_lu<double>());
  ASSERT_TRUE(solver->analyze(builder.build(), hint).ok());
  // Columns (1, 2), (0, 0, 0) after elimination, (1, 1, 5): unknown 1 is in no row but its multiple of row 1.
  const Status inner = solver->factor(std::vector<double>{1, 2, 1, 2, 0, 1, 1, 5});
  EXPECT_EQ(inner.cause, Cause::singular_matrix);
  EXPECT_EQ(inner.row, 1);
  const Status own = solver->factor(std::vector<double>{1, 0, 1, 2, 3, 1, 1, 5});
  EXPECT_EQ(own.cause, Cause::singular_matrix);
  EXPECT_EQ(own.row, 0);
}

// Own rows that see two of their unknowns, and products that would fill the matrix, leave everything where it is.
TEST(CondensedSolver, takes_nothing_out_where_it_would_not_pay) {
  std::mt19937 engine(7);
  Sample<double> coupled = make_sample<double>(30, 10, 3);
  int first = -1;
  for (int j = 0; j < 30; ++j) {
    if (coupled.hint.own_rows[j] < 0) continue;
    if (first >= 0) {
      PatternBuilder builder(30, 30);
      builder.add(coupled.A.pattern);
      builder.add(coupled.hint.own_rows[j], first);
      Matrix<double> A(builder.build());
      for (int c = 0; c < 30; ++c)
        for (int k = coupled.A.pattern.start[c]; k < coupled.A.pattern.start[c + 1]; ++k)
          A.values[A.pattern.slot(coupled.A.pattern.index[k], c)] = coupled.A.values[k];
      A.values[A.pattern.slot(coupled.hint.own_rows[j], first)] = 0.5;
      coupled.A = A;
      break;
    }
    first = j;
  }
  const auto solver = make_condensed_solver<double>(make_sparse_lu<double>());
  ASSERT_TRUE(solver->analyze(coupled.A.pattern, coupled.hint).ok());
  ASSERT_TRUE(solver->factor(coupled.A.values).ok());
  expect_solves<double>(*solver, coupled.A, engine);

  const int n = 61;  // one unknown with a full row and a full column: 3600 products beside 241 entries
  PatternBuilder builder(n, n);
  for (int k = 0; k < n; ++k) builder.add(k, k), builder.add(0, k), builder.add(k, 0), builder.add((k + 1) % n, k);
  Matrix<double> arrow(builder.build());
  for (int j = 0; j < n; ++j)
    for (int k = arrow.pattern.start[j]; k < arrow.pattern.start[j + 1]; ++k)
      arrow.values[k] = arrow.pattern.index[k] == j ? 90.0 : 1.0;
  OrderingHint hint;
  hint.own_rows.assign(n, -1);
  hint.own_rows[0] = 0;
  ASSERT_TRUE(solver->analyze(arrow.pattern, hint).ok());
  ASSERT_TRUE(solver->factor(arrow.values).ok());
  expect_solves<double>(*solver, arrow, engine);
  EXPECT_LT(solver->counters().nnz_factors, 1000);
}

}  // namespace
}  // namespace trammel::test_condensed_solver
