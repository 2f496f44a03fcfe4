// SPDX-License-Identifier: Apache-2.0
#include "trammel/linalg/linear_solver.h"

#include <gtest/gtest.h>

#include "support/test_matrices.h"
#include "trammel/base/error.h"
#include "trammel/linalg/sparse_lu.h"

namespace trammel::test_linear_solver {
namespace {

TEST(LinearSolverKinds, words_and_kinds_are_inverse) {
  for (const std::string& word : linear_solver_kind_names()) EXPECT_EQ(to_text(parse_linear_solver_kind(word)), word);
  EXPECT_EQ(parse_linear_solver_kind("auto"), LinearSolverKind::automatic);
}

TEST(LinearSolverKinds, a_misspelt_word_gets_the_allowed_ones_and_the_nearest) {
  try {
    parse_linear_solver_kind("sparse-lu");
    FAIL();
  } catch (const InputError& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("'sparse-lu'"), std::string::npos) << text;
    EXPECT_NE(text.find("'auto', 'dense', 'sparse_lu'"), std::string::npos) << text;
    EXPECT_NE(text.find("did you mean 'sparse_lu'?"), std::string::npos) << text;
  }
}

TEST(LinearSolverKinds, automatic_is_dense_for_small_and_sparse_for_large_systems) {
  EXPECT_EQ(make_linear_solver(LinearSolverKind::automatic, 6)->name(), "dense");
  EXPECT_EQ(make_linear_solver(LinearSolverKind::automatic, 1000)->name(), "sparse_lu");
  EXPECT_EQ(make_linear_solver(LinearSolverKind::dense, 1000)->name(), "dense");
  EXPECT_EQ(make_linear_solver<std::complex<double>>(LinearSolverKind::sparse_lu, 6)->name(), "sparse_lu");
}

TEST(SparseLu, refuses_impossible_options) {
  EXPECT_THROW(make_sparse_lu<double>({.pivot_tol = 0.0}), InputError);
  EXPECT_THROW(make_sparse_lu<double>({.pivot_tol = 1.5}), InputError);
  EXPECT_THROW(make_sparse_lu<double>({.growth_drop = 1.0}), InputError);
}

// Values that change moderately keep their pivots: the fast path must be the usual one.
TEST(SparseLu, keeps_its_pivots_when_the_step_size_changes) {
  const testing::TestMatrix<double> A = testing::chain({.n_links = 50, .h = 1e-2});
  const testing::TestMatrix<double> B = testing::chain({.n_links = 50, .h = 1e-5});
  ASSERT_TRUE(A.pattern.same_entries(B.pattern));
  const std::unique_ptr<LinearSolver<double>> solver = make_sparse_lu<double>();
  ASSERT_TRUE(solver->analyze(A.pattern).ok());
  ASSERT_TRUE(solver->factor(A.values).ok());
  ASSERT_TRUE(solver->refactor(B.values).ok());
  EXPECT_EQ(solver->counters().n_factor, 1);
  EXPECT_EQ(solver->counters().n_refactor, 1);
}

// The factors of a chain grow like its length, whatever the order of its unknowns: 11 unknowns and about 220 numbers a
// link.
TEST(SparseLu, the_fill_of_a_chain_is_linear_in_its_length) {
  for (const bool interleaved : {false, true})
    for (const double rho : {0.0, 1.0}) {
      long nnz[2] = {0, 0};
      for (int k = 0; k < 2; ++k) {
        const testing::TestMatrix<double> A =
            testing::chain({.n_links = k == 0 ? 100 : 1000, .rho = rho, .interleaved = interleaved});
        const std::unique_ptr<LinearSolver<double>> solver = make_sparse_lu<double>();
        ASSERT_TRUE(solver->analyze(A.pattern).ok());
        ASSERT_TRUE(solver->factor(A.values).ok());
        nnz[k] = solver->counters().nnz_factors;
      }
      EXPECT_LT(static_cast<double>(nnz[1]) / static_cast<double>(nnz[0]), 10.5);
      EXPECT_LT(nnz[1], 300'000);
    }
}

TEST(SmallestPivot, names_the_weakest_unknown_of_a_nearly_singular_matrix) {
  for (const LinearSolverKind kind : {LinearSolverKind::dense, LinearSolverKind::sparse_lu}) {
    // Unknown 2 is held by a spring 1e-12 times weaker than its coupling: k (x₀ + x₂) ≈ 0 twice.
    const testing::TestMatrix<double> A = testing::make_test_matrix(
        "", 4, 4, {{0, 0, 1.0}, {0, 2, 1.0}, {1, 1, 3.0}, {2, 0, 1.0}, {2, 2, 1.0 + 1e-12}, {3, 3, 2.0}, {3, 1, 1.0}});
    const std::unique_ptr<LinearSolver<double>> solver = make_linear_solver(kind, 4);
    ASSERT_TRUE(solver->analyze(A.pattern).ok());
    ASSERT_TRUE(solver->factor(A.values).ok());
    const Pivot pivot = solver->smallest_pivot();
    EXPECT_TRUE(pivot.unknown == 0 || pivot.unknown == 2) << pivot.unknown;
    EXPECT_NEAR(pivot.value, 1e-12, 1e-15);
    EXPECT_NEAR(pivot.relative, 1e-12, 1e-14);
  }
}

}  // namespace
}  // namespace trammel::test_linear_solver
