// SPDX-License-Identifier: Apache-2.0
#include "trammel/mechanics/elements/beam.h"

#include <limits>

#include "beam_kernel.h"

namespace trammel {

using namespace detail;

template <class S>
S beam_energy(const BeamElement& b, const Frame<S>* f) {
  BeamPlacement<S> at;
  place(b, f, at);
  const ShapeTable& N = shape_table(b.nodes);
  S energy(0.0);
  for (int g = 0; g < b.points(); ++g) {
    const SectionPlace<S> p = section_at(b, N, g, at.y, at.Psi);
    S E[n_series];
    calc_series(S(dot(p.Psi, p.Psi)), E);
    const Vec6<S> e = strain_at(b, g, operator_matrix<1>(E, p.Psi), operator_matrix<2>(E, p.Psi), p);
    const Vec6<S> n = resultants(b, e);
    for (int i = 0; i < 6; ++i) energy += b.weight[g] * ((0.5 * n[i] + b.n0[i]) * e[i]);
  }
  return energy;
}

namespace {

/// ρ̇ = A_I ω_I + A_J ω_J, ẏ_a and Ψ̇_a: how (3) changes as the nodes move.
template <class S>
struct PlacementRate {
  Vec3<S> y[BeamElement::max_nodes], Psi[BeamElement::max_nodes];
};

template <class S>
void calc_rates(const BeamElement& b, const Frame<S>* f, const BeamPlacement<S>& at, const Mat3<S>* T,
                PlacementRate<S>& rate) {
  Vec3<S> v[BeamElement::max_nodes], w[BeamElement::max_nodes];
  for (int a = 0; a < b.nodes; ++a) {
    v[a] = b.offset ? point_velocity(f[a], b.s[a]) : f[a].v;
    w[a] = f[a].w;
    if (b.offset)
      for (int i = 0; i < 3; ++i)
        w[a][i] = f[a].w[0] * b.Q[a](0, i) + f[a].w[1] * b.Q[a](1, i) + f[a].w[2] * b.Q[a](2, i);
  }
  const S tau = half_turn_coefficient(S(dot(at.phi, at.phi)));
  const Vec3<S> difference = w[at.J] - w[at.I];
  const Vec3<S> turned = cross(at.phi, difference);
  Vec3<S> rho;
  for (int i = 0; i < 3; ++i) rho[i] = 0.5 * (w[at.I][i] + w[at.J][i] + tau * turned[i]);
  for (int a = 0; a < b.nodes; ++a) {
    rate.y[a] = rotate_back(at.Lambda_r, Vec3<S>(v[a] - v[at.I])) + cross(at.y[a], rho);
    rate.Psi[a] = rotate(T[a], w[a]) - rotate_back(T[a], rho);
  }
}

}  // namespace

/// With δy_a = Λ_rᵀδx_a + y_a × δρ and δΨ_a = T_a δβ_a − T_aᵀ δρ, T_a = T(Ψ_a), the gradient of U by (y, Ψ) becomes
///
///   (10)  F_a = U_{y_a},  M_a = T_aᵀ U_{Ψ_a},  c = −Σ y_a × F_a − Σ T_a U_{Ψ_a}
///
/// forces in the axes of Λ_r and moments in those of the sections; c is shared by the middle nodes: M_I += A_Iᵀ c, ….
template <class S>
void beam_force(const BeamElement& b, const Frame<S>* f, Wrench<S>* w) {
  const int n = b.nodes;
  BeamPlacement<S> at;
  place(b, f, at);
  const ShapeTable& N = shape_table(n);
  Mat3<S> T[BeamElement::max_nodes];
  for (int a = 0; a < n; ++a) T[a] = inverse_right_jacobian(at.Psi[a]);
  PlacementRate<S> rate;
  if (b.damping != 0.0) calc_rates(b, f, at, T, rate);

  Vec3<S> U_y[BeamElement::max_nodes], U_Psi[BeamElement::max_nodes];
  for (int a = 0; a < n; ++a) U_y[a] = U_Psi[a] = Vec3<S>::Zero();
  for (int g = 0; g < b.points(); ++g) {
    const SectionPlace<S> p = section_at(b, N, g, at.y, at.Psi);
    S E[n_series];
    calc_series(S(dot(p.Psi, p.Psi)), E);
    const Mat3<S> O1 = operator_matrix<1>(E, p.Psi), O2 = operator_matrix<2>(E, p.Psi);
    const Mat3<S> D1 = operator_slope<1>(E, p.Psi, p.y_s), D2 = operator_slope<2>(E, p.Psi, p.Psi_s);
    Vec6<S> e = strain_at(b, g, O1, O2, p);
    if (b.damping != 0.0) {
      const SectionPlace<S> r = section_at(b, N, g, rate.y, rate.Psi);
      const Vec3<S> dG = rotate(O1, r.y_s) + rotate(D1, r.Psi), dk = rotate(O2, r.Psi_s) + rotate(D2, r.Psi);
      for (int i = 0; i < 3; ++i) e[i] += b.damping * dG[i], e[3 + i] += b.damping * dk[i];
    }
    const Vec6<S> r = resultants(b, e);
    Vec3<S> force, moment;
    for (int i = 0; i < 3; ++i)
      force[i] = b.weight[g] * (r[i] + b.n0[i]), moment[i] = b.weight[g] * (r[3 + i] + b.n0[3 + i]);
    const Vec3<S> by_y = rotate_back(O1, force), by_slope = rotate_back(O2, moment);
    const Vec3<S> by_Psi = rotate_back(D1, force) + rotate_back(D2, moment);
    for (int a = 0; a < n; ++a)
      for (int i = 0; i < 3; ++i) {
        U_y[a][i] += by_y[i] * b.dN[g][a];
        U_Psi[a][i] += by_Psi[i] * N[g][a] + by_slope[i] * b.dN[g][a];
      }
  }

  Vec3<S> c = Vec3<S>::Zero(), M[BeamElement::max_nodes];
  for (int a = 0; a < n; ++a) {
    M[a] = rotate_back(T[a], U_Psi[a]);
    c -= cross(at.y[a], U_y[a]) + rotate(T[a], U_Psi[a]);
  }
  const Vec3<S> half = c * S(0.5);
  const Vec3<S> turned = cross(at.phi, half) * half_turn_coefficient(S(dot(at.phi, at.phi)));
  M[at.I] += half + turned;
  M[at.J] += half - turned;
  for (int a = 0; a < n; ++a) {
    w[a].force = -rotate(at.Lambda_r, U_y[a]);
    w[a].moment = -M[a];
    if (!b.offset) continue;
    const Vec3<S> body_force = rotate_back(f[a].R, w[a].force), arm = lift<S>(b.s[a]), section = w[a].moment;
    for (int i = 0; i < 3; ++i)
      w[a].moment[i] = section[0] * b.Q[a](i, 0) + section[1] * b.Q[a](i, 1) + section[2] * b.Q[a](i, 2);
    w[a].moment += cross(arm, body_force);
  }
  if constexpr (std::is_same_v<S, double>)
    if (turned_too_far(b, at))  // on every node: one of them may be the ground
      for (int a = 0; a < n; ++a) w[a].moment.setConstant(std::numeric_limits<double>::quiet_NaN());
}

void calc_sections(const BeamElement& b, const Frame<double>* f, SectionState* sections) {
  BeamPlacement<double> at;
  place(b, f, at);
  const ShapeTable& N = shape_table(b.nodes);
  PlacementRate<double> rate;
  if (b.damping != 0.0) {
    Mat3<double> T[BeamElement::max_nodes] = {};
    for (int a = 0; a < b.nodes; ++a) T[a] = inverse_right_jacobian(at.Psi[a]);
    calc_rates(b, f, at, T, rate);
  }
  for (int g = 0; g < b.points(); ++g) {
    const SectionPlace<double> p = section_at(b, N, g, at.y, at.Psi);
    double E[n_series];
    calc_series(p.Psi.squaredNorm(), E);
    const Mat3<double> O1 = operator_matrix<1>(E, p.Psi), O2 = operator_matrix<2>(E, p.Psi);
    sections[g].strain = strain_at(b, g, O1, O2, p);
    Vec6<double> e = sections[g].strain;
    if (b.damping != 0.0) {
      const SectionPlace<double> r = section_at(b, N, g, rate.y, rate.Psi);
      e.head<3>() += b.damping * (O1 * r.y_s + operator_slope<1>(E, p.Psi, p.y_s) * r.Psi);
      e.tail<3>() += b.damping * (O2 * r.Psi_s + operator_slope<2>(E, p.Psi, p.Psi_s) * r.Psi);
    }
    sections[g].resultant = b.C * e + b.n0;
  }
}

template double beam_energy(const BeamElement&, const Frame<double>*);
template Dual<6> beam_energy(const BeamElement&, const Frame<Dual<6>>*);
template void beam_force(const BeamElement&, const Frame<double>*, Wrench<double>*);
template void beam_force(const BeamElement&, const Frame<Dual<6>>*, Wrench<Dual<6>>*);

// ---- the group -----------------------------------------------------------------------------------------------------

void BeamGroup::take_frames(const BeamElement& b, const KinematicState& k, Frame<double>* local) const {
  for (int a = 0; a < b.nodes; ++a) local[a] = k.frames[b.frame[a]];
}

// Slots per element: the block of each ordered pair of its frames.
void BeamGroup::connect(std::span<const int>, Connectivity& connectivity, std::vector<int>& slots) const {
  for (const BeamElement& b : elements_)
    for (int i = 0; i < b.nodes; ++i)
      for (int j = 0; j < b.nodes; ++j) slots.push_back(connectivity.pair(b.frame[i], b.frame[j]));
}

void BeamGroup::add_forces(const KinematicState& k, std::span<Wrench<double>> wrench, std::span<double>) const {
  Frame<double> f[BeamElement::max_nodes];
  Wrench<double> w[BeamElement::max_nodes];
  for (const BeamElement& b : k.elements.of(elements_)) {
    take_frames(b, k, f);
    beam_force(b, f, w);
    for (int a = 0; a < b.nodes; ++a) trammel::add(wrench[b.frame[a]], w[a]);
  }
}

namespace {

// By duals, one sweep per frame that moves: elements with damping.
template <class Seed>
void subtract_swept(const BeamElement& b, const Frame<double>* f, const int* slot, BlockPlane& plane, Seed&& seed) {
  Frame<Dual<6>> lifted[BeamElement::max_nodes];
  Wrench<Dual<6>> w[BeamElement::max_nodes];
  const int n = b.nodes;
  for (int a = 0; a < n; ++a) lifted[a] = lift<Dual<6>>(f[a]);
  for (int j = 0; j < n; ++j) {
    if (slot[j * n + j] < 0) continue;
    lifted[j] = seed(f[j]);
    beam_force(b, lifted, w);
    lifted[j] = lift<Dual<6>>(f[j]);
    for (int i = 0; i < n; ++i)
      if (slot[i * n + j] >= 0) subtract_derivative(w[i], plane[static_cast<std::size_t>(slot[i * n + j])]);
  }
}

}  // namespace

void BeamGroup::add_planes(const KinematicState& k, PlaneSet set, std::span<const int> slots,
                           FramePlanes& planes) const {
  const bool wants_K = contains(set, PlaneSet::K), wants_D = contains(set, PlaneSet::D);
  if (!wants_K && !wants_D) return;
  Frame<double> f[BeamElement::max_nodes];
  Block6 K[BeamElement::max_nodes * BeamElement::max_nodes];
  if (elements_.empty()) return;
  const int* slot = slots.data() + first_slot_[static_cast<std::size_t>(k.elements.first)];
  for (const BeamElement& b : k.elements.of(elements_)) {
    const int pairs = b.nodes * b.nodes;
    take_frames(b, k, f);
    if (wants_K && b.damping == 0.0) {
      beam_stiffness(b, f, K);
      for (int i = 0; i < pairs; ++i)
        if (slot[i] >= 0) planes.K[static_cast<std::size_t>(slot[i])] += K[i];
    } else if (wants_K) {
      subtract_swept(b, f, slot, planes.K, seed_position);
    }
    if (wants_D && b.damping != 0.0) subtract_swept(b, f, slot, planes.D, seed_velocity);
    slot += pairs;
  }
}

double BeamGroup::energy(int e, const KinematicState& k) const {
  Frame<double> f[BeamElement::max_nodes];
  take_frames(element(e), k, f);
  return beam_energy(element(e), f);
}

void BeamGroup::sections(int e, const KinematicState& k, SectionState* sections) const {
  Frame<double> f[BeamElement::max_nodes];
  take_frames(element(e), k, f);
  calc_sections(element(e), f, sections);
}

double BeamGroup::potential(const KinematicState& k) const {
  double sum = 0.0;
  for (int e = 0; e < size(); ++e) sum += energy(e, k);
  return sum;
}

// −Σ w τ ėᵀC ė: what the damping takes out, as the power of the wrenches that it adds.
double BeamGroup::power(const KinematicState& k) const {
  Frame<double> f[BeamElement::max_nodes];
  Wrench<double> damped[BeamElement::max_nodes], elastic[BeamElement::max_nodes];
  double power = 0.0;
  for (const BeamElement& b : elements_) {
    if (b.damping == 0.0) continue;
    take_frames(b, k, f);
    beam_force(b, f, damped);
    BeamElement without = b;
    without.damping = 0.0;
    beam_force(without, f, elastic);
    for (int a = 0; a < b.nodes; ++a) power += power_of(damped[a], f[a]) - power_of(elastic[a], f[a]);
  }
  return power;
}

Eigen::Matrix3d BeamGroup::middle_turn(int e, const KinematicState& k) const {
  const BeamElement& b = element(e);
  const int I = middle_first(b.nodes), J = middle_second(b.nodes);
  const Eigen::Matrix3d turn = k.frames[b.frame[I]].R.transpose() * k.frames[b.frame[J]].R;
  return b.offset ? Eigen::Matrix3d(b.Q[I].transpose() * turn * b.Q[J]) : turn;
}

Cause BeamGroup::find_cause(const KinematicState& k) const {
  Frame<double> f[BeamElement::max_nodes];
  for (const BeamElement& b : elements_) {
    take_frames(b, k, f);
    BeamPlacement<double> at;
    place(b, f, at);
    if (turned_too_far(b, at)) return Cause::element_turned;
  }
  return Cause::none;
}

}  // namespace trammel
