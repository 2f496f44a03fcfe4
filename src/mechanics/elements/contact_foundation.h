// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "trammel/mechanics/elements/contact_kernel.h"
#include "trammel/mechanics/elements/contact_surface.h"
#include "trammel/mechanics/elements/surface_points.h"

/// An elastic foundation: the points of b's surface against the signed distance of a.
///
///   (1) at a point with the depth a and the area A:  N = K A s(a) (1 + μ ȧ) ≥ 0, F = N n + F_t at the point
///   (2) across a line on a surface of radius R, where the depth is a − x²/2R, the same pressure adds up to
///       N = K L 4/3 √(2R) a^{3/2} (1 + μ ȧ) for the length L
///       and M of friction that resists turning, for each point by its own normal
///   (3) bristles follow the mean velocity v̄ = Σ N v_t/Σ N in the tangent plane of the mean normal
///   (4) coulomb: friction has the direction of v, which turns about the centre where a face that spins stands still,
///       faster than points are near each other. With the turning speed ω_n about the normal there,
///       F_t = μ N v/√V for V ≥ Q,  μ N v P(1 − V/Q)/√Q for V < Q,  V = v² + v_s²,  Q = 4 A ω_n²
///       P(u) = 1 + u/2 + 3/8 u² + 25/24 u³: both sides agree up to the second derivative, and force and moment of what
///       is pressed by a constant or a linear pressure around the centre stay what they are, ∫(√s P − 1) √s ds = 0 over
///       s = V/Q, so that points sum up what a spread-out surface does. F_t is at most 1.05 μ N at a point
///
/// Each depth is a function of the two frames alone and n is its gradient, so that Σ K A ∫s da is stored.
namespace trammel::detail {

struct Foundation {
  const ContactShape& a;  ///< softened
  const ContactShape& b;
  NormalLaw normal;
  const FrictionLaw& friction;
  Belts belts;

  Foundation(const ContactShape& of_a, const ContactShape& of_b, const NormalLaw& of_both, const FrictionLaw& rubs,
             const Belts& run)
      : a(of_a), b(of_b), normal(of_both), friction(rubs), belts(run) {
    if (!(normal.transition > 0.0)) normal.transition = 1e-6 * b.size();
  }

  /// Force per stiffness at rest, and energy per stiffness.
  template <class S>
  S press(const SurfacePoint& p, const S& depth) const {
    using std::sqrt;
    const double e = normal.transition;
    if (p.line_radius > 0.0) return p.weight * (4.0 / 3.0 * std::sqrt(2.0 * p.line_radius)) * depth * sqrt(depth);
    return depth < e ? S(p.weight * (0.5 / e) * depth * depth) : S(p.weight * (depth - 0.5 * e));
  }
  double store(const SurfacePoint& p, double depth) const {
    const double e = normal.transition;
    if (p.line_radius > 0.0) return 0.4 * press(p, depth) * depth;
    return depth < e ? p.weight * depth * depth * depth / (6.0 * e)
                     : p.weight * (0.5 * depth * (depth - e) + e * e / 6.0);
  }

  template <class S>
  Touch<S> touch(const SurfacePoint& p, const DistanceField<S>& field, const Frame<S>& fa, const Frame<S>& fb) const {
    const Vec3<S> x = p.ring > 0.0 ? deepest_of_circle(field, p.ring, p.position.z()) : lift<S>(p.position);
    const Vec3<S> local = rotate(Mat3<S>(b.Q.cast<S>()), x);
    const Vec3<S> center = point_position(fb, b.center) + rotate(fb.R, local);
    return touch_ball(a, fa, center, b.points->radius());
  }
};

/// The deepest point, or the nearest one within a distance of `limit` (depth −∞: none is).
Touch<double> find_deepest(const Foundation& f, const Frame<double>& fa, const Frame<double>& fb, double limit);
/// The points that are in a.
void find_pressed(const Foundation& f, const Frame<double>& fa, const Frame<double>& fb, std::vector<int>& pressed);

/// What it does as a whole. Instantiated for double and Dual<6>.
template <class S>
ContactOutput<S> calc_foundation(const Foundation& f, const Frame<S>& fa, const Frame<S>& fb, const Vec3<S>& z_a,
                                 const std::vector<int>& pressed);
extern template ContactOutput<double> calc_foundation(const Foundation&, const Frame<double>&, const Frame<double>&,
                                                      const Vec3<double>&, const std::vector<int>&);
extern template ContactOutput<Dual<6>> calc_foundation(const Foundation&, const Frame<Dual<6>>&, const Frame<Dual<6>>&,
                                                       const Vec3<Dual<6>>&, const std::vector<int>&);

/// Sums for reports: normal force, friction on b, its work, mean normal, centre of pressure, energy and power beyond
/// it.
struct FoundationSums {
  double normal_force = 0.0, pressure = 0.0, area = 0.0, energy = 0.0, power = 0.0;
  Vec3<double> n = Vec3<double>::Zero(), point = Vec3<double>::Zero(), friction = Vec3<double>::Zero();
};
FoundationSums sum_foundation(const Foundation& f, const Frame<double>& fa, const Frame<double>& fb,
                              const Vec3<double>& z_a);

}  // namespace trammel::detail
