// SPDX-License-Identifier: Apache-2.0
#include "trammel/linalg/sparse_matrix.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "trammel/base/error.h"

namespace trammel {

template <class S>
void SparseMatrix<S>::set_zero() {
  std::fill(values.begin(), values.end(), S(0));
}

template <class S>
void SparseMatrix<S>::add(int row, int col, S value) {
  const int k = pattern->slot(row, col);
  if (k < 0) throw Error(fmt::format("entry ({}, {}) is not part of the sparse matrix's pattern", row, col));
  values[k] += value;
}

template <class S>
S SparseMatrix<S>::coefficient(int row, int col) const {
  const int k = pattern->slot(row, col);
  return k < 0 ? S(0) : values[k];
}

template <class S>
void SparseMatrix<S>::multiply_add(S a, const Eigen::Ref<const Vector>& x, Eigen::Ref<Vector> y) const {
  const Pattern& p = *pattern;
  for (int j = 0; j < p.n_cols; ++j) {
    const S ax = a * x[j];
    for (int k = p.start[j]; k < p.start[j + 1]; ++k) y[p.index[k]] += values[k] * ax;
  }
}

template <class S>
void SparseMatrix<S>::multiply_transposed_add(S a, const Eigen::Ref<const Vector>& x, Eigen::Ref<Vector> y) const {
  const Pattern& p = *pattern;
  for (int j = 0; j < p.n_cols; ++j) {
    S sum(0);
    for (int k = p.start[j]; k < p.start[j + 1]; ++k) sum += values[k] * x[p.index[k]];
    y[j] += a * sum;
  }
}

template <class S>
void SparseMatrix<S>::scale(std::span<const double> row, std::span<const double> col) {
  const Pattern& p = *pattern;
  for (int j = 0; j < p.n_cols; ++j)
    for (int k = p.start[j]; k < p.start[j + 1]; ++k) values[k] *= row[p.index[k]] * col[j];
}

template <class S>
void SparseMatrix<S>::scale_rows(std::span<const double> row) {
  for (std::size_t k = 0; k < values.size(); ++k) values[k] *= row[pattern->index[k]];
}

template <class S>
void SparseMatrix<S>::scale_columns(std::span<const double> col) {
  const Pattern& p = *pattern;
  for (int j = 0; j < p.n_cols; ++j)
    for (int k = p.start[j]; k < p.start[j + 1]; ++k) values[k] *= col[j];
}

template <class S>
double SparseMatrix<S>::norm_infinity(std::span<double> row_sums) const {
  std::fill(row_sums.begin(), row_sums.end(), 0.0);
  for (std::size_t k = 0; k < values.size(); ++k) row_sums[pattern->index[k]] += std::abs(values[k]);
  double norm = 0;
  for (const double sum : row_sums) norm = std::max(norm, sum);
  return norm;
}

template <class S>
double SparseMatrix<S>::norm_infinity() const {
  std::vector<double> row_sums(static_cast<std::size_t>(pattern->n_rows));
  return norm_infinity(row_sums);
}

template <class S>
double SparseMatrix<S>::norm_1() const {
  const Pattern& p = *pattern;
  double norm = 0;
  for (int j = 0; j < p.n_cols; ++j) {
    double sum = 0;
    for (int k = p.start[j]; k < p.start[j + 1]; ++k) sum += std::abs(values[k]);
    norm = std::max(norm, sum);
  }
  return norm;
}

template <class S>
typename SparseMatrix<S>::Dense SparseMatrix<S>::to_dense() const {
  const Pattern& p = *pattern;
  Dense A = Dense::Zero(p.n_rows, p.n_cols);
  for (int j = 0; j < p.n_cols; ++j)
    for (int k = p.start[j]; k < p.start[j + 1]; ++k) A(p.index[k], j) = values[k];
  return A;
}

template struct SparseMatrix<double>;
template struct SparseMatrix<std::complex<double>>;

}  // namespace trammel
