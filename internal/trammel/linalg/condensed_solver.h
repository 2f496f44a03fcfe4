// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "trammel/linalg/linear_solver.h"

namespace trammel {

/// Takes unknowns out of the matrix before it is factored that have a row of their own (OrderingHint::own_rows), as
/// velocities have q̇ = v. With x_e these unknowns, x the others, P diagonal:
///
///   (1) A x + P x_e = b_e                            their own rows
///   (2) B x + V x_e = b                              all others
///   (3) (B − V P⁻¹A) x = b − V P⁻¹b_e                factored and solved by `inner`
///   (4) x_e = P⁻¹(b_e − A x)
///
/// A and V are sparse (a coordinate and the multipliers on it; a mass and the rows that see a velocity) and stay so,
/// where fronts of a factorization would hold them as dense blocks: a link of a planar chain has 7 pivots in fronts
/// instead of 10. Where V P⁻¹A is much fuller than the matrix (mass matrices of large trees beside closed loops)
/// nothing is taken out.
template <class S>
std::unique_ptr<LinearSolver<S>> make_condensed_solver(std::unique_ptr<LinearSolver<S>> inner);

/// Whether a solver finds its pivots in (3) rather than in the whole matrix: those that exchange no rows, of gmres its
/// preconditioner. In rows Φ(q) = 0, and with coordinates without mass, only (3) has one for each unknown.
inline bool wants_condensed(LinearSolverKind solver) {
  return solver == LinearSolverKind::skyline_ldlt || solver == LinearSolverKind::sparse_ldlt ||
         solver == LinearSolverKind::gmres || solver == LinearSolverKind::petsc;
}

}  // namespace trammel
