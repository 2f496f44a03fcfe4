// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include "trammel/math/rotations.h"
#include "trammel/mechanics/elements/beam.h"

/// The pieces that the beam's energy, forces and stiffness share. Numbers (1)–(6) are those of elements/beam.h.
///
/// Both strains are one family of operators of a rotation vector θ, s = ‖θ‖², with the entire functions
///
///   (7)  E_k(s) = Σ_j (−s)ʲ/(2j+k)!,   E_k = 1/k! − s E_{k+2},   dE_k/ds = −½ (E_{k+1} − k E_{k+2})
///   (8)  O_k(θ) w = E_{k−1} w − E_k θ×w + E_{k+1} θ (θ·w)          O_1 = exp(−θ̂),  O_2 = J_r(θ)
///   (9)  ∂(O_k w)/∂θ = 2 [E′_{k−1} w − E′_k θ×w + E′_{k+1} θ(θ·w)] θᵀ + E_k ŵ + E_{k+1} [(θ·w) I + θ wᵀ]
///
/// so that Γ = O_1(Ψ) y′ and κ = O_2(Ψ) Ψ′ are differentiated twice by one formula, without a division anywhere near
/// θ = 0.
namespace trammel::detail {

inline constexpr int n_series = 8;  // E_0 … E_7

/// (7). Below s = 1 the two last by their series, the others downwards (nothing cancels); above, upwards from cos and
/// sin: each step divides rounding by s ≥ 1.
template <class S>
void calc_series(const S& s, S (&E)[n_series]) {
  static constexpr double inverse_factorial[n_series] = {1.0,      1.0,       1.0 / 2,   1.0 / 6,
                                                         1.0 / 24, 1.0 / 120, 1.0 / 720, 1.0 / 5040};
  using std::cos;
  using std::sin;
  using std::sqrt;
  if (value_of(s) < 1.0) {
    // ±1/(2j+6)! and ±1/(2j+7)!; neglected at s = 1: 1/20! and less.
    static constexpr double sixth[] = {
        1.0 / 720,           -1.0 / 40320,         1.0 / 3628800,        -1.0 / 479001600,
        1.0 / 87178291200.0, -1.0 / 20922789888e3, 1.0 / 6402373705728e3};
    static constexpr double seventh[] = {
        1.0 / 5040,         -1.0 / 362880,         1.0 / 39916800,         -1.0 / 6227020800.0,
        1.0 / 1307674368e3, -1.0 / 355687428096e3, 1.0 / 121645100408832e3};
    E[6] = horner(sixth, s);
    E[7] = horner(seventh, s);
    for (int k = 5; k >= 0; --k) E[k] = inverse_factorial[k] - s * E[k + 2];
    return;
  }
  const S x = sqrt(s);
  E[0] = cos(x);
  E[1] = sin(x) / x;
  for (int k = 2; k < n_series; ++k) E[k] = (inverse_factorial[k - 2] - E[k - 2]) / s;
}

/// dE_k/ds for k = 0 … 5, and d²E_k/ds² for k = 0 … 3: ¼ [E_{k+2} − (2k+1) E_{k+3} + k(k+2) E_{k+4}].
template <class S>
S slope(const S (&E)[n_series], int k) {
  return -0.5 * (E[k + 1] - k * E[k + 2]);
}
inline double curvature(const double (&E)[n_series], int k) {
  return 0.25 * (E[k + 2] - (2 * k + 1) * E[k + 3] + k * (k + 2) * E[k + 4]);
}

/// (8), as a matrix.
template <int k, class S>
Mat3<S> operator_matrix(const S (&E)[n_series], const Vec3<S>& theta) {
  Mat3<S> O;
  const Vec3<S> a = theta * E[k];
  const Vec3<S> b = theta * E[k + 1];
  O << E[k - 1] + b.x() * theta.x(), a.z() + b.x() * theta.y(), b.x() * theta.z() - a.y(),  //
      b.x() * theta.y() - a.z(), E[k - 1] + b.y() * theta.y(), a.x() + b.y() * theta.z(),   //
      a.y() + b.x() * theta.z(), b.y() * theta.z() - a.x(), E[k - 1] + b.z() * theta.z();
  return O;
}

/// (9)
template <int k, class S>
Mat3<S> operator_slope(const S (&E)[n_series], const Vec3<S>& theta, const Vec3<S>& w) {
  const S along = dot(theta, w);
  const Vec3<S> turned = cross(theta, w);
  const S e0 = 2.0 * slope(E, k - 1), e1 = 2.0 * slope(E, k), e2 = 2.0 * slope(E, k + 1);
  Vec3<S> u;
  for (int i = 0; i < 3; ++i) u[i] = e0 * w[i] - e1 * turned[i] + e2 * along * theta[i];
  Mat3<S> D;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) D(i, j) = u[i] * theta[j] + E[k + 1] * theta[i] * w[j];
  const S diagonal = E[k + 1] * along;
  for (int i = 0; i < 3; ++i) D(i, i) += diagonal;
  D(0, 1) -= E[k] * w.z(), D(0, 2) += E[k] * w.y();
  D(1, 0) += E[k] * w.z(), D(1, 2) -= E[k] * w.x();
  D(2, 0) -= E[k] * w.y(), D(2, 1) += E[k] * w.x();
  return D;
}

template <class S>
Mat3<S> multiply(const Mat3<S>& A, const Mat3<S>& B) {
  Mat3<S> C;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) C(i, j) = A(i, 0) * B(0, j) + A(i, 1) * B(1, j) + A(i, 2) * B(2, j);
  return C;
}
template <class S>
Mat3<S> transposed_times(const Mat3<S>& A, const Mat3<S>& B) {
  Mat3<S> C;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) C(i, j) = A(0, i) * B(0, j) + A(1, i) * B(1, j) + A(2, i) * B(2, j);
  return C;
}

/// N_a at the Gauss points of an element with this many nodes.
using ShapeTable = double[BeamElement::max_points][BeamElement::max_nodes];
const ShapeTable& shape_table(int nodes);

/// The nodes in the middle, I and J of (2).
inline int middle_first(int nodes) { return (nodes - 1) / 2; }
inline int middle_second(int nodes) { return nodes / 2; }

/// The coefficient of δΛ_r = Λ_r (A_I δβ_I + A_J δβ_J)^: A_J = ½ (I + τ φ̂) = A_Iᵀ with τ = tan(x/4)/x, x = ‖φ‖, and
/// 2 dτ/ds. (From (2), δρ = exp(−φ̂/2) δβ_I + ½ J_r(φ/2) δφ with δφ = T δβ_J − Tᵀ δβ_I; all operators have the axis φ,
/// and their complex eigenvalues multiply to ½ (1 + i tan(x/4)).)
template <class S>
S half_turn_coefficient(const S& s) {
  using std::cos;
  using std::sin;
  using std::sqrt;
  // tan(u)/u as a series in u² = s/16; neglected at s = 0.16: 1e-17
  static constexpr double series[] = {1.0,         1.0 / 3,         2.0 / 15,          17.0 / 315,
                                      62.0 / 2835, 1382.0 / 155925, 21844.0 / 6081075, 929569.0 / 638512875};
  const S u2 = s / 16.0;
  if (value_of(u2) < 0.01) return 0.25 * horner(series, u2);
  const S u = sqrt(u2);
  return sin(u) / (4.0 * u * cos(u));
}
double half_turn_slope(double s);  // 2 dτ/ds

/// (1)–(3) at one instant.
template <class S>
struct BeamPlacement {
  int I, J;
  Vec3<S> x[BeamElement::max_nodes];
  Mat3<S> Lambda[BeamElement::max_nodes], Lambda_r;
  Vec3<S> phi;  ///< zero if I = J
  Vec3<S> y[BeamElement::max_nodes], Psi[BeamElement::max_nodes];
};

template <class S>
void place(const BeamElement& b, const Frame<S>* f, BeamPlacement<S>& at) {
  const int n = b.nodes;
  at.I = middle_first(n), at.J = middle_second(n);
  for (int a = 0; a < n; ++a) {
    if (b.offset) {
      at.x[a] = f[a].p + rotate(f[a].R, b.s[a]);
      for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
          at.Lambda[a](i, j) = f[a].R(i, 0) * b.Q[a](0, j) + f[a].R(i, 1) * b.Q[a](1, j) + f[a].R(i, 2) * b.Q[a](2, j);
    } else {
      at.x[a] = f[a].p;
      at.Lambda[a] = f[a].R;
    }
  }
  if (at.I == at.J) {
    at.Lambda_r = at.Lambda[at.I];
    at.phi = Vec3<S>::Zero();
  } else {
    at.phi = log_so3(transposed_times(at.Lambda[at.I], at.Lambda[at.J]));
    at.Lambda_r = multiply(at.Lambda[at.I], exp_so3(Vec3<S>(at.phi * S(0.5))));
  }
  for (int a = 0; a < n; ++a) {
    const Vec3<S> d = at.x[a] - at.x[at.I];
    at.y[a] = rotate_back(at.Lambda_r, d);
    if (at.I == at.J)
      at.Psi[a] = a == at.I ? Vec3<S>(Vec3<S>::Zero()) : log_so3(transposed_times(at.Lambda_r, at.Lambda[a]));
    else if (a == at.I || a == at.J)
      at.Psi[a] = at.phi * S(a == at.I ? -0.5 : 0.5);
    else
      at.Psi[a] = log_so3(transposed_times(at.Lambda_r, at.Lambda[a]));
  }
}

/// (4) at Gauss point g.
template <class S>
struct SectionPlace {
  Vec3<S> y_s, Psi, Psi_s;
};
template <class S>
SectionPlace<S> section_at(const BeamElement& b, const ShapeTable& N, int g, const Vec3<S>* y, const Vec3<S>* Psi) {
  SectionPlace<S> p{y[0] * S(b.dN[g][0]), Psi[0] * S(N[g][0]), Psi[0] * S(b.dN[g][0])};
  for (int a = 1; a < b.nodes; ++a)
    for (int i = 0; i < 3; ++i) {
      p.y_s[i] += y[a][i] * b.dN[g][a];
      p.Psi[i] += Psi[a][i] * N[g][a];
      p.Psi_s[i] += Psi[a][i] * b.dN[g][a];
    }
  return p;
}

/// e of (6) from the operators at a point.
template <class S>
Vec6<S> strain_at(const BeamElement& b, int g, const Mat3<S>& O1, const Mat3<S>& O2, const SectionPlace<S>& p) {
  Vec6<S> e;
  const Vec3<S> Gamma = rotate(O1, p.y_s), kappa = rotate(O2, p.Psi_s);
  for (int i = 0; i < 3; ++i) e[i] = Gamma[i] - b.drawn[g][i], e[3 + i] = kappa[i] - b.drawn[g][3 + i];
  return e;
}

template <class S>
Vec6<S> resultants(const BeamElement& b, const Vec6<S>& e) {
  Vec6<S> n;
  for (int i = 0; i < 6; ++i) {
    n[i] = e[0] * b.C(i, 0);
    for (int j = 1; j < 6; ++j) n[i] += e[j] * b.C(i, j);
  }
  return n;
}

/// No element may turn so far that (3) changes its branch: ends against the middle, or the ends of two nodes.
inline constexpr double largest_half_turn = 0.499 * 3.14159265358979323846;
inline bool turned_too_far(const BeamElement& b, const BeamPlacement<double>& at) {
  double largest = 0.0;
  for (int a = 0; a < b.nodes; ++a) largest = std::max(largest, at.Psi[a].squaredNorm());
  return !(largest < largest_half_turn * largest_half_turn);
}

}  // namespace trammel::detail
