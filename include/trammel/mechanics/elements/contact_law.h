// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace trammel {

/// Friction of sliding surfaces, normalised by the normal force N; v is the velocity of surface a against surface b in
/// the tangent plane, the force on b is
///
///   none     0
///   coulomb  (1) F_t = μ_k N v/√(v² + v_s²): smooth at v = 0, so it creeps under any load
///   lugre    (2) F_t = N (σ₀ z + σ₁ ż + σ₂ v)
///            (3) ż = v − σ₀ |v| z/g(v),   g = μ_k + (μ_s − μ_k) exp(−|v/v_s|^γ)
///
///   held     (3a) F_t = μ_k N z/√(z² + z_s²),   ż = v,   z_s = μ_k/σ₀: what holds at rest, from where it was drawn,
///   and
///                 never more than μ_k N; stands in for coulomb where equilibria are sought
///
/// z is the mean deflection of bristles [m], |z| ≤ g/σ₀: it sticks, with the elastic presliding N/(N σ₀) · F_t/N.
///
/// Surfaces in contact may resist turning as well. With ω, the angular velocity of a against b, parted into
/// ω_n along the normal and ω_t across it, the moment on b is
///
///   (4) M = b N ω_t/√(ω_t² + ω_s²) + μ_k ρ N ω_n/√(ω_n² + ω_s²)
struct FrictionLaw {
  enum class Kind { none, coulomb, lugre, held };
  Kind kind = Kind::none;
  double mu_k = 0.0, mu_s = 0.0;  ///< kinetic and static coefficient; μ_s ≥ μ_k ≥ 0
  double v_s = 1e-3;              ///< [m/s] > 0: Stribeck velocity; coulomb: where the force reaches 71 %
  double gamma = 2.0;             ///< > 0
  double sigma0 = 1e5;            ///< [1/m] > 0
  double sigma1 = 0.0;            ///< [s/m]
  double sigma2 = 0.0;            ///< [s/m]
  double rolling_arm = 0.0;       ///< b of (4) [m] ≥ 0: by how much N stands ahead of what rolls
  double torsion_radius = 0.0;    ///< ρ of (4) [m] ≥ 0: of a ring that rubs like the surfaces do
  double w_s = 1e-2;              ///< ω_s of (4) [rad/s] > 0

  bool has_bristles() const { return kind == Kind::lugre || kind == Kind::held; }
  bool resists_turning() const { return rolling_arm > 0.0 || torsion_radius > 0.0; }
};

/// The force that keeps two bodies from entering each other, a function of the penetration a [m] and its rate; it is
/// never negative and zero for a ≤ 0.
///
///   linear         (1) f = k a + c ȧ                    [N/m], [N s/m]: jumps at touch-down if c > 0
///   hunt_crossley  (2) f = k aᵖ (1 + μ ȧ)               [N/mᵖ], [s/m]: continuous; p = 3/2 is Hertz
///
/// (2) gives a restitution that depends on μ times the speed of impact v₀ alone, not on mass, k or p:
///
///   (3) x (1 + e) = ln((1 + x)/(1 − e x)),   x = μ v₀    from  ∫ v dv/(1 + μ v) over compression and release
///
///   foundation     (4) p = K s(a) (1 + μ ȧ)           pressure at points of one surface, K [N/m³];  s = a²/(2ε) for a
///   < ε,
///                                                      a − ε/2 beyond: points come and go smoothly
///
/// With a modulus, k = 4/3 E √R (Hertz), 1/R = 1/R_a + 1/R_b of the surfaces that meet; where these have two
/// curvatures, k of the ellipse (hertz_stiffness).
///
/// A restitution at whatever speed: with the x of (3) and the speed v₀ of the impact that goes on,
///
///   (5) 1 + x min(ȧ/v₀, 1)                              in place of 1 + μ ȧ
///
/// is (2) with μ = x/v₀; what is pressed faster than it was met is damped by x of the elastic force and no more.
struct NormalLaw {
  enum class Kind { linear, hunt_crossley, foundation };
  Kind kind = Kind::linear;
  double stiffness = 0.0;   ///< k > 0, unless there is a modulus; K of (4)
  double exponent = 1.0;    ///< p ≥ 1
  double damping = 0.0;     ///< c [N s/m] of (1), μ [s/m] of (2) and (4); ≥ 0
  double modulus = 0.0;     ///< E [N/m²], 1/E = (1 − ν_a²)/E_a + (1 − ν_b²)/E_b; 0: k is given
  double transition = 0.0;  ///< ε of (4) [m]; 0: a millionth of the size of the surface that has the points
  double bounce = 0.0;      ///< x of (5) instead of `damping`; 0: `damping` holds
  double speed = 1e-2;      ///< v₀ of (5) [m/s] > 0: of the present impact; of a law: the least that counts
};

struct ContactLaw {
  NormalLaw normal;
  FrictionLaw friction;
};

/// k [N/m^1.5] of Hertz's law F = k δ^{3/2} between surfaces whose curvatures against each other are κ₁ and κ₂ > 0
/// [1/m] along the same two directions, E as `modulus` [K. L. Johnson, Contact Mechanics (1985), (4.26)–(4.32)]:
///
///   κ_large/κ_small = (𝐄/(1 − e²) − 𝐊)/(𝐊 − 𝐄),   k = 2π/3 E √(g/𝐊³),   g = (𝐊 − 𝐄)/(e² κ_small/2)
///
/// with the complete elliptic integrals 𝐊, 𝐄 of the eccentricity e of the area that is pressed.
double hertz_stiffness(double modulus, double curvature_1, double curvature_2);
/// μ of (2) for a restitution 0 < e ≤ 1 at the speed of impact v₀ > 0, by (3).
double damping_factor_of(double restitution, double impact_speed);
/// x = μ v₀ of the same.
double bounce_of(double restitution);
/// e at x = μ v₀, the inverse of the same.
double restitution_of(double x);

}  // namespace trammel
