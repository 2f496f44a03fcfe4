// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "trammel/dae/motion_operator.h"
#include "trammel/linalg/gmres.h"

namespace trammel {

/// How hard the scaled iteration matrix is for iterative methods: the iterations of GMRES without restarts until
/// ‖b − Ĵ x‖₂ ≤ tol ‖b‖₂, for a fixed right-hand side with entries ±1. Without a preconditioner row and column factors
/// are the only one: what a scaling alone does. At most 4 n iterations; memory n².
long count_gmres_iterations(const MotionOperator& newton, double tol,
                            Preconditioner preconditioner = Preconditioner::none);

}  // namespace trammel
