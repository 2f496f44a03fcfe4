// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include "trammel/mechanics/elements/contact_law.h"
#include "trammel/mechanics/elements/contact_shape.h"
#include "trammel/mechanics/elements/contact_simple.h"

namespace trammel::detail {

/// aᵖ for a > 0; the usual exponents without pow.
template <class S>
S raise(const S& a, double p) {
  using std::pow;
  using std::sqrt;
  if (p == 1.0) return a;
  if (p == 1.5) return a * sqrt(a);
  return pow(a, p);
}

/// 1 + μ ȧ, or (5) of the law.
template <class S>
S damped(const NormalLaw& law, const S& rate) {
  if (law.bounce == 0.0) return 1.0 + law.damping * rate;
  return rate > law.speed ? S(1.0 + law.bounce) : S(1.0 + (law.bounce / law.speed) * rate);
}

/// The force of the normal law before it is kept from pulling; for a > 0.
template <class S>
S raw_force(const NormalLaw& law, const S& a, const S& rate) {
  if (law.kind == NormalLaw::Kind::linear) return law.stiffness * a + law.damping * rate;
  return law.stiffness * raise(a, law.exponent) * damped(law, rate);
}

/// ∫ f da at rest: what the surfaces store [J].
inline double stored_energy(const NormalLaw& law, double a) {
  const double p = law.kind == NormalLaw::Kind::linear ? 1.0 : law.exponent;
  return a > 0.0 ? law.stiffness * raise(a, p) * a / (p + 1.0) : 0.0;
}

/// |v|, and 0 without a derivative where it has none.
template <class S>
S speed_of(const Vec3<S>& v) {
  using std::sqrt;
  const S squared = dot(v, v);
  return value_of(squared) > 1e-60 ? S(sqrt(squared)) : S(0.0);
}

/// g(v) of the LuGre law.
template <class S>
S sliding_friction(const FrictionLaw& law, const S& speed) {
  using std::exp;
  using std::pow;
  if (law.mu_s == law.mu_k || value_of(speed) == 0.0) return S(law.mu_s);
  const S ratio = speed / law.v_s;
  const S power = law.gamma == 2.0 ? S(ratio * ratio) : S(pow(ratio, law.gamma));
  return law.mu_k + (law.mu_s - law.mu_k) * exp(-power);
}

/// ż of bristles.
template <class S>
Vec3<S> bristle_rate(const FrictionLaw& law, const Vec3<S>& v, const Vec3<S>& z) {
  if (law.kind == FrictionLaw::Kind::held) return v;
  const S speed = speed_of(v);
  const S back = law.sigma0 * speed / sliding_friction(law, speed);
  return v - z * back;
}

/// F_t/N on b.
template <class S>
Vec3<S> friction_ratio(const FrictionLaw& law, const Vec3<S>& v, const Vec3<S>& z) {
  using std::sqrt;
  switch (law.kind) {
    case FrictionLaw::Kind::coulomb: {
      const S factor = law.mu_k / sqrt(dot(v, v) + law.v_s * law.v_s);
      return v * factor;
    }
    case FrictionLaw::Kind::lugre: {
      Vec3<S> ratio = z * S(law.sigma0) + v * S(law.sigma2);
      if (law.sigma1 != 0.0) ratio += bristle_rate(law, v, z) * S(law.sigma1);
      return ratio;
    }
    case FrictionLaw::Kind::held: {
      const double softened = law.mu_k / law.sigma0;
      const S factor = law.mu_k / sqrt(dot(z, z) + softened * softened);
      return z * factor;
    }
    case FrictionLaw::Kind::none:
      break;
  }
  return Vec3<S>::Zero();
}

/// M/N on b against the turning ω of a against b.
template <class S>
Vec3<S> turning_ratio(const FrictionLaw& law, const Vec3<S>& n, const Vec3<S>& w) {
  using std::sqrt;
  const S spin = dot(n, w), softened = S(law.w_s * law.w_s);
  const Vec3<S> roll = w - n * spin;
  const S rolls = law.rolling_arm / sqrt(dot(roll, roll) + softened);
  const S spins = law.mu_k * law.torsion_radius * spin / sqrt(spin * spin + softened);
  return roll * rolls + n * spins;
}

template <class S>
Vec3<S> velocity_at(const Frame<S>& f, const Vec3<S>& point) {
  return f.v + cross(rotate(f.R, f.w), Vec3<S>(point - f.p));
}

/// Surfaces that run on their bodies, as belts do.
struct Belts {
  const Eigen::Vector3d &a, &b;  ///< velocities on the bodies, axes of the frames [m/s]
  bool run() const { return !a.isZero(0.0) || !b.isZero(0.0); }
  /// The velocity of surface a against surface b, from that of the bodies.
  template <class S>
  Vec3<S> sliding(const Frame<S>& fa, const Frame<S>& fb, const Vec3<S>& relative) const {
    return run() ? Vec3<S>(relative + rotate(fa.R, a) - rotate(fb.R, b)) : relative;
  }
};

/// The force on b at a place, and ż, as they follow from the touch, the velocities there of a against b and of their
/// surfaces, and the bristles, all in world axes.
template <class S>
struct ContactForce {
  Vec3<S> F, z_rate;
  S N;
  bool presses = false;
};

template <class S>
ContactForce<S> calc_contact_force(const Touch<S>& touch, const Vec3<S>& relative, const Vec3<S>& sliding,
                                   const NormalLaw& normal, const FrictionLaw& friction, const Vec3<S>& bristle) {
  ContactForce<S> out;
  const S rate = dot(touch.n, relative);
  const S N = out.N = raw_force(normal, touch.depth, rate);
  out.presses = N > 0.0;
  if (!out.presses) return out;
  out.F = touch.n * N;
  if (friction.kind == FrictionLaw::Kind::none) return out;
  const Vec3<S> v = sliding - touch.n * dot(touch.n, sliding);
  Vec3<S> z = bristle;
  if (friction.has_bristles()) {
    z = bristle - touch.n * dot(touch.n, bristle);
    out.z_rate = bristle_rate(friction, v, z);
  }
  const Vec3<S> ratio = friction_ratio(friction, v, z);
  out.F += ratio * N;
  return out;
}

/// What one place does: the wrenches on a and b, and ż in the axes of a.
template <class S>
struct ContactOutput {
  Wrench<S> w[2];
  Vec3<S> z_rate;
  bool presses = false;
};

template <class S>
ContactOutput<S> calc_contact(const ContactShape& a, const Frame<S>& fa, const ContactShape& b, const Frame<S>& fb,
                              int feature, const NormalLaw& normal, const FrictionLaw& friction, const Belts& belts,
                              const Vec3<S>& z_a) {
  ContactOutput<S> out;
  out.w[0] = out.w[1] = zero_wrench<S>();
  Touch<S> touch;
  if (!find_touch(a, fa, b, fb, feature, touch)) return out;
  const bool bristles = friction.has_bristles();
  const Vec3<S> relative = velocity_at(fa, touch.point) - velocity_at(fb, touch.point);
  const ContactForce<S> at = calc_contact_force(touch, relative, belts.sliding(fa, fb, relative), normal, friction,
                                                bristles ? rotate(fa.R, z_a) : z_a);
  out.presses = at.presses;
  if (!out.presses) return out;
  if (bristles) out.z_rate = rotate_back(fa.R, at.z_rate);
  out.w[0] = {-at.F, rotate_back(fa.R, cross(at.F, Vec3<S>(touch.point - fa.p)))};
  out.w[1] = {at.F, rotate_back(fb.R, cross(Vec3<S>(touch.point - fb.p), at.F))};
  if (friction.resists_turning()) {
    const Vec3<S> M = turning_ratio(friction, touch.n, Vec3<S>(rotate(fa.R, fa.w) - rotate(fb.R, fb.w))) * at.N;
    out.w[0].moment -= rotate_back(fa.R, M);
    out.w[1].moment += rotate_back(fb.R, M);
  }
  return out;
}

}  // namespace trammel::detail
