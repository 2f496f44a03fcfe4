// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "trammel/mechanics/elements/relative_coordinate.h"
#include "trammel/mechanics/elements/vehicle_data.h"

/// Forces of vehicles as static kernels on frames; signs and units as in forces.h.

namespace trammel {

/// A rubber stop between a point of A and a point of B, along a direction a fixed in A.
///
///   (1) x = (R_A a)·d,   d = p_B + R_B s_B − p_A − R_A s_A                                                    [m]
///   (2) δ = x − upper > 0:  force on B = −max(0, k δ + k₂ δ² + c ẋ min(1, δ/ε)) R_A a                          [N]
///       δ = lower − x > 0:  the same with the sign of ẋ and of the force reversed; else nothing acts
///   (3) V = ½ k δ² + ⅓ k₂ δ³
///
/// The reaction acts on A at B's point, so that momentum is conserved. With k = 0 the force begins with slope 0: BDF
/// passes the touch-down without noticing. The ramp over ε makes the damping continuous.
struct BumpStop {
  static constexpr int n_frames = 2, n_turns = 0;
  static constexpr bool depends_on_velocity = true;
  static constexpr const char* name = "bump stop";
  struct Params {
    RelativeCoordinate x;  ///< a displacement
    double stiffness = 0.0, quadratic = 0.0, damping = 0.0;
    double lower = 0.0, upper = 0.0, depth = 1e-4;
  };

  template <class S>
  static void force(const Params& c, const Frame<S>* f, const double*, Wrench<S>* w) {
    const S x = c.x.value(f, 0.0);
    w[0] = w[1] = zero_wrench<S>();
    if (!(x > c.upper) && !(x < c.lower)) return;
    FrameRow<S> g[2];
    c.x.gradient(f, g);
    const S rate = along(g[0], f[0]) + along(g[1], f[1]);
    const S Q = x > c.upper ? S(-push(c, S(x - c.upper), rate)) : push(c, S(c.lower - x), S(-rate));
    for (int i = 0; i < 2; ++i) w[i] = {g[i].force * Q, g[i].moment * Q};
  }
  template <class S>
  static S potential(const Params& c, const Frame<S>* f, const double*) {
    const S x = c.x.value(f, 0.0);
    if (!(x > c.upper) && !(x < c.lower)) return S(0.0);
    const S depth = x > c.upper ? S(x - c.upper) : S(c.lower - x);
    return depth * depth * (0.5 * c.stiffness + c.quadratic / 3.0 * depth);
  }

 private:
  template <class S>
  static S push(const Params& c, const S& depth, const S& rate) {
    const S ramp = depth < c.depth ? S(depth / c.depth) : S(1.0);
    const S force = depth * (c.stiffness + c.quadratic * depth) + c.damping * rate * ramp;
    return force > 0.0 ? force : S(0.0);
  }
};

/// A torsion bar that couples the coordinates of two joints, as the arms of the left and the right wheel:
///
///   (1) Q₁ = −k (x₁ − x₂) − c (ẋ₁ − ẋ₂),   Q₂ = −Q₁;   wrenches = Q ∂x/∂twist                            [N m], [N]
///   (2) V = ½ k (x₁ − x₂)²
///
/// Frames 0, 1 are those of the first joint, 2, 3 those of the second; the joints may share a body.
struct AntiRollBar {
  static constexpr int n_frames = 4, n_turns = 2;
  static constexpr bool depends_on_velocity = true;
  static constexpr const char* name = "anti-roll bar";
  struct Params {
    RelativeCoordinate x[2];
    double stiffness = 0.0, damping = 0.0;
  };

  template <class S>
  static void force(const Params& c, const Frame<S>* f, const double* turns, Wrench<S>* w) {
    FrameRow<S> g[4];
    c.x[0].gradient(f, g);
    c.x[1].gradient(f + 2, g + 2);
    const S twist = c.x[0].value(f, turns[0]) - c.x[1].value(f + 2, turns[1]);
    const S rate = along(g[0], f[0]) + along(g[1], f[1]) - along(g[2], f[2]) - along(g[3], f[3]);
    const S Q = -(c.stiffness * twist + c.damping * rate);
    for (int i = 0; i < 4; ++i) {
      const S part = i < 2 ? Q : S(-Q);
      w[i] = {g[i].force * part, g[i].moment * part};
    }
  }
  template <class S>
  static S potential(const Params& c, const Frame<S>* f, const double* turns) {
    const S twist = c.x[0].value(f, turns[0]) - c.x[1].value(f + 2, turns[1]);
    return 0.5 * c.stiffness * twist * twist;
  }
};

/// Where a wheel stands on a horizontal road: common to tyres that roll and that stand.
///
///   (1) e_y the axle, e_x = e_y × z normalised, n = e_x × e_y (z up in the world)
///   (2) loaded radius ℓ = (z_wheel − z_road)/n_z,   contact point c = wheel centre − ℓ n
///   (3) load F_z = max(0, k_z (R₀ − ℓ) − c_z (ż_wheel − ż_road)/n_z)
///
/// v is the velocity of c, moved with the carrier (without the wheel's spin), relative to the road.
template <class S>
struct TyreContact {
  Vec3<S> e_x, e_y, arm, v;  ///< arm: from the carrier's origin to c, world
  S load;

  TyreContact(const Frame<S>& road, const Frame<S>& carrier, const Eigen::Vector3d& s_road, const Eigen::Vector3d& axle,
              const Eigen::Vector3d& center, double free_radius, double stiffness, double damping) {
    using std::sqrt;
    e_y = rotate(carrier.R, axle);
    const S horizontal = sqrt(e_y.x() * e_y.x() + e_y.y() * e_y.y());
    e_x = {e_y.y() / horizontal, -e_y.x() / horizontal, S(0.0)};
    const Vec3<S> n = cross(e_x, e_y);
    const Vec3<S> wheel = point_position(carrier, center), ground = point_position(road, s_road);
    const S radius = (wheel.z() - ground.z()) / n.z();
    const S climb = point_velocity(carrier, center).z() - point_velocity(road, s_road).z();
    load = stiffness * (free_radius - radius) - damping * climb / n.z();
    if (load < 0.0) load = S(0.0);
    const Vec3<S> down = n * radius;
    arm = wheel - down - carrier.p;
    v = carrier.v + rotate(carrier.R, cross(carrier.w, rotate_back(carrier.R, arm))) - road.v;
  }

  /// F at c and the moment m (both in the world) on the carrier, the opposite on the road.
  void apply(const Frame<S>& road, const Frame<S>& carrier, const Vec3<S>& F, const Vec3<S>& m, Wrench<S>& on_road,
             Wrench<S>& on_carrier) const {
    const Vec3<S> moment = cross(arm, F) + m;
    on_carrier = {F, rotate_back(carrier.R, moment)};
    const Vec3<S> from_road = arm + carrier.p - road.p, back = cross(from_road, F) + m;
    on_road = {-F, rotate_back(road.R, Vec3<S>(-back))};
  }
};

/// A wheel that rolls on a horizontal road, forces by slip: the formula of Pacejka for pure slip in both directions.
/// Frames: the road, the carrier that the wheel turns on, the wheel.
///
///   (1) α = atan(v_y/V),   κ = (ω R_e − v_x)/V,   V = max(|v_x|, v₀),   v_x = v·e_x, v_y = v·(z × e_x), v₀ = 1 m/s
///       ω the spin of the wheel against its carrier about e_y; below v₀ both forces are those of dampers
///   (2) K_y = s_y F_z0 sin(2 atan(F_z/(l_y F_z0))),   D_y = μ_y F_z,   F_y = −D_y sin(C_y atan(K_y α/(C_y D_y)))
///   (3) K_x = s_x F_z,   D_x = μ_x F_z,   F_x = D_x sin(C_x atan(K_x κ/(C_x D_x)))
///   (4) M_z = −t F_y,   t = t₀ (F_z/F_z0) cos(C_t atan(B_t α))
///
/// F = F_x e_x + F_y (z × e_x) + F_z z at the contact point and M_z z act on the carrier; the wheel gets the torque
/// −R_e F_x about its axle, the carrier the opposite of it. No combined slip, no camber thrust, no relaxation: for
/// moderate manoeuvres at speed, not for standing (standing_tyre) or parking.
struct RollingTyre {
  static constexpr int n_frames = 3, n_turns = 0;
  static constexpr bool depends_on_velocity = true;
  static constexpr const char* name = "tyre";
  static constexpr double slow = 1.0;  // v₀ [m/s]
  struct Params {
    Eigen::Vector3d s_road, axle, center;  ///< axle and centre of the wheel in axes of the carrier
    Eigen::Vector3d axle_in_wheel;
    double stiffness = 0.0, damping = 0.0;  ///< vertical
    TyreSpec data;
  };

  template <class S>
  static void force(const Params& c, const Frame<S>* f, const double*, Wrench<S>* w) {
    using std::atan, std::atan2, std::cos, std::sin;
    const TyreSpec& d = c.data;
    const Frame<S>&road = f[0], &carrier = f[1], &wheel = f[2];
    const TyreContact<S> contact(road, carrier, c.s_road, c.axle, c.center, d.free_radius, c.stiffness, c.damping);
    w[0] = w[1] = w[2] = zero_wrench<S>();
    const S& F_z = contact.load;
    if (!(F_z > 0.0)) return;
    const Vec3<S>& e_x = contact.e_x;
    const S v_x = dot(contact.v, e_x), v_y = contact.v.y() * e_x.x() - contact.v.x() * e_x.y();
    const S speed = v_x < 0.0 ? S(-v_x) : v_x;
    const S rolling = speed > slow ? speed : S(slow);
    const S alpha = atan2(v_y, rolling);
    const Vec3<S> axle = lift<S>(c.axle), axle_in_wheel = lift<S>(c.axle_in_wheel);
    const S spin = dot(wheel.w, axle_in_wheel) - dot(carrier.w, axle);
    const S kappa = (spin * d.rolling_radius - v_x) / rolling;
    const S K_y = d.cornering_slope * d.nominal_load * sin(2.0 * atan(F_z / (d.cornering_load * d.nominal_load)));
    const S D_y = d.lateral_friction * F_z, D_x = d.longitudinal_friction * F_z;
    const S F_y = -D_y * sin(d.lateral_shape * atan(K_y * alpha / (d.lateral_shape * D_y)));
    const S F_x = D_x * sin(d.longitudinal_shape * atan(d.slip_stiffness * F_z * kappa / (d.longitudinal_shape * D_x)));
    const S trail = d.trail / d.nominal_load * F_z * cos(d.trail_shape * atan(d.trail_slope * alpha));
    const S torque = d.rolling_radius * F_x;
    const Vec3<S> F{F_x * e_x.x() - F_y * e_x.y(), F_x * e_x.y() + F_y * e_x.x(), F_z};
    const Vec3<S> M{S(0.0), S(0.0), -trail * F_y};
    contact.apply(road, carrier, F, M, w[0], w[1]);
    w[1].moment += axle * torque;
    w[2].moment = axle_in_wheel * S(-torque);
  }
  template <class S>
  static S potential(const Params&, const Frame<S>*, const double*) {
    return S(0.0);
  }
};

/// A wheel that stands on a road that may move, as on a test rig: springs in place of slip. Frames: road, wheel.
///
///   (1) F_z as TyreContact,   F_x,y = −k_h (c − c₀)_x,y − c_h v_x,y     while F_z > 0; c₀ moves with the road
struct StandingTyre {
  static constexpr int n_frames = 2, n_turns = 0;
  static constexpr bool depends_on_velocity = true;
  static constexpr const char* name = "standing tyre";
  struct Params {
    Eigen::Vector3d s_road, axle, center;  ///< s_road: c₀ on the road, axle and centre in axes of the wheel
    double stiffness = 0.0, damping = 0.0, free_radius = 0.0;
    double horizontal_stiffness = 0.0, horizontal_damping = 0.0;
  };

  template <class S>
  static void force(const Params& c, const Frame<S>* f, const double*, Wrench<S>* w) {
    const TyreContact<S> contact(f[0], f[1], c.s_road, c.axle, c.center, c.free_radius, c.stiffness, c.damping);
    w[0] = w[1] = zero_wrench<S>();
    if (!(contact.load > 0.0)) return;
    const Vec3<S> d = contact.arm + f[1].p - point_position(f[0], c.s_road);
    const Vec3<S> F{-(c.horizontal_stiffness * d.x() + c.horizontal_damping * contact.v.x()),
                    -(c.horizontal_stiffness * d.y() + c.horizontal_damping * contact.v.y()), contact.load};
    contact.apply(f[0], f[1], F, Vec3<S>(Vec3<S>::Zero()), w[0], w[1]);
  }
  template <class S>
  static S potential(const Params&, const Frame<S>*, const double*) {
    return S(0.0);
  }
};

}  // namespace trammel
