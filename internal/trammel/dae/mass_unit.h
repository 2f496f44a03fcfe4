// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

namespace trammel {

/// M of a machine of micrograms vanishes beside G: rows and multipliers of matrices that hold both are counted in a
/// power of two near its largest mass. From a milligram on, the unit is 1 kg.
double calc_mass_unit(const std::vector<double>& M);

}  // namespace trammel
