// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <array>
#include <complex>
#include <span>

namespace trammel {

/// Radau IIA with s = 1, 2 or 3 stages: collocation at c_1 < … < c_s = 1, of order 2s − 1, L-stable and stiffly
/// accurate (the last stage is the result).
///
///   (1) Y_i = y_n + Z_i,   h Y′_i = Σ_j (A⁻¹)_ij Z_j
///
/// A⁻¹ has one real eigenvalue γ (s odd) and at most one pair μ, μ̄. With left and right eigenvectors ℓᵀ, r, ℓᵀr = 1,
/// the linear systems of all stages fall apart into a real and a complex one [Hairer & Wanner II, IV.8]:
///
///   (2) (I ⊗ F_y + A⁻¹/h ⊗ F_y′) Z = R   ⇔   (F_y + γ/h F_y′) w = ℓᵀR,   (F_y + μ/h F_y′) w_c = ℓ_cᵀR,
///       Z_i = r_i w + 2 Re(r_ci w_c)
///
/// The collocation polynomial through y_n and the stages, degree s, is the dense output and the next prediction.
class RadauTableau {
 public:
  static constexpr int max_stages = 3;
  using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, max_stages, max_stages>;

  /// 1 ≤ stages ≤ 3.
  explicit RadauTableau(int stages);

  int stages() const { return s_; }
  int order() const { return 2 * s_ - 1; }
  double c(int i) const { return c_[i]; }
  /// Stages and weights of quadrature, the last row of A.
  std::span<const double> c() const { return std::span(c_).first(static_cast<std::size_t>(s_)); }
  std::span<const double> b() const { return std::span(b_).first(static_cast<std::size_t>(s_)); }
  const Matrix& A_inverse() const { return A_inverse_; }

  bool has_real() const { return s_ != 2; }
  bool has_complex() const { return s_ != 1; }
  /// The real eigenvalue; for two stages, which have none, |μ|: the matrix of the error estimate belongs to it.
  double gamma() const { return gamma_; }
  std::complex<double> mu() const { return mu_; }
  double left(int i) const { return left_[i]; }
  double right(int i) const { return right_[i]; }
  std::complex<double> left_complex(int i) const { return left_complex_[i]; }
  std::complex<double> right_complex(int i) const { return right_complex_[i]; }

  /// y(t_n + θh) − y_n = Σ weight_i Z_i and h y′ = Σ rate_i Z_i on the collocation polynomial.
  struct Weights {
    std::array<double, max_stages> value{}, rate{};
  };
  Weights interpolate(double theta) const;

 private:
  int s_;
  std::array<double, max_stages> c_{}, b_{};
  Matrix A_inverse_;
  double gamma_ = 0.0;
  std::complex<double> mu_{};
  std::array<double, max_stages> left_{}, right_{};
  std::array<std::complex<double>, max_stages> left_complex_{}, right_complex_{};
};

}  // namespace trammel
