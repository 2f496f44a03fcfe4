#pragma once

#include <memory>

#include "trammel/linalg/linear_solver.h"

namespace trammel {

/// P A = L U with partial pivoting on a full matrix: the solver for small systems and the judge of all others.
/// Memory n², work 2n³/3; neither factor nor solve allocates after analyze (Eigen's own PartialPivLU does beyond
/// n ≈ 100, in the packing of its matrix products; this one works in panels of matrix-vector products instead).
template <class S>
std::unique_ptr<LinearSolver<S>> make_dense_lu();

}  // namespace trammel
