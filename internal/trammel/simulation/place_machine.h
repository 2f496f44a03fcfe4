// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "trammel/mechanics/absolute/assemble.h"
#include "trammel/simulation/starting_point.h"

namespace trammel {

/// Puts a machine, given as drawn, where the point says; constraints are left to the projection that follows. Bristles
/// of contacts begin at rest, turns of springs that are on no joint are counted anew. Throws InputError with every
/// body, coordinate and state of the model that the point does not have.
void place_machine(const StartingPoint& point, const Model& model, const Assembly& assembly, MotionVariables& x,
                   State& state);

}  // namespace trammel
