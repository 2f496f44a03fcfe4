// SPDX-License-Identifier: Apache-2.0
#include "trammel/mechanics/elements/wheel_rail.h"

#include <array>

#include "trammel/mechanics/elements/constraint_group_impl.h"
#include "trammel/mechanics/elements/wheel_profile.h"

namespace trammel {

template class ForceGroup<FlangeStop>;
template class ConstraintGroup<OnTrack>;

namespace {

/// ρ of (2) for a slope R′, in y and z of the track, with its derivatives by e; ρ_x = R′ e_x.
template <class S>
struct Rho {
  S y, z, dy[3], dz[3];
};

/// What (1) has in common for all slopes.
template <class S>
struct Axle {
  Vec3<S> e;
  S q, per_q, per_q3;

  explicit Axle(const Vec3<S>& axle) : e(axle) {
    using std::sqrt;
    q = sqrt(1.0 - e.x() * e.x());
    per_q = 1.0 / q;
    per_q3 = per_q * per_q * per_q;
  }
  // t₁ = (q, −e_x e_y/q, −e_x e_z/q), t₂ = (0, e_z/q, −e_y/q)
  Rho<S> rho(double slope) const {
    using std::sqrt;
    const S sb = slope * e.x() * per_q, cb = sqrt(1.0 - sb * sb);
    const S dsb = slope * per_q3, dcb = -sb / cb * dsb;
    const S along_y = cb * e.z() - sb * e.x() * e.y(), along_z = -(cb * e.y()) - sb * e.x() * e.z();
    const S steep = e.x() * per_q3;
    Rho<S> r;
    r.y = along_y * per_q;
    r.z = along_z * per_q;
    r.dy[0] = (dcb * e.z() - (dsb * e.x() + sb) * e.y()) * per_q + along_y * steep;
    r.dy[1] = -(sb * e.x() * per_q);
    r.dy[2] = cb * per_q;
    r.dz[0] = -((dcb * e.y() + (dsb * e.x() + sb) * e.z()) * per_q) + along_z * steep;
    r.dz[1] = -(cb * per_q);
    r.dz[2] = r.dy[1];
    return r;
  }
};

template <class S>
void calc_cone(const WheelRail& c, const S& y, const S& z, WheelContact<S>& k) {
  const double lam = c.conicity, w = std::sqrt(1.0 + lam * lam), slope = -c.side * lam, rR = c.rail_radius;
  const double Q_y = c.side * (c.half_width + rR * lam / w), Q_z = -rR / w;
  const Axle<S> axle(k.e);
  const Rho<S> rho = axle.rho(slope);
  const Vec3<S>& e = k.e;
  const S n_y = (rho.y - slope * e.y()) / w, n_z = (rho.z - slope * e.z()) / w;
  const S to_y = Q_y - y, to_z = Q_z - z;
  k.phi = -(n_y * to_y + n_z * to_z - (c.radius + c.half_width * lam) / w - rR);
  k.phi_y = n_y;
  k.phi_z = n_z;
  for (int j = 0; j < 3; ++j) {
    const double own_y = j == 1 ? slope : 0.0, own_z = j == 2 ? slope : 0.0;
    k.phi_e[j] = -((rho.dy[j] - own_y) * to_y + (rho.dz[j] - own_z) * to_z) / w;
  }
  // The foot of Q on the straight line of the cone.
  const Vec3<S> r(slope * e.x(), rho.y, rho.z);
  const double at = c.side * c.half_width;
  const Vec3<S> arm = e * S(at) + r * S(c.radius), D = e + r * S(slope);
  const S d_eta = ((to_y - arm.y()) * D.y() + (to_z - arm.z()) * D.z()) / (D.y() * D.y() + D.z() * D.z());
  k.arm = arm + D * d_eta;
  k.rolling_radius = c.radius + slope * d_eta;
  k.n = Vec3<S>(S(0.0), n_y, n_z);
  k.per_normal = S(1.0);
}

// Gaps beyond the smallest by more than this many ε weigh less than 1e-17.
constexpr double negligible = 40.0;
constexpr double quick_error = 3e-5;  // [m] of gaps found with the table of the rail

// The nodes that count: those whose gap is near the smallest.
int find_near_nodes(const WheelRail& c, double y, double z, const Vec3<double>& e, int (&near)[400]) {
  const std::vector<WheelProfileTable::Node>& nodes = c.profile->nodes();
  const Axle<double> axle(e);
  std::array<double, 400> gap;
  double least = 1e300;
  const double ex_q = e.x() * axle.per_q;
  for (std::size_t k = 0; k < nodes.size(); ++k) {
    const double sb = c.side * nodes[k].slope * ex_q, cb = 1.0 - 0.5 * sb * sb;
    const double eta = c.side * nodes[k].place, R = (c.radius + nodes[k].radius) * axle.per_q, skew = sb * e.x();
    const double P_y = y + eta * e.y() + R * (cb * e.z() - skew * e.y());
    const double P_z = z + eta * e.z() - R * (cb * e.y() + skew * e.z());
    gap[k] = P_z - c.profile->quick_rail(WheelProfileTable::rail_offset - c.side * P_y);
    least = std::min(least, gap[k]);
  }
  int n = 0;
  const double limit = least + negligible * WheelRail::softness + 2.0 * quick_error;
  for (std::size_t k = 0; k < nodes.size(); ++k)
    if (gap[k] <= limit) near[n++] = static_cast<int>(k);
  return n;
}

template <class S>
void calc_profile(const WheelRail& c, const S& y, const S& z, WheelContact<S>& k) {
  using std::asin, std::atan, std::cos, std::exp, std::log, std::sin;
  const std::vector<WheelProfileTable::Node>& nodes = c.profile->nodes();
  int near[400];
  const Vec3<double> e_value(value_of(k.e.x()), value_of(k.e.y()), value_of(k.e.z()));
  const int n = find_near_nodes(c, value_of(y), value_of(z), e_value, near);
  const Axle<S> axle(k.e);
  const Vec3<S>& e = k.e;
  // Weights relative to the first near node's: its gap is within negligible · ε of the smallest.
  S reference(0.0), sum(0.0), dy(0.0), slope(0.0), radius(0.0);
  Vec3<S> de(S(0.0), S(0.0), S(0.0)), arm = de;
  for (int i = 0; i < n; ++i) {
    const WheelProfileTable::Node& node = nodes[static_cast<std::size_t>(near[i])];
    const double eta = c.side * node.place, R = c.radius + node.radius, R_slope = c.side * node.slope;
    const Rho<S> rho = axle.rho(R_slope);
    const S arm_y = eta * e.y() + R * rho.y, arm_z = eta * e.z() + R * rho.z;
    S rail_slope;
    const S height = c.profile->rail(S(WheelProfileTable::rail_offset - c.side * (y + arm_y)), rail_slope);
    const S gap = z + arm_z - height, by_y = c.side * rail_slope;  // ∂gap/∂P_y
    if (i == 0) reference = gap;
    const S weight = exp((reference - gap) * (1.0 / WheelRail::softness));
    sum += weight;
    dy += weight * by_y;
    for (int j = 0; j < 3; ++j) {
      const double own_y = j == 1 ? eta : 0.0, own_z = j == 2 ? eta : 0.0;
      de[j] += weight * (R * rho.dz[j] + own_z + by_y * (R * rho.dy[j] + own_y));
    }
    arm.x() += weight * (eta * e.x() + R * R_slope * e.x());
    arm.y() += weight * arm_y;
    arm.z() += weight * arm_z;
    slope += weight * R_slope;
    radius += weight * R;
  }
  const S per_sum = 1.0 / sum;
  const S soft = reference - WheelRail::softness * log(sum * WheelProfileTable::spacing);
  k.phi = c.soft_zero - soft;
  k.phi_y = -(dy * per_sum);
  k.phi_z = S(-1.0);
  for (int j = 0; j < 3; ++j) k.phi_e[j] = -(de[j] * per_sum);
  k.arm = arm * per_sum;
  k.rolling_radius = radius * per_sum;
  const S angle = asin(e.z()) - atan(slope * per_sum);
  k.n = Vec3<S>(S(0.0), sin(angle), -cos(angle));
  k.per_normal = cos(angle);
}

}  // namespace

void use_profile(WheelRail& wheel) {
  wheel.profile = &WheelProfileTable::instance();
  wheel.soft_zero = 0.0;
  WheelContact<double> middle;
  middle.e = Vec3<double>::UnitY();
  calc_profile(wheel, 0.0, wheel.radius, middle);
  wheel.soft_zero = -middle.phi;
}

template <class S>
WheelContact<S> calc_wheel_contact(const WheelRail& wheel, const Frame<S>& f) {
  WheelContact<S> k;
  k.section = section_of(*wheel.track, f.p);
  k.e = k.section.to_track(Vec3<S>(f.R(0, 1), f.R(1, 1), f.R(2, 1)));
  if (wheel.profile != nullptr)
    calc_profile(wheel, k.section.y, k.section.z, k);
  else
    calc_cone(wheel, k.section.y, k.section.z, k);
  return k;
}

// Φ̇ = Φ_y y_T·v + Φ_z v_z + Φ_e·ė,  ė = (ω − κ ṡ z) × e,  ṡ = x_T·v/(1 − κ y).
template <class S>
FrameRow<S> calc_wheel_row(const WheelContact<S>& k, const Frame<S>& f) {
  const Vec3<S> moment = cross(k.e, k.phi_e);
  const TrackSection<S>& t = k.section;
  const Vec3<S> force(-(t.kappa / (1.0 - t.kappa * t.y) * moment.z()), k.phi_y, k.phi_z);
  return {t.to_world(force), rotate_back(f.R, t.to_world(moment))};
}

template <class S>
WheelCreep<S> calc_wheel_creep(const WheelRail& wheel, const WheelContact<S>& k, const Frame<S>& f, const S& lam) {
  const Vec3<S> v = k.section.to_track(f.v), w = k.section.to_track(rotate(f.R, f.w));
  const Vec3<S> slip = v + cross(w, k.arm);
  const double per_speed = 1.0 / wheel.creep.speed;
  WheelCreep<S> c;
  c.xi_x = slip.x() * per_speed;
  c.xi_y = (slip.z() * k.n.y() - slip.y() * k.n.z()) * per_speed;
  c.spin = -(dot(w, k.n) * per_speed);
  c.N = lam / k.per_normal;
  c.forces = calc_creep_forces(wheel.creep, c.xi_x, c.xi_y, c.spin, c.N);
  return c;
}

namespace {

template <class S>
Wrench<S> calc_creep_wrench(const WheelRail& wheel, const WheelContact<S>& k, const Frame<S>& f, const S& lam) {
  const CreepForces<S> c = calc_wheel_creep(wheel, k, f, lam).forces;
  const Vec3<S> force(c.Fx, -(c.Fy * k.n.z()), c.Fy * k.n.y());
  const Vec3<S> moment = cross(k.arm, force) - k.n * c.M;
  return {k.section.to_world(force), rotate_back(f.R, k.section.to_world(moment))};
}

template <class S>
Wrench<S> calc_creep_wrench(const WheelRail& wheel, const Frame<S>& f, const S& lam) {
  return calc_creep_wrench(wheel, calc_wheel_contact(wheel, f), f, lam);
}

}  // namespace

template WheelContact<double> calc_wheel_contact(const WheelRail&, const Frame<double>&);
template WheelContact<Dual<6>> calc_wheel_contact(const WheelRail&, const Frame<Dual<6>>&);
template FrameRow<double> calc_wheel_row(const WheelContact<double>&, const Frame<double>&);
template WheelCreep<double> calc_wheel_creep(const WheelRail&, const WheelContact<double>&, const Frame<double>&,
                                             const double&);
template WheelCreep<Dual<6>> calc_wheel_creep(const WheelRail&, const WheelContact<Dual<6>>&, const Frame<Dual<6>>&,
                                              const Dual<6>&);

// ---- group ---------------------------------------------------------------------------------------------------------

// Slots per element: its own block, its row, its column of f_lam.
void WheelRailGroup::connect(std::span<const int>, Connectivity& connectivity, std::vector<int>& slots) const {
  for (const Element& e : elements_) {
    slots.push_back(connectivity.pair(e.frame, e.frame));
    slots.push_back(connectivity.row(e.row, e.frame));
    slots.push_back(connectivity.reaction(e.frame, e.row));
  }
}

void WheelRailGroup::add_forces(const KinematicState& state, std::span<Wrench<double>> wrench,
                                std::span<double>) const {
  for (const Element& e : elements_)
    if (e.wheel.creep.friction > 0.0)
      trammel::add(wrench[e.frame], calc_creep_wrench(e.wheel, state.frames[e.frame], state.lam[e.row]));
}

void WheelRailGroup::add_constraints(const KinematicState& state, std::span<double> phi,
                                     std::span<Wrench<double>> wrench) const {
  for (const Element& e : elements_) {
    const Frame<double>& f = state.frames[e.frame];
    const WheelContact<double> k = calc_wheel_contact(e.wheel, f);
    phi[e.row] = k.phi;
    detail::subtract_scaled(wrench[e.frame], state.lam[e.row], calc_wheel_row(k, f));
  }
}

void WheelRailGroup::add_stabilized_constraints(const KinematicState& state, std::span<const double> mu,
                                                std::span<double> phi, std::span<double> phi_dot,
                                                std::span<Wrench<double>> wrench,
                                                std::span<Wrench<double>> mu_wrench) const {
  for (const Element& e : elements_) {
    const Frame<double>& f = state.frames[e.frame];
    const WheelContact<double> k = calc_wheel_contact(e.wheel, f);
    const FrameRow<double> row = calc_wheel_row(k, f);
    phi[e.row] = k.phi;
    phi_dot[e.row] = power_of(row, f);
    detail::subtract_scaled(wrench[e.frame], state.lam[e.row], row);
    detail::subtract_scaled(mu_wrench[e.frame], mu[e.row], row);
  }
}

void WheelRailGroup::calc_velocity_level(const KinematicState& state, std::span<double> phi_dot,
                                         std::span<double> bias) const {
  for (const Element& e : elements_) {
    const Frame<Dual<1>> f = along_motion(state.frames[e.frame]);
    const FrameRow<Dual<1>> row = calc_wheel_row(calc_wheel_contact(e.wheel, f), f);
    const Dual<1> rate = dot(row.force, f.v) + dot(row.moment, f.w);
    phi_dot[e.row] = rate.v;
    bias[e.row] = rate.d[0];
  }
}

void WheelRailGroup::add_planes(const KinematicState& state, PlaneSet set, std::span<const int> slots,
                                FramePlanes& planes) const {
  const bool wants_G = contains(set, PlaneSet::G), wants_K_lam = contains(set, PlaneSet::K_lam);
  const bool wants_rate = contains(set, PlaneSet::Gv_q), wants_K = contains(set, PlaneSet::K);
  const bool wants_D = contains(set, PlaneSet::D), wants_f_lam = contains(set, PlaneSet::f_lam);
  const int* slot = slots.data();
  for (const Element& e : elements_) {
    const Frame<double>& f = state.frames[e.frame];
    const int pair = slot[0], row_slot = slot[1], reaction_slot = slot[2];
    slot += 3;
    if (pair < 0) continue;
    const bool creeps = e.wheel.creep.friction > 0.0;
    const double lam = state.lam[e.row];
    if (wants_K_lam || wants_rate || wants_K) {
      const Frame<Dual<6>> moved = seed_position(f);
      const WheelContact<Dual<6>> k = calc_wheel_contact(e.wheel, moved);
      const FrameRow<Dual<6>> row = calc_wheel_row(k, moved);
      for (int c = 0; c < 3; ++c)
        for (int j = 0; j < 6; ++j) {
          if (wants_K_lam) {
            planes.K_lam[pair](c, j) += lam * row.force[c].d[j];
            planes.K_lam[pair](3 + c, j) += lam * row.moment[c].d[j];
          }
          if (wants_rate && row_slot >= 0)
            planes.Gv_q[row_slot][j] += row.force[c].d[j] * f.v[c] + row.moment[c].d[j] * f.w[c];
        }
      if (wants_K && creeps) subtract_derivative(calc_creep_wrench(e.wheel, k, moved, Dual<6>(lam)), planes.K[pair]);
    }
    const WheelContact<double> k = calc_wheel_contact(e.wheel, f);
    if (wants_G && row_slot >= 0) {
      const FrameRow<double> row = calc_wheel_row(k, f);
      planes.G[row_slot] += (Row6() << row.force.transpose(), row.moment.transpose()).finished();
    }
    if (!creeps || !(wants_D || wants_f_lam)) continue;
    // The contact does not depend on velocities and multipliers: it is a constant of the duals.
    WheelContact<Dual<6>> fixed;
    fixed.section = {k.section.s, k.section.y, k.section.z, k.section.cosine, k.section.sine, k.section.kappa};
    fixed.e = lift<Dual<6>>(k.e), fixed.arm = lift<Dual<6>>(k.arm), fixed.n = lift<Dual<6>>(k.n);
    fixed.per_normal = k.per_normal;
    if (wants_D) subtract_derivative(calc_creep_wrench(e.wheel, fixed, seed_velocity(f), Dual<6>(lam)), planes.D[pair]);
    if (wants_f_lam && reaction_slot >= 0) {
      const Wrench<Dual<6>> w = calc_creep_wrench(e.wheel, fixed, lift<Dual<6>>(f), Dual<6>::variable(lam, 0));
      for (int c = 0; c < 3; ++c) {
        planes.f_lam[reaction_slot][c] -= w.force[c].d[0];
        planes.f_lam[reaction_slot][3 + c] -= w.moment[c].d[0];
      }
    }
  }
}

double WheelRailGroup::power(const KinematicState& state) const {
  double power = 0.0;
  for (const Element& e : elements_) {
    const Frame<double>& f = state.frames[e.frame];
    const WheelContact<double> k = calc_wheel_contact(e.wheel, f);
    power -= state.lam[e.row] * power_of(calc_wheel_row(k, f), f);
    if (e.wheel.creep.friction > 0.0) power += power_of(calc_creep_wrench(e.wheel, k, f, state.lam[e.row]), f);
  }
  return power;
}

namespace {

template <class S>
Wrench<S> calc_reaction(const WheelRail& wheel, const Frame<S>& f, const S& lam) {
  const FrameRow<S> row = calc_wheel_row(calc_wheel_contact(wheel, f), f);
  return {Vec3<S>(row.force * -lam), Vec3<S>(row.moment * -lam)};
}

}  // namespace

Wrench<double> WheelRailGroup::reaction(int e, const Frame<double>* local, const double* lam, int) const {
  return calc_reaction(elements_[e].wheel, local[0], lam[0]);
}

Wrench<Dual<6>> WheelRailGroup::reaction(int e, const Frame<Dual<6>>* local, const Dual<6>* lam, int) const {
  return calc_reaction(elements_[e].wheel, local[0], lam[0]);
}

}  // namespace trammel
