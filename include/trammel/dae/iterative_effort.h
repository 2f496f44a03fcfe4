#pragma once

#include "trammel/dae/motion_operator.h"

namespace trammel {

/// How hard the scaled iteration matrix is for iterative methods: the iterations of GMRES without restarts until
/// ‖b − Ĵ x‖₂ ≤ tol ‖b‖₂, for a fixed right-hand side with entries of equal size. No preconditioner is used, so that
/// row and column factors are the only one: what a scaling alone does. At most 4 n iterations; memory n².
long count_gmres_iterations(const MotionOperator& newton, double tol);

}  // namespace trammel
