// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "trammel/math/rotations.h"
#include "trammel/math/vectors.h"

/// Rotations live in charts: R(θ) = R_ref exp θ̂. Integrators see the plain vector θ; after an accepted step that left
/// ‖θ‖ > 0.5 rad the reference is moved to the newest rotation and stored points are mapped exactly, so that order and
/// step size are kept. Mapping differences by the tangent T(θ′)J_r(θ) instead of mapping the points looks right and is
/// wrong: BDF falls to order 2 or 3.
namespace trammel {

struct Chart {
  Mat3<double> R_ref = Mat3<double>::Identity();
  Vec3<double> theta = Vec3<double>::Zero();  ///< at the last accepted instant: turns are counted from there
};

/// R(θ) = R_ref exp θ̂.
Mat3<double> rotation(const Chart& chart, const Vec3<double>& theta);

/// The coordinates of R in the chart, on the branch nearest to `guess`.
Vec3<double> coordinates(const Chart& chart, const Mat3<double>& R, const Vec3<double>& guess = Vec3<double>::Zero());

/// The chart at R(θ), renormalised; θ = 0 there up to rounding.
Chart recentre(const Chart& chart, const Vec3<double>& theta_newest);

/// Maps stored points from one chart to another in place, newest first, each on the branch continuous with the one
/// before:
///
///   A = R_toᵀ R_from,   θ₀′ = log(A exp θ̂₀),   θᵢ′ = log_near(A exp θ̂ᵢ, θ′ᵢ₋₁ + θᵢ − θᵢ₋₁)
///
/// so history longer than half a turn does not fold (the principal logarithm would, silently).
void map_points(const Chart& from, const Chart& to, std::span<Vec3<double>> points);

/// θ̇ in the new chart of the motion that has θ̇ at θ in the old one: θ̇′ = T(θ′) J_r(θ) θ̇ (ω_body is the same).
Vec3<double> map_rate(const Vec3<double>& theta_from, const Vec3<double>& theta_to, const Vec3<double>& rate_from);

}  // namespace trammel
