// SPDX-License-Identifier: Apache-2.0
#include "trammel/linalg/condition.h"

#include <gtest/gtest.h>

#include <Eigen/Core>
#include <cmath>
#include <limits>

#include "support/test_matrices.h"
#include "trammel/base/error.h"
#include "trammel/linalg/sparse_lu.h"

namespace trammel::test_condition {
namespace {

template <class Matrix>
Matrix random_orthogonal(int n, unsigned seed) {
  using S = typename Matrix::Scalar;
  const std::vector<S> numbers = testing::random_vector<S>(n * n, seed);
  return Eigen::HouseholderQR<Matrix>(Eigen::Map<const Matrix>(numbers.data(), n, n)).householderQ();
}

// A = U diag(1 … 1/κ) Vᴴ has κ₂(A) = κ by construction; forming it costs ε κ relatively.
template <class Matrix>
Matrix with_condition(int n, double condition) {
  Eigen::VectorXd sigma(n);
  for (int i = 0; i < n; ++i) sigma[i] = std::pow(condition, -double(i) / (n - 1));
  return random_orthogonal<Matrix>(n, 1) * sigma.asDiagonal() * random_orthogonal<Matrix>(n, 2).adjoint();
}

TEST(ConditionNumber, is_the_ratio_of_the_singular_values) {
  for (const double condition : {1.0, 1e3, 1e8}) {
    EXPECT_NEAR(condition_number(with_condition<Eigen::MatrixXd>(30, condition)) / condition, 1.0, 1e-6);
    EXPECT_NEAR(condition_number(with_condition<Eigen::MatrixXcd>(30, condition)) / condition, 1.0, 1e-6);
  }
}

// The Hilbert matrix of order 13 has κ₂ = 5.6e17, beyond 1/ε of double: its σ_min is lost there. Long double has an
// error of κ ε = 5.6e17 · 1.1e-19 = 6 % at most. Reference: H⁻¹ has integer entries, exact in long double; both norms
// by the power method.
TEST(ConditionNumber, extended_precision_is_right_where_double_is_not) {
  constexpr int n = 13;
  using Extended = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;
  const auto binomial = [](int a, int b) {
    long double value = 1;
    for (int k = 1; k <= b; ++k) value = value * (a - b + k) / k;
    return std::round(value);
  };
  Extended inverse(n, n), hilbert(n, n);
  for (int i = 1; i <= n; ++i)
    for (int j = 1; j <= n; ++j) {
      const long double b = binomial(i + j - 2, i - 1);
      inverse(i - 1, j - 1) =
          ((i + j) % 2 ? -1 : 1) * (i + j - 1) * binomial(n + i - 1, n - j) * binomial(n + j - 1, n - i) * b * b;
      hilbert(i - 1, j - 1) = 1.0L / (i + j - 1);
    }
  const auto norm = [](const Extended& A) {
    Eigen::Matrix<long double, Eigen::Dynamic, 1> v = Eigen::Matrix<long double, Eigen::Dynamic, 1>::LinSpaced(n, 1, 2);
    for (int k = 0; k < 200; ++k) v = (A * v).normalized();
    return (A * v).norm();
  };
  // Scaled by the least common multiple of 1 … 25 the matrix is exact in double, and κ is unchanged.
  const long double scale = 26771144400.0L;
  const Eigen::MatrixXd H = (scale * hilbert).array().round().matrix().cast<double>();
  const double expected = static_cast<double>(norm(hilbert) * norm(inverse));
  EXPECT_NEAR(condition_number(H, SvdPrecision::extended) / expected, 1.0, 0.06);
  EXPECT_GT(std::abs(condition_number(H) / expected - 1.0), 0.1) << "double would do";  // by rounding alone
  EXPECT_NEAR(expected / 5.63e17, 1.0, 1e-2);
}

TEST(ConditionNumber, a_singular_matrix_has_none) {
  Eigen::MatrixXd A = Eigen::MatrixXd::Zero(3, 3);
  A(0, 0) = A(1, 1) = 1;
  EXPECT_EQ(condition_number(A), std::numeric_limits<double>::infinity());
  EXPECT_EQ(condition_number(A, SvdPrecision::extended), std::numeric_limits<double>::infinity());
}

TEST(ConditionNumber, refuses_what_it_cannot_do_well) {
  EXPECT_THROW(condition_number(Eigen::MatrixXd::Ones(2, 3)), Error);
  EXPECT_THROW(condition_number(Eigen::MatrixXd::Identity(condition_svd_limit + 1, condition_svd_limit + 1)), Error);
  EXPECT_THROW(condition_number(Eigen::MatrixXd::Identity(condition_extended_limit + 1, condition_extended_limit + 1),
                                SvdPrecision::extended),
               Error);
  Eigen::MatrixXd A = Eigen::MatrixXd::Identity(2, 2);
  A(0, 1) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(condition_number(A), Error);
}

// Higham: the estimate never exceeds κ₁ and is rarely below a third of it; for these matrices it is not.
template <class S>
void expect_good_estimate(const testing::TestMatrix<S>& A) {
  const std::unique_ptr<LinearSolver<S>> solver = make_sparse_lu<S>();
  ASSERT_TRUE(solver->analyze(A.pattern).ok());
  ASSERT_TRUE(solver->factor(A.values).ok());
  const auto dense = A.matrix().to_dense();
  const double exact =
      dense.cwiseAbs().colwise().sum().maxCoeff() * testing::inverse_of(dense).cwiseAbs().colwise().sum().maxCoeff();
  const double estimate = estimate_condition(A.matrix(), *solver);
  EXPECT_LT(estimate, exact * (1 + 1e-6)) << A.name;
  EXPECT_GT(estimate, exact / 3) << A.name;
  EXPECT_LE(solver->counters().n_solve, 11);
}

TEST(ConditionEstimate, is_a_lower_bound_within_a_factor_three) {
  for (const testing::TestMatrix<double>& A :
       {testing::random_unsymmetric(60), testing::saddle_point(40, 15), testing::chain({.n_links = 10}),
        testing::chain({.n_links = 10, .h = 1e-4, .scaled = false})}) {
    expect_good_estimate(A);
    expect_good_estimate(testing::to_complex(A));
  }
}

}  // namespace
}  // namespace trammel::test_condition
