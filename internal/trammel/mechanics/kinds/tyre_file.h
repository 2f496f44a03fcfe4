// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "trammel/mechanics/elements/vehicle_data.h"

namespace trammel {

/// What a tyre property file (.tir) says, and what is wrong with it.
struct TyreFile {
  TyreSpec tyre;
  double stiffness = 0.0, damping = 0.0;  ///< vertical
  std::vector<std::string> problems;      ///< "line 12: …"
};

/// Reads `KEY = value $ comment` below [SECTION]; keys have the names of magic_formula_data.h. A key that is not built
/// is refused by name unless its value takes no effect (0, or 1 of a scaling factor λ). Sections that describe the
/// measurement (ranges, dimensions, header) are passed over; units other than SI are refused.
TyreFile read_tyre_file(std::string_view text);

}  // namespace trammel
