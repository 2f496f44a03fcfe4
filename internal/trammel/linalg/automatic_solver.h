// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "trammel/linalg/linear_solver.h"

namespace trammel {

/// A sparse solver that is chosen when the pattern is known.
///
/// KLU searches for pivots where the first factors are made, and fill follows the pivots: on closed meshes of bodies
/// that takes hundreds of times as long as an order that only the pattern decides (a net of 30 × 30 particles: 1.7 s
/// against 4 ms). Where a system says which unknowns are multipliers, and has more than a few hundred of them, it is
/// factored without exchanges, guarded by KLU (guarded_ldlt.h); else by KLU. Its name() is that of the factors at hand.
template <class S>
std::unique_ptr<LinearSolver<S>> make_automatic_solver();

}  // namespace trammel
