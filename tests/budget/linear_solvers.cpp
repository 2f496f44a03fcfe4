// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <complex>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "support/allocation_counter.h"
#include "support/test_matrices.h"
#include "trammel/base/threads.h"
#include "trammel/linalg/dense_lu.h"
#include "trammel/linalg/gmres.h"
#include "trammel/linalg/skyline_ldlt.h"
#include "trammel/linalg/sparse_ldlt.h"
#include "trammel/linalg/sparse_lu.h"

// Newton's loop refactors and solves thousands of times: neither may touch the heap after the first factor.

namespace trammel {
namespace {

template <class S>
struct Contestant {
  std::string name;
  std::function<std::unique_ptr<LinearSolver<S>>()> make;
};

template <class S>
std::vector<Contestant<S>> solvers() {
  return {
      {"dense", [] { return make_dense_lu<S>(); }},
      {"sparse_lu", [] { return make_sparse_lu<S>(); }},
      {"sparse_ldlt", [] { return make_sparse_ldlt<S>(); }},
      {"skyline_ldlt", [] { return make_skyline_ldlt<S>(); }},
      {"gmres", [] { return make_gmres<S>(); }},
      {"sparse_ldlt, always refined", [] { return make_sparse_ldlt<S>({.refine_above = 0.0}); }},
  };
}

template <class S>
class LinearSolverBudget : public ::testing::Test {};
using Scalars = ::testing::Types<double, std::complex<double>>;
TYPED_TEST_SUITE(LinearSolverBudget, Scalars);

TYPED_TEST(LinearSolverBudget, refactor_and_solves_do_not_allocate) {
  using S = TypeParam;
  for (const int n_links : {1, 3, 30})
    for (const bool scaled : {true, false}) {  // unscaled: the pivots are suspicious and get equilibrated
      const testing::TestMatrix<double> A = testing::chain({.n_links = n_links, .h = 1e-7, .scaled = scaled});
      for (const Contestant<S>& contestant : solvers<S>()) {
        SCOPED_TRACE(A.name + " with " + contestant.name);
        std::vector<S> values(A.values.begin(), A.values.end());
        std::vector<S> b(static_cast<std::size_t>(A.n()), S(1));
        const std::unique_ptr<LinearSolver<S>> solver = contestant.make();
        ASSERT_TRUE(solver->analyze(A.pattern).ok());
        ASSERT_TRUE(solver->factor(values).ok());
        bool ok = true;
        const testing::AllocationScope scope;
        for (int k = 0; k < 3; ++k) {
          for (S& value : values) value *= 1.01;
          ok = ok && solver->refactor(values).ok();
          ok = ok && solver->solve(std::span<S>(b)).ok();
          ok = ok && solver->solve_transposed(std::span<S>(b)).ok();
        }
        const long count = scope.count();
        EXPECT_TRUE(ok);
        EXPECT_EQ(count, 0);
        if (contestant.name != "dense") {
          EXPECT_EQ(solver->counters().n_refactor, 3);
        }
      }
    }
}

// Threads and their memory are there after the first factorization and solution.
TYPED_TEST(LinearSolverBudget, shared_factors_and_solutions_do_not_allocate) {
  using S = TypeParam;
  const ThreadScope threads(2);
  const testing::TestMatrix<double> A = testing::chain({.n_links = 2500});
  const std::vector<S> values(A.values.begin(), A.values.end());
  std::vector<S> b(static_cast<std::size_t>(A.n()), S(1));
  const std::unique_ptr<LinearSolver<S>> solver = make_sparse_ldlt<S>();
  ASSERT_TRUE(solver->analyze(A.pattern).ok());
  ASSERT_TRUE(solver->factor(values).ok());
  ASSERT_TRUE(solver->solve(std::span<S>(b)).ok());
  ASSERT_EQ(threads.n_used(), 2) << "it is large enough to be shared";
  bool ok = true;
  const testing::AllocationScope scope;
  for (int k = 0; k < 3; ++k) {
    ok = ok && solver->refactor(values).ok();
    ok = ok && solver->solve(std::span<S>(b)).ok();
    ok = ok && solver->solve_transposed(std::span<S>(b)).ok();
  }
  const long count = scope.count();
  EXPECT_TRUE(ok);
  EXPECT_EQ(count, 0);
}

TYPED_TEST(LinearSolverBudget, dense_factor_does_not_allocate) {
  using S = TypeParam;
  for (const int n : {5, 40, 400}) {
    const testing::TestMatrix<double> A = testing::random_unsymmetric(n);
    const std::vector<S> values(A.values.begin(), A.values.end());
    const std::unique_ptr<LinearSolver<S>> solver = make_dense_lu<S>();
    ASSERT_TRUE(solver->analyze(A.pattern).ok());
    const testing::AllocationScope scope;
    const bool ok = solver->factor(values).ok();
    const long count = scope.count();
    EXPECT_TRUE(ok);
    EXPECT_EQ(count, 0) << "n = " << n;
  }
}

TYPED_TEST(LinearSolverBudget, products_and_norms_do_not_allocate) {
  using S = TypeParam;
  const testing::TestMatrix<double> A = testing::chain({.n_links = 5});
  SparseMatrix<S> matrix(A.pattern);
  matrix.values.assign(A.values.begin(), A.values.end());
  const Eigen::Matrix<S, Eigen::Dynamic, 1> x = Eigen::Matrix<S, Eigen::Dynamic, 1>::Ones(A.n());
  Eigen::Matrix<S, Eigen::Dynamic, 1> y = x;
  std::vector<double> scale(static_cast<std::size_t>(A.n()), 2.0);
  const testing::AllocationScope scope;
  matrix.multiply_add(S(2), x, y);
  matrix.multiply_transposed_add(S(2), x, y);
  matrix.scale(scale, scale);
  const double norm = matrix.norm_infinity(scale) + matrix.norm_1();
  const long count = scope.count();
  EXPECT_GT(norm, 0);
  EXPECT_EQ(count, 0);
}

}  // namespace
}  // namespace trammel
