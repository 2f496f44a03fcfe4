// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cmath>
#include <complex>
#include <type_traits>

// The inner loops of the dense parts of factorizations. Sizes are small (5 … 100), so calls must be cheap.

namespace trammel {

/// a·b; for complex numbers without the C standard's recovery of infinities, which costs more than the product.
template <class S>
inline S product(const S& a, const S& b) {
  return a * b;
}
inline std::complex<double> product(const std::complex<double>& a, const std::complex<double>& b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

/// Two neighbouring numbers at once, wherever they stand: loops of five turns are too short for what a compiler puts
/// before and behind the loops that it vectorizes itself.
using Two = double __attribute__((vector_size(16)));
using TwoInMemory = double __attribute__((vector_size(16), aligned(8), may_alias));
inline Two load_two(const double* x) { return *reinterpret_cast<const TwoInMemory*>(x); }
inline void store_two(double* x, Two value) { *reinterpret_cast<TwoInMemory*>(x) = value; }

/// y_i −= (X_i0 a + X_i1 b) + (X_i2 c + X_i3 d),  i < n;  X_ik = X[i + k·ld].
template <class S>
inline void subtract_columns(S* __restrict y, int n, const S* __restrict X, long ld, S a, S b, S c, S d) {
  const S *x1 = X + ld, *x2 = x1 + ld, *x3 = x2 + ld;
  int i = 0;
  if constexpr (std::is_same_v<S, double>)
    for (; i + 2 <= n; i += 2)
      store_two(y + i, load_two(y + i) - ((load_two(X + i) * a + load_two(x1 + i) * b) +
                                          (load_two(x2 + i) * c + load_two(x3 + i) * d)));
  for (; i < n; ++i) y[i] -= (product(X[i], a) + product(x1[i], b)) + (product(x2[i], c) + product(x3[i], d));
}
/// The same with two columns, one after the other.
template <class S>
inline void subtract_columns(S* __restrict y, int n, const S* __restrict X, long ld, S a, S b) {
  const S* x1 = X + ld;
  int i = 0;
  if constexpr (std::is_same_v<S, double>)
    for (; i + 2 <= n; i += 2) store_two(y + i, load_two(y + i) - load_two(X + i) * a - load_two(x1 + i) * b);
  for (; i < n; ++i) y[i] = y[i] - product(X[i], a) - product(x1[i], b);
}

/// The same with one.
template <class S>
inline void subtract_columns(S* __restrict y, int n, const S* __restrict X, S a) {
  int i = 0;
  if constexpr (std::is_same_v<S, double>)
    for (; i + 2 <= n; i += 2) store_two(y + i, load_two(y + i) - load_two(X + i) * a);
  for (; i < n; ++i) y[i] -= product(X[i], a);
}

/// y_i −= Σ_{k<m} X_ik c_k,  i < n;  X_ik = X[i + k·ld], c_k = c[k·stride].
template <class S>
inline void subtract_product(S* __restrict y, int n, const S* __restrict X, int ld, const S* __restrict c, int stride,
                             int m) {
  int k = 0;
  for (; k + 4 <= m; k += 4) {
    const S* ck = c + static_cast<long>(k) * stride;
    subtract_columns(y, n, X + static_cast<long>(k) * ld, ld, ck[0], ck[stride], ck[2L * stride], ck[3L * stride]);
  }
  if (k + 2 <= m) {
    const S* ck = c + static_cast<long>(k) * stride;
    subtract_columns(y, n, X + static_cast<long>(k) * ld, ld, ck[0], ck[stride]);
    k += 2;
  }
  if (k < m) subtract_columns(y, n, X + static_cast<long>(k) * ld, c[static_cast<long>(k) * stride]);
}

/// The same for two columns y, y + ldy with coefficients c and c + 1: X is read once.
template <class S>
inline void subtract_product_pair(S* __restrict y, int ldy, int n, const S* __restrict X, int ld, const S* __restrict c,
                                  int stride, int m) {
  S* __restrict z = y + ldy;
  int k = 0;
  for (; k + 4 <= m; k += 4) {
    const S *x0 = X + static_cast<long>(k) * ld, *x1 = x0 + ld, *x2 = x1 + ld, *x3 = x2 + ld;
    const S* ck = c + static_cast<long>(k) * stride;
    const S a0 = ck[0], a1 = ck[stride], a2 = ck[2L * stride], a3 = ck[3L * stride];
    const S b0 = ck[1], b1 = ck[stride + 1], b2 = ck[2L * stride + 1], b3 = ck[3L * stride + 1];
    for (int i = 0; i < n; ++i) {
      y[i] -= (product(x0[i], a0) + product(x1[i], a1)) + (product(x2[i], a2) + product(x3[i], a3));
      z[i] -= (product(x0[i], b0) + product(x1[i], b1)) + (product(x2[i], b2) + product(x3[i], b3));
    }
  }
  for (; k < m; ++k) {
    const S* x = X + static_cast<long>(k) * ld;
    const S a = c[static_cast<long>(k) * stride], b = c[static_cast<long>(k) * stride + 1];
    for (int i = 0; i < n; ++i) {
      y[i] -= product(x[i], a);
      z[i] -= product(x[i], b);
    }
  }
}

/// Σ_{i<n} X_ik y_i,  k < m, not conjugated.
template <int m, class S>
inline std::array<S, m> sum_columns(const S* __restrict X, long ld, const S* __restrict y, int n) {
  std::array<S, m> sum{};
  int i = 0;
  if constexpr (std::is_same_v<S, double>) {
    std::array<Two, m> two{};
    for (; i + 2 <= n; i += 2) {
      const Two yi = load_two(y + i);
      for (int k = 0; k < m; ++k) two[k] += load_two(X + k * ld + i) * yi;
    }
    for (int k = 0; k < m; ++k) sum[k] = two[k][0] + two[k][1];
  }
  for (; i < n; ++i)
    for (int k = 0; k < m; ++k) sum[k] += product(X[k * ld + i], y[i]);
  return sum;
}

/// Σ x_i y_i, not conjugated; four running sums let the additions overlap.
template <class S>
inline S dot(const S* __restrict x, const S* __restrict y, int n) {
  S s0(0), s1(0), s2(0), s3(0);
  int i = 0;
  for (; i + 4 <= n; i += 4) {
    s0 += product(x[i], y[i]);
    s1 += product(x[i + 1], y[i + 1]);
    s2 += product(x[i + 2], y[i + 2]);
    s3 += product(x[i + 3], y[i + 3]);
  }
  for (; i < n; ++i) s0 += product(x[i], y[i]);
  return (s0 + s1) + (s2 + s3);
}

}  // namespace trammel
