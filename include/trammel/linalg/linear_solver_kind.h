// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "trammel/linalg/dense_kernel.h"

namespace trammel {

enum class LinearSolverKind : std::uint8_t {
  automatic,     ///< "auto": by predicted work, docs/linear_solvers.md
  dense,         ///< "dense": LU with partial pivoting
  sparse_lu,     ///< "sparse_lu": KLU
  skyline_ldlt,  ///< "skyline_ldlt": LDLᵀ or LDU without pivoting, profile storage
  sparse_ldlt,   ///< "sparse_ldlt": LDLᵀ or LDU without pivoting, multifrontal
  gmres,         ///< "gmres": iterative, with a block preconditioner
  umfpack,       ///< "umfpack": UMFPACK, row exchanges in dense fronts
  mumps,         ///< "mumps": MUMPS, direct, on several processes
  petsc,         ///< "petsc": PETSc, iterative, on several processes
};

/// The iteration of "petsc".
enum class KrylovMethod : std::uint8_t { gmres, bicgstab, gcr };

/// What the iteration of "petsc" is preconditioned by.
enum class KrylovPreconditioner : std::uint8_t {
  constraint,    ///< [Ĥ Gᵀ; G 0] as that of "gmres", factored by MUMPS on all processes
  schwarz,       ///< the part of each process with its neighbours, factored by itself
  block_jacobi,  ///< the part of each process, factored by itself
  none,
};

/// What a factorization or iteration is made by.
struct LinearSolverChoice {
  LinearSolverKind kind = LinearSolverKind::automatic;
  DenseKernel dense_kernel = DenseKernel::portable;
  KrylovMethod krylov = KrylovMethod::gmres;
  KrylovPreconditioner preconditioner = KrylovPreconditioner::constraint;

  LinearSolverChoice() = default;
  // A kind alone is a choice.
  LinearSolverChoice(LinearSolverKind of, DenseKernel products = DenseKernel::portable)  // NOLINT
      : kind(of), dense_kernel(products) {}
};

std::string_view to_text(LinearSolverKind kind);
/// Whether it chooses pivots by value, of those that are one method: "auto" is not.
bool exchanges_rows(LinearSolverKind kind);
/// Why this build does not have it; empty: it has.
std::string find_obstacle(LinearSolverKind kind);
/// Throws InputError naming the allowed words and the nearest of them.
LinearSolverKind parse_linear_solver_kind(std::string_view text);
/// The words parse_linear_solver_kind accepts.
const std::vector<std::string>& linear_solver_kind_names();

}  // namespace trammel
