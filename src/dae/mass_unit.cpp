// SPDX-License-Identifier: Apache-2.0
#include "trammel/dae/mass_unit.h"

#include <algorithm>
#include <cmath>

namespace trammel {

double calc_mass_unit(const std::vector<double>& M) {
  constexpr double ordinary_mass = 1e-6;
  double largest = 0.0;
  for (const double m : M) largest = std::max(largest, std::abs(m));
  return largest > 0.0 && largest < ordinary_mass ? std::exp2(std::floor(std::log2(largest))) : 1.0;
}

}  // namespace trammel
