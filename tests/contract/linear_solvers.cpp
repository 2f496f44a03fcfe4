// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <Eigen/Core>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "support/test_matrices.h"
#include "trammel/linalg/dense_lu.h"
#include "trammel/linalg/gmres.h"
#include "trammel/linalg/mumps.h"
#include "trammel/linalg/petsc.h"
#include "trammel/linalg/skyline_ldlt.h"
#include "trammel/linalg/sparse_ldlt.h"
#include "trammel/linalg/sparse_lu.h"
#include "trammel/linalg/umfpack.h"

// What every linear solver must do. A new solver joins by one line in `solvers`.

namespace trammel::test_linear_solvers {
namespace {

using testing::TestMatrix;
using Complex = std::complex<double>;

template <class S>
struct Contestant {
  std::string name;
  std::function<std::unique_ptr<LinearSolver<S>>()> make;
  double backward_tol;  // the accuracy it promises
  bool pivots = true;   // else it may refuse a regular matrix, with Cause::vanished_pivot
  bool tells = true;    // whose the smallest pivot of a regular matrix is, or nothing of it

  Cause refusal() const { return pivots ? Cause::singular_matrix : Cause::vanished_pivot; }
};

// Factors, or refuses where the matrix offers no pivots to a solver that does not exchange rows; false: nothing to
// solve.
template <class S>
bool factors(const Contestant<S>& contestant, LinearSolver<S>& solver, const TestMatrix<S>& A) {
  const Status status = solver.factor(A.values);
  if (A.needs_pivoting && !contestant.pivots && !contestant.tells) return false;  // it promises nothing of these
  const bool refuses = A.needs_pivoting && !contestant.pivots;
  EXPECT_EQ(status.ok(), !refuses) << "unknown " << status.row << ", relative " << solver.smallest_pivot().relative;
  if (status.ok()) return true;
  EXPECT_EQ(status.cause, Cause::vanished_pivot);
  EXPECT_EQ(status.outcome, Outcome::recoverable);
  EXPECT_GE(status.row, 0);
  EXPECT_LT(status.row, A.n());
  EXPECT_FALSE(solver.factored());
  return false;
}

// A backward stable elimination leaves ‖A x − b‖∞ ≤ c ε g (‖A‖∞ ‖x‖∞ + ‖b‖∞) with a modest c and the pivot growth g.
// Partial pivoting has g of order 1 in practice: 1e-12 = 4500 ε. Threshold pivoting may multiply g by 1/tol in a few
// steps of the elimination: two of them are 1e6 at tol = 1e-3. Both fail for any wrong entry.
constexpr double stable = 1e-12;
constexpr double threshold = 1e-9;
// An iterative solver stops at ‖b − A x‖₂ ≤ 1e-12 ‖b‖₂; the norms differ by √n < 20.
constexpr double iterative = 2e-11;

template <class S>
std::vector<Contestant<S>> solvers() {
  std::vector<Contestant<S>> all{
      {"dense", [] { return make_dense_lu<S>(); }, stable},
      {"sparse_lu", [] { return make_sparse_lu<S>(); }, stable},
      {"sparse_lu_threshold", [] { return make_sparse_lu<S>({.pivot_tol = 1e-3}); }, threshold},
      {"umfpack", [] { return make_umfpack<S>(); }, stable},
      {"sparse_ldlt", [] { return make_sparse_ldlt<S>(); }, stable, false},
      {"sparse_ldlt_portable", [] { return make_sparse_ldlt<S>({.dense_kernel = DenseKernel::portable}); }, stable,
       false},
      {"sparse_ldlt_refined", [] { return make_sparse_ldlt<S>({.refine_above = 0.0}); }, stable, false},
      {"skyline_ldlt", [] { return make_skyline_ldlt<S>(); }, stable, false},
      {"gmres", [] { return make_gmres<S>(); }, iterative, false},
      {"auto", [] { return make_linear_solver<S>(LinearSolverKind::automatic, 1000); }, stable},
  };
  // Of builds that have them.
  if (find_petsc_obstacle().empty()) all.push_back({"petsc", [] { return make_petsc<S>(); }, iterative, false, false});
  if (find_mumps_obstacle().empty()) all.push_back({"mumps", [] { return make_mumps<S>(); }, stable, true, false});
  return all;
}

std::vector<TestMatrix<double>> regular_matrices() {
  std::vector<TestMatrix<double>> all;
  all.push_back(testing::make_test_matrix("one by one", 1, 1, {{0, 0, -2.0}}));
  for (const int n : {2, 5, 31, 32, 33, 64, 150}) all.push_back(testing::random_unsymmetric(n + 4));
  all.push_back(testing::saddle_point(20, 10));
  all.push_back(testing::saddle_point(200, 90));
  for (const double h : {1e-1, 1e-3, 1e-6})
    for (const bool scaled : {true, false})
      for (const double rho : {0.0, 1.0})
        all.push_back(testing::chain({.n_links = 12, .h = h, .rho = rho, .scaled = scaled}));
  all.push_back(testing::chain({.n_links = 40, .interleaved = true}));
  return all;
}

template <class S>
std::vector<TestMatrix<S>> matrices_of() {
  if constexpr (std::is_same_v<S, double>) {
    return regular_matrices();
  } else {
    std::vector<TestMatrix<Complex>> all;
    for (const TestMatrix<double>& A : regular_matrices()) all.push_back(testing::to_complex(A));
    return all;
  }
}

template <class S>
using Vector = Eigen::Matrix<S, Eigen::Dynamic, 1>;

template <class S>
Vector<S> as_vector(const std::vector<S>& x) {
  return Eigen::Map<const Vector<S>>(x.data(), static_cast<Eigen::Index>(x.size()));
}

// ‖A x − b‖∞ / (‖A‖∞ ‖x‖∞ + ‖b‖∞)
template <class S>
double backward_error(const SparseMatrix<S>& A, const Vector<S>& x, const Vector<S>& b, bool transposed = false) {
  Vector<S> r = -b;
  if (transposed)
    A.multiply_transposed_add(S(1), x, r);
  else
    A.multiply_add(S(1), x, r);
  const double norm = transposed ? A.norm_1() : A.norm_infinity();
  return r.template lpNorm<Eigen::Infinity>() /
         (norm * x.template lpNorm<Eigen::Infinity>() + b.template lpNorm<Eigen::Infinity>());
}

template <class S>
class LinearSolverContract : public ::testing::Test {};
using Scalars = ::testing::Types<double, Complex>;
TYPED_TEST_SUITE(LinearSolverContract, Scalars);

TYPED_TEST(LinearSolverContract, solves_every_matrix_and_its_transpose_backward_stably) {
  using S = TypeParam;
  for (const TestMatrix<S>& A : matrices_of<S>())
    for (const Contestant<S>& contestant : solvers<S>()) {
      SCOPED_TRACE(A.name + " with " + contestant.name);
      const std::unique_ptr<LinearSolver<S>> solver = contestant.make();
      ASSERT_TRUE(solver->analyze(A.pattern).ok());
      if (!factors(contestant, *solver, A)) continue;
      const Vector<S> b = as_vector(testing::random_vector<S>(A.n()));
      Vector<S> x = b;
      ASSERT_TRUE(solver->solve(x).ok());
      EXPECT_LT(backward_error(A.matrix(), x, b), contestant.backward_tol);
      x = b;
      ASSERT_TRUE(solver->solve_transposed(x).ok());
      EXPECT_LT(backward_error(A.matrix(), x, b, true), contestant.backward_tol);
      EXPECT_TRUE(solver->smallest_pivot().value > 0.0 || !contestant.tells);
      EXPECT_EQ(solver->smallest_pivot().unknown >= 0, contestant.tells);
      EXPECT_LT(solver->smallest_pivot().unknown, A.n());
      EXPECT_GE(solver->counters().nnz_factors, A.n());
    }
}

// Solutions differ by at most κ times the backward errors: |x₁ − x₂| ≤ 2 κ∞(A) · (promised accuracy) · |x|.
TYPED_TEST(LinearSolverContract, every_solver_agrees_with_every_other) {
  using S = TypeParam;
  for (const TestMatrix<S>& A : matrices_of<S>()) {
    const Eigen::Matrix<S, Eigen::Dynamic, Eigen::Dynamic> dense = A.matrix().to_dense();
    const double condition =
        dense.cwiseAbs().rowwise().sum().maxCoeff() * testing::inverse_of(dense).cwiseAbs().rowwise().sum().maxCoeff();
    std::vector<Vector<S>> solutions;
    for (const Contestant<S>& contestant : solvers<S>()) {
      const std::unique_ptr<LinearSolver<S>> solver = contestant.make();
      ASSERT_TRUE(solver->analyze(A.pattern).ok());
      if (!factors(contestant, *solver, A)) continue;
      solutions.push_back(as_vector(testing::random_vector<S>(A.n())));
      ASSERT_TRUE(solver->solve(solutions.back()).ok());
      const double limit =
          2 * condition * contestant.backward_tol * solutions.front().template lpNorm<Eigen::Infinity>();
      EXPECT_LT((solutions.back() - solutions.front()).template lpNorm<Eigen::Infinity>(), limit)
          << A.name << " with " << contestant.name;
    }
  }
}

TYPED_TEST(LinearSolverContract, refactor_solves_with_the_new_values) {
  using S = TypeParam;
  for (TestMatrix<S>& A : matrices_of<S>())
    for (const Contestant<S>& contestant : solvers<S>()) {
      SCOPED_TRACE(A.name + " with " + contestant.name);
      const std::unique_ptr<LinearSolver<S>> solver = contestant.make();
      ASSERT_TRUE(solver->analyze(A.pattern).ok());
      if (!factors(contestant, *solver, A)) continue;
      TestMatrix<S> B = A;
      const std::vector<double> change = testing::random_vector<double>(static_cast<int>(B.values.size()), 17);
      for (std::size_t k = 0; k < B.values.size(); ++k) B.values[k] *= 1.0 + 0.05 * change[k];
      ASSERT_TRUE(solver->refactor(B.values).ok());
      const Vector<S> b = as_vector(testing::random_vector<S>(B.n()));
      Vector<S> x = b;
      ASSERT_TRUE(solver->solve(x).ok());
      EXPECT_LT(backward_error(B.matrix(), x, b), contestant.backward_tol);
      EXPECT_EQ(solver->counters().n_factor + solver->counters().n_refactor, 2);
      EXPECT_EQ(solver->counters().n_solve, 1);
    }
}

// The old pivots become useless: the 2 × 2 block (1 ε; 1 1) after (1 1; ε 1). A solver that keeps them without looking
// answers with an error of order 1.
TYPED_TEST(LinearSolverContract, refactor_survives_pivots_that_became_tiny) {
  using S = TypeParam;
  for (const Contestant<S>& contestant : solvers<S>()) {
    SCOPED_TRACE(contestant.name);
    std::vector<testing::Entry> entries;
    constexpr int n = 8;
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) entries.push_back({i, j, i == j ? 10.0 : 1.0 / (1.0 + i + 2 * j)});
    const TestMatrix<double> good = testing::make_test_matrix("good", n, n, entries);
    TestMatrix<S> A{"", good.pattern, std::vector<S>(good.values.begin(), good.values.end())};
    const std::unique_ptr<LinearSolver<S>> solver = contestant.make();
    ASSERT_TRUE(solver->analyze(A.pattern).ok());
    ASSERT_TRUE(solver->factor(A.values).ok());
    for (int i = 0; i < n; ++i) A.values[A.pattern.slot(i, i)] = S(1e-14);
    const Status status = solver->refactor(A.values);
    if (status.cause == Cause::vanished_pivot) {
      EXPECT_FALSE(contestant.pivots);
      continue;
    }
    ASSERT_TRUE(status.ok());
    const Vector<S> b = as_vector(testing::random_vector<S>(n));
    Vector<S> x = b;
    ASSERT_TRUE(solver->solve(x).ok());
    EXPECT_LT(backward_error(A.matrix(), x, b), contestant.backward_tol);
    EXPECT_TRUE(!contestant.pivots || solver->counters().n_factor == 2) << "the pivots had to be chosen anew";
  }
}

// A x = 0 has a solution with x_k ≠ 0 exactly for the unknowns k that may be named. Here: columns 3 and 7 of a regular
// matrix are made equal, so x = e₃ − e₇ and nobody else is guilty.
TYPED_TEST(LinearSolverContract, a_singular_matrix_names_a_guilty_unknown) {
  using S = TypeParam;
  for (const int n : {12, 60}) {
    const TestMatrix<double> regular = testing::random_unsymmetric(n);
    const Eigen::MatrixXd dense = regular.matrix().to_dense();
    std::vector<testing::Entry> entries;
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < n; ++i)
        if (const double value = dense(i, j == 7 ? 3 : j); value != 0) entries.push_back({i, j, value});
    const TestMatrix<double> singular = testing::make_test_matrix("equal columns", n, n, entries);
    const std::vector<S> values(singular.values.begin(), singular.values.end());
    for (const Contestant<S>& contestant : solvers<S>()) {
      SCOPED_TRACE(contestant.name);
      const std::unique_ptr<LinearSolver<S>> solver = contestant.make();
      ASSERT_TRUE(solver->analyze(singular.pattern).ok());
      const Status status = solver->factor(values);
      EXPECT_EQ(status.outcome, Outcome::recoverable);
      EXPECT_EQ(status.cause, contestant.refusal());
      // Without exchanges a pivot vanishes long before the guilty columns are reached: it proves nothing.
      EXPECT_TRUE(!contestant.pivots || status.row == 3 || status.row == 7) << status.row;
      EXPECT_EQ(solver->smallest_pivot().unknown, status.row);
      EXPECT_LT(solver->smallest_pivot().relative, LinearSolver<S>::singular_pivot);
      EXPECT_FALSE(solver->factored());
      std::vector<S> b(static_cast<std::size_t>(n), S(1));
      EXPECT_ANY_THROW((void)solver->solve(std::span<S>(b)));
    }
  }
}

// A joint given twice: the multipliers of both copies (and no coordinate) span the null space.
TYPED_TEST(LinearSolverContract, a_repeated_joint_names_one_of_its_multipliers) {
  using S = TypeParam;
  constexpr int n_links = 20;
  const TestMatrix<double> A = testing::chain({.n_links = n_links, .closed = true});
  const std::vector<S> values(A.values.begin(), A.values.end());
  for (const Contestant<S>& contestant : solvers<S>()) {
    SCOPED_TRACE(contestant.name);
    const std::unique_ptr<LinearSolver<S>> solver = contestant.make();
    ASSERT_TRUE(solver->analyze(A.pattern).ok());
    const Status status = solver->factor(values);
    EXPECT_EQ(status.cause, contestant.refusal());
    EXPECT_GE(status.row, 6 * n_links + 5 * (n_links - 1)) << "a multiplier of the last joint or of its copy";
  }
}

TYPED_TEST(LinearSolverContract, an_empty_column_is_named) {
  using S = TypeParam;
  const TestMatrix<double> A =
      testing::make_test_matrix("empty column 1", 3, 3, {{0, 0, 1.0}, {1, 0, 2.0}, {1, 2, 1.0}, {2, 2, 3.0}});
  const std::vector<S> values(A.values.begin(), A.values.end());
  for (const Contestant<S>& contestant : solvers<S>()) {
    const std::unique_ptr<LinearSolver<S>> solver = contestant.make();
    ASSERT_TRUE(solver->analyze(A.pattern).ok());
    const Status status = solver->factor(values);
    EXPECT_EQ(status.cause, contestant.refusal()) << contestant.name;
    EXPECT_EQ(status.row, 1) << contestant.name;
  }
}

// h = 1e-9 makes entries of 1e18 beside entries of 1; the pivots of the multipliers are 1e-18 and perfectly good.
TYPED_TEST(LinearSolverContract, bad_scaling_is_not_taken_for_singularity) {
  using S = TypeParam;
  const TestMatrix<double> A = testing::chain({.n_links = 5, .h = 1e-9, .scaled = false});
  const std::vector<S> values(A.values.begin(), A.values.end());
  for (const Contestant<S>& contestant : solvers<S>()) {
    const std::unique_ptr<LinearSolver<S>> solver = contestant.make();
    ASSERT_TRUE(solver->analyze(A.pattern).ok());
    EXPECT_TRUE(solver->factor(values).ok()) << contestant.name;
    EXPECT_TRUE(solver->smallest_pivot().relative > 1e-6 || !contestant.tells) << contestant.name;
  }
}

TYPED_TEST(LinearSolverContract, recovers_after_a_singular_matrix) {
  using S = TypeParam;
  const TestMatrix<double> A = testing::saddle_point(20, 8);
  for (const Contestant<S>& contestant : solvers<S>()) {
    SCOPED_TRACE(contestant.name);
    std::vector<S> values(A.values.begin(), A.values.end());
    const std::unique_ptr<LinearSolver<S>> solver = contestant.make();
    ASSERT_TRUE(solver->analyze(A.pattern).ok());
    const std::vector<S> zeros(values.size(), S(0));
    EXPECT_EQ(solver->factor(zeros).cause, contestant.refusal());
    EXPECT_TRUE(solver->refactor(values).ok());
    EXPECT_EQ(solver->refactor(zeros).cause, contestant.refusal());
    EXPECT_TRUE(solver->refactor(values).ok());
    const Vector<S> b = as_vector(testing::random_vector<S>(A.n()));
    Vector<S> x = b;
    ASSERT_TRUE(solver->solve(x).ok());
    SparseMatrix<S> matrix(A.pattern);
    matrix.values = values;
    EXPECT_LT(backward_error(matrix, x, b), contestant.backward_tol);
  }
}

TYPED_TEST(LinearSolverContract, numbers_that_are_not_finite_are_reported_with_their_row) {
  using S = TypeParam;
  const TestMatrix<double> A = testing::saddle_point(20, 8);
  for (const double bad : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()})
    for (const Contestant<S>& contestant : solvers<S>()) {
      SCOPED_TRACE(contestant.name);
      std::vector<S> values(A.values.begin(), A.values.end());
      const std::unique_ptr<LinearSolver<S>> solver = contestant.make();
      ASSERT_TRUE(solver->analyze(A.pattern).ok());
      ASSERT_TRUE(solver->factor(values).ok());
      std::vector<S> b(static_cast<std::size_t>(A.n()), S(1));
      b[4] = S(bad);
      EXPECT_EQ(solver->solve(std::span<S>(b)).cause, Cause::not_finite);
      EXPECT_EQ(solver->solve_transposed(std::span<S>(b)).row, 4);
      values[A.pattern.slot(6, 6)] = S(bad);
      EXPECT_EQ(solver->refactor(values).row, 6);
      const Status status = solver->factor(values);
      EXPECT_EQ(status.outcome, Outcome::recoverable);
      EXPECT_EQ(status.cause, Cause::not_finite);
      EXPECT_EQ(status.row, 6);
    }
}

TYPED_TEST(LinearSolverContract, a_new_pattern_replaces_the_old_one) {
  using S = TypeParam;
  for (const Contestant<S>& contestant : solvers<S>()) {
    const std::unique_ptr<LinearSolver<S>> solver = contestant.make();
    for (const int n : {40, 9, 0, 70}) {
      SCOPED_TRACE(contestant.name + ", n = " + std::to_string(n));
      const TestMatrix<double> A = n == 0              ? testing::make_test_matrix("empty", 0, 0, {})
                                   : contestant.pivots ? testing::random_unsymmetric(n)
                                                       : testing::saddle_point(n - n / 3, n / 3);
      const std::vector<S> values(A.values.begin(), A.values.end());
      ASSERT_TRUE(solver->analyze(A.pattern).ok());
      ASSERT_TRUE(solver->factor(values).ok());
      const Vector<S> b = as_vector(testing::random_vector<S>(n));
      Vector<S> x = b;
      ASSERT_TRUE(solver->solve(x).ok());
      SparseMatrix<S> matrix(A.pattern);
      matrix.values = values;
      if (n == 0) continue;
      EXPECT_LT(backward_error(matrix, x, b), contestant.backward_tol);
    }
  }
}

TYPED_TEST(LinearSolverContract, wrong_use_throws_before_any_work) {
  using S = TypeParam;
  const TestMatrix<double> A = testing::saddle_point(5, 2);
  const std::vector<S> values(A.values.begin(), A.values.end());
  for (const Contestant<S>& contestant : solvers<S>()) {
    const std::unique_ptr<LinearSolver<S>> solver = contestant.make();
    std::vector<S> b(7, S(1)), short_b(6, S(1));
    EXPECT_ANY_THROW((void)solver->factor(values)) << "factor before analyze";
    EXPECT_ANY_THROW((void)solver->analyze(PatternBuilder(2, 3).build())) << "not square";
    EXPECT_ANY_THROW((void)solver->analyze(A.pattern, {.roles = {UnknownRole::other}, .blocks = {}, .rows = {}}))
        << "hint of wrong size";
    ASSERT_TRUE(solver->analyze(A.pattern).ok());
    EXPECT_ANY_THROW((void)solver->solve(std::span<S>(b))) << "solve before factor";
    EXPECT_ANY_THROW((void)solver->factor(std::span<const S>(values).first(3))) << "too few values";
    ASSERT_TRUE(solver->factor(values).ok());
    EXPECT_ANY_THROW((void)solver->solve(std::span<S>(short_b))) << "right-hand side of wrong size";
  }
}

}  // namespace
}  // namespace trammel::test_linear_solvers
