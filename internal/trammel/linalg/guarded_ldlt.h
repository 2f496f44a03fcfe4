// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "trammel/linalg/linear_solver.h"

namespace trammel {

/// sparse_ldlt where its order of elimination suits the matrix, sparse_lu where it does not.
///
/// Factors without row exchanges are made and solved with in about half the instructions of KLU's on machines, and they
/// tell when they fail: by a vanished pivot, or by the backward error of their first solution (UnpivotedOptions). Then
/// the same values are factored with pivoting and the same right-hand side is solved again; after `patience`
/// factorizations the other is tried once more, since a machine leaves its singular positions. name() and
/// smallest_pivot() are those of the factors at hand.
template <class S>
std::unique_ptr<LinearSolver<S>> make_guarded_ldlt();

}  // namespace trammel
