// SPDX-License-Identifier: Apache-2.0
#include "trammel/linalg/sparse_matrix.h"

#include <gtest/gtest.h>

#include <Eigen/Core>

#include "support/test_matrices.h"
#include "trammel/base/error.h"

namespace trammel::test_sparse_matrix {
namespace {

// Sums of at most 10 products of numbers of order 1.
constexpr double rounding = 1e-14;

template <class S>
class SparseMatrixLaws : public ::testing::Test {
 protected:
  using Vector = Eigen::Matrix<S, Eigen::Dynamic, 1>;
  using Dense = Eigen::Matrix<S, Eigen::Dynamic, Eigen::Dynamic>;

  SparseMatrixLaws() {
    std::vector<testing::Entry> entries;
    const std::vector<double> numbers = testing::random_vector<double>(300, 8);
    for (int k = 0; k < 30; ++k) entries.push_back({k * 5 % n_rows, k * 7 % n_cols, numbers[k]});
    const testing::TestMatrix<double> real = testing::make_test_matrix("", n_rows, n_cols, entries);
    pattern = real.pattern;
    A = SparseMatrix<S>(pattern);
    if constexpr (std::is_same_v<S, double>)
      A.values = real.values;
    else
      A.values = testing::to_complex(real).values;
    dense = A.to_dense();
    x = Eigen::Map<const Vector>(testing::random_vector<S>(n_cols, 1).data(), n_cols).eval();
    y = Eigen::Map<const Vector>(testing::random_vector<S>(n_rows, 2).data(), n_rows).eval();
  }

  static constexpr int n_rows = 6, n_cols = 11;
  Pattern pattern;
  SparseMatrix<S> A;
  Dense dense;
  Vector x, y;
};
using Scalars = ::testing::Types<double, std::complex<double>>;
TYPED_TEST_SUITE(SparseMatrixLaws, Scalars);

TYPED_TEST(SparseMatrixLaws, products_add_to_what_is_there) {
  using S = TypeParam;
  typename TestFixture::Vector r = this->y;
  this->A.multiply_add(S(-2.5), this->x, r);
  EXPECT_LT((r - (this->y - 2.5 * this->dense * this->x)).norm(), rounding);
  typename TestFixture::Vector t = this->x;
  this->A.multiply_transposed_add(S(3), this->y, t);
  EXPECT_LT((t - (this->x + 3.0 * this->dense.transpose() * this->y)).norm(), rounding);
}

TYPED_TEST(SparseMatrixLaws, norms_are_the_dense_ones) {
  EXPECT_NEAR(this->A.norm_infinity(), this->dense.cwiseAbs().rowwise().sum().maxCoeff(), rounding);
  EXPECT_NEAR(this->A.norm_1(), this->dense.cwiseAbs().colwise().sum().maxCoeff(), rounding);
}

TYPED_TEST(SparseMatrixLaws, scaling_multiplies_rows_and_columns) {
  std::vector<double> row(this->n_rows), col(this->n_cols);
  for (int i = 0; i < this->n_rows; ++i) row[i] = 1.0 + i;
  for (int j = 0; j < this->n_cols; ++j) col[j] = 1.0 / (2.0 + j);
  const Eigen::VectorXd r = Eigen::Map<Eigen::VectorXd>(row.data(), this->n_rows);
  const Eigen::VectorXd c = Eigen::Map<Eigen::VectorXd>(col.data(), this->n_cols);
  SparseMatrix<TypeParam> both = this->A, one_by_one = this->A;
  both.scale(row, col);
  one_by_one.scale_rows(row);
  one_by_one.scale_columns(col);
  EXPECT_LT((both.to_dense() - r.asDiagonal() * this->dense * c.asDiagonal()).norm(), rounding);
  EXPECT_LT((one_by_one.to_dense() - both.to_dense()).norm(), rounding);
}

TYPED_TEST(SparseMatrixLaws, entries_are_read_and_added_by_row_and_column) {
  SparseMatrix<TypeParam> B(this->pattern);
  for (int i = 0; i < this->n_rows; ++i)
    for (int j = 0; j < this->n_cols; ++j) {
      EXPECT_EQ(this->A.coefficient(i, j), this->dense(i, j));
      if (this->pattern.slot(i, j) >= 0) {
        B.add(i, j, 0.5 * this->dense(i, j));
        B.add(i, j, 0.5 * this->dense(i, j));
      } else {
        EXPECT_THROW(B.add(i, j, TypeParam(1)), Error);
      }
    }
  EXPECT_LT((B.to_dense() - this->dense).norm(), rounding);
  B.set_zero();
  EXPECT_EQ(B.norm_1(), 0.0);
}

}  // namespace
}  // namespace trammel::test_sparse_matrix
