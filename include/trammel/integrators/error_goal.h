// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace trammel {

/// What the tolerances are held by.
///
/// `step`: the estimate of each step (radau.h, (4)), of order s + 1. `motion`: the error that steps of that size leave.
/// On y′ = iω y with three stages and z = hω
///
///   (1) the estimate is z⁴/218 |y|,   what a step errs z⁶/7200 |y|,   what a radian of the motion errs z⁵/7200 |y|
///
/// so that after ten radians a tolerance τ is met by steps whose estimate is (720 τ)^(4/5)/218 ≈ 0.89 τ^(4/5): at 1e-5
/// nine times the tolerance, at which the estimate alone would hold the motion a hundred times closer than was asked.
enum class ErrorGoal : std::uint8_t { step, motion };

}  // namespace trammel
