// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "trammel/dae/second_order_dae.h"

namespace trammel {

/// SecondOrderDae::to_chart for rotations in charts: increments δβ = J_r(θ) δθ. `offsets`: where the three coordinates
/// of each chart start.
void multiply_chart_columns(std::span<const int> offsets, ConstVec q, MotionPlanes& planes,
                            std::vector<double>& G_chart);

/// q̇ = T(q) v: θ̇ = J_r⁻¹(θ) ω in charts, q̇ = v elsewhere.
void calc_chart_rates(std::span<const int> offsets, ConstVec q, ConstVec v, Vec q_rate);
/// Its inverse, v from q̇.
void calc_chart_velocities(std::span<const int> offsets, ConstVec q, ConstVec q_rate, Vec v);
/// And its derivative: θ̈ = J_r⁻¹ ω̇ + ∂(J_r⁻¹ ω)/∂θ θ̇ in charts, q̈ = v̇ elsewhere.
void calc_chart_accelerations(std::span<const int> offsets, ConstVec q, ConstVec v, ConstVec a, Vec q_acceleration);

}  // namespace trammel
