// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "trammel/linalg/linear_solver.h"
#include "trammel/linalg/ranks.h"

namespace trammel {

struct PetscOptions {
  KrylovMethod krylov = KrylovMethod::gmres;
  KrylovPreconditioner preconditioner = KrylovPreconditioner::constraint;
  double tol = 1e-12;  ///< ‖b − A x‖₂ ≤ tol ‖b‖₂, or what rounding leaves; 0 < tol < 1
  int max_iterations = 600;
};

/// Krylov iterations by PETSc [S. Balay et al., PETSc/TAO Users Manual, ANL-21/39 rev. 3.18 (2022)], on all ranks that
/// work together (ranks.h): rank 0 hands over entries and right-hand sides, rows are distributed in the order of a
/// nested dissection, and the solution comes back to rank 0.
///
/// PETSc's numbers are real here. A complex system (A + i B)(x + i y) = b + i c is solved as the real one of twice its
/// size,
///
///   (1)  | A  −B | | x |   | b |
///        | B   A | | y | = | c |
///
/// with both parts of an unknown side by side, so that its blocks stay together.
template <class S>
std::unique_ptr<LinearSolver<S>> make_petsc(const PetscOptions& options = {});

/// Empty: this build has it; else why not.
std::string find_petsc_obstacle();

/// What ranks other than 0 do when rank 0 factors or solves.
void take_part_in_petsc(const ranks::Words& words);

}  // namespace trammel
