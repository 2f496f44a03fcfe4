// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include "trammel/math/scalar.h"

namespace trammel {

/// What the two conditions that tabulated values leave open are filled with.
enum class SplineEnds {
  not_a_knot,  ///< third derivative continuous at the second and the last but one point: exact for cubics
  natural,     ///< second derivative 0 at both ends: continues straight, C² also with linear extrapolation
  periodic,    ///< values, slopes and curvatures agree at both ends; the table repeats for ever
};

/// What a table says outside its range (periodic tables have no outside).
enum class Extrapolation {
  linear,    ///< goes on with the slope of the end
  constant,  ///< keeps the value of the end; a kink in general
  error,     ///< NaN: an integrator rejects the step and names the row
};

struct SplineOptions {
  SplineEnds ends = SplineEnds::not_a_knot;
  Extrapolation extrapolation = Extrapolation::linear;
};

/// The C² cubic spline through tabulated data (xᵢ, yᵢ), xᵢ strictly increasing.
///
///   (1)  y(x) = yᵢ + u (bᵢ + u (cᵢ + u dᵢ)),   u = x − xᵢ,   xᵢ ≤ x < xᵢ₊₁
///   (2)  hᵢ₋₁ mᵢ₋₁ + 2 (hᵢ₋₁ + hᵢ) mᵢ + hᵢ mᵢ₊₁ = 6 (δᵢ − δᵢ₋₁)       curvatures m, chords δᵢ = (yᵢ₊₁ − yᵢ)/hᵢ
///
/// Continuous first and second derivatives are what a prescribed motion needs: its constraint is differentiated twice,
/// and a jump of ü is a jump of every reaction. With two points it is a line, with three (not_a_knot) a parabola.
class CubicSpline {
 public:
  /// Throws InputError with every problem and its row (counted from 1): fewer than two points, lengths that differ,
  /// values that are not finite, abscissae that do not increase, periodic data whose ends differ.
  CubicSpline(std::span<const double> x, std::span<const double> y, const SplineOptions& options = {});

  /// y at x, with the derivatives that S carries (double, Dual, Taylor2).
  template <class S>
  S evaluate(const S& x) const;

  double front() const { return knots_.front(); }
  double back() const { return knots_.back(); }
  std::span<const double> knots() const { return knots_; }
  const SplineOptions& options() const { return options_; }

 private:
  struct Cubic {
    double a, b, c, d;  // (1)
  };
  std::size_t segment_of(double x) const;

  std::vector<double> knots_;
  std::vector<Cubic> cubics_;  // one per interval
  double end_value_ = 0.0, end_slope_ = 0.0;
  SplineOptions options_;
};

template <class S>
S CubicSpline::evaluate(const S& x) const {
  double at = value_of(x);
  double shift = 0.0;  // whole periods
  if (options_.ends == SplineEnds::periodic) {
    const double period = back() - front();
    shift = period * std::floor((at - front()) / period);
    at -= shift;
  } else if (at < front() || at > back()) {
    const bool below = at < front();
    const double value = below ? cubics_.front().a : end_value_;
    if (options_.extrapolation == Extrapolation::constant) return S(value);
    if (options_.extrapolation == Extrapolation::error) return S(std::numeric_limits<double>::quiet_NaN());
    const double slope = below ? cubics_.front().b : end_slope_;
    return value + slope * (x - (below ? front() : back()));
  }
  const std::size_t i = segment_of(at);
  const Cubic& p = cubics_[i];
  const S u = x - (knots_[i] + shift);
  return p.a + u * (p.b + u * (p.c + u * p.d));
}

}  // namespace trammel
