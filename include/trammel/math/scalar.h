// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <concepts>

/// What every scalar of Trammel's kernels can do: double, Dual<N>, Taylor2<double>, Taylor2<Dual<N>>.
///
/// Kernels are written once, `template <class S>`. Comparisons are by value, so that a kernel takes the same branch for
/// every scalar; the value part of every operation is bit-identical to the operation on doubles.
namespace trammel {

/// A scalar that carries derivatives (BasicDual, Taylor2).
template <class S>
concept Differential = requires {
  requires S::carries_derivatives;
};

/// The number without its derivatives; decisions (branches, tolerances, messages) are made on it.
inline double value_of(double x) { return x; }

/// True when the value and every derivative are finite.
inline bool is_finite(double x) { return std::isfinite(x); }

/// True when the value and every derivative are exactly zero.
inline bool is_zero(double x) { return x == 0.0; }

/// f′·d where f′ may be infinite: a direction in which the argument does not move has derivative 0, not ∞·0.
template <class T>
T guarded_product(const T& slope, const T& d) {
  return is_zero(d) ? T(0.0) : T(slope * d);
}

}  // namespace trammel
