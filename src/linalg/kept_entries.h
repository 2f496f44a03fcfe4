// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "trammel/linalg/linear_solver.h"
#include "trammel/linalg/pattern.h"

namespace trammel {

/// The entries of a matrix that its preconditioner keeps, and where their values come from.
struct KeptEntries {
  Pattern pattern;
  std::vector<int> from;  ///< slot of the matrix of each entry; −1: it is one
};

/// Of the coordinates the diagonal blocks (OrderingHint::blocks), of unknowns that are neither coordinates nor
/// multipliers all entries among each other. Multipliers keep everything, or (`diagonal`) one on the diagonal alone.
KeptEntries keep_entries(const Pattern& pattern, const OrderingHint& hint, bool diagonal);

}  // namespace trammel
