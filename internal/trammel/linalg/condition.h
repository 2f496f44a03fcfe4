// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <complex>

#include "trammel/linalg/linear_solver.h"
#include "trammel/linalg/sparse_matrix.h"

namespace trammel {

/// Systems up to this size get the singular values (measured: 0.04 s at n = 400); larger ones estimate_condition.
inline constexpr int condition_svd_limit = 400;
/// The same with the inverse in long double.
inline constexpr int condition_extended_limit = 250;

enum class SvdPrecision {
  standard,  ///< double: trustworthy up to κ ≈ 1e14
  /// From the inverse in long double: κ ≈ 1e17 for any matrix, and far beyond for one that is only badly scaled:
  /// unscaled index-3 matrices at small steps reach κ = 5e32.
  extended,
};

/// κ₂(A) = σ_max / σ_min from the singular values; +∞ when σ_min = 0, 1 for an empty matrix. Throws Error when A is not
/// square, not finite or larger than the limit of the chosen precision.
double condition_number(const Eigen::Ref<const Eigen::MatrixXd>& A, SvdPrecision precision = SvdPrecision::standard);
double condition_number(const Eigen::Ref<const Eigen::MatrixXcd>& A, SvdPrecision precision = SvdPrecision::standard);

/// A⁻¹ by elimination with partial pivoting in long double, after rows were scaled by powers of two. Pivots do not
/// depend on the scale of columns, so entries of a graded inverse are right one by one where its singular values are
/// not. Not finite when A is singular. Throws Error when A is not square, not finite or larger than
/// condition_extended_limit.
Eigen::MatrixXd extended_inverse(const Eigen::Ref<const Eigen::MatrixXd>& A);

/// A lower bound of κ₁(A) = ‖A‖₁ ‖A⁻¹‖₁, rarely below a third of it, from at most 11 solves with the factors of A that
/// `solver` holds: Hager's ascent on the convex function ‖A⁻¹x‖₁ over ‖x‖₁ = 1 with Higham's safeguards
/// [N. J. Higham, ACM TOMS 14 (1988) 381–396]. Infinite when a solve overflows.
template <class S>
double estimate_condition(const SparseMatrix<S>& A, LinearSolver<S>& solver);

}  // namespace trammel
