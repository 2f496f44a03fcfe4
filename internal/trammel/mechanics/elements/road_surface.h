// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "trammel/math/scalar.h"
#include "trammel/math/spline.h"
#include "trammel/mechanics/elements/road_data.h"

namespace trammel {

/// Height of a road over x, y with its first and second derivatives, so that the direction of the surface can be
/// differentiated.
///
///   table   a C² spline along x for each y, between them C¹ cubics by differences of the lines beside; outside the
///           table the height of its edge
///   bump    z = h/2 (1 − cos 2π(x − x₀)/ℓ) for x₀ < x < x₀ + ℓ
///   sweep   z = a (1 − cos φ), φ = 2π ∫ n dx, the wave number n = 1/wavelength running linearly from 1/λ₁ to 1/λ₂ over
///   ℓ;
///           it begins level, and behind it the road keeps its last height
///   random  z = Σ √(2 G_d(n_k) Δn) cos(2π n_k x + φ_k), n_k = k Δn, Δn = 1/ℓ, from 1/λ₁ to 1/λ₂: the one-sided power
///           spectral density G_d(n) = G_d(n₀) (n/n₀)^−w, n₀ = 0.1 1/m [ISO 8608:2016, 4.2 and annex A]; phases φ_k by
///           the seed. It repeats itself after ℓ.
class RoadSurface {
 public:
  /// The shape has no issues.
  explicit RoadSurface(const RoadShape& shape);

  struct Sample {
    double z, x, y, xx, xy, yy;  ///< the height and its derivatives
  };
  Sample at(double x, double y) const;

  /// The height and its slopes with the derivatives that S carries.
  template <class S>
  struct Point {
    S z, x, y;
  };
  template <class S>
  Point<S> sample(const S& x, const S& y) const {
    const Sample s = at(value_of(x), value_of(y));
    const S dx = x - value_of(x), dy = y - value_of(y);
    return {s.z + s.x * dx + s.y * dy, s.x + s.xx * dx + s.xy * dy, s.y + s.xy * dx + s.yy * dy};
  }

 private:
  struct Along {
    double z = 0.0, x = 0.0, xx = 0.0;
  };
  Along along(double x) const;
  Sample on_grid(double x, double y) const;

  RoadShape shape_;
  std::vector<CubicSpline> lines_;  // along x: of each y, or one
};

/// The numbers of a random profile at n equal distances over its period: what `random` is a spline through.
std::vector<double> calc_random_profile(const RoadShape& shape, int n);

/// Samples of a random profile per shortest wavelength: a periodic cubic spline through them misses 2e-3 of that wave.
inline constexpr int samples_per_wave = 8;

/// G_d(n₀) [m³] of an ISO 8608 class "A" … "H": the geometric mean of its range.
double roughness_of_class(char letter);

}  // namespace trammel
