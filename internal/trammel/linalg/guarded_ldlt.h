// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "trammel/linalg/dense_kernel.h"
#include "trammel/linalg/linear_solver.h"

namespace trammel {

struct GuardedOptions {
  LinearSolverKind first = LinearSolverKind::sparse_ldlt;  ///< or skyline_ldlt
  DenseKernel dense_kernel = DenseKernel::automatic;
  /// Predicted multiplications and additions of a factorization above which it is tried without: half a second of a
  /// core.
  double iterate_above = 1e10;
};

/// sparse_ldlt where its order of elimination suits the matrix, row exchanges where it does not, GMRES where factors
/// would take long and iterations do not.
///
/// Factors without row exchanges are made and solved with in about half the instructions of KLU's on machines, and they
/// tell when they fail: by a vanished pivot, or by the backward error of their first solution (UnpivotedOptions). Then
/// the same values are factored with pivoting (pivoting_solver.h) and the same right-hand side is solved again; after
/// `patience` factorizations the other is tried once more, since a machine leaves its singular positions.
///
/// Where a factorization takes more than `iterate_above` operations, systems are solved by GMRES as long as that is
/// cheaper. Operations are counted, not timed, so that every run does the same: those of iterations, which wait for
/// memory, tenfold (measured on 8000 spheres: 3 ms for an iteration of 14 million, 2.1 s for factors of 10¹¹). When the
/// iterations with one matrix have cost as much as its factorization, it is factored; a solution that did not converge
/// within half of that makes the next `patience` matrices be factored at once.
///
/// name() and smallest_pivot() are those of the solver at hand, predicted_work() is that of sparse_ldlt.
/// counters().n_handed_over counts the matrices that were factored with row exchanges.
template <class S>
std::unique_ptr<LinearSolver<S>> make_guarded_ldlt(const GuardedOptions& options = {});

/// The solver that is named, for matrices whose order of elimination the method knows but not whether it suits every
/// step: `sparse_ldlt` and `skyline_ldlt` are guarded, under their own names, `gmres` factors the whole matrix where
/// its preconditioner fails. In first-order forms a coordinate without mass has the pivot h² k beside 1, which vanishes
/// in the first steps of a method that begins with small ones, whatever k.
template <class S>
std::unique_ptr<LinearSolver<S>> make_guarded_solver(LinearSolverChoice choice, int n);

}  // namespace trammel
