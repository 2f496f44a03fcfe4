// SPDX-License-Identifier: Apache-2.0
#include "trammel/linalg/guarded_ldlt.h"

#include <gtest/gtest.h>

#include <Eigen/LU>

#include "trammel/linalg/gmres.h"
#include "trammel/linalg/sparse_matrix.h"

// Factors without row exchanges as long as they are good, with exchanges where they are not.

namespace trammel::test_guarded_ldlt {
namespace {

Pattern full_pattern(int n) {
  PatternBuilder builder(n, n);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) builder.add(i, j);
  return builder.build();
}

// Values by columns.
Eigen::Vector3d solve(LinearSolver<double>& solver, const Eigen::Matrix3d& A, const Eigen::Vector3d& b) {
  const std::vector<double> values(A.data(), A.data() + A.size());
  EXPECT_TRUE(solver.refactor(values).ok());
  Eigen::VectorXd x = b;
  EXPECT_TRUE(solver.solve(x).ok());
  return x;
}

const Eigen::Matrix3d regular{{4, 1, 0}, {1, 3, 1}, {0.5, 1, 2}};
const Eigen::Vector3d right_side(1, 2, 3);

TEST(GuardedLdlt, exchanges_rows_only_where_a_pivot_vanishes_and_returns) {
  const std::unique_ptr<LinearSolver<double>> solver = make_guarded_ldlt<double>();
  ASSERT_TRUE(solver->analyze(full_pattern(3)).ok());
  const Eigen::Matrix3d exchanged{{0, 1, 2}, {1, 0, 1}, {2, 1, 0}};  // regular, without a first pivot
  for (int round = 0; round < 2; ++round) {
    EXPECT_NEAR((regular * solve(*solver, regular, right_side) - right_side).norm(), 0.0, 1e-14);
    EXPECT_EQ(solver->name(), "sparse_ldlt");
    EXPECT_NEAR((exchanged * solve(*solver, exchanged, right_side) - right_side).norm(), 0.0, 1e-14);
    EXPECT_EQ(solver->name(), "sparse_lu");
    for (int k = 0; k < 20; ++k) solve(*solver, regular, right_side);
  }
}

// After `factor` nothing is left of values before: a run that was saved and one that was restored go on alike.
TEST(GuardedLdlt, forgets_what_it_found_when_it_factors_anew) {
  const std::unique_ptr<LinearSolver<double>> solver = make_guarded_ldlt<double>(), fresh = make_guarded_ldlt<double>();
  for (LinearSolver<double>* s : {solver.get(), fresh.get()}) ASSERT_TRUE(s->analyze(full_pattern(3)).ok());
  const Eigen::Matrix3d exchanged{{0, 1, 2}, {1, 0, 1}, {2, 1, 0}};
  solve(*solver, exchanged, right_side);
  ASSERT_EQ(solver->name(), "sparse_lu");
  const std::vector<double> values(regular.data(), regular.data() + regular.size());
  Eigen::VectorXd x[2] = {right_side, right_side};
  LinearSolver<double>* solvers[2] = {solver.get(), fresh.get()};
  for (int i = 0; i < 2; ++i) {
    ASSERT_TRUE(solvers[i]->factor(values).ok());
    ASSERT_TRUE(solvers[i]->solve(x[i]).ok());
    EXPECT_EQ(solvers[i]->name(), "sparse_ldlt");
  }
  EXPECT_EQ(x[0], x[1]);
}

// Pivots 1, −1e9, …: each is large beside its column, and the digits of the rest are lost in the second.
TEST(GuardedLdlt, solves_again_with_exchanges_when_digits_were_lost) {
  const std::unique_ptr<LinearSolver<double>> solver = make_guarded_ldlt<double>();
  ASSERT_TRUE(solver->analyze(full_pattern(3)).ok());
  const Eigen::Matrix3d A{{1e-9, 1, 1}, {1, 1, 2}, {1, 2, 1}};
  const Eigen::Vector3d x = solve(*solver, A, right_side), exact = A.fullPivLu().solve(right_side);
  EXPECT_NEAR((x - exact).norm(), 0.0, 1e-13);
}

TEST(GuardedLdlt, names_the_unknown_of_a_singular_matrix) {
  const std::unique_ptr<LinearSolver<double>> solver = make_guarded_ldlt<double>();
  ASSERT_TRUE(solver->analyze(full_pattern(3)).ok());
  const std::vector<double> values{1, 2, 3, 2, 4, 6, 1, 0, 1};
  const Status status = solver->factor(values);
  EXPECT_EQ(status.cause, Cause::singular_matrix);
  EXPECT_GE(status.row, 0);
}

// A solver that is named keeps its name, and counts what it could not do.
TEST(GuardedSolver, keeps_its_name_and_counts_the_matrices_that_needed_exchanges) {
  const Eigen::Matrix3d exchanged{{0, 1, 2}, {1, 0, 1}, {2, 1, 0}};
  for (const LinearSolverKind kind : {LinearSolverKind::sparse_ldlt, LinearSolverKind::skyline_ldlt}) {
    const std::unique_ptr<LinearSolver<double>> solver = make_guarded_solver<double>({kind}, 3);
    ASSERT_TRUE(solver->analyze(full_pattern(3)).ok());
    EXPECT_NEAR((regular * solve(*solver, regular, right_side) - right_side).norm(), 0.0, 1e-14);
    EXPECT_EQ(solver->counters().n_handed_over, 0);
    EXPECT_NEAR((exchanged * solve(*solver, exchanged, right_side) - right_side).norm(), 0.0, 1e-14);
    EXPECT_EQ(solver->counters().n_handed_over, 1);
    EXPECT_EQ(solver->name(), to_text(kind));
  }
}

// Rows of 1e12 beside rows of 1, as the augmented term makes them, whose sum matters: x is right to rounding in both.
TEST(GuardedGmres, leaves_small_residuals_in_all_rows_and_factors_what_its_preconditioner_cannot) {
  const std::unique_ptr<LinearSolver<double>> solver = make_gmres<double>({.guarded = true});
  ASSERT_TRUE(solver->analyze(full_pattern(3)).ok());
  const double w = 1e12;
  const Eigen::Matrix3d rows{{1 + w, 2 + w, 1}, {2 + w, 5 + w, 1}, {1, 1, 0}};
  const Eigen::Vector3d expected(0.3, -0.2, 7.0);
  const Eigen::Vector3d x = solve(*solver, rows, rows * expected);
  EXPECT_NEAR(x[0] + x[1], 0.1, 1e-15);
  const Eigen::Vector3d left = rows * (x - expected);
  EXPECT_LT(std::abs(left[2]), 1e-15);
  const Eigen::Matrix3d exchanged{{0, 1, 2}, {1, 0, 1}, {2, 1, 0}};
  EXPECT_NEAR((exchanged * solve(*solver, exchanged, right_side) - right_side).norm(), 0.0, 1e-13);
  EXPECT_GT(solver->counters().n_handed_over, 0);
}

TEST(GuardedLdlt, solves_transposed_systems) {
  const std::unique_ptr<LinearSolver<double>> solver = make_guarded_ldlt<double>();
  ASSERT_TRUE(solver->analyze(full_pattern(3)).ok());
  const std::vector<double> values(regular.data(), regular.data() + regular.size());
  ASSERT_TRUE(solver->factor(values).ok());
  Eigen::VectorXd x = right_side;
  ASSERT_TRUE(solver->solve_transposed(x).ok());
  EXPECT_NEAR((regular.transpose() * x - right_side).norm(), 0.0, 1e-14);
}

}  // namespace
}  // namespace trammel::test_guarded_ldlt
