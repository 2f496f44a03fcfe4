// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <vector>

namespace trammel {

/// Dense decompositions of Eigen and LAPACK behind plain functions: each of Eigen is a template that compiles for
/// seconds, and here each is compiled once. For analyses and checks, not for steps: results are allocated. Steps have
/// DenseLu. Singular values and eigenvalues of a matrix that is not finite are NaN.

/// The singular values of A, largest first; by divide and conquer.
Eigen::VectorXd calc_singular_values(const Eigen::MatrixXd& A);

/// A V = U diag(values) with as many columns as A has, or rows if these are fewer.
struct RightSingularVectors {
  Eigen::VectorXd values;  ///< largest first
  Eigen::MatrixXd V;
};
RightSingularVectors calc_right_singular_vectors(const Eigen::MatrixXd& A);

/// A P = Q R by Householder reflections with column exchanges. Pivots below `relative_tol` of the largest are zeros.
struct ColumnPivotedQr {
  Eigen::Index rank = 0;
  std::vector<int> order;  ///< column of A that stands in column j of A P
  Eigen::MatrixXd R;       ///< its first `rank` rows
  Eigen::MatrixXd Qt;      ///< Qᵀ, square
};
ColumnPivotedQr factor_by_columns(const Eigen::MatrixXd& A, double relative_tol);

/// The x of least norm among those that make ‖A x − b‖ least; pivots as above.
Eigen::VectorXd solve_least_norm(const Eigen::MatrixXd& A, const Eigen::VectorXd& b, double relative_tol);

/// A X = B with row exchanges; not finite if A is singular.
Eigen::MatrixXd solve_square(const Eigen::MatrixXd& A, const Eigen::MatrixXd& B);

/// A x = b, A symmetric and positive definite or nearly so (LDLᵀ with diagonal pivots).
Eigen::VectorXd solve_symmetric(const Eigen::MatrixXd& A, const Eigen::VectorXd& b);

using ExtendedMatrix = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;
ExtendedMatrix invert(const ExtendedMatrix& A);

/// A v = λ v; vectors are columns.
struct EigenPairs {
  Eigen::VectorXcd values;
  Eigen::MatrixXcd vectors;
};
EigenPairs calc_eigenpairs(const Eigen::MatrixXd& A);

/// Of a symmetric 3×3 matrix: values ascending, orthonormal columns.
struct PrincipalAxes {
  Eigen::Vector3d values;
  Eigen::Matrix3d axes;
};
PrincipalAxes calc_principal_axes(const Eigen::Matrix3d& A);

}  // namespace trammel
