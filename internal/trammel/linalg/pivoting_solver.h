// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "trammel/linalg/linear_solver.h"

namespace trammel {

/// Row exchanges by KLU (sparse_lu) or UMFPACK, by the work that KLU predicts from the pattern. KLU refactors chains
/// and mechanisms at next to no cost; on closed meshes of bodies, where factors fill, its columns one by one take up to
/// a hundred times as long as UMFPACK's dense fronts. Its name() is that of the one chosen.
template <class S>
std::unique_ptr<LinearSolver<S>> make_pivoting_solver();

}  // namespace trammel
