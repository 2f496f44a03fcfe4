// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "trammel/linalg/linear_solver.h"

namespace trammel {

/// P A = L U with partial pivoting on a full matrix: the solver for small systems and the judge of all others.
/// Memory n², work 2n³/3. Neither factor nor solve allocates after analyze, at any size: the trailing matrix is updated
/// in panels of matrix-vector products, because Eigen's PartialPivLU allocates for large matrices (measured: n = 400).
template <class S>
std::unique_ptr<LinearSolver<S>> make_dense_lu();

}  // namespace trammel
