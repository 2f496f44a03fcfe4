// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cmath>
#include <vector>

// References of the peer problems in minimal coordinates, by extrapolation of order 16 with fixed steps in long double:
// they share no code with anything that is measured.

namespace trammel::peers {

/// y′ = f(t, y) by `n_steps` macro steps of Gragg, Bulirsch and Stoer; smooth right-hand sides only.
template <class F>
void extrapolate(F&& f, long double t0, long double t1, int n_steps, std::vector<long double>& y) {
  using Real = long double;
  constexpr int K = 8;
  constexpr int sequence[K] = {2, 4, 6, 8, 10, 12, 14, 16};
  const std::size_t n = y.size();
  const Real H = (t1 - t0) / n_steps;
  std::vector<std::vector<Real>> T(K, std::vector<Real>(n));
  std::vector<Real> f0(n), a(n), b(n), d(n);
  for (int s = 0; s < n_steps; ++s) {
    const Real t = t0 + s * H;
    f(t, y, f0);
    for (int k = 0; k < K; ++k) {
      const int m = sequence[k];
      const Real h = H / m;
      a = y;
      for (std::size_t i = 0; i < n; ++i) b[i] = y[i] + h * f0[i];
      for (int j = 1; j < m; ++j) {
        f(t + j * h, b, d);
        for (std::size_t i = 0; i < n; ++i) {
          const Real z = a[i] + 2 * h * d[i];
          a[i] = b[i];
          b[i] = z;
        }
      }
      f(t + H, b, d);
      for (std::size_t i = 0; i < n; ++i) T[k][i] = (a[i] + b[i] + h * d[i]) / 2;
      for (int j = k - 1; j >= 0; --j) {  // Neville in h²
        const Real r = Real(sequence[k]) / Real(sequence[j]), w = 1 / (r * r - 1);
        for (std::size_t i = 0; i < n; ++i) T[j][i] = T[j + 1][i] + (T[j + 1][i] - T[j][i]) * w;
      }
    }
    y = T[0];
  }
}

/// A chain of slender rods (1 m, 1 kg) in absolute angles, released along +x, gravity 9.81 along −y. The forces of the
/// joints come from a block-tridiagonal system of 2 × 2 blocks: O(N) per evaluation.
class ChainReference {
 public:
  explicit ChainReference(int n) : n_(n), D_(4 * n), E_(4 * n), r_(2 * n) {}

  /// Centres of mass (x, y) at time t.
  std::vector<double> positions(double t, int n_steps) {
    std::vector<long double> y(2 * n_, 0.0L);
    extrapolate(*this, 0.0L, t, n_steps, y);
    std::vector<double> centres;
    long double x = 0, z = 0;
    for (int k = 0; k < n_; ++k) {
      const long double c = std::cos(y[k]), s = std::sin(y[k]);
      centres.push_back(static_cast<double>(x + 0.5L * c));
      centres.push_back(static_cast<double>(z + 0.5L * s));
      x += c;
      z += s;
    }
    return centres;
  }

  void operator()(long double, const std::vector<long double>& y, std::vector<long double>& dy) {
    using Real = long double;
    const Real h = 0.5L, iJ = 12, g = 9.81L;
    for (int k = 0; k < n_; ++k) {  // acceleration of the near end of rod k minus that of the far end of rod k − 1
      const Real c = std::cos(y[k]), s = std::sin(y[k]), w = y[n_ + k];
      Real d00 = 1 + h * h * s * s * iJ, d01 = -h * h * s * c * iJ, d11 = 1 + h * h * c * c * iJ;
      Real rx = h * w * w * c, ry = -g + h * w * w * s;
      if (k > 0) {
        const Real cp = std::cos(y[k - 1]), sp = std::sin(y[k - 1]), wp = y[n_ + k - 1];
        d00 += 1 + h * h * sp * sp * iJ;
        d01 += -h * h * sp * cp * iJ;
        d11 += 1 + h * h * cp * cp * iJ;
        rx += h * wp * wp * cp;
        ry += g + h * wp * wp * sp;
        E_[4 * k] = -(1 - h * h * sp * sp * iJ);
        E_[4 * k + 1] = E_[4 * k + 2] = -(h * h * sp * cp * iJ);
        E_[4 * k + 3] = -(1 - h * h * cp * cp * iJ);
      }
      D_[4 * k] = d00, D_[4 * k + 1] = D_[4 * k + 2] = d01, D_[4 * k + 3] = d11;
      r_[2 * k] = -rx, r_[2 * k + 1] = -ry;
    }
    for (int k = 1; k < n_; ++k) {
      const Real* P = &D_[4 * (k - 1)];
      const Real* e = &E_[4 * k];
      const Real det = 1 / (P[0] * P[3] - P[1] * P[2]);
      const Real i00 = P[3] * det, i01 = -P[1] * det, i11 = P[0] * det;
      const Real f0 = e[0] * i00 + e[1] * i01, f1 = e[0] * i01 + e[1] * i11;
      const Real f2 = e[2] * i00 + e[3] * i01, f3 = e[2] * i01 + e[3] * i11;
      D_[4 * k] -= f0 * e[0] + f1 * e[1];
      D_[4 * k + 1] -= f0 * e[2] + f1 * e[3];
      D_[4 * k + 2] -= f2 * e[0] + f3 * e[1];
      D_[4 * k + 3] -= f2 * e[2] + f3 * e[3];
      r_[2 * k] -= f0 * r_[2 * k - 2] + f1 * r_[2 * k - 1];
      r_[2 * k + 1] -= f2 * r_[2 * k - 2] + f3 * r_[2 * k - 1];
    }
    Real nx = 0, ny = 0;  // force of the next joint
    for (int k = n_ - 1; k >= 0; --k) {
      Real bx = r_[2 * k], by = r_[2 * k + 1];
      if (k + 1 < n_) {
        bx -= E_[4 * k + 4] * nx + E_[4 * k + 6] * ny;
        by -= E_[4 * k + 5] * nx + E_[4 * k + 7] * ny;
      }
      const Real* P = &D_[4 * k];
      const Real det = 1 / (P[0] * P[3] - P[1] * P[2]);
      const Real lx = (P[3] * bx - P[1] * by) * det, ly = (-P[2] * bx + P[0] * by) * det;
      const Real torque = -h * (std::cos(y[k]) * (ly + ny) - std::sin(y[k]) * (lx + nx));
      dy[k] = y[n_ + k];
      dy[n_ + k] = torque * iJ;
      nx = lx, ny = ly;
    }
  }

 private:
  int n_;
  std::vector<long double> D_, E_, r_;
};

/// The N-four-bar has one freedom: φ″ = k sin φ, φ the angle of the verticals from the upright, φ(0) = 0, φ̇(0) = 1.
/// Returns the tip of the first vertical at time t.
inline std::array<double, 2> four_bar_tip(int n, double t) {
  const long double inertia = (n + 1) / 3.0L + n, moment = (n + 1) / 2.0L + n, k = 9.81L * moment / inertia;
  std::vector<long double> y{0.0L, 1.0L};
  extrapolate(
      [k](long double, const std::vector<long double>& s, std::vector<long double>& d) {
        d[0] = s[1];
        d[1] = k * std::sin(s[0]);
      },
      0.0L, t, 400, y);
  return {static_cast<double>(std::sin(y[0])), static_cast<double>(std::cos(y[0]))};
}

}  // namespace trammel::peers
