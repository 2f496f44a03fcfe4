// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <Eigen/Core>
#include <random>

#include "support/test_matrices.h"
#include "trammel/base/error.h"
#include "trammel/linalg/dense_decompositions.h"
#include "trammel/linalg/gmres.h"
#include "trammel/linalg/skyline_ldlt.h"
#include "trammel/linalg/sparse_ldlt.h"

// What distinguishes the solvers that never exchange rows: fill that is known from the pattern, symmetry, pivots that
// vanish in regular matrices, refinement.

namespace trammel::test_unpivoted {
namespace {

using testing::TestMatrix;
using Complex = std::complex<double>;

template <class S>
using Maker = std::unique_ptr<LinearSolver<S>> (*)(const UnpivotedOptions&);

// A unit mass and a massless coordinate φ with the stiffness ε held together by one multiplier, and the penalty ρ GᵀG:
// the smallest matrix of bauchau2009 (36). Regular for every ε ≥ 0; its first two pivots are 1 + ρ and, with G = (1,
// −1), ε + ρ/(1 + ρ).
TestMatrix<double> massless(double epsilon, double rho) {
  return testing::make_test_matrix("massless", 3, 3,
                                   {{0, 0, 1.0 + rho},
                                    {0, 1, -rho},
                                    {1, 0, -rho},
                                    {1, 1, epsilon + rho},
                                    {0, 2, 1.0},
                                    {2, 0, 1.0},
                                    {1, 2, -1.0},
                                    {2, 1, -1.0}});
}

OrderingHint two_coordinates_and_a_multiplier() {
  return {
      .roles = {UnknownRole::coordinate, UnknownRole::coordinate, UnknownRole::multiplier}, .blocks = {}, .rows = {}};
}

Eigen::VectorXd solve(LinearSolver<double>& solver, const TestMatrix<double>& A, const Eigen::VectorXd& b) {
  Eigen::VectorXd x = b;
  EXPECT_TRUE(solver.analyze(A.pattern, two_coordinates_and_a_multiplier()).ok());
  EXPECT_TRUE(solver.factor(A.values).ok());
  EXPECT_TRUE(solver.solve(x).ok());
  return x;
}

class Unpivoted : public ::testing::TestWithParam<Maker<double>> {};
INSTANTIATE_TEST_SUITE_P(Solvers, Unpivoted, ::testing::Values(&make_sparse_ldlt<double>, &make_skyline_ldlt<double>));

// [bauchau2009 section 7]: without the penalty a massless coordinate has no pivot, with it the pivots are of order 1.
TEST_P(Unpivoted, a_massless_coordinate_is_named_without_a_penalty_and_harmless_with_one) {
  const std::unique_ptr<LinearSolver<double>> solver = GetParam()({});
  const TestMatrix<double> bare = massless(0.0, 0.0);
  ASSERT_TRUE(solver->analyze(bare.pattern, two_coordinates_and_a_multiplier()).ok());
  const Status status = solver->factor(bare.values);
  EXPECT_EQ(status.cause, Cause::vanished_pivot);
  EXPECT_EQ(status.row, 1);
  EXPECT_EQ(solver->smallest_pivot().unknown, 1);
  const Eigen::Vector3d b(0.3, -0.7, 0.2);
  const TestMatrix<double> penalised = massless(0.0, 1.0);
  const Eigen::VectorXd x = solve(*solver, penalised, b);
  const Eigen::VectorXd exact = solve_square(penalised.matrix().to_dense(), b);
  EXPECT_LT((x - exact).norm(), 1e-15 * 10);
}

// A pivot ε without exchanges costs the factor 1/ε in accuracy (here eight digits); one correction brings it back.
TEST_P(Unpivoted, refinement_restores_what_a_small_pivot_lost) {
  const TestMatrix<double> A = massless(1e-8, 0.0);
  const Eigen::Vector3d b(0.3, -0.7, 0.2);
  const Eigen::VectorXd exact = solve_square(A.matrix().to_dense(), b);
  const std::unique_ptr<LinearSolver<double>> plain = GetParam()({.max_refinements = 0});
  const std::unique_ptr<LinearSolver<double>> refined = GetParam()({});
  EXPECT_GT((solve(*plain, A, b) - exact).norm(), 1e-11);
  EXPECT_LT((solve(*refined, A, b) - exact).norm(), 1e-14);
}

// A pivot of 1e-20 before a full matrix leaves a Schur complement of rank 1 to rounding: nothing is left to refine, and
// the solution is refused and not handed over.
TEST_P(Unpivoted, solutions_that_cannot_be_refined_are_refused) {
  constexpr int n = 6;
  std::mt19937 random(3);
  std::uniform_real_distribution<double> value(-1.0, 1.0);
  std::vector<testing::Entry> entries;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) entries.push_back({i, j, i + j == 0 ? 1e-20 : value(random)});
  const TestMatrix<double> A = testing::make_test_matrix("full", n, n, entries);
  OrderingHint hint;  // the small one first
  hint.roles.assign(n, UnknownRole::multiplier);
  hint.roles[0] = UnknownRole::coordinate;
  const std::unique_ptr<LinearSolver<double>> solver = GetParam()({.pivot_tol = 0.0});
  ASSERT_TRUE(solver->analyze(A.pattern, hint).ok());
  Eigen::VectorXd x = Eigen::VectorXd::LinSpaced(n, -1.0, 1.3);
  Status status = solver->factor(A.values);  // meets an exact zero, as luck will have it
  if (status.ok()) status = solver->solve(x);
  EXPECT_EQ(status.cause, Cause::vanished_pivot);
}

// Rows in another order than their unknowns, as in the stabilized forms where Φ̇ = 0 determines λ: pivots stand where
// the hint says. Without it the first unknown has no pivot.
TEST_P(Unpivoted, pivots_stand_in_the_rows_of_the_hint) {
  TestMatrix<double> A = testing::make_test_matrix(
      "cyclic", 3, 3, {{1, 0, 4.0}, {2, 1, 5.0}, {0, 2, 3.0}, {2, 0, 1.0}, {0, 1, -1.0}, {1, 2, 0.5}});
  const OrderingHint hint{.roles = {}, .blocks = {}, .rows = {1, 2, 0}};
  const std::unique_ptr<LinearSolver<double>> solver = GetParam()({});
  ASSERT_TRUE(solver->analyze(A.pattern).ok());
  EXPECT_FALSE(solver->factor(A.values).ok());
  ASSERT_TRUE(solver->analyze(A.pattern, hint).ok());
  ASSERT_TRUE(solver->factor(A.values).ok());
  const Eigen::MatrixXd dense = A.matrix().to_dense();
  const Eigen::Vector3d b(0.3, -0.7, 0.2);
  Eigen::VectorXd x = b, y = b;
  ASSERT_TRUE(solver->solve(x).ok());
  ASSERT_TRUE(solver->solve_transposed(y).ok());
  EXPECT_LT((dense * x - b).norm(), 1e-15 * 10);
  EXPECT_LT((dense.transpose() * y - b).norm(), 1e-15 * 10);
}

TEST_P(Unpivoted, the_threshold_decides_which_pivots_have_vanished) {
  const TestMatrix<double> A = massless(1e-12, 0.0);
  for (const double pivot_tol : {0.0, 1e-13, 1e-10, 1e-3}) {
    const std::unique_ptr<LinearSolver<double>> solver = GetParam()({.pivot_tol = pivot_tol});
    ASSERT_TRUE(solver->analyze(A.pattern, two_coordinates_and_a_multiplier()).ok());
    EXPECT_EQ(solver->factor(A.values).ok(), pivot_tol < 1e-12) << pivot_tol;
  }
}

TEST_P(Unpivoted, impossible_options_are_refused) {
  EXPECT_THROW(GetParam()({.pivot_tol = 1.0}), InputError);
  EXPECT_THROW(GetParam()({.pivot_tol = -1e-3}), InputError);
  EXPECT_THROW(GetParam()({.refine_above = 1.5}), InputError);
  EXPECT_THROW(GetParam()({.refuse_above = 0.0}), InputError);
  EXPECT_THROW(GetParam()({.max_refinements = 11}), InputError);
}

// LDLᵀ stores one triangle, LDU two. One entry moved by 1e-13 of its size is an asymmetry, by one unit in the last
// place it is rounding.
TEST_P(Unpivoted, symmetry_is_found_in_the_values_at_every_factorization) {
  TestMatrix<double> A = testing::chain({.n_links = 8, .rho = 1.0});
  const std::unique_ptr<LinearSolver<double>> solver = GetParam()({});
  ASSERT_TRUE(solver->analyze(A.pattern).ok());
  ASSERT_TRUE(solver->factor(A.values).ok());
  const long symmetric = solver->counters().nnz_factors;
  double& entry = A.values[A.pattern.slot(1, 0)];
  const double original = entry;
  entry = std::nextafter(original, 10.0);
  ASSERT_TRUE(solver->refactor(A.values).ok());
  EXPECT_EQ(solver->counters().nnz_factors, symmetric);
  entry = original + 1e-13 * (1.0 + std::abs(original));
  ASSERT_TRUE(solver->refactor(A.values).ok());
  EXPECT_EQ(solver->counters().nnz_factors, 2 * symmetric - A.n());
  entry = original;
  ASSERT_TRUE(solver->refactor(A.values).ok());
  EXPECT_EQ(solver->counters().nnz_factors, symmetric);
}

// Radau's blocks γ M + K are complex and symmetric, not Hermitian: Lᵀ and not L* belongs there.
TEST(SparseLdlt, complex_symmetric_matrices_need_one_triangle) {
  const TestMatrix<double> real = testing::chain({.n_links = 8});
  std::vector<Complex> values(real.values.begin(), real.values.end());
  for (int i = 0; i < 48; ++i) values[real.pattern.slot(i, i)] += Complex(0.0, 3.0);
  for (const Maker<Complex> make : {&make_sparse_ldlt<Complex>, &make_skyline_ldlt<Complex>}) {
    const std::unique_ptr<LinearSolver<Complex>> solver = make({});
    ASSERT_TRUE(solver->analyze(real.pattern).ok());
    ASSERT_TRUE(solver->factor(values).ok());
    const Eigen::VectorXcd b = Eigen::VectorXcd::Random(real.n());
    Eigen::VectorXcd x = b;
    ASSERT_TRUE(solver->solve(x).ok());
    SparseMatrix<Complex> A(real.pattern);
    A.values = values;
    EXPECT_LT((A.to_dense() * x - b).norm(), 1e-13 * b.norm());
  }
}

// A link has 6 coordinates and 5 multipliers, interleaved or not. Without a penalty the front of a link is 11 pivots
// over 5 rows: 66 + 55 = 121 numbers; with it the next body joins, 11 over 11: 187.
TEST(SparseLdlt, the_fill_of_a_chain_is_that_of_eliminating_link_by_link) {
  for (const bool interleaved : {false, true})
    for (const double rho : {0.0, 1.0}) {
      constexpr int n_links = 300;
      const TestMatrix<double> A = testing::chain({.n_links = n_links, .rho = rho, .interleaved = interleaved});
      const std::unique_ptr<LinearSolver<double>> solver = make_sparse_ldlt<double>();
      ASSERT_TRUE(solver->analyze(A.pattern).ok());
      ASSERT_TRUE(solver->factor(A.values).ok());
      EXPECT_LE(solver->counters().nnz_factors, (rho > 0 ? 187 : 121) * n_links);
    }
}

// Reverse Cuthill–McKee walks along the chain: the profile of a row spans two links at most.
TEST(SkylineLdlt, the_profile_of_a_chain_is_linear_in_its_length_whatever_the_numbering) {
  for (const bool interleaved : {false, true})
    for (const double rho : {0.0, 1.0}) {
      constexpr int n_links = 300;
      const TestMatrix<double> A = testing::chain({.n_links = n_links, .rho = rho, .interleaved = interleaved});
      const std::unique_ptr<LinearSolver<double>> solver = make_skyline_ldlt<double>();
      ASSERT_TRUE(solver->analyze(A.pattern).ok());
      ASSERT_TRUE(solver->factor(A.values).ok());
      EXPECT_LE(solver->counters().nnz_factors, 11 * 22 * n_links);
    }
}

TEST(Gmres, impossible_options_are_refused) {
  EXPECT_THROW(make_gmres<double>({.tol = 0.0}), InputError);
  EXPECT_THROW(make_gmres<double>({.tol = 1.0}), InputError);
  EXPECT_THROW(make_gmres<double>({.restart = 0}), InputError);
  EXPECT_THROW(make_gmres<double>({.max_iterations = 0}), InputError);
}

TEST(Gmres, too_few_iterations_are_reported) {
  const TestMatrix<double> A = testing::chain({.n_links = 20, .h = 0.1});
  const std::unique_ptr<LinearSolver<double>> solver =
      make_gmres<double>({.max_iterations = 2, .preconditioner = Preconditioner::none});
  ASSERT_TRUE(solver->analyze(A.pattern).ok());
  ASSERT_TRUE(solver->factor(A.values).ok());
  std::vector<double> b(static_cast<std::size_t>(A.n()), 1.0);
  EXPECT_EQ(solver->solve(std::span<double>(b)).cause, Cause::too_many_iterations);
}

long iterations_of(const TestMatrix<double>& A, Preconditioner preconditioner) {
  const std::unique_ptr<LinearSolver<double>> solver =
      make_gmres<double>({.tol = 1e-8, .max_iterations = 3000, .preconditioner = preconditioner});
  EXPECT_TRUE(solver->analyze(A.pattern).ok());
  EXPECT_TRUE(solver->factor(A.values).ok());
  std::vector<double> b = testing::random_vector<double>(A.n());
  EXPECT_TRUE(solver->solve(std::span<double>(b)).ok());
  return solver->counters().n_iterations;
}

// The scaled matrix tends to one without h: so does the number of iterations, for every preconditioner.
TEST(Gmres, iterations_on_the_scaled_matrix_do_not_depend_on_the_step) {
  for (const Preconditioner p : {Preconditioner::none, Preconditioner::diagonal, Preconditioner::constraint}) {
    const long coarse = iterations_of(testing::chain({.n_links = 10, .h = 1e-3}), p);
    const long fine = iterations_of(testing::chain({.n_links = 10, .h = 1e-6}), p);
    EXPECT_NEAR(static_cast<double>(coarse), static_cast<double>(fine), 2.0);
  }
}

// The constraints are in the preconditioner: what is left are the entries of M beside its diagonal.
TEST(Gmres, the_constraint_preconditioner_needs_few_iterations_on_a_long_chain) {
  EXPECT_LE(iterations_of(testing::chain({.n_links = 200}), Preconditioner::constraint), 40);
}

}  // namespace
}  // namespace trammel::test_unpivoted
