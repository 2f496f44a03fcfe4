#include "trammel/linalg/dense_decompositions.h"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <Eigen/QR>
#include <Eigen/SVD>

namespace trammel {

Eigen::VectorXd calc_singular_values(const Eigen::MatrixXd& A) {
  return Eigen::BDCSVD<Eigen::MatrixXd>(A).singularValues();
}

RightSingularVectors calc_right_singular_vectors(const Eigen::MatrixXd& A) {
  const Eigen::JacobiSVD<Eigen::MatrixXd> svd(A, Eigen::ComputeThinV);
  return {svd.singularValues(), svd.matrixV()};
}

ColumnPivotedQr factor_by_columns(const Eigen::MatrixXd& A, double relative_tol) {
  Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(A);
  qr.setThreshold(relative_tol);
  ColumnPivotedQr result;
  result.rank = qr.rank();
  const auto& order = qr.colsPermutation().indices();
  result.order.assign(order.begin(), order.end());
  result.R = qr.matrixQR().topRows(result.rank).triangularView<Eigen::Upper>();
  result.Qt = qr.householderQ().transpose() * Eigen::MatrixXd::Identity(A.rows(), A.rows());
  return result;
}

Eigen::VectorXd solve_least_norm(const Eigen::MatrixXd& A, const Eigen::VectorXd& b, double relative_tol) {
  Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> decomposition;
  decomposition.setThreshold(relative_tol);
  decomposition.compute(A);
  return decomposition.solve(b);
}

Eigen::MatrixXd solve_square(const Eigen::MatrixXd& A, const Eigen::MatrixXd& B) {
  return Eigen::PartialPivLU<Eigen::MatrixXd>(A).solve(B);
}

Eigen::VectorXd solve_symmetric(const Eigen::MatrixXd& A, const Eigen::VectorXd& b) { return A.ldlt().solve(b); }

ExtendedMatrix invert(const ExtendedMatrix& A) { return Eigen::PartialPivLU<ExtendedMatrix>(A).inverse(); }

EigenPairs calc_eigenpairs(const Eigen::MatrixXd& A) {
  const Eigen::EigenSolver<Eigen::MatrixXd> solver(A);
  return {solver.eigenvalues(), solver.eigenvectors()};
}

PrincipalAxes calc_principal_axes(const Eigen::Matrix3d& A) {
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> solver(A);
  return {solver.eigenvalues(), solver.eigenvectors()};
}

}  // namespace trammel
