// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <numbers>

#include "trammel/math/scalar.h"
#include "trammel/math/vectors.h"

/// Rotation vectors θ and their tangent operators, for every scalar of the kernels.
///
/// With x = ‖θ‖, s = x² and θ̂ w = θ × w:
///
///   (1)  exp θ̂ = I + a θ̂ + b θ̂²,          a = sin x / x,   b = (1 − cos x)/x²
///   (2)  J_r   = I − b θ̂ + c θ̂²,          c = (x − sin x)/x³,                   ω_body = J_r(θ) θ̇
///   (3)  T     = J_r⁻¹ = I + ½ θ̂ + e θ̂²,  e = (1 − (x/2) cot(x/2))/x²,          θ̇ = T(θ) ω_body
///
/// a, b, c are entire functions of s and hold for every θ; e has poles at x = 2πn, n ≥ 1, where J_r is singular: T must
/// not be used near them (charts keep ‖θ‖ small). All four are evaluated as functions of s, never of x, near 0: no
/// division by x and no √s, so the values and all derivatives are right at θ = 0.
///
/// Switch-over at s = 1. Below, power series in s: with the terms kept the first neglected one is < 1e-17 of the value.
/// Above, the closed forms: their cancellation grows like ε/s for a value, ε/s² for a first and ε/s³ for a second
/// derivative of c and e, so that at s ≥ 1 at most two digits of ε are lost anywhere. (A switch at x = 0.05, which is
/// enough for values, would cost 8 digits in ∂T/∂θ.)
namespace trammel {

/// θ̂: the skew matrix with θ̂ w = θ × w.
template <class S>
Mat3<S> hat(const Vec3<S>& a) {
  const S zero(0.0);
  Mat3<S> A;
  A << zero, -a.z(), a.y(), a.z(), zero, -a.x(), -a.y(), a.x(), zero;
  return A;
}

/// The vector of the skew part ½(A − Aᵀ); vee(hat(a)) = a.
template <class S>
Vec3<S> vee(const Mat3<S>& A) {
  return Vec3<S>(0.5 * (A(2, 1) - A(1, 2)), 0.5 * (A(0, 2) - A(2, 0)), 0.5 * (A(1, 0) - A(0, 1)));
}

/// θ̂² = θθᵀ − s I, symmetric.
template <class S>
Mat3<S> hat_squared(const Vec3<S>& a) {
  const S xx = a.x() * a.x(), yy = a.y() * a.y(), zz = a.z() * a.z();
  const S xy = a.x() * a.y(), xz = a.x() * a.z(), yz = a.y() * a.z();
  Mat3<S> A;
  A << -yy - zz, xy, xz, xy, -xx - zz, yz, xz, yz, -xx - yy;
  return A;
}

namespace detail {

inline constexpr double series_limit = 1.0;  // in s; argued at the head of this file

/// Σ c[k] sᵏ by Horner's rule.
template <class S, int n>
S horner(const double (&c)[n], const S& s) {
  S sum(c[n - 1]);
  for (int k = n - 2; k >= 0; --k) sum = sum * s + c[k];
  return sum;
}

// Neglected at s = 1: 1/21! and less.
inline constexpr double sine_series[] = {1.0,
                                         -1.0 / 6,
                                         1.0 / 120,
                                         -1.0 / 5040,
                                         1.0 / 362880,
                                         -1.0 / 39916800,
                                         1.0 / 6227020800.0,
                                         -1.0 / 1307674368000.0,
                                         1.0 / 355687428096000.0,
                                         -1.0 / 121645100408832000.0};  // ±1/(2k+1)!
inline constexpr double cosine_series[] = {0.5,
                                           -1.0 / 24,
                                           1.0 / 720,
                                           -1.0 / 40320,
                                           1.0 / 3628800,
                                           -1.0 / 479001600,
                                           1.0 / 87178291200.0,
                                           -1.0 / 20922789888000.0,
                                           1.0 / 6402373705728000.0,
                                           -1.0 / 2432902008176640000.0};  // ±1/(2k+2)!
inline constexpr double cubic_series[] = {1.0 / 6,
                                          -1.0 / 120,
                                          1.0 / 5040,
                                          -1.0 / 362880,
                                          1.0 / 39916800,
                                          -1.0 / 6227020800.0,
                                          1.0 / 1307674368000.0,
                                          -1.0 / 355687428096000.0,
                                          1.0 / 121645100408832000.0};  // ±1/(2k+3)!
// |B₂ₖ|/(2k)!, k = 1…12: the ratio of neighbours tends to 1/4π² (the pole at x = 2π); the next term is 3.5e-21.
inline constexpr double cotangent_series[] = {
    1.0 / 12,
    1.0 / 720,
    1.0 / 30240,
    1.0 / 1209600,
    1.0 / 47900160,
    691.0 / 1307674368000.0,
    1.0 / 74724249600.0,
    3.3896802963225827e-13,
    8.5860620562778452e-15,
    2.1748686985580619e-16,
    5.5090028283602295e-18,
    1.3954464685812522e-19,
};

template <class S>
struct ExpCoefficients {
  S a, b;
};

/// a and b of (1) as functions of s = x².
template <class S>
ExpCoefficients<S> exp_coefficients(const S& s) {
  using std::sin;
  using std::sqrt;
  if (s < series_limit) return {horner(sine_series, s), horner(cosine_series, s)};
  const S x = sqrt(s);
  const S half = sin(S(0.5 * x));
  return {sin(x) / x, 2.0 * half * half / s};
}

/// c of (2).
template <class S>
S cubic_coefficient(const S& s) {
  using std::sin;
  using std::sqrt;
  if (s < series_limit) return horner(cubic_series, s);
  const S x = sqrt(s);
  return (x - sin(x)) / (s * x);
}

/// e of (3).
template <class S>
S inverse_coefficient(const S& s) {
  using std::cos;
  using std::sin;
  using std::sqrt;
  if (s < series_limit) return horner(cotangent_series, s);
  const S half = 0.5 * sqrt(s);
  return (1.0 - half * cos(half) / sin(half)) / s;
}

/// de/ds. With y = g cot g, g = x/2: dy/ds = (cot g − g/sin² g)/(8 g), e = (1 − y)/s.
template <class S>
S inverse_coefficient_slope(const S& s) {
  using std::cos;
  using std::sin;
  using std::sqrt;
  if (s < series_limit) {
    constexpr int n = std::size(cotangent_series);
    S sum((n - 1) * cotangent_series[n - 1]);
    for (int k = n - 2; k >= 1; --k) sum = sum * s + k * cotangent_series[k];
    return sum;
  }
  const S g = 0.5 * sqrt(s);
  const S sine = sin(g);
  const S cotangent = cos(g) / sine;
  const S dy_ds = (cotangent - g / (sine * sine)) / (8.0 * g);
  return -(dy_ds + (1.0 - g * cotangent) / s) / s;
}

}  // namespace detail

/// (1): the rotation matrix of the rotation vector θ.
template <class S>
Mat3<S> exp_so3(const Vec3<S>& theta) {
  const auto [a, b] = detail::exp_coefficients(S(theta.squaredNorm()));
  Mat3<S> R = a * hat(theta) + b * hat_squared(theta);
  for (int i = 0; i < 3; ++i) R(i, i) += 1.0;
  return R;
}

/// (2): J_r, ω_body = J_r(θ) θ̇.
template <class S>
Mat3<S> right_jacobian(const Vec3<S>& theta) {
  const S s = theta.squaredNorm();
  const S b = detail::exp_coefficients(s).b;
  Mat3<S> J = -b * hat(theta) + detail::cubic_coefficient(s) * hat_squared(theta);
  for (int i = 0; i < 3; ++i) J(i, i) += 1.0;
  return J;
}

/// (3): T = J_r⁻¹, θ̇ = T(θ) ω_body. Poles at ‖θ‖ = 2π, 4π, …
template <class S>
Mat3<S> inverse_right_jacobian(const Vec3<S>& theta) {
  const S e = detail::inverse_coefficient(S(theta.squaredNorm()));
  Mat3<S> T = 0.5 * hat(theta) + e * hat_squared(theta);
  for (int i = 0; i < 3; ++i) T(i, i) += 1.0;
  return T;
}

/// ∂(T(θ) w)/∂θ for fixed w: the block (T v)_q of the planes. With θ×(θ×w) = θ(θ·w) − s w:
///
///   (4)  ∂(T w)/∂θ = −½ ŵ + e [(θ·w) I + θ wᵀ − 2 w θᵀ] + 2 e′(s) [θ×(θ×w)] θᵀ
template <class S>
Mat3<S> inverse_right_jacobian_derivative(const Vec3<S>& theta, const Vec3<S>& w) {
  const S s = theta.squaredNorm();
  const S e = detail::inverse_coefficient(s);
  const S slope = 2.0 * detail::inverse_coefficient_slope(s);
  const S along = theta.dot(w);
  const Vec3<S> twice = theta * along - w * s;
  Mat3<S> D = -0.5 * hat(w);
  for (int i = 0; i < 3; ++i) {
    D(i, i) += e * along;
    for (int j = 0; j < 3; ++j)
      D(i, j) += e * (theta(i) * w(j) - 2.0 * (w(i) * theta(j))) + slope * (twice(i) * theta(j));
  }
  return D;
}

/// The unit quaternion (w, x, y, z), w ≥ 0, of a rotation matrix. Divides by the largest of the four components
/// (Shepperd), so no rotation is badly conditioned.
template <class S>
Vec4<S> quaternion_from_matrix(const Mat3<S>& R) {
  using std::sqrt;
  const S trace = R(0, 0) + R(1, 1) + R(2, 2);
  int largest = -1;  // −1: w; 0, 1, 2: x, y, z
  double best = value_of(trace);
  for (int i = 0; i < 3; ++i)
    if (value_of(R(i, i)) > best) best = value_of(R(i, i)), largest = i;
  Vec4<S> q;
  if (largest < 0) {
    const S w = 0.5 * sqrt(1.0 + trace);
    const S scale = 0.25 / w;
    q << w, (R(2, 1) - R(1, 2)) * scale, (R(0, 2) - R(2, 0)) * scale, (R(1, 0) - R(0, 1)) * scale;
    return q;
  }
  const int i = largest, j = (i + 1) % 3, k = (i + 2) % 3;
  const S qi = 0.5 * sqrt(1.0 + R(i, i) - R(j, j) - R(k, k));
  const S scale = 0.25 / qi;
  q(0) = (R(k, j) - R(j, k)) * scale;
  q(1 + i) = qi;
  q(1 + j) = (R(j, i) + R(i, j)) * scale;
  q(1 + k) = (R(k, i) + R(i, k)) * scale;
  if (q(0) < 0.0) q = Vec4<S>(-q);
  return q;
}

/// The principal rotation vector, ‖θ‖ ≤ π: θ = 2 atan2(‖q_v‖, q_w) q_v/‖q_v‖ by quaternion, accurate at 0 and up to π.
/// (The formula with arccos of the trace loses half the digits at both ends.) At π both signs are right; one is given.
///
/// Near 0 the factor is (2/q_w) atan(r)/r with r = ‖q_v‖/q_w, a series in r²; 16 terms below r² = 0.09 leave < 1e-17.
template <class S>
Vec3<S> log_so3(const Mat3<S>& R) {
  using std::atan2;
  using std::sqrt;
  static constexpr double arctangent_series[] = {1.0,      -1.0 / 3,  1.0 / 5,  -1.0 / 7,  1.0 / 9,  -1.0 / 11,
                                                 1.0 / 13, -1.0 / 15, 1.0 / 17, -1.0 / 19, 1.0 / 21, -1.0 / 23,
                                                 1.0 / 25, -1.0 / 27, 1.0 / 29, -1.0 / 31};
  const Vec4<S> q = quaternion_from_matrix(R);
  const Vec3<S> qv = q.template tail<3>();
  const S square = qv.squaredNorm();
  if (value_of(square) < 0.09 * value_of(q(0)) * value_of(q(0))) {
    const S ratio = square / (q(0) * q(0));
    return qv * S(2.0 * detail::horner(arctangent_series, ratio) / q(0));
  }
  const S n = sqrt(square);
  return qv * S(2.0 * atan2(n, q(0)) / n);
}

/// The rotation vector of R on the branch nearest to `guess`: the continuous logarithm through any number of turns.
///
///   (5)  φ = log R, u = φ/‖φ‖:   θ = φ + 2π k u,   k = round((guess·u − ‖φ‖)/2π)
///
/// exp θ̂ = R always. Near R = I with k ≠ 0 (a pole of T) the direction u is that of rounding errors; below
/// ‖φ‖ = 1e-10 the direction of the guess is taken, which turns R by less than 1e-10 ‖u − u_guess‖. (Noise of 1e-16 in
/// R would otherwise move θ by 2πk·1e-16/‖φ‖.)
template <class S>
Vec3<S> log_near(const Mat3<S>& R, const Vec3<S>& guess) {
  using std::sqrt;
  constexpr double turn = 2.0 * std::numbers::pi;
  constexpr double noise = 1e-10;
  const Vec3<S> phi = log_so3(R);
  const double angle = std::sqrt(value_of(S(phi.squaredNorm())));
  if (angle < noise) {
    const double distance = std::sqrt(value_of(S(guess.squaredNorm())));
    const double turns = std::round(distance / turn);
    if (turns == 0.0) return phi;
    Vec3<S> u;
    for (int i = 0; i < 3; ++i) u(i) = S(value_of(guess(i)) / distance);
    return turn * turns * u + u * S(u.dot(phi));
  }
  const double turns = std::round((value_of(S(guess.dot(phi))) / angle - angle) / turn);
  if (turns == 0.0) return phi;
  return phi * S(1.0 + turn * turns / sqrt(S(phi.squaredNorm())));
}

}  // namespace trammel
