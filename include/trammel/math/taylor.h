// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <compare>
#include <type_traits>

#include "trammel/math/elementary.h"
#include "trammel/math/scalar.h"

namespace trammel {

/// A scalar function of time with its first two derivatives at one instant: x(t), ẋ(t), ẍ(t).
///
/// Arithmetic propagates the three exactly (Leibniz' and Faà di Bruno's rules):
///
///   (1)  (f∘x)˙ = f′ẋ,                    (f∘x)¨ = f′ẍ + f″ẋ²
///   (2)  (xy)˙  = ẋy + xẏ,                (xy)¨  = ẍy + 2ẋẏ + xÿ
///
/// It gives φ, φ̇ and φ̈ of a constraint kernel φ<S> in one evaluation, and u, u̇, ü of an expression of t. T = double, or
/// Dual<6> when the three are to be differentiated with respect to coordinates.
/// A default constructed number is uninitialised like a double; Taylor2{} is zero.
template <class T>
struct Taylor2 {
  static constexpr bool carries_derivatives = true;
  using Component = T;

  T v;   ///< x
  T d;   ///< ẋ
  T dd;  ///< ẍ

  Taylor2() = default;
  Taylor2(double value) : v(value), d(0.0), dd(0.0) {}  // NOLINT: implicit, constants mix freely
  Taylor2(const T& value) requires(!std::is_same_v<T, double>) : v(value), d(0.0), dd(0.0) {}
  Taylor2(const T& value, const T& rate, const T& second) : v(value), d(rate), dd(second) {}
  /// The time itself: (t, 1, 0).
  static Taylor2 time(const T& t) { return Taylor2(t, T(1.0), T(0.0)); }

  Taylor2& operator+=(const Taylor2& b) { return *this = *this + b; }
  Taylor2& operator-=(const Taylor2& b) { return *this = *this - b; }
  Taylor2& operator*=(const Taylor2& b) { return *this = *this * b; }
  Taylor2& operator/=(const Taylor2& b) { return *this = *this / b; }
  Taylor2& operator+=(double b) { return *this = *this + b; }
  Taylor2& operator-=(double b) { return *this = *this - b; }
  Taylor2& operator*=(double b) { return *this = *this * b; }
  Taylor2& operator/=(double b) { return *this = *this / b; }

  friend Taylor2 operator+(const Taylor2& a) { return a; }
  friend Taylor2 operator-(const Taylor2& a) { return {-a.v, -a.d, -a.dd}; }
  friend Taylor2 operator+(const Taylor2& a, const Taylor2& b) { return {a.v + b.v, a.d + b.d, a.dd + b.dd}; }
  friend Taylor2 operator-(const Taylor2& a, const Taylor2& b) { return {a.v - b.v, a.d - b.d, a.dd - b.dd}; }
  friend Taylor2 operator*(const Taylor2& a, const Taylor2& b) {
    return {a.v * b.v, a.d * b.v + a.v * b.d, a.dd * b.v + 2.0 * (a.d * b.d) + a.v * b.dd};
  }
  /// From q b = a: q̇ = (ȧ − q ḃ)/b, q̈ = (ä − 2 q̇ ḃ − q b̈)/b.
  friend Taylor2 operator/(const Taylor2& a, const Taylor2& b) {
    const T q = a.v / b.v;
    const T qd = (a.d - q * b.d) / b.v;
    return {q, qd, (a.dd - 2.0 * (qd * b.d) - q * b.dd) / b.v};
  }
  friend Taylor2 operator+(const Taylor2& a, double b) { return {a.v + b, a.d, a.dd}; }
  friend Taylor2 operator+(double a, const Taylor2& b) { return {a + b.v, b.d, b.dd}; }
  friend Taylor2 operator-(const Taylor2& a, double b) { return {a.v - b, a.d, a.dd}; }
  friend Taylor2 operator-(double a, const Taylor2& b) { return {a - b.v, -b.d, -b.dd}; }
  friend Taylor2 operator*(const Taylor2& a, double b) { return {a.v * b, a.d * b, a.dd * b}; }
  friend Taylor2 operator*(double a, const Taylor2& b) { return b * a; }
  friend Taylor2 operator/(const Taylor2& a, double b) { return {a.v / b, a.d / b, a.dd / b}; }
  friend Taylor2 operator/(double a, const Taylor2& b) { return Taylor2(a) / b; }

  // A component type that is not double (a constant in time with derivatives of its own) mixes at its own price.
  friend Taylor2 operator+(const Taylor2& a, const T& b) requires(!std::is_same_v<T, double>) {
    return {a.v + b, a.d, a.dd};
  }
  friend Taylor2 operator+(const T& a, const Taylor2& b) requires(!std::is_same_v<T, double>) {
    return {a + b.v, b.d, b.dd};
  }
  friend Taylor2 operator-(const Taylor2& a, const T& b) requires(!std::is_same_v<T, double>) {
    return {a.v - b, a.d, a.dd};
  }
  friend Taylor2 operator-(const T& a, const Taylor2& b) requires(!std::is_same_v<T, double>) {
    return {a - b.v, -b.d, -b.dd};
  }
  friend Taylor2 operator*(const Taylor2& a, const T& b) requires(!std::is_same_v<T, double>) {
    return {a.v * b, a.d * b, a.dd * b};
  }
  friend Taylor2 operator*(const T& a, const Taylor2& b) requires(!std::is_same_v<T, double>) {
    return {a * b.v, a * b.d, a * b.dd};
  }
  friend Taylor2 operator/(const Taylor2& a, const T& b) requires(!std::is_same_v<T, double>) {
    return {a.v / b, a.d / b, a.dd / b};
  }
  friend Taylor2 operator/(const T& a, const Taylor2& b) requires(!std::is_same_v<T, double>) { return Taylor2(a) / b; }

  friend bool operator==(const Taylor2& a, const Taylor2& b) { return value_of(a) == value_of(b); }
  friend bool operator==(const Taylor2& a, double b) { return value_of(a) == b; }
  friend std::partial_ordering operator<=>(const Taylor2& a, const Taylor2& b) { return value_of(a) <=> value_of(b); }
  friend std::partial_ordering operator<=>(const Taylor2& a, double b) { return value_of(a) <=> b; }

  friend double value_of(const Taylor2& x) { return value_of(x.v); }
  friend bool is_finite(const Taylor2& x) { return is_finite(x.v) && is_finite(x.d) && is_finite(x.dd); }
  friend bool is_zero(const Taylor2& x) { return is_zero(x.v) && is_zero(x.d) && is_zero(x.dd); }

  /// Of two equal numbers the first, with its derivatives.
  friend Taylor2 min(const Taylor2& a, const Taylor2& b) { return b < a ? b : a; }
  friend Taylor2 max(const Taylor2& a, const Taylor2& b) { return a < b ? b : a; }

  /// From (x² + y²) α̇ = x ẏ − y ẋ, differentiated once more.
  friend Taylor2 atan2(const Taylor2& y, const Taylor2& x) {
    using std::atan2;
    if (!x.moves() && !y.moves()) return Taylor2(atan2(y.v, x.v));  // defined at the origin too
    const T square = x.v * x.v + y.v * y.v;
    const T rate = (x.v * y.d - y.v * x.d) / square;
    const T square_rate = 2.0 * (x.v * x.d + y.v * y.d);
    return {atan2(y.v, x.v), rate, (x.v * y.dd - y.v * x.dd - rate * square_rate) / square};
  }
  /// √(x² + y²) without overflow; at 0 the derivatives are 0, like those of abs. From h ḣ = x ẋ + y ẏ.
  friend Taylor2 hypot(const Taylor2& x, const Taylor2& y) {
    using std::hypot;
    if (value_of(x) == 0.0 && value_of(y) == 0.0) return Taylor2(0.0);
    const T h = hypot(x.v, y.v);
    const T cx = x.v / h, cy = y.v / h;
    const T hd = cx * x.d + cy * y.d;
    const T across = cx * y.d - cy * x.d;  // ẋ² + ẏ² − ḣ² = across² without cancellation
    return {h, hd, cx * x.dd + cy * y.dd + across * across / h};
  }
  /// xʸ. A negative base needs an integer exponent that does not change with time.
  friend Taylor2 pow(const Taylor2& x, const Taylor2& y) {
    using std::pow;
    if (y.moves()) {
      if (is_zero(x) && value_of(y) > 0.0) return Taylor2(0.0);
      const T f = pow(x.v, y.v);  // exp(y log x) would not be the value that doubles give, bit by bit
      const Taylor2 exponent = y * log(x);
      return {f, f * exponent.d, f * (exponent.dd + exponent.d * exponent.d)};
    }
    const T& p = y.v;
    const T p1 = p - 1.0, p2 = p - 2.0;
    const T f1 = is_zero(p) ? T(0.0) : T(p * pow(x.v, p1));
    const T f2 = is_zero(p) || is_zero(p1) ? T(0.0) : T(p * p1 * pow(x.v, p2));
    return x.chain(pow(x.v, p), f1, f2);
  }

  /// f(x) for an elementary function F of elementary.h.
  template <class F>
  Taylor2 apply() const {
    const T f = F::f(v);
    const T f1 = F::f1(v, f);
    const T f2 = F::f2(v, f, f1);
    if constexpr (F::singular) {
      return chain(f, f1, f2);
    } else {
      return {f, f1 * d, f1 * dd + f2 * (d * d)};
    }
  }

  /// True when the first or second derivative is not zero.
  bool moves() const { return !is_zero(d) || !is_zero(dd); }

 private:
  /// Equation (1) for slopes that may be infinite.
  Taylor2 chain(const T& f, const T& f1, const T& f2) const {
    if (is_finite(f1) && is_finite(f2)) return {f, f1 * d, f1 * dd + f2 * (d * d)};
    return {f, guarded_product(f1, d), guarded_product(f1, dd) + guarded_product(f2, T(d * d))};
  }
};

}  // namespace trammel

namespace Eigen {

template <class T>
struct NumTraits<trammel::Taylor2<T>> : NumTraits<double> {
  using Real = trammel::Taylor2<T>;
  using NonInteger = Real;
  using Nested = Real;
  using Literal = double;
  enum {
    IsComplex = 0,
    IsInteger = 0,
    IsSigned = 1,
    RequireInitialization = 1,
    ReadCost = 3 * static_cast<int>(NumTraits<T>::ReadCost),
    AddCost = 3 * static_cast<int>(NumTraits<T>::AddCost),
    MulCost = 6 * static_cast<int>(NumTraits<T>::MulCost),
  };
};

template <class T, class BinaryOp>
struct ScalarBinaryOpTraits<trammel::Taylor2<T>, double, BinaryOp> {
  using ReturnType = trammel::Taylor2<T>;
};
template <class T, class BinaryOp>
struct ScalarBinaryOpTraits<double, trammel::Taylor2<T>, BinaryOp> {
  using ReturnType = trammel::Taylor2<T>;
};
template <class T, class BinaryOp>
requires(!std::is_same_v<T, double>) struct ScalarBinaryOpTraits<trammel::Taylor2<T>, T, BinaryOp> {
  using ReturnType = trammel::Taylor2<T>;
};
template <class T, class BinaryOp>
requires(!std::is_same_v<T, double>) struct ScalarBinaryOpTraits<T, trammel::Taylor2<T>, BinaryOp> {
  using ReturnType = trammel::Taylor2<T>;
};

}  // namespace Eigen
