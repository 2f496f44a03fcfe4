#pragma once

#include <cmath>
#include <complex>

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

/// y_i −= Σ_{k<m} X_ik c_k,  i < n;  X_ik = X[i + k·ld], c_k = c[k·stride].
template <class S>
inline void subtract_product(S* __restrict y, int n, const S* __restrict X, int ld, const S* __restrict c, int stride,
                             int m) {
  int k = 0;
  for (; k + 4 <= m; k += 4) {
    const S *x0 = X + static_cast<long>(k) * ld, *x1 = x0 + ld, *x2 = x1 + ld, *x3 = x2 + ld;
    const S* ck = c + static_cast<long>(k) * stride;
    const S c0 = ck[0], c1 = ck[stride], c2 = ck[2L * stride], c3 = ck[3L * stride];
    for (int i = 0; i < n; ++i)
      y[i] -= (product(x0[i], c0) + product(x1[i], c1)) + (product(x2[i], c2) + product(x3[i], c3));
  }
  for (; k < m; ++k) {
    const S* x = X + static_cast<long>(k) * ld;
    const S ck = c[static_cast<long>(k) * stride];
    for (int i = 0; i < n; ++i) y[i] -= product(x[i], ck);
  }
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

/// y_k −= Σ_{i<n} X_ik x_i,  k < m ≤ 4;  not conjugated.
template <class S>
inline void subtract_products_of_columns(S* __restrict y, int m, const S* __restrict X, int ld, const S* __restrict x,
                                         int n) {
  if (m == 4) {
    const S *x0 = X, *x1 = x0 + ld, *x2 = x1 + ld, *x3 = x2 + ld;
    S s0(0), s1(0), s2(0), s3(0);
    for (int i = 0; i < n; ++i) {
      s0 += product(x0[i], x[i]);
      s1 += product(x1[i], x[i]);
      s2 += product(x2[i], x[i]);
      s3 += product(x3[i], x[i]);
    }
    y[0] -= s0, y[1] -= s1, y[2] -= s2, y[3] -= s3;
    return;
  }
  for (int k = 0; k < m; ++k) y[k] -= dot(X + static_cast<long>(k) * ld, x, n);
}

}  // namespace trammel
