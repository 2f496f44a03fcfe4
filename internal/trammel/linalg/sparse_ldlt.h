// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "trammel/linalg/dense_kernel.h"
#include "trammel/linalg/linear_solver.h"

namespace trammel {

/// What solvers that never exchange rows have in common.
struct UnpivotedOptions {
  /// A pivot smaller than this beside the largest entry of its column, in the equilibrated matrix, has vanished: the
  /// factorization is refused with Cause::vanished_pivot. Elimination multiplies rounding errors by at most 1/pivot_tol
  /// then. 0 refuses exact zeros only (to show what happens without the test). 0 ≤ pivot_tol < 1
  double pivot_tol = 1e-10;
  /// The first solution after every factorization is measured: when its backward error ‖b − A x‖/(‖|A||x|‖ + ‖b‖), in
  /// ∞-norms after the rows have been scaled to the same largest entry, is above this, it is refined,
  /// x ← x + A⁻¹(b − A x), until it is not; all that follow with these factors get as many corrections. 0 refines down
  /// to rounding, 1 measures none. 0 ≤ refine_above ≤ 1
  double refine_above = 1e-14;
  /// A refined solution with a larger backward error is refused with Cause::vanished_pivot and the unknown of the
  /// smallest pivot: half of the digits are lost, and other solvers have them. 1 refuses none. 0 < refuse_above ≤ 1
  double refuse_above = 1e-8;
  /// Corrections per solution at most; they stop early when the residual stops falling. 0 … 10
  int max_refinements = 5;
  /// Of sparse_ldlt: what multiplies the dense blocks of large fronts.
  DenseKernel dense_kernel = DenseKernel::automatic;
};

/// A = L D U with pivots on the diagonal in an order that is chosen from the pattern alone; for a symmetric A this is
/// LDLᵀ, with half the work and memory. No row exchange, so memory and time of every factorization are those of the
/// first, and nothing is searched.
///
///   order     each multiplier is eliminated after the coordinates it acts on (elimination_order.h); orders that keep
///             this rule are tried in analyze and the one with least work stays. Nested dissection is one of them where
///             the others promise much work
///   numbers   multifrontal (front_tree.h): bodies and joints become small dense blocks, closed meshes of thousands of
///             bodies large ones, which are multiplied in tiles (front_product.h)
///   symmetry  is looked for in the values at every factorization, |a_ij − a_ji| ≤ 16 ε min(max |a_i·|, max |a_j·|);
///             follower forces, gyroscopic terms and charts make matrices of motion unsymmetric, damped structures and
///             complex-symmetric Radau blocks do not. The pattern is made symmetric: an entry without its mirror costs
///             a stored zero.
///
/// Made for scaled iteration matrices [bauchau2009 section 7]: with H = M/h² + … + ρ GᵀG positive definite all pivots
/// exist. First-order forms say in OrderingHint::rows which row determines which unknown (Φ̇ = 0 gives λ, Φ = 0 gives
/// μ). A coordinate without mass and stiffness needs ρ > 0; matrices without a useful diagonal need sparse_lu. A
/// vanished pivot is reported with its unknown as Cause::vanished_pivot: it does not prove the matrix singular.
template <class S>
std::unique_ptr<LinearSolver<S>> make_sparse_ldlt(const UnpivotedOptions& options = {});

}  // namespace trammel
