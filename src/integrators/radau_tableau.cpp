#include "trammel/integrators/radau_tableau.h"

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <cmath>

namespace trammel {

RadauTableau::RadauTableau(int stages) : s_(stages), A_inverse_(stages, stages) {
  const double root = std::sqrt(6.0);
  if (s_ == 1) c_ = {1.0};
  if (s_ == 2) c_ = {1.0 / 3.0, 1.0};
  if (s_ == 3) c_ = {(4.0 - root) / 10.0, (4.0 + root) / 10.0, 1.0};
  // Collocation: Σ_j A_ij c_j^(k−1) = c_i^k/k for k = 1 … s.
  Matrix powers(s_, s_), integrals(s_, s_);
  for (int i = 0; i < s_; ++i)
    for (int k = 1; k <= s_; ++k) {
      powers(i, k - 1) = std::pow(c_[i], k - 1);
      integrals(i, k - 1) = std::pow(c_[i], k) / k;
    }
  A_inverse_ = powers * integrals.inverse();

  const Eigen::EigenSolver<Matrix> eigen(A_inverse_);
  const Eigen::Matrix<std::complex<double>, Eigen::Dynamic, Eigen::Dynamic, 0, max_stages, max_stages>
      right = eigen.eigenvectors(),
      left = right.inverse();
  for (int e = 0; e < s_; ++e) {
    const std::complex<double> value = eigen.eigenvalues()[e];
    if (value.imag() < 0.0) continue;
    const bool real = value.imag() == 0.0;
    if (real)
      gamma_ = value.real();
    else
      mu_ = value;
    for (int i = 0; i < s_; ++i) {
      // ℓ and r of a real eigenvalue are real up to a common factor that cancels in r ℓᵀ.
      if (real) {
        const std::complex<double> phase = right(0, e) / std::abs(right(0, e));
        left_[i] = (left(e, i) * phase).real();
        right_[i] = (right(i, e) / phase).real();
      } else {
        left_complex_[i] = left(e, i);
        right_complex_[i] = right(i, e);
      }
    }
  }
  if (!has_real()) gamma_ = std::abs(mu_);
}

RadauTableau::Weights RadauTableau::interpolate(double theta) const {
  Weights w;
  for (int i = 0; i < s_; ++i) {
    // Lagrange's ℓ_i = θ/c_i Π_{j≠i} (θ − c_j)/(c_i − c_j): zero at t_n and at the other stages.
    double value = theta / c_[i], rate = 1.0 / c_[i];
    for (int j = 0; j < s_; ++j) {
      if (j == i) continue;
      const double scale = 1.0 / (c_[i] - c_[j]);
      rate = (rate * (theta - c_[j]) + value) * scale;
      value *= (theta - c_[j]) * scale;
    }
    w.value[i] = value;
    w.rate[i] = rate;
  }
  return w;
}

}  // namespace trammel
