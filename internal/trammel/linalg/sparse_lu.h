// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "trammel/linalg/linear_solver.h"

namespace trammel {

struct SparseLuOptions {
  /// A diagonal entry (of the matched matrix) is taken as pivot when it is at least pivot_tol × the largest candidate
  /// of its column; 0 < pivot_tol ≤ 1, 1 = partial pivoting. KLU's own default, 1e-3, prefers sparsity, but not here:
  /// on a chain of 1000 bodies (n = 11 000) 1e-3 / 0.1 / 1 gave 234 k / 237 k / 217 k numbers in the factors and
  /// backward errors of 7e-12 / 3e-15 / 6e-17. On random saddle-point matrices 1 costs up to 45 % more fill.
  double pivot_tol = 1.0;
  /// refactor falls back to factor when the reciprocal pivot growth min_j max_i|a_ij| / max_i|u_ij| falls below this
  /// part of its value at the last factor. [range: 0 ≤ growth_drop < 1]
  double growth_drop = 1e-2;
};

/// Sparse LU by KLU: a matching that puts entries on the diagonal (saddle-point matrices have zeros there), block
/// triangular form, a fill-reducing ordering per block (AMD and COLAMD are both tried at the first factor after
/// analyze; the smaller factors stay), partial pivoting; KLU's own row scaling is off.
template <class S>
std::unique_ptr<LinearSolver<S>> make_sparse_lu(const SparseLuOptions& options = {});

}  // namespace trammel
