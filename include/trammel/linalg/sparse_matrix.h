// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <complex>
#include <span>
#include <vector>

#include "trammel/linalg/pattern.h"

namespace trammel {

/// Numbers on a pattern: a light value type. The pattern must outlive the matrix. Nothing here allocates after
/// construction, except to_dense. Vectors of any contiguous kind go through Eigen::Ref (unit stride).
template <class S>
struct SparseMatrix {
  using Vector = Eigen::Matrix<S, Eigen::Dynamic, 1>;
  using Dense = Eigen::Matrix<S, Eigen::Dynamic, Eigen::Dynamic>;

  const Pattern* pattern = nullptr;
  std::vector<S> values;

  SparseMatrix() = default;
  /// All zero on the given pattern.
  explicit SparseMatrix(const Pattern& on) : pattern(&on), values(on.index.size(), S(0)) {}

  void set_zero();
  /// A(row, col) += value; the entry must belong to the pattern (otherwise Error: a silent loss would be a wrong
  /// matrix).
  void add(int row, int col, S value);
  /// A(row, col), zero outside the pattern.
  S coefficient(int row, int col) const;

  /// y += a A x
  void multiply_add(S a, const Eigen::Ref<const Vector>& x, Eigen::Ref<Vector> y) const;
  /// y += a Aᵀ x (transposed, not conjugated)
  void multiply_transposed_add(S a, const Eigen::Ref<const Vector>& x, Eigen::Ref<Vector> y) const;
  /// A ← diag(row) A diag(col)
  void scale(std::span<const double> row, std::span<const double> col);
  void scale_rows(std::span<const double> row);
  void scale_columns(std::span<const double> col);

  /// ‖A‖∞ = max over rows of Σ |a_ij|. `row_sums` is scratch for n_rows numbers.
  double norm_infinity(std::span<double> row_sums) const;
  double norm_infinity() const;
  /// ‖A‖₁ = max over columns of Σ |a_ij|
  double norm_1() const;
  Dense to_dense() const;
};

extern template struct SparseMatrix<double>;
extern template struct SparseMatrix<std::complex<double>>;

}  // namespace trammel
