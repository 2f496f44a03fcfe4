// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "trammel/dae/motion_operator.h"

namespace trammel {

/// What elimination without row exchanges makes of the scaled iteration matrix, [bauchau2009 section 7].
struct UnpivotedAccuracy {
  double relative_error;  ///< ‖x̃ − x‖_∞/‖x‖_∞ for a known x; NaN: a pivot was exactly zero
  double smallest_pivot;  ///< in absolute value
};

/// Solves Ĵ x = b with skyline_ldlt and its safeguards switched off: no threshold for pivots, no refinement. b is the
/// product of Ĵ and x = (1/1.7, 1/2.7, …) in long double, rounded once.
UnpivotedAccuracy measure_unpivoted_accuracy(const MotionOperator& newton);

}  // namespace trammel
