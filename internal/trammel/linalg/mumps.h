// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "trammel/linalg/linear_solver.h"
#include "trammel/linalg/ranks.h"

namespace trammel {

/// Sparse LU or LDLᵀ with pivots by threshold, by MUMPS [P. R. Amestoy, I. S. Duff, J.-Y. L'Excellent, J. Koster, SIAM
/// J. Matrix Anal. Appl. 23 (2001) 15–41], on all ranks that work together (ranks.h): the matrix is handed over by rank
/// 0, its fronts are distributed, and the solution comes back to rank 0.
///
/// Where the unknowns are known (OrderingHint::roles) they are eliminated in our nested dissection, rows in the order
/// of their unknowns; else MUMPS orders. Values that are symmetric but for rounding are factored as such until the
/// first that are not. MUMPS equilibrates the matrix by itself, so that a pivot below singular_pivot is one of the
/// equilibrated matrix; of a singular matrix the unknown is named that has most of a null vector. It does not tell
/// which pivot of a regular matrix is the smallest. With several ranks the order of sums, and so the last bits, depend
/// on who is first.
template <class S>
std::unique_ptr<LinearSolver<S>> make_mumps();

/// Empty: this build has it; else why not.
std::string find_mumps_obstacle();

/// What ranks other than 0 do when rank 0 factors or solves.
void take_part_in_mumps(const ranks::Words& words);

}  // namespace trammel
