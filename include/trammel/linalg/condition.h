#pragma once

#include <Eigen/Core>
#include <complex>

#include "trammel/linalg/linear_solver.h"
#include "trammel/linalg/sparse_matrix.h"

namespace trammel {

/// Systems up to this size get the singular values (measured: 0.04 s at n = 400); larger ones estimate_condition.
inline constexpr int condition_svd_limit = 400;
/// The same in long double (measured: 0.05 s at n = 100, 0.18 s at n = 150).
inline constexpr int condition_extended_limit = 150;

enum class SvdPrecision {
  standard,  ///< double: trustworthy up to κ ≈ 1e14
  extended,  ///< long double: up to κ ≈ 1e17; unscaled index-3 matrices at small steps live there
};

/// κ₂(A) = σ_max / σ_min from the singular values; +∞ when σ_min = 0, 1 for an empty matrix. Throws Error when A is not
/// square, not finite or larger than the limit of the chosen precision.
double condition_number(const Eigen::Ref<const Eigen::MatrixXd>& A, SvdPrecision precision = SvdPrecision::standard);
double condition_number(const Eigen::Ref<const Eigen::MatrixXcd>& A, SvdPrecision precision = SvdPrecision::standard);

/// A lower bound of κ₁(A) = ‖A‖₁ ‖A⁻¹‖₁, rarely below a third of it, from at most 11 solves with the factors of A that
/// `solver` holds: Hager's ascent on the convex function ‖A⁻¹x‖₁ over ‖x‖₁ = 1 with Higham's safeguards
/// [N. J. Higham, ACM TOMS 14 (1988) 381–396]. Infinite when a solve overflows.
template <class S>
double estimate_condition(const SparseMatrix<S>& A, LinearSolver<S>& solver);

}  // namespace trammel
