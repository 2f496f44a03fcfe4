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
};

/// What a factorization or iteration is made by.
struct LinearSolverChoice {
  LinearSolverKind kind = LinearSolverKind::automatic;
  DenseKernel dense_kernel = DenseKernel::portable;

  LinearSolverChoice() = default;
  // A kind alone is a choice.
  LinearSolverChoice(LinearSolverKind of, DenseKernel products = DenseKernel::portable)  // NOLINT
      : kind(of), dense_kernel(products) {}
};

std::string_view to_text(LinearSolverKind kind);
/// Whether it chooses pivots by value, of those that are one method: "auto" is not.
bool exchanges_rows(LinearSolverKind kind);
/// Throws InputError naming the allowed words and the nearest of them.
LinearSolverKind parse_linear_solver_kind(std::string_view text);
/// The words parse_linear_solver_kind accepts.
const std::vector<std::string>& linear_solver_kind_names();

}  // namespace trammel
