// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "trammel/linalg/linear_solver.h"
#include "trammel/linalg/sparse_ldlt.h"

namespace trammel {

/// A = L D U on the profile: row i of L and column i of U are stored from their first entry to the diagonal, without
/// indices. For a symmetric A this is LDLᵀ with half the work and memory. The storage of classical finite element
/// programs, and the solver that [bauchau2009 section 7] has in mind.
///
///   order     reverse Cuthill–McKee on the coordinates, each multiplier directly after the last of its coordinates
///   numbers   l_ij = (a_ij − Σ_{k<j} l_ik d_k u_kj) / d_j as dot products of contiguous numbers (Crout)
///
/// Work Σ pᵢ² for profile lengths pᵢ: competitive for long narrow chains, hopeless for nets. Pivots, symmetry and
/// refinement as in sparse_ldlt.h.
template <class S>
std::unique_ptr<LinearSolver<S>> make_skyline_ldlt(const UnpivotedOptions& options = {});

}  // namespace trammel
