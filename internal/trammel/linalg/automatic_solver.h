// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "trammel/linalg/dense_kernel.h"
#include "trammel/linalg/linear_solver.h"

namespace trammel {

/// A sparse solver that is chosen when the pattern is known, by the work that it predicts.
///
/// Up to some hundred unknowns KLU (sparse_lu): its search for pivots takes less than a millisecond. Beyond, where a
/// system says which unknowns are multipliers, factors without row exchanges and what guards them (guarded_ldlt.h): KLU
/// searches for pivots where the first factors are made, and fill follows the pivots; on closed meshes of bodies that
/// takes hundreds of times as long as an order that only the pattern decides (a net of 30 × 30 particles: 1.7 s against
/// 4 ms). Where no roles are known, row exchanges (pivoting_solver.h). Its name() is that of the solver at hand.
/// `n`: there are no more unknowns than these.
template <class S>
std::unique_ptr<LinearSolver<S>> make_automatic_solver(int n, DenseKernel dense_kernel = DenseKernel::automatic);

}  // namespace trammel
