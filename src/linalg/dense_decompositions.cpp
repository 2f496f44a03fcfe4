// SPDX-License-Identifier: Apache-2.0
#include "trammel/linalg/dense_decompositions.h"

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <Eigen/QR>
#include <algorithm>
#include <limits>

#include "trammel/base/error.h"

// Singular values and eigenvalues come from LAPACK: the same templates of Eigen take the compiler most of a minute.
// Whatever a step or a start of a simulation needs is Eigen's, the same bits whichever BLAS is installed.

extern "C" {
void dgesdd_(const char* job, const int* m, const int* n, double* A, const int* lda, double* s, double* U,
             const int* ldu, double* Vt, const int* ldvt, double* work, const int* size, int* iwork, int* info);
void dgesvd_(const char* job_u, const char* job_v, const int* m, const int* n, double* A, const int* lda, double* s,
             double* U, const int* ldu, double* Vt, const int* ldvt, double* work, const int* size, int* info);
void dgeev_(const char* job_left, const char* job_right, const int* n, double* A, const int* lda, double* re,
            double* im, double* left, const int* ld_left, double* right, const int* ld_right, double* work,
            const int* size, int* info);
}

namespace trammel {

namespace {

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

// LAPACK says first how much room it wants. `call(work, size)` returns its info.
template <class Call>
void with_work(const char* name, Call&& call) {
  double wanted = 0.0;
  int info = call(&wanted, -1);
  Eigen::VectorXd work(static_cast<Eigen::Index>(std::max(1.0, wanted)));
  if (info == 0) info = call(work.data(), static_cast<int>(work.size()));
  if (info != 0) throw Error(fmt::format("{} of LAPACK ended with {}: the iteration did not converge", name, info));
}

}  // namespace

Eigen::VectorXd calc_singular_values(const Eigen::MatrixXd& A) {
  Eigen::MatrixXd copy = A;
  const int m = static_cast<int>(A.rows()), n = static_cast<int>(A.cols()), one = 1;
  Eigen::VectorXd sigma(std::min(m, n));
  if (sigma.size() == 0 || !A.allFinite()) return sigma.setConstant(not_a_number);
  Eigen::VectorXi integers(8 * sigma.size());
  with_work("dgesdd", [&](double* work, int size) {
    int info = 0;
    dgesdd_("N", &m, &n, copy.data(), &m, sigma.data(), nullptr, &one, nullptr, &one, work, &size, integers.data(),
            &info);
    return info;
  });
  return sigma;
}

RightSingularVectors calc_right_singular_vectors(const Eigen::MatrixXd& A) {
  Eigen::MatrixXd copy = A;
  const int m = static_cast<int>(A.rows()), n = static_cast<int>(A.cols()), k = std::min(m, n), one = 1;
  RightSingularVectors result{Eigen::VectorXd(k), Eigen::MatrixXd(n, k)};
  if (k == 0) return result;
  if (!A.allFinite()) {
    result.values.setConstant(not_a_number), result.V.setConstant(not_a_number);
    return result;
  }
  Eigen::MatrixXd Vt(k, n);
  with_work("dgesvd", [&](double* work, int size) {
    int info = 0;
    dgesvd_("N", "S", &m, &n, copy.data(), &m, result.values.data(), nullptr, &one, Vt.data(), &k, work, &size, &info);
    return info;
  });
  result.V = Vt.transpose();
  return result;
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

// A P = Q [R; 0] and Rᵀ = V [S; 0] Oᵀ with as many columns as A has rank, so that y = V₁ S⁻ᵀ Oᵀ Q₁ᵀ b is the solution
// of R y = Q₁ᵀ b in the space of R's rows, which is the shortest, and x = P y.
Eigen::VectorXd solve_least_norm(const Eigen::MatrixXd& A, const Eigen::VectorXd& b, double relative_tol) {
  Eigen::VectorXd x = Eigen::VectorXd::Zero(A.cols());
  if (A.size() == 0) return x;
  const ColumnPivotedQr qr = factor_by_columns(A, relative_tol);
  const Eigen::Index r = qr.rank;
  if (r == 0) return x;
  const ColumnPivotedQr lq = factor_by_columns(qr.R.transpose(), 0.0);
  Eigen::VectorXd y(r);
  for (Eigen::Index i = 0; i < r; ++i) {
    double sum = qr.Qt.row(lq.order[static_cast<std::size_t>(i)]).dot(b);
    for (Eigen::Index j = 0; j < i; ++j) sum -= lq.R(j, i) * y[j];
    y[i] = sum / lq.R(i, i);
  }
  for (Eigen::Index k = 0; k < A.cols(); ++k) x[qr.order[static_cast<std::size_t>(k)]] = lq.Qt.col(k).head(r).dot(y);
  return x;
}

Eigen::MatrixXd solve_square(const Eigen::MatrixXd& A, const Eigen::MatrixXd& B) {
  return Eigen::PartialPivLU<Eigen::MatrixXd>(A).solve(B);
}

Eigen::VectorXd solve_symmetric(const Eigen::MatrixXd& A, const Eigen::VectorXd& b) { return A.ldlt().solve(b); }

ExtendedMatrix invert(const ExtendedMatrix& A) { return Eigen::PartialPivLU<ExtendedMatrix>(A).inverse(); }

EigenPairs calc_eigenpairs(const Eigen::MatrixXd& A) {
  Eigen::MatrixXd copy = A, right(A.rows(), A.rows());
  const int n = static_cast<int>(A.rows()), one = 1;
  EigenPairs result{Eigen::VectorXcd(n), Eigen::MatrixXcd(n, n)};
  if (n == 0) return result;
  if (!A.allFinite()) {
    result.values.setConstant(not_a_number), result.vectors.setConstant(not_a_number);
    return result;
  }
  Eigen::VectorXd re(n), im(n);
  with_work("dgeev", [&](double* work, int size) {
    int info = 0;
    dgeev_("N", "V", &n, copy.data(), &n, re.data(), im.data(), nullptr, &one, right.data(), &n, work, &size, &info);
    return info;
  });
  // A conjugate pair stands in two columns: real and imaginary part of the vector of the value above the real axis.
  for (int k = 0; k < n; ++k) {
    result.values[k] = {re[k], im[k]};
    if (im[k] == 0.0) {
      result.vectors.col(k).real() = right.col(k), result.vectors.col(k).imag().setZero();
    } else if (im[k] > 0.0) {
      result.vectors.col(k).real() = right.col(k), result.vectors.col(k).imag() = right.col(k + 1);
      result.vectors.col(k + 1) = result.vectors.col(k).conjugate();
    }
  }
  return result;
}

PrincipalAxes calc_principal_axes(const Eigen::Matrix3d& A) {
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> solver(A);
  return {solver.eigenvalues(), solver.eigenvectors()};
}

}  // namespace trammel
