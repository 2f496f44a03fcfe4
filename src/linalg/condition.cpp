// SPDX-License-Identifier: Apache-2.0
#include "trammel/linalg/condition.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "trammel/base/error.h"
#include "trammel/linalg/dense_decompositions.h"

namespace trammel {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

template <class Matrix>
void require_feasible(const Matrix& A, SvdPrecision precision) {
  const bool extended = precision == SvdPrecision::extended;
  const int limit = extended ? condition_extended_limit : condition_svd_limit;
  if (A.rows() != A.cols())
    throw Error(
        fmt::format("condition number: the matrix must be square, it has {} rows and {} columns", A.rows(), A.cols()));
  if (A.rows() > limit)
    throw Error(
        fmt::format("condition number: {} unknowns exceed the limit of {} for singular values in {} precision; "
                    "estimate_condition serves larger systems",
                    A.rows(), limit, extended ? "extended" : "double"));
  if (!A.allFinite()) throw Error("condition number: the matrix contains NaN or infinity");
}

double largest_singular_value(const Eigen::MatrixXd& A) { return calc_singular_values(A)[0]; }

Eigen::MatrixXd invert_extended(const Eigen::MatrixXd& A) {
  ExtendedMatrix scaled = A.cast<long double>();
  Eigen::Matrix<long double, Eigen::Dynamic, 1> row(A.rows());
  for (Eigen::Index i = 0; i < A.rows(); ++i) {
    const double largest = A.row(i).lpNorm<Eigen::Infinity>();
    row[i] = largest > 0.0 ? std::ldexp(1.0L, -std::ilogb(largest)) : 1.0L;
    scaled.row(i) *= row[i];
  }
  const ExtendedMatrix inverse = invert(scaled);  // (D A)⁻¹ D = A⁻¹
  return (inverse * row.asDiagonal()).cast<double>();
}

double condition_of(const Eigen::MatrixXd& A, SvdPrecision precision) {
  if (A.rows() == 0) return 1;
  if (precision == SvdPrecision::extended) {
    const Eigen::MatrixXd inverse = invert_extended(A);
    return inverse.allFinite() ? largest_singular_value(A) * largest_singular_value(inverse) : infinity;
  }
  const Eigen::VectorXd sigma = calc_singular_values(A);
  const double smallest = sigma[sigma.size() - 1];
  return smallest > 0 ? sigma[0] / smallest : infinity;
}

/// x / |x|, the subgradient of |x|; 1 at x = 0.
template <class S>
S sign(const S& x) {
  const double size = std::abs(x);
  return size == 0 ? S(1) : x / size;
}

}  // namespace

double condition_number(const Eigen::Ref<const Eigen::MatrixXd>& A, SvdPrecision precision) {
  require_feasible(A, precision);
  return condition_of(A, precision);
}

Eigen::MatrixXd extended_inverse(const Eigen::Ref<const Eigen::MatrixXd>& A) {
  require_feasible(A, SvdPrecision::extended);
  return invert_extended(A);
}

/// [Re A, −Im A; Im A, Re A] has the singular values of A, each twice.
double condition_number(const Eigen::Ref<const Eigen::MatrixXcd>& A, SvdPrecision precision) {
  require_feasible(A, precision);
  const Eigen::Index n = A.rows();
  Eigen::MatrixXd real(2 * n, 2 * n);
  real.topLeftCorner(n, n) = real.bottomRightCorner(n, n) = A.real();
  real.bottomLeftCorner(n, n) = A.imag();
  real.topRightCorner(n, n) = -A.imag();
  return condition_of(real, precision);
}

template <class S>
double estimate_condition(const SparseMatrix<S>& A, LinearSolver<S>& solver) {
  using Vector = Eigen::Matrix<S, Eigen::Dynamic, 1>;
  constexpr int max_ascents = 5;  // two or three suffice in practice
  const int n = A.pattern->n_cols;
  if (n == 0) return 1;
  Vector x = Vector::Constant(n, S(1.0 / n)), y(n), z(n);
  double estimate = 0;
  int peak = -1;
  for (int k = 0; k < max_ascents; ++k) {
    y = x;
    if (!solver.solve(y).ok()) return infinity;
    const double norm = y.template lpNorm<1>();
    if (k > 0 && norm <= estimate) break;
    estimate = norm;
    // z = A⁻ᴴ sign(y): the gradient. Its largest entry shows the unit vector that promises most.
    z = y.unaryExpr([](const S& yi) { return sign(yi); }).conjugate();
    if (!solver.solve_transposed(z).ok()) return infinity;
    Eigen::Index j = 0;
    const double promise = z.cwiseAbs().maxCoeff(&j);
    if (k > 0 && (promise <= std::abs(z.conjugate().dot(x)) || j == peak)) break;
    peak = static_cast<int>(j);
    x.setZero();
    x[j] = S(1);
  }
  // Higham's second opinion for matrices that fool the ascent: x_i = (−1)ⁱ (1 + i/(n−1)).
  for (int i = 0; i < n; ++i) x[i] = S((i % 2 == 0 ? 1.0 : -1.0) * (1.0 + (n > 1 ? double(i) / (n - 1) : 0.0)));
  if (!solver.solve(x).ok()) return infinity;
  estimate = std::max(estimate, 2.0 * x.template lpNorm<1>() / (3.0 * n));
  return A.norm_1() * estimate;
}

template double estimate_condition(const SparseMatrix<double>&, LinearSolver<double>&);
template double estimate_condition(const SparseMatrix<std::complex<double>>&, LinearSolver<std::complex<double>>&);

}  // namespace trammel
