// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <compare>
#include <type_traits>

#include "trammel/math/elementary.h"
#include "trammel/math/scalar.h"

namespace trammel {

/// Forward dual number of fixed size: x = v + Σ dᵢ εᵢ with εᵢεⱼ = 0, so that f(x) = f(v) + Σ f′(v) dᵢ εᵢ exactly.
///
/// The N directions are carried along in one sweep; a kernel with 12 inputs takes two sweeps of six. Wider numbers gain
/// nothing (measured on a bushing: 12 columns cost the same with width 4, 6 and 12) and make the object code larger.
/// A default constructed dual is uninitialised like a double; BasicDual{} is zero. T may itself carry derivatives.
template <class T, int N>
struct BasicDual {
  static_assert(N > 0);
  static constexpr bool carries_derivatives = true;
  static constexpr int width = N;
  using Component = T;

  T v;     ///< value
  T d[N];  ///< derivatives along the N directions

  BasicDual() = default;
  BasicDual(double value) : v(value) { clear(); }  // NOLINT: implicit, constants mix freely with duals
  BasicDual(const T& value) requires(!std::is_same_v<T, double>) : v(value) { clear(); }
  /// The independent variable number `direction`: d = e_direction.
  static BasicDual variable(const T& value, int direction) {
    BasicDual x(value);
    x.d[direction] = T(1.0);
    return x;
  }

  BasicDual& operator+=(const BasicDual& b) {
    v += b.v;
    for (int i = 0; i < N; ++i) d[i] += b.d[i];
    return *this;
  }
  BasicDual& operator-=(const BasicDual& b) {
    v -= b.v;
    for (int i = 0; i < N; ++i) d[i] -= b.d[i];
    return *this;
  }
  BasicDual& operator*=(const BasicDual& b) { return *this = *this * b; }
  BasicDual& operator/=(const BasicDual& b) { return *this = *this / b; }
  BasicDual& operator+=(double b) {
    v += b;
    return *this;
  }
  BasicDual& operator-=(double b) {
    v -= b;
    return *this;
  }
  BasicDual& operator*=(double b) {
    v *= b;
    for (int i = 0; i < N; ++i) d[i] *= b;
    return *this;
  }
  BasicDual& operator/=(double b) {
    v /= b;
    const double inverse = 1.0 / b;  // the value is divided so that it equals the one of doubles bit by bit
    for (int i = 0; i < N; ++i) d[i] *= inverse;
    return *this;
  }

  friend BasicDual operator+(const BasicDual& a) { return a; }
  friend BasicDual operator-(const BasicDual& a) {
    BasicDual r;
    r.v = -a.v;
    for (int i = 0; i < N; ++i) r.d[i] = -a.d[i];
    return r;
  }
  friend BasicDual operator+(const BasicDual& a, const BasicDual& b) {
    BasicDual r;
    r.v = a.v + b.v;
    for (int i = 0; i < N; ++i) r.d[i] = a.d[i] + b.d[i];
    return r;
  }
  friend BasicDual operator-(const BasicDual& a, const BasicDual& b) {
    BasicDual r;
    r.v = a.v - b.v;
    for (int i = 0; i < N; ++i) r.d[i] = a.d[i] - b.d[i];
    return r;
  }
  friend BasicDual operator*(const BasicDual& a, const BasicDual& b) {
    BasicDual r;
    r.v = a.v * b.v;
    for (int i = 0; i < N; ++i) r.d[i] = a.d[i] * b.v + a.v * b.d[i];
    return r;
  }
  friend BasicDual operator/(const BasicDual& a, const BasicDual& b) {
    BasicDual r;
    r.v = a.v / b.v;
    const T inverse = 1.0 / b.v;
    for (int i = 0; i < N; ++i) r.d[i] = (a.d[i] - r.v * b.d[i]) * inverse;
    return r;
  }
  friend BasicDual operator+(BasicDual a, double b) { return a += b; }
  friend BasicDual operator+(double a, BasicDual b) {
    b.v = a + b.v;
    return b;
  }
  friend BasicDual operator-(BasicDual a, double b) { return a -= b; }
  friend BasicDual operator-(double a, const BasicDual& b) {
    BasicDual r;
    r.v = a - b.v;
    for (int i = 0; i < N; ++i) r.d[i] = -b.d[i];
    return r;
  }
  friend BasicDual operator*(BasicDual a, double b) { return a *= b; }
  friend BasicDual operator*(double a, BasicDual b) { return b *= a; }
  friend BasicDual operator/(BasicDual a, double b) { return a /= b; }
  friend BasicDual operator/(double a, const BasicDual& b) {
    BasicDual r;
    r.v = a / b.v;
    const T slope = -r.v / b.v;
    for (int i = 0; i < N; ++i) r.d[i] = slope * b.d[i];
    return r;
  }

  friend bool operator==(const BasicDual& a, const BasicDual& b) { return value_of(a) == value_of(b); }
  friend bool operator==(const BasicDual& a, double b) { return value_of(a) == b; }
  friend std::partial_ordering operator<=>(const BasicDual& a, const BasicDual& b) {
    return value_of(a) <=> value_of(b);
  }
  friend std::partial_ordering operator<=>(const BasicDual& a, double b) { return value_of(a) <=> b; }

  friend double value_of(const BasicDual& x) { return value_of(x.v); }
  friend bool is_finite(const BasicDual& x) {
    bool finite = is_finite(x.v);
    for (int i = 0; i < N; ++i) finite = finite && is_finite(x.d[i]);
    return finite;
  }
  friend bool is_zero(const BasicDual& x) {
    bool zero = is_zero(x.v);
    for (int i = 0; i < N; ++i) zero = zero && is_zero(x.d[i]);
    return zero;
  }

  /// Of two equal numbers the first, with its derivatives.
  friend BasicDual min(const BasicDual& a, const BasicDual& b) { return b < a ? b : a; }
  friend BasicDual max(const BasicDual& a, const BasicDual& b) { return a < b ? b : a; }

  friend BasicDual atan2(const BasicDual& y, const BasicDual& x) {
    using std::atan2;
    BasicDual r;
    r.v = atan2(y.v, x.v);
    const T square = x.v * x.v + y.v * y.v;
    if (value_of(square) == 0.0) {  // at the origin only what does not move has a derivative
      for (int i = 0; i < N; ++i) r.d[i] = is_zero(x.d[i]) && is_zero(y.d[i]) ? T(0.0) : T(std::nan(""));
      return r;
    }
    const T dr_dy = x.v / square, dr_dx = -y.v / square;
    for (int i = 0; i < N; ++i) r.d[i] = dr_dy * y.d[i] + dr_dx * x.d[i];
    return r;
  }
  /// √(x² + y²) without overflow; at 0 the derivatives are 0, like those of abs.
  friend BasicDual hypot(const BasicDual& x, const BasicDual& y) {
    using std::hypot;
    if (value_of(x) == 0.0 && value_of(y) == 0.0) return BasicDual(0.0);
    BasicDual r;
    r.v = hypot(x.v, y.v);
    const T dr_dx = x.v / r.v, dr_dy = y.v / r.v;
    for (int i = 0; i < N; ++i) r.d[i] = dr_dx * x.d[i] + dr_dy * y.d[i];
    return r;
  }
  /// xʸ. A negative base needs an integer exponent that does not move; 0 with an exponent that moves needs y > 0.
  friend BasicDual pow(const BasicDual& x, const BasicDual& y) {
    using std::log;
    using std::pow;
    BasicDual r;
    r.v = pow(x.v, y.v);
    const T slope = is_zero(y.v) ? T(0.0) : T(y.v * pow(x.v, T(y.v - 1.0)));  // y x^(y−1), and 0 for x⁰ at x = 0
    const bool base_is_zero = value_of(x) == 0.0 && value_of(y) > 0.0;
    const T growth = base_is_zero || !y.moves() ? T(0.0) : T(r.v * log(x.v));  // xʸ log x → 0 as x → 0, y > 0
    for (int i = 0; i < N; ++i) r.d[i] = guarded_product(slope, x.d[i]) + guarded_product(growth, y.d[i]);
    return r;
  }

  /// f(x) for an elementary function F of elementary.h.
  template <class F>
  BasicDual apply() const {
    BasicDual r;
    r.v = F::f(v);
    const T slope = F::f1(v, r.v);
    if constexpr (F::singular) {
      if (!is_finite(slope)) {
        for (int i = 0; i < N; ++i) r.d[i] = guarded_product(slope, d[i]);
        return r;
      }
    }
    for (int i = 0; i < N; ++i) r.d[i] = slope * d[i];
    return r;
  }

  /// True when some derivative is not zero.
  bool moves() const {
    for (int i = 0; i < N; ++i)
      if (!is_zero(d[i])) return true;
    return false;
  }

 private:
  void clear() {
    for (int i = 0; i < N; ++i) d[i] = T(0.0);
  }
};

template <int N>
using Dual = BasicDual<double, N>;

/// The one width that kernels are instantiated with: the six coordinates of a frame.
inline constexpr int dual_width = 6;

}  // namespace trammel

namespace Eigen {

template <class T, int N>
struct NumTraits<trammel::BasicDual<T, N>> : NumTraits<double> {
  using Real = trammel::BasicDual<T, N>;
  using NonInteger = Real;
  using Nested = Real;
  using Literal = double;
  enum {
    IsComplex = 0,
    IsInteger = 0,
    IsSigned = 1,
    RequireInitialization = 1,
    ReadCost = 1 + N,
    AddCost = 1 + N,
    MulCost = 1 + 3 * N,
  };
};

template <class T, int N, class BinaryOp>
struct ScalarBinaryOpTraits<trammel::BasicDual<T, N>, double, BinaryOp> {
  using ReturnType = trammel::BasicDual<T, N>;
};
template <class T, int N, class BinaryOp>
struct ScalarBinaryOpTraits<double, trammel::BasicDual<T, N>, BinaryOp> {
  using ReturnType = trammel::BasicDual<T, N>;
};

}  // namespace Eigen
