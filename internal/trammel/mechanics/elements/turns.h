// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "trammel/dae/types.h"
#include "trammel/mechanics/elements/relative_coordinate.h"

/// Turns of a joint's angle x within a step. Orientations tell x up to full turns; the number of turns n is the one
/// nearest to an expected angle, which must not be wrong by half a turn. From x₀ and ẋ₀ at the last accepted instant,
/// Δt ago:
///
///   (1) x ≈ x₀ + Δt ẋ₀                        while the bodies turn by less than half a radian in Δt, at their speeds
///   (2) x ≈ x₀ + Δt (ẋ₀ + ẋ)/2                which errs by Δt³ x⃛/12, what methods of second order leave in a step
///   (3) x ≈ x₀ + n_B·Δθ_B − n_A·Δθ_A          from coordinates that count turns themselves (charts, planar angles)
///
/// n_A and n_B are the axis in both frames. (3) is exact when the bodies turn about the axis, however often; where a
/// rotation vector leaves the axis by more than half a radian it says nothing about turns, but then an integrator
/// cannot pass through a full turn in one step either, as T(θ) is singular there, and (2) will do.
namespace trammel {

/// (1) is enough, for bodies that turn with |ω_A| and |ω_B|.
inline bool turns_little(double w_a, double w_b, const Branch& branch, double dt) {
  return dt * dt * (2.0 * (w_a * w_a + w_b * w_b) + branch.rate * branch.rate) < 0.25;
}
inline bool turns_little(const Frame<double>& a, const Frame<double>& b, const Branch& branch, double dt) {
  return dt * dt * (2.0 * (a.w.squaredNorm() + b.w.squaredNorm()) + branch.rate * branch.rate) < 0.25;
}

/// ẋ.
inline double rate_of(const RelativeCoordinate& x, const Frame<double>* f) {
  FrameRow<double> g[2];
  x.gradient(f, g);
  return along(g[0], f[0]) + along(g[1], f[1]);
}

/// (1) or (2).
inline double expected_angle(const RelativeCoordinate& x, const Frame<double>* f, const Branch& branch, double t) {
  const double dt = t - branch.t;
  if (turns_little(f[0], f[1], branch, dt)) return branch.predict(t);
  return branch.angle + 0.5 * dt * (branch.rate + rate_of(x, f));
}

}  // namespace trammel
