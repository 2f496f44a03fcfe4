// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace trammel {

enum class LinearSolverKind : std::uint8_t {
  automatic,     ///< "auto": dense up to 24 unknowns, sparse_lu beyond
  dense,         ///< "dense": LU with partial pivoting
  sparse_lu,     ///< "sparse_lu": KLU
  skyline_ldlt,  ///< "skyline_ldlt": LDLᵀ or LDU without pivoting, profile storage
  sparse_ldlt,   ///< "sparse_ldlt": LDLᵀ or LDU without pivoting, multifrontal
  gmres,         ///< "gmres": iterative, with a block preconditioner
};

std::string_view to_text(LinearSolverKind kind);
/// Throws InputError naming the allowed words and the nearest of them.
LinearSolverKind parse_linear_solver_kind(std::string_view text);
/// The words parse_linear_solver_kind accepts.
const std::vector<std::string>& linear_solver_kind_names();

}  // namespace trammel
