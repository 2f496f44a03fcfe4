// SPDX-License-Identifier: Apache-2.0
#include <vector>

#include "contact_foundation.h"
#include "contact_simple_planes.h"
#include "trammel/mechanics/elements/contact_group.h"
#include "trammel/mechanics/elements/contact_kernel.h"

// Derivatives of contacts.

namespace trammel {

using detail::calc_contact;
using detail::calc_contact_force;
using detail::ContactForce;
using detail::ContactOutput;
using detail::velocity_at;

// Slots: the diagonal of every bristle; then per listed place the four pairs of its frames, and with bristles per
// frame three forces of z, per bristle two frames and three bristles.
void ContactGroup::connect(std::span<const int> modes, Connectivity& connectivity, std::vector<int>& slots) const {
  for (int i = 0; i < n_states(); ++i) slots.push_back(connectivity.state_state(first_state_ + i, first_state_ + i));
  if (capacity_ == 0) return;
  for (int i = 0; i < modes[0]; ++i) {
    const Place p = place(modes, i);
    const int frame[2] = {geometry_[p.a].frame, geometry_[p.b].frame};
    for (int r : frame)
      for (int c : frame) slots.push_back(connectivity.pair(r, c));
    if (!bristled(p)) continue;
    const int z = first_state_ + 3 * p.slot;
    for (int f : frame)
      for (int k = 0; k < 3; ++k) slots.push_back(connectivity.state_force(f, z + k));
    for (int k = 0; k < 3; ++k) {
      for (int f : frame) slots.push_back(connectivity.state_rate(z + k, f));
      for (int other = 0; other < 3; ++other) slots.push_back(connectivity.state_state(z + k, z + other));
    }
  }
}

// By the poses, by the twists and by the bristles: sweeps of what calc(frame of a, frame of b, bristles) gives where it
// presses.
template <class Calc>
void ContactGroup::add_swept_planes(const KinematicState& state, const Place& p, PlaneSet set, const int* own,
                                    const int* diagonal, const Calc& calc, FramePlanes& planes) const {
  using D6 = Dual<6>;
  const Frame<double>* f[2] = {&state.frames[geometry_[p.a].frame], &state.frames[geometry_[p.b].frame]};
  const bool wants_K = contains(set, PlaneSet::K), wants_D = contains(set, PlaneSet::D), bristles = bristled(p);
  const bool wants_states = bristles && contains(set, PlaneSet::internal);
  const int *of_force = own + 4, *of_rate = own + 10;
  const Vec3<D6> held = trammel::lift<D6>(bristle_of(state, p));
  Frame<D6> lifted[2] = {lift<D6>(*f[0]), lift<D6>(*f[1])};
  for (int c = 0; c < 2; ++c) {
    if (own[3 * c] < 0) continue;
    for (const bool by_pose : {true, false}) {
      if (!(by_pose ? wants_K : wants_D) && !wants_states) continue;
      lifted[c] = by_pose ? seed_position(*f[c]) : seed_velocity(*f[c]);
      const ContactOutput<D6> out = calc(lifted[0], lifted[1], held);
      if (by_pose ? wants_K : wants_D)
        for (int r = 0; r < 2; ++r)
          if (own[2 * r + c] >= 0) subtract_derivative(out.w[r], (by_pose ? planes.K : planes.D)[own[2 * r + c]]);
      if (wants_states)
        for (int k = 0; k < 3; ++k)
          for (int d = 0; d < 6; ++d) (by_pose ? planes.g_q : planes.g_v)[of_rate[5 * k + c]][d] -= out.z_rate[k].d[d];
    }
    lifted[c] = lift<D6>(*f[c]);
  }
  if (!wants_states) return;
  Vec3<D6> seeded = held;
  for (int k = 0; k < 3; ++k) seeded[k].d[k] = 1.0;
  const ContactOutput<D6> out = calc(lifted[0], lifted[1], seeded);
  for (int k = 0; k < 3; ++k) {
    for (int r = 0; r < 2; ++r) {
      const int slot = of_force[3 * r + k];
      if (slot < 0) continue;
      for (int d = 0; d < 3; ++d) {
        planes.f_z[slot][d] -= out.w[r].force[d].d[k];
        planes.f_z[slot][3 + d] -= out.w[r].moment[d].d[k];
      }
    }
    planes.g_z[diagonal[3 * p.slot + k]] -= 1.0 / bristle_decay;  // here the law holds instead
    for (int other = 0; other < 3; ++other) planes.g_z[of_rate[5 * k + 2 + other]] -= out.z_rate[k].d[other];
  }
}

void ContactGroup::add_planes(const KinematicState& state, PlaneSet set, std::span<const int> all_slots,
                              FramePlanes& planes) const {
  if (capacity_ == 0) return;
  const bool wants_K = contains(set, PlaneSet::K), wants_D = contains(set, PlaneSet::D);
  const bool wants_states = has_bristles_ && contains(set, PlaneSet::internal);
  if (!wants_K && !wants_D && !wants_states) return;
  using D6 = Dual<6>;
  const int* slot = all_slots.data();
  const int* diagonal = slot;
  if (wants_states)
    for (int i = 0; i < n_states(); ++i) planes.g_z[diagonal[i]] += 1.0 / bristle_decay;  // of the row ż − g
  slot += n_states();
  for (int i = 0; i < state.modes[0]; ++i) {
    const Place p = place(state.modes, i);
    const Geometry &ga = geometry_[p.a], &gb = geometry_[p.b];
    const Frame<double>* f[2] = {&state.frames[ga.frame], &state.frames[gb.frame]};
    const FrictionLaw& friction = friction_law(p);
    const bool bristles = bristled(p);
    const Vec3<double> bristle = bristle_of(state, p);
    const int* own = slot;
    const int *of_force = own + 4, *of_rate = own + 10;
    slot += 4 + (bristles ? 6 + 15 : 0);
    if (is_foundation(p)) {
      const detail::Foundation foundation = foundation_of(p, state.modes);
      static thread_local std::vector<int> pressed;  // scratch
      detail::find_pressed(foundation, *f[0], *f[1], pressed);
      if (!detail::calc_foundation<double>(foundation, *f[0], *f[1], bristle, pressed).presses) continue;
      const auto calc = [&](const Frame<D6>& fa, const Frame<D6>& fb, const Vec3<D6>& z) {
        return detail::calc_foundation<D6>(foundation, fa, fb, z, pressed);
      };
      add_swept_planes(state, p, set, own, diagonal, calc, planes);
      continue;
    }
    const Touch<double> touch = calc_touch(ga.shape, *f[0], gb.shape, *f[1], p.feature);
    if (!(touch.depth > 0.0)) continue;
    const NormalLaw normal = normal_law(p, state.modes);
    const detail::Belts belts{ga.belt, gb.belt};
    if (friction.resists_turning()) {
      if (!calc_contact<double>(ga.shape, *f[0], gb.shape, *f[1], p.feature, normal, friction, belts, bristle).presses)
        continue;
      const auto calc = [&](const Frame<D6>& fa, const Frame<D6>& fb, const Vec3<D6>& z) {
        return calc_contact<D6>(ga.shape, fa, gb.shape, fb, p.feature, normal, friction, belts, z);
      };
      add_swept_planes(state, p, set, own, diagonal, calc, planes);
      continue;
    }

    // Without the motion of the surfaces: by the velocity u of a against b (the first three seeds) and by the bristles
    // in the axes of a (the others).
    Touch<D6> still{D6(touch.depth), trammel::lift<D6>(touch.n), trammel::lift<D6>(touch.point)};
    const Vec3<double> relative = velocity_at(*f[0], touch.point) - velocity_at(*f[1], touch.point);
    const Vec3<double> world_bristle = f[0]->R * bristle;
    Vec3<D6> u = trammel::lift<D6>(relative), moved_bristle = trammel::lift<D6>(world_bristle);
    for (int k = 0; k < 3; ++k) {
      u[k].d[k] = 1.0;
      for (int l = 0; l < 3; ++l) moved_bristle[l].d[3 + k] = f[0]->R(l, k);
    }
    const Vec3<D6> sliding = belts.sliding(trammel::lift<D6>(*f[0]), trammel::lift<D6>(*f[1]), u);
    const ContactForce<D6> force = calc_contact_force(still, u, sliding, normal, friction, moved_bristle);
    if (!force.presses) continue;

    // u = L_a (twist of a) − L_b (twist of b), L = (1, −R ŝ) with the arm s of the point; the wrenches are −L_aᵀF and
    // L_bᵀF.
    Eigen::Matrix<double, 3, 6> L[2];
    for (int c = 0; c < 2; ++c) {
      L[c].leftCols<3>().setIdentity();
      L[c].rightCols<3>() = -f[c]->R * hat<double>(Vec3<double>(f[c]->R.transpose() * (touch.point - f[c]->p)));
      if (c == 1) L[c] = -L[c];
    }
    const auto slope = [](const Vec3<D6>& x, int first) {
      Eigen::Matrix3d d;
      for (int r = 0; r < 3; ++r)
        for (int c = 0; c < 3; ++c) d(r, c) = x[r].d[first + c];
      return d;
    };
    if (wants_D) {
      const Eigen::Matrix3d F_u = slope(force.F, 0);
      for (int c = 0; c < 2; ++c) {
        const Eigen::Matrix<double, 3, 6> by_twist = F_u * L[c];
        for (int r = 0; r < 2; ++r)
          if (own[2 * r + c] >= 0) planes.D[own[2 * r + c]] += L[r].transpose() * by_twist;
      }
    }
    if (bristles && wants_states) {
      const Eigen::Matrix3d F_z = slope(force.F, 3), to_a = f[0]->R.transpose();
      const Eigen::Matrix3d rate_u = to_a * slope(force.z_rate, 0), rate_z = to_a * slope(force.z_rate, 3);
      for (int r = 0; r < 2; ++r) {
        const Eigen::Matrix<double, 6, 3> by_bristle = L[r].transpose() * F_z;
        for (int k = 0; k < 3; ++k)
          if (of_force[3 * r + k] >= 0) planes.f_z[of_force[3 * r + k]] += by_bristle.col(k).transpose();
      }
      for (int c = 0; c < 2; ++c) {
        const Eigen::Matrix<double, 3, 6> by_twist = rate_u * L[c];
        for (int k = 0; k < 3; ++k)
          if (of_rate[5 * k + c] >= 0) planes.g_v[of_rate[5 * k + c]] -= by_twist.row(k);
      }
      for (int k = 0; k < 3; ++k) {
        planes.g_z[diagonal[3 * p.slot + k]] -= 1.0 / bristle_decay;  // here the law holds instead
        for (int other = 0; other < 3; ++other) planes.g_z[of_rate[5 * k + 2 + other]] -= rate_z(k, other);
      }
    }

    // By the poses, which move the surfaces as well: by hand, or by a sweep per frame that has columns.
    if (!wants_K && !(bristles && wants_states)) continue;
    if (!bristles && gb.shape.kind == ContactShape::Kind::sphere && detail::is_simple(ga.shape) && !belts.run() &&
        normal.bounce == 0.0) {
      for (int c = 0; c < 2; ++c) {
        if (own[3 * c] < 0) continue;
        Block6* const K[2] = {own[c] < 0 ? nullptr : &planes.K[own[c]],
                              own[2 + c] < 0 ? nullptr : &planes.K[own[2 + c]]};
        detail::subtract_pose_derivatives(ga.shape, gb.shape, f, touch, normal, friction, c, K);
      }
      continue;
    }
    const Vec3<D6> held_bristle = trammel::lift<D6>(bristle);
    Frame<D6> lifted[2] = {lift<D6>(*f[0]), lift<D6>(*f[1])};
    for (int c = 0; c < 2; ++c) {
      if (own[3 * c] < 0) continue;
      lifted[c] = seed_position(*f[c]);
      const ContactOutput<D6> out =
          calc_contact<D6>(ga.shape, lifted[0], gb.shape, lifted[1], p.feature, normal, friction, belts, held_bristle);
      lifted[c] = lift<D6>(*f[c]);
      if (wants_K)
        for (int r = 0; r < 2; ++r)
          if (own[2 * r + c] >= 0) subtract_derivative(out.w[r], planes.K[own[2 * r + c]]);
      if (bristles && wants_states)
        for (int k = 0; k < 3; ++k)
          for (int d = 0; d < 6; ++d) planes.g_q[of_rate[5 * k + c]][d] -= out.z_rate[k].d[d];
    }
  }
}

}  // namespace trammel
