// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>

#include "trammel/dae/motion_operator.h"
#include "trammel/integrators/radau_tableau.h"

namespace trammel {

/// The iteration matrix of Radau IIA on second-order equations before it is transformed into blocks, in the positions
/// Q_i and scaled multipliers λ̂_i of all stages, from one linearization with holonomic constraints [bauchau2009 §8]:
///
///   | A⁻²/h² ⊗ M + A⁻¹/h ⊗ D + I ⊗ (K + K_λ + c GᵀG)    I ⊗ Gᵀ |
///   | I ⊗ G                                               0      |    rows × (h², s/ℓ_r), columns × (1, s/(h² ℓ_r))
///
/// with V̇ = A⁻¹V/h, V = A⁻¹Q/h up to constants and the factors of a scaling (c its penalty). For condition numbers: the
/// method itself never forms it.
Eigen::MatrixXd calc_stage_matrix(const RadauTableau& tableau, const MotionPlanes& planes,
                                  const ScalingFactors& factors, double h);

}  // namespace trammel
