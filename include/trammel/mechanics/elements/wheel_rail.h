// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "trammel/mechanics/elements/creep.h"
#include "trammel/mechanics/elements/group.h"
#include "trammel/mechanics/elements/track.h"

namespace trammel {

class WheelProfileTable;

/// A wheel, a surface of revolution about the axle e (y of the wheelset's axes), on its rail.
///
/// With e in the axes of the track, η the place along it, R(η) the radius and R′ its slope; because the rail is a
/// cylinder along x_T, only points of the wheel whose normal has no x component can touch:
///
///   (1) q = √(1 − e_x²), t₁ = (x_T − e_x e)/q, t₂ = e × t₁ (down), sin b = R′ e_x/q
///   (2) ρ = cos b t₂ + sin b t₁,   P(η) = p + η e + R ρ,   n = (ρ − R′ e)/√(1 + R′²)  into the rail, n_x = 0
///
/// *Cone* on a rail head of radius r_R about Q: R = r₀ − side λ (η − side b₀), w = √(1 + λ²),
///
///   (3) gap = n·(Q − p) − (r₀ + b₀ λ)/w − r_R,   Q = (side (b₀ + r_R λ/w), −r_R/w)   in (y, z); the multiplier is N
///
/// *Profile*, quasi-elastic: vertical gaps of all nodes, softly the smallest of them with ε = 10 µm,
///
///   (4) g_soft = −ε ln(Σ exp(−gap_k/ε) ΔS);   gap_k = P_z − h(P_y);   contact data are means with the same weights,
///       contact angle a = φ − atan R′, n = (0, sin a, −cos a); the multiplier is N cos a
///
/// Row: Φ = −(gap − gap as drawn in the middle), so that λ > 0 presses. Creepages [arnold2004 4.1], t = (0, −n_z, n_y):
///
///   (5) v_c = v + ω × (P_c − p),   ξ_x = v_c·x_T/V, ξ_y = v_c·t/V, spin = −ω·n/V;   forces F_x x_T + F_y t at P_c, −M
///   n
///
/// The forces depend on N, so the columns of the multipliers are Gᵀ − ∂f/∂λ.
struct WheelRail {
  std::shared_ptr<const Track> track;
  const WheelProfileTable* profile = nullptr;  ///< null: cone
  double side = 1.0;                           ///< +1 left, −1 right
  double radius = 0.46, half_width = 0.75;     ///< r₀, b₀ [m]
  double conicity = 0.05, rail_radius = 0.30;  ///< λ, r_R [m]
  CreepLaw creep;
  double soft_zero = 0.0;  ///< g_soft in the middle

  static constexpr double softness = 1e-5;  ///< ε [m]; the nodes must resolve √(ε · 13 mm) = 0.36 mm
};
/// Sets `profile` and `soft_zero`.
void use_profile(WheelRail& wheel);

/// What a wheel's contact is at a pose of its wheelset, in axes of the track.
template <class S>
struct WheelContact {
  TrackSection<S> section;
  Vec3<S> e;         ///< the axle
  S phi;             ///< Φ [m]
  S phi_y, phi_z;    ///< ∂Φ/∂y, ∂Φ/∂z
  Vec3<S> phi_e;     ///< ∂Φ/∂e
  Vec3<S> arm, n;    ///< P_c − p, and the normal into the rail
  S rolling_radius;  ///< R_c
  S per_normal;      ///< multiplier/N: 1, or cos a
};
template <class S>
WheelContact<S> calc_wheel_contact(const WheelRail& wheel, const Frame<S>& f);

/// The row of a contact, acting on the twist of the frame.
template <class S>
FrameRow<S> calc_wheel_row(const WheelContact<S>& contact, const Frame<S>& f);

/// Creepages and forces, for reports.
template <class S>
struct WheelCreep {
  S xi_x, xi_y, spin, N;
  CreepForces<S> forces;
};
template <class S>
WheelCreep<S> calc_wheel_creep(const WheelRail& wheel, const WheelContact<S>& contact, const Frame<S>& f, const S& lam);

/// All wheels of a model: one row each, and the creep forces.
class WheelRailGroup final : public ConstraintElements {
 public:
  struct Element {
    WheelRail wheel;
    int frame = 0, row = 0;
  };
  void add(Element element) { elements_.push_back(std::move(element)); }
  const Element& element(int e) const { return elements_[e]; }

  std::string_view kind() const override { return "wheel on rail"; }
  int size() const override { return static_cast<int>(elements_.size()); }
  bool holonomic() const override { return true; }
  int rows_per_element() const override { return 1; }
  int frames_per_element() const override { return 1; }
  int frame(int e, int) const override { return elements_[e].frame; }
  int first_row(int e) const override { return elements_[e].row; }
  bool ignores_travel() const override { return true; }

  void connect(std::span<const int> modes, Connectivity& connectivity, std::vector<int>& slots) const override;
  void add_forces(const KinematicState&, std::span<Wrench<double>>, std::span<double>) const override;
  void add_constraints(const KinematicState&, std::span<double>, std::span<Wrench<double>>) const override;
  void add_stabilized_constraints(const KinematicState&, std::span<const double> mu, std::span<double> phi,
                                  std::span<double> phi_dot, std::span<Wrench<double>> wrench,
                                  std::span<Wrench<double>> mu_wrench) const override;
  void calc_velocity_level(const KinematicState&, std::span<double>, std::span<double>) const override;
  void add_planes(const KinematicState&, PlaneSet, std::span<const int> slots, FramePlanes&) const override;
  double power(const KinematicState&) const override;
  Wrench<double> reaction(int e, const Frame<double>* local, const double* lam, int local_frame) const override;
  Wrench<Dual<6>> reaction(int e, const Frame<Dual<6>>* local, const Dual<6>* lam, int local_frame) const override;

 private:
  std::vector<Element> elements_;
};

/// The flanges of wheels that have none: a soft stop of the lateral motion y in the track, at the top of the rails.
///
///   (1) o = |y| − clearance;   F_y = −sgn(y) k {0, o²/(2w) for o < w, o − w/2 beyond}        [N]
struct FlangeStop {
  static constexpr int n_frames = 1, n_turns = 0;
  static constexpr bool depends_on_velocity = false;
  static constexpr const char* name = "flange stop";
  struct Params {
    std::shared_ptr<const Track> track;
    double clearance = 0.0, stiffness = 0.0, rounding = 1.0;
  };

  template <class S>
  static void force(const Params& c, const Frame<S>* f, const double*, Wrench<S>* w) {
    const TrackSection<S> t = section_of(*c.track, f[0].p);
    const S over = depth(c, t.y),
            push = over < c.rounding ? S(over * over / (2.0 * c.rounding)) : S(over - 0.5 * c.rounding);
    const S F = (t.y > 0.0 ? -c.stiffness : c.stiffness) * push;
    const Vec3<S> force_T(S(0.0), F, S(0.0)), moment_T(t.z * F, S(0.0), S(0.0));  // acts z below the origin
    w[0] = {t.to_world(force_T), rotate_back(f[0].R, t.to_world(moment_T))};
  }
  template <class S>
  static S potential(const Params& c, const Frame<S>* f, const double*) {
    const S o = depth(c, section_of(*c.track, f[0].p).y);
    const double w = c.rounding;
    if (o < w) return c.stiffness / (6.0 * w) * o * o * o;
    return c.stiffness * (w * w / 6.0 + 0.5 * o * (o - w));
  }

 private:
  template <class S>
  static S depth(const Params& c, const S& y) {
    const S o = (y > 0.0 ? y : S(-y)) - c.clearance;
    return o > 0.0 ? o : S(0.0);
  }
};

/// A body follows the point at s = u(t) + station of a track: its origin lies in that cross section.
///
///   (1) Φ = s(p) − station  (− u, by the group)  [m];   row: x_T/(1 − κ y)
struct OnTrack {
  static constexpr int n_frames = 1, n_rows = 1, n_turns = 0;
  static constexpr bool holonomic = true;
  static constexpr const char* name = "guided along a track";
  struct Params {
    std::shared_ptr<const Track> track;
    double station = 0.0;
  };

  template <class S>
  static void phi(const Params& c, const Frame<S>* f, const double*, S* out) {
    out[0] = section_of(*c.track, f[0].p).s - c.station;
  }
  template <class S>
  static void rows(const Params& c, const Frame<S>* f, FrameRow<S>* g) {
    const TrackSection<S> t = section_of(*c.track, f[0].p);
    const S length = 1.0 / (1.0 - t.kappa * t.y);
    g[0] = {Vec3<S>(t.cosine * length, t.sine * length, S(0.0)), Vec3<S>(S(0.0), S(0.0), S(0.0))};
  }
};

}  // namespace trammel
