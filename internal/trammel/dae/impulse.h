// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "trammel/dae/second_order_dae.h"
#include "trammel/linalg/linear_solver.h"

namespace trammel {

/// What an instant does to velocities when the rates that constraints ask for jump there:
///
///   (1)  M Δv + Gᵀ Λ = 0,     G (v + Δv) + Φ_u u̇₊ = 0
///
/// Forces are finite and do nothing within an instant; Λ are the impulses of the constraints [N s], [N m s]. It is the
/// change of velocities with the least kinetic energy of its own (Gauss, Carnot), plastic in that sense. M may be
/// singular where G makes up for it.
struct Impulse {
  Eigen::VectorXd dv, lam;
  double energy = 0.0;  ///< change of the kinetic energy: the work of whatever asks for the jump [J]
};

/// (1) at x, with the inputs of time t_after; x is not changed.
Status calc_impulse(const SecondOrderDae& dae, const MotionVariables& x, double t_after, const State& state,
                    Workspace& workspace, Impulse& impulse);

}  // namespace trammel
