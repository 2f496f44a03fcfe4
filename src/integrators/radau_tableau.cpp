// SPDX-License-Identifier: Apache-2.0
#include "trammel/integrators/radau_tableau.h"

#include <cmath>

namespace trammel {

// A⁻¹ from the collocation conditions Σ_j A_ij c_j^(k−1) = c_i^k/k, k = 1 … s, and its eigenvalues and eigenvectors, as
// an eigenvalue solver leaves them: each differs from the exact number by some last digits, and results repeat to the
// bit. A test checks them against the conditions.
RadauTableau::RadauTableau(int stages) : s_(stages), A_inverse_(stages, stages) {
  using Complex = std::complex<double>;
  if (s_ == 1) {
    c_ = b_ = {1.0};
    A_inverse_ << 1.0;
    gamma_ = left_[0] = right_[0] = 1.0;
  }
  if (s_ == 2) {
    c_ = {1.0 / 3.0, 1.0}, b_ = {0.75, 0.25};
    A_inverse_ << 1.5, 0.5,  //
        -4.5, 2.5;
    mu_ = {2.0, 1.4142135623730949};
    gamma_ = std::abs(mu_);
    left_complex_ = {Complex(1.6770509831248426, 0.0), Complex(-0.18633899812498253, -0.52704627669472992)};
    right_complex_ = {Complex(0.29814239699997191, 0.10540925533894598), Complex(0.0, 0.94868329805051377)};
  }
  if (s_ == 3) {
    const double root = std::sqrt(6.0);
    c_ = {(4.0 - root) / 10.0, (4.0 + root) / 10.0, 1.0};
    b_ = {(16.0 - root) / 36.0, (16.0 + root) / 36.0, 1.0 / 9.0};
    A_inverse_ << 3.2247448713915867, 1.1678400846904058, -0.2531972647421814,  //
        -3.5678400846904026, 0.77525512860841062, 1.053197264742181,            //
        5.5319726474218101, -7.5319726474218101, 5.0;
    gamma_ = 3.6378342527444878;
    left_ = {4.3255798900631559, 0.3391992518158144, 0.5417705399358731};
    right_ = {0.09123239487089306, 0.24171793270710742, 0.96604818261509273};
    mu_ = {2.6810828736277523, 3.0504301992474101};
    left_complex_ = {Complex(0.66470459699524675, -2.2165607939410528),
                     Complex(-1.3625476709293183, -0.41895920583690383),
                     Complex(0.27815342837140244, 0.31415834964890155)};
    right_complex_ = {Complex(0.048840782948882465, 0.12190904102596838),
                      Complex(-0.37483093905711601, -0.12344947490428203),
                      Complex(-0.15527299521120094, -0.89604969441802096)};
  }
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
