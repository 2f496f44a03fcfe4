// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "trammel/linalg/dense_kernel.h"
#include "trammel/linalg/linear_solver.h"

namespace trammel {

enum class Preconditioner : std::uint8_t {
  none,
  diagonal,    ///< the diagonal blocks of the coordinates; multipliers as they are, which suits *scaled* systems only
  constraint,  ///< [Ĥ Gᵀ; G 0]: the diagonal blocks Ĥ of H and the whole of the constraints
};

struct GmresOptions {
  double tol = 1e-12;  ///< ‖b − A x‖₂ ≤ tol ‖b‖₂, or a backward error of rounding size; 0 < tol < 1
  int restart = 60;    ///< vectors kept before a restart; ≥ 1
  int max_iterations = 600;  ///< then Cause::too_many_iterations; ≥ 1
  Preconditioner preconditioner = Preconditioner::constraint;
  DenseKernel dense_kernel = DenseKernel::automatic;  ///< of the factors of the preconditioner
  /// For matrices of any scaling. Residuals are measured with rows scaled to the same largest entry and made as small
  /// as rounding allows, `tol` being what is accepted: with the augmented term rows of motion hold what constraints
  /// miss, times ρ s/h², beside which a residual of 1e-12 is a large force. Where the preconditioner has no pivots, or
  /// iterations do not converge with it, the whole matrix is factored, with row exchanges where it needs them, and
  /// preconditions itself; counters().n_handed_over counts these matrices. False: the status says so.
  bool guarded = false;
};

/// GMRES with restarts and a preconditioner P on the right [Y. Saad, M. H. Schultz, SIAM J. Sci. Stat. Comput. 7 (1986)
/// 856–869]:
///
///   (1)  minimise ‖b − A P⁻¹u‖₂ over the Krylov space of A P⁻¹,   x = P⁻¹u
///
/// so that the residual it watches is the true one. With P = [Ĥ Gᵀ; G 0] the product A P⁻¹ has the eigenvalue 1 for
/// every constraint and otherwise the eigenvalues of H against Ĥ on the kernel of G [C. Keller, N. Gould, A. Wathen,
/// SIAM J. Matrix Anal. Appl. 21 (2000) 1300–1317]: the number of iterations depends on the stiffness between bodies,
/// not on the number of constraints, and with M/h² in Ĥ it falls with h. P is factored by sparse_ldlt. Unknowns that
/// are neither coordinates nor multipliers keep all their entries among each other in P.
///
/// When to use it: when the factors of A do not fit into memory (large flexible nets with a penalty). On chains and
/// mechanisms every direct solver is faster.
template <class S>
std::unique_ptr<LinearSolver<S>> make_gmres(const GmresOptions& options = {});

}  // namespace trammel
