// SPDX-License-Identifier: Apache-2.0
#include "trammel/mechanics/elements/creep.h"

#include <algorithm>
#include <numbers>

namespace trammel {

HertzContact calc_hertz_contact(double load, double wheel_radius, double rail_radius, double youngs_modulus,
                                double poisson) {
  const double A = 0.5 / wheel_radius, B = 0.5 / rail_radius, wanted = std::max(A, B) / std::min(A, B);
  // (2) falls from ∞ to 1 while k grows from 0 to 1: bisection.
  const auto ratio = [](double k) {
    const double modulus = std::sqrt(1.0 - k * k), K = std::comp_ellint_1(modulus), E = std::comp_ellint_2(modulus);
    return (E / (k * k) - K) / (K - E);
  };
  double low = 1e-3, high = 1.0 - 1e-9;
  for (int i = 0; i < 80; ++i) {
    const double middle = 0.5 * (low + high);
    (ratio(middle) > wanted ? low : high) = middle;
  }
  const double k = 0.5 * (low + high), E = std::comp_ellint_2(std::sqrt(1.0 - k * k));
  const double modulus = youngs_modulus / (2.0 * (1.0 - poisson * poisson));
  const double major = std::cbrt(3.0 * load * E / (2.0 * std::numbers::pi * k * k * (A + B) * modulus));
  HertzContact contact;
  contact.a = A <= B ? major : k * major;  // the longer axis lies where the bodies are flatter
  contact.b = A <= B ? k * major : major;
  contact.pressure = 1.5 * load / (std::numbers::pi * contact.a * contact.b);
  return contact;
}

CreepLaw make_creep_law(double speed, double friction, double load, double wheel_radius, double rail_radius,
                        double youngs_modulus, double poisson, const double (&kalker)[4]) {
  const HertzContact c = calc_hertz_contact(load, wheel_radius, rail_radius, youngs_modulus, poisson);
  const double G = youngs_modulus / (2.0 * (1.0 + poisson)), ab = c.a * c.b;
  return {speed,
          friction,
          load,
          G * ab * kalker[0],
          G * ab * kalker[1],
          G * ab * std::sqrt(ab) * kalker[2],
          G * ab * ab * kalker[3]};
}

}  // namespace trammel
