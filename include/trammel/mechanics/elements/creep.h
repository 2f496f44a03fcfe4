// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include "trammel/mechanics/elements/frame.h"

namespace trammel {

/// The contact ellipse of two steel bodies after Hertz, and Kalker's linear creep coefficients for it.
///
///   (1) A = 1/(2 r_wheel) along the rail, B = 1/(2 r_rail) across;  E* = E/(2(1 − ν²))
///   (2) (E(m)/k² − K(m))/(K(m) − E(m)) = max(A,B)/min(A,B),  k = minor/major half axis, m = 1 − k²
///   (3) major³ = 3 N E(m)/(2π k² (A + B) E*)
///   (4) f₁₁ = G a b C₁₁, f₂₂ = G a b C₂₂, f₂₃ = G (ab)^{3/2} C₂₃, f₃₃ = G (ab)² C₃₃,   G = E/(2(1 + ν))
struct HertzContact {
  double a = 0.0, b = 0.0;  ///< half axes along and across the rail [m]
  double pressure = 0.0;    ///< largest, p₀ = 3N/(2πab) [Pa]
};
HertzContact calc_hertz_contact(double load, double wheel_radius, double rail_radius, double youngs_modulus,
                                double poisson);

struct CreepLaw {
  double speed = 1.0;                                 ///< V [m/s]
  double friction = 0.0;                              ///< μ
  double load = 1.0;                                  ///< N₀ [N]
  double f11 = 0.0, f22 = 0.0, f23 = 0.0, f33 = 0.0;  ///< at N₀: [N], [N], [N m], [N m²]
};
CreepLaw make_creep_law(double speed, double friction, double load, double wheel_radius, double rail_radius,
                        double youngs_modulus, double poisson, const double (&kalker)[4]);

/// Forces that creepages (ξ_x, ξ_y, spin [1/m]) cause under the normal force N:
///
///   (5) F_x = −f₁₁ ξ_x,  F_y = −f₂₂ ξ_y − f₂₃ spin,  M = f₂₃ ξ_y − f₃₃ spin
///   (6) with r = max(N/N₀, 0.02): f₁₁, f₂₂ ~ r^{2/3}, f₂₃ ~ r, f₃₃ ~ r^{4/3}
///   (7) saturation (Vermeulen–Johnson, Shen–Hedrick–Elkins): ε = ‖(F_x, F_y)‖/(μ max(N, 1 kN)),
///       all three times 1 − ε/3 + ε²/27 for ε < 3, else 1/ε: never more than μN; twice differentiable at ε = 3
template <class S>
struct CreepForces {
  S Fx, Fy, M;
};
template <class S>
CreepForces<S> calc_creep_forces(const CreepLaw& c, const S& xi_x, const S& xi_y, const S& spin, const S& N) {
  using std::exp, std::log, std::sqrt;
  constexpr double smallest_ratio = 0.02, smallest_load = 1000.0;  // a wheel that lifts off must not divide by zero
  constexpr double tiny = 1e-12;                                   // [N²], so that the root has a slope at rest
  const S ratio = N / c.load;
  const S r = ratio < smallest_ratio ? S(smallest_ratio) : ratio;
  const S r13 = exp(log(r) * (1.0 / 3.0)), r23 = r13 * r13;
  const S Fx = xi_x * r23 * (-c.f11), f23 = r * c.f23;
  const S Fy = -(xi_y * r23 * c.f22) - f23 * spin;
  const S M = f23 * xi_y - spin * (r23 * r23 * c.f33);
  const S limit = c.friction * (N < smallest_load ? S(smallest_load) : N);
  const S saturation = sqrt(Fx * Fx + Fy * Fy + tiny) / limit;
  const S factor = saturation < 3.0 ? S(1.0 - saturation * (1.0 / 3.0) + saturation * saturation * (1.0 / 27.0))
                                    : S(1.0 / saturation);
  return {Fx * factor, Fy * factor, M * factor};
}

}  // namespace trammel
