// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "trammel/linalg/pattern.h"

namespace trammel {

/// A pattern with each row in the place of the unknown that has its pivot there, for libraries that eliminate on the
/// diagonal.
struct AlignedRows {
  Pattern pattern;
  std::vector<int> row_of;   ///< the matrix row of each row; empty: the same
  std::vector<int> slot_of;  ///< the matrix slot of each slot
};
/// `rows` are those of OrderingHint.
AlignedRows align_rows(const Pattern& pattern, const std::vector<int>& rows);

}  // namespace trammel
