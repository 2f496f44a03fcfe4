// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "trammel/mechanics/elements/magic_formula.h"
#include "trammel/mechanics/elements/relative_coordinate.h"
#include "trammel/mechanics/elements/road_surface.h"

/// Tyres as static kernels on frames; signs and units as in forces.h.

namespace trammel {

/// Where a tyre is: on which road, by which wheel.
struct TyrePlace {
  Eigen::Vector3d s_road = Eigen::Vector3d::Zero();    ///< origin of the road's x, y and z, in axes of its body
  Eigen::Matrix3d axes = Eigen::Matrix3d::Identity();  ///< columns: these x, y, z
  std::shared_ptr<const RoadSurface> surface = {};     ///< empty: z = 0
  Eigen::Vector3d axle = Eigen::Vector3d::UnitY(), center = Eigen::Vector3d::Zero();  ///< in axes of the carrier
  double free_radius = 0.0, stiffness = 0.0, damping = 0.0;
};

/// Where a wheel touches a road, which may move: common to all tyres.
///
///   (1) the road's tangent plane below the wheel: through p_r with the normal n, found at the point that the tangent
///       plane under the wheel's centre shows (planes: exact)
///   (2) e_y the axle, e_x = e_y × n normalised, e_t = n × e_x to the left on the road, u = e_x × e_y up in the wheel
///   (3) loaded radius ℓ = (p_wheel − p_r)·n/(u·n),   contact point c = p_wheel − ℓ u
///   (4) load F_z = max(0, k_z (R₀ − ℓ) − c_z (v_wheel − v_road)·n/(u·n)), along n
///
/// v is the velocity of c, moved with the carrier (without the wheel's spin), relative to the road.
template <class S>
struct TyreContact {
  Vec3<S> n, e_x, e_t, e_y, arm, v;  ///< arm: from the carrier's origin to c, world
  S load, radius, climb;

  TyreContact(const Frame<S>& road, const Frame<S>& carrier, const TyrePlace& at) {
    using std::sqrt;
    const Vec3<S> wheel = point_position(carrier, at.center), origin = point_position(road, at.s_road);
    e_y = rotate(carrier.R, at.axle);
    Vec3<S> on_road = origin;
    n = rotate(road.R, Eigen::Vector3d(at.axes.col(2)));
    if (at.surface) {
      const Vec3<S> x = rotate(road.R, Eigen::Vector3d(at.axes.col(0))),
                    y = rotate(road.R, Eigen::Vector3d(at.axes.col(1)));
      const Vec3<S> z = n;
      Vec3<S> below = wheel - origin;
      for (int pass = 0; pass < 2; ++pass) {
        const typename RoadSurface::Point<S> p = at.surface->sample(S(dot(below, x)), S(dot(below, y)));
        const S length = sqrt(1.0 + p.x * p.x + p.y * p.y);
        n = (z - x * p.x - y * p.y) / length;
        const Vec3<S> there = x * dot(below, x) + y * dot(below, y) + z * p.z;
        on_road = origin + there;
        find_directions();
        if (pass == 0) below = wheel - origin - up() * (dot(Vec3<S>(wheel - on_road), n) / dot(up(), n));
      }
    } else {
      find_directions();
    }
    const Vec3<S> u = up();
    const S slant = dot(u, n);
    radius = dot(Vec3<S>(wheel - on_road), n) / slant;
    arm = wheel - u * radius - carrier.p;
    const Vec3<S> from_road = arm + carrier.p - road.p;
    const Vec3<S> road_velocity = road.v + rotate(road.R, cross(road.w, rotate_back(road.R, from_road)));
    climb = dot(Vec3<S>(point_velocity(carrier, at.center) - road_velocity), n) / slant;
    load = at.stiffness * (at.free_radius - radius) - at.damping * climb;
    if (load < 0.0) load = S(0.0);
    v = carrier.v + rotate(carrier.R, cross(carrier.w, rotate_back(carrier.R, arm))) - road_velocity;
  }

  /// F at c and the moment m (both in the world) on the carrier, the opposite on the road.
  void apply(const Frame<S>& road, const Frame<S>& carrier, const Vec3<S>& F, const Vec3<S>& m, Wrench<S>& on_road,
             Wrench<S>& on_carrier) const {
    const Vec3<S> moment = cross(arm, F) + m;
    on_carrier = {F, rotate_back(carrier.R, moment)};
    const Vec3<S> from_road = arm + carrier.p - road.p, back = cross(from_road, F) + m;
    on_road = {-F, rotate_back(road.R, Vec3<S>(-back))};
  }

 private:
  Vec3<S> up() const { return cross(e_x, e_y); }
  void find_directions() {
    using std::sqrt;
    const Vec3<S> across = cross(e_y, n);
    e_x = across / sqrt(dot(across, across));
    e_t = cross(n, e_x);
  }
};

/// A wheel that rolls, stands, slides or is in the air, by the Magic Formula and two states. Frames: the road, the
/// carrier that the wheel turns on, the wheel.
///
/// Slips use a rounded size of the speed, so that they exist at rest; ω is the spin of the wheel against its carrier:
///
///   (1) V_x = v·e_x,  V_y = v·e_t,  V_s = (V_x − ω R_e, V_y),  V_r = √(V_x² + f²);   κ = −V_sx/V_r,  tan α = V_y/V_r
///   (2) F∞(κ, tan α, γ, F_z), M∞ of the Magic Formula, with slopes K and limits D of friction (magic_formula.h)
///
/// Forces follow them by the parts s = F/D of what friction holds, which relax over the way that the tyre rolls or
/// slides,
///
///   (3) ṡ_i = W_i F∞_i/D_i − (W_i − w_i) s_i,   W_i² = (V_r/σ_i)² + (k_x V_sx/D_x)² + (k_y V_sy/D_y)²,  k_i = K_i/σ_i
///   (4) w_i = (f/σ_i)/(1 + V²/f²)²,   V² = V_x² + V_s²
///
/// At speed and small slip this is the usual relaxation σ ṡ = V (s∞ − s); with larger slip the relaxation gets shorter,
/// as F∞/(k κ) does. At rest it is ṡ = −k V_s/D: a spring of the carcass's stiffness, that holds for ever (w takes away
/// what would leak) and gives way where friction ends, as LuGre's bristles do. In between nothing is switched. With
/// f = 1 mm/s slips are rounded by less than 1e-6 beyond 1 m/s.
/// At rest a tyre is damped by its carcass; shifts of the curves and moments of rolling fade in over v₀:
///
///   (5) F_i = D_i s_i − 2 ζ √(k_i F_z0/g) (F_z/F_z0) V_si/(1 + V²/v₀²)²,   v₀ = 0.1 m/s
///
/// Loads below a hundredth of F_z0 leave the friction behind: s vanishes with a time constant of 20 ms, so that a wheel
/// that was in the air comes down without a memory. F = F_x e_x + F_y e_t + F_z n at the contact point and
/// M_x e_x + M_z n act on the carrier; the wheel gets the torque −R_e F_x + M_y about its axle, the carrier the
/// opposite of it.
struct Tyre {
  static constexpr int n_frames = 3, n_states = 2;
  static constexpr const char* name = "tyre";
  static constexpr double slowest = 1e-3;  // f [m/s]
  static constexpr double slow = 0.1;      // v₀ [m/s]
  static constexpr double light = 0.01;    // of F_z0
  static constexpr double forgets = 0.02;  // [s]
  struct Params {
    TyrePlace place;
    Eigen::Vector3d axle_in_wheel = Eigen::Vector3d::UnitY();
    TyreSpec data;
  };

  /// What is known of the contact at an instant, for forces and for reports.
  template <class S>
  struct Instant {
    S V_x, V_sx, V_sy, R_e;
    TyreSlip<S> slip;
    TyreForces<S> steady;
    S F_x, F_y;        ///< of (5)
    S rate_x, rate_y;  ///< ṡ
    S relative_load;   ///< F_z beside what the formula was asked for: 1, less for light loads
  };

  template <class S>
  static Instant<S> look(const Params& c, const TyreContact<S>& contact, const Frame<S>* f, const S* z) {
    using std::exp, std::sqrt, std::tanh;
    const TyreSpec& d = c.data;
    Instant<S> at;
    const double side = d.mirrored ? -1.0 : 1.0;
    const S V_x = dot(contact.v, contact.e_x), V_y = side * dot(contact.v, contact.e_t);
    const S spin = dot(f[2].w, lift<S>(c.axle_in_wheel)) - dot(f[1].w, lift<S>(c.place.axle));
    at.R_e = rolling_radius(d, contact.load, c.place.stiffness);
    at.V_x = V_x, at.V_sx = V_x - spin * at.R_e, at.V_sy = V_y;
    const double lightest = light * d.nominal_load, f2 = slowest * slowest;
    const S V_r = sqrt(V_x * V_x + f2), V2 = V_x * V_x + at.V_sx * at.V_sx + V_y * V_y;
    const S rolling = 1.0 - exp(-V_x * V_x / (slow * slow));
    at.slip = {contact.load > lightest ? contact.load : S(lightest),
               S(-at.V_sx / V_r),
               S(V_y / V_r),
               S(side * dot(contact.e_y, contact.n)),
               S(tanh(V_x / slow)),
               V_x};
    at.relative_load = contact.load / at.slip.load;
    at.steady = MagicFormulaTyre<S>(d, at.slip, rolling).calc();
    const TyreForces<S>& s = at.steady;
    const S sigma_x = relaxation_x(d, at.slip.load, s), sigma_y = relaxation_y(d, at.slip, s);
    const S k_x = s.K_x / sigma_x, k_y = s.K_y / sigma_y;
    const S slide_x = k_x * at.V_sx / s.D_x, slide_y = k_y * at.V_sy / s.D_y;
    const S slide2 = slide_x * slide_x + slide_y * slide_y;
    const S fade = 1.0 / (1.0 + V2 / f2), lost = light_share(at.relative_load) / forgets;
    const auto rate = [&](const S& sigma, const S& F, const S& D, const S& state) {
      const S roll = V_r / sigma, W = sqrt(roll * roll + slide2);
      return S(W * F / D - (W - slowest / sigma * fade * fade + lost) * state);
    };
    at.rate_x = rate(sigma_x, s.F_x, s.D_x, z[0]), at.rate_y = rate(sigma_y, s.F_y, s.D_y, z[1]);
    const S slow_fade = 1.0 / (1.0 + V2 / (slow * slow));
    const S damps = 2.0 * d.standstill_damping * slow_fade * slow_fade * (at.slip.load / d.nominal_load);
    const double mass = d.nominal_load / 9.80665;
    at.F_x = at.relative_load * (s.D_x * z[0] - damps * sqrt(k_x * mass) * at.V_sx);
    at.F_y = at.relative_load * (s.D_y * z[1] - damps * sqrt(k_y * mass) * at.V_sy);
    return at;
  }

  /// Wrenches on the frames and rates of the states s_x, s_y.
  template <class S>
  static void force(const Params& c, const Frame<S>* f, const S* z, Wrench<S>* w, S* rates) {
    const Frame<S>&road = f[0], &carrier = f[1];
    const TyreContact<S> contact(road, carrier, c.place);
    w[0] = w[1] = w[2] = zero_wrench<S>();
    if (!(contact.load > 0.0)) {
      for (int i = 0; i < 2; ++i) rates[i] = -z[i] / forgets;
      return;
    }
    const Instant<S> at = look(c, contact, f, z);
    rates[0] = at.rate_x, rates[1] = at.rate_y;
    const double side = c.data.mirrored ? -1.0 : 1.0;
    const Vec3<S> F = contact.e_x * at.F_x + contact.e_t * S(side * at.F_y) + contact.n * contact.load;
    const S share = side * at.relative_load;
    const Vec3<S> M = contact.e_x * S(share * at.steady.M_x) + contact.n * S(share * at.steady.M_z);
    const S torque = at.R_e * at.F_x - at.relative_load * at.steady.M_y;
    contact.apply(road, carrier, F, M, w[0], w[1]);
    w[1].moment += lift<S>(c.place.axle) * torque;
    w[2].moment = lift<S>(c.axle_in_wheel) * S(-torque);
  }

 private:
  // R_e = R₀ − F_z0/k_z (D atan(B ρ) + F ρ), ρ = F_z/F_z0 [Pacejka 2012, (7.8)], or a number.
  template <class S>
  static S rolling_radius(const TyreSpec& d, const S& load, double stiffness) {
    using std::atan;
    if (d.rolling_radius > 0.0) return S(d.rolling_radius);
    const S rho = load / d.nominal_load;
    return d.formula.QREO * d.free_radius -
           d.nominal_load / stiffness * (d.formula.DREFF * atan(d.formula.BREFF * rho) + d.formula.FREFF * rho);
  }
  template <class S>
  static S relaxation_x(const TyreSpec& d, const S& load, const TyreForces<S>& s) {
    using std::exp;
    if (d.longitudinal_relaxation > 0.0) return S(d.longitudinal_relaxation);
    if (d.longitudinal_stiffness > 0.0) return S(s.K_x / d.longitudinal_stiffness);
    const MagicFormula& p = d.formula;
    const double Fz0 = p.LFZO * d.nominal_load;
    const S dfz = (load - Fz0) / Fz0;  // equations A3.7 ff. of Pacejka's second edition
    return load * (p.PTX1 + p.PTX2 * dfz) * exp(-p.PTX3 * dfz) * (d.free_radius / d.nominal_load * p.LSGKP);
  }
  template <class S>
  static S relaxation_y(const TyreSpec& d, const TyreSlip<S>& slip, const TyreForces<S>& s) {
    using std::atan, std::sin;
    if (d.lateral_relaxation > 0.0) return S(d.lateral_relaxation);
    if (d.lateral_stiffness > 0.0) return S(s.K_y / d.lateral_stiffness);
    const MagicFormula& p = d.formula;
    const S lean = slip.camber < 0.0 ? S(-slip.camber) : slip.camber;
    return p.PTY1 * sin(2.0 * atan(slip.load / (p.PTY2 * p.LFZO * d.nominal_load))) * (1.0 - p.PKY3 * lean) *
           (d.free_radius * p.LFZO * p.LSGAL);
  }
  template <class S>
  static S light_share(const S& relative) {
    return relative < 1.0 ? S(1.0 - relative) : S(0.0);
  }
};

/// A wheel that does not turn and never slides, as on a test rig: springs in place of slip. Frames: road, wheel.
///
///   (1) F_z as TyreContact,   F_x,y = −k_h (c − c₀)_x,y − c_h v_x,y     while F_z > 0; c₀ moves with the road
struct StandingTyre {
  static constexpr int n_frames = 2, n_turns = 0;
  static constexpr bool depends_on_velocity = true;
  static constexpr const char* name = "standing tyre";
  struct Params {
    TyrePlace place;
    Eigen::Vector3d c_0 = Eigen::Vector3d::Zero();  ///< on the road
    double horizontal_stiffness = 0.0, horizontal_damping = 0.0;
  };

  template <class S>
  static void force(const Params& c, const Frame<S>* f, const double*, Wrench<S>* w) {
    const TyreContact<S> contact(f[0], f[1], c.place);
    w[0] = w[1] = zero_wrench<S>();
    if (!(contact.load > 0.0)) return;
    const Vec3<S> d = contact.arm + f[1].p - point_position(f[0], c.c_0);
    const auto along = [&](const Vec3<S>& x) {
      const S x_d = dot(x, d), x_v = dot(x, contact.v);
      return Vec3<S>(x * S(-(c.horizontal_stiffness * x_d + c.horizontal_damping * x_v)));
    };
    const Vec3<S> F = along(contact.e_x) + along(contact.e_t) + contact.n * contact.load;
    contact.apply(f[0], f[1], F, Vec3<S>(Vec3<S>::Zero()), w[0], w[1]);
  }
  template <class S>
  static S potential(const Params&, const Frame<S>*, const double*) {
    return S(0.0);
  }
};

}  // namespace trammel
