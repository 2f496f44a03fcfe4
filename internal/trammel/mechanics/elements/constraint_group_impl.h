// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "trammel/mechanics/elements/constraint_group.h"
#include "trammel/mechanics/elements/force_group_impl.h"
#include "trammel/mechanics/elements/relative_coordinate.h"

namespace trammel {

namespace detail {

inline void subtract_scaled(Wrench<double>& from, double factor, const FrameRow<double>& row) {
  from.force -= factor * row.force;
  from.moment -= factor * row.moment;
}

// Kinds that offer residuals and derivatives without rows (Coincident).
template <class K>
concept WithoutRows = requires(const typename K::Params& c, const Frame<double>& f, double* x) {
  K::levels(c, f, f, x, x);
};

}  // namespace detail

// Slots per element: the block of each ordered pair of frames (for K_lam), then (row, frame) for G and Gv_q. Where rows
// turn with their own frame alone, pairs of two frames have no block.
template <class K>
void ConstraintGroup<K>::connect(std::span<const int>, Connectivity& connectivity, std::vector<int>& slots) const {
  constexpr bool own_frames = detail::WithoutRows<K>;
  for (const Element& e : elements_) {
    for (int i = 0; i < K::n_frames; ++i)
      for (int j = 0; j < K::n_frames; ++j)
        slots.push_back(own_frames && i != j ? -1 : connectivity.pair(e.frame[i], e.frame[j]));
    for (int r = 0; r < K::n_rows; ++r)
      for (int j = 0; j < K::n_frames; ++j) slots.push_back(connectivity.row(e.row + r, e.frame[j]));
  }
}

template <class K>
void ConstraintGroup<K>::add_constraints(const KinematicState& state, std::span<double> phi,
                                         std::span<Wrench<double>> wrench) const {
  constexpr int n = K::n_frames;
  std::array<Frame<double>, n> f;
  std::array<FrameRow<double>, K::n_rows * n> g;
  for (const Element& e : state.elements.of(elements_)) {
    detail::gather<Element, n>(state, e, f);
    K::rows(e.params, f.data(), g.data());
    if constexpr (K::holonomic) {
      K::phi(e.params, f.data(), detail::gather_turns(state, e, e.branch).data(), phi.data() + e.row);
    } else {
      for (int r = 0; r < K::n_rows; ++r) {
        phi[e.row + r] = 0.0;
        for (int j = 0; j < n; ++j) phi[e.row + r] += power_of(g[r * n + j], f[j]);
      }
    }
    for (int r = 0; r < K::n_rows; ++r) {
      if (e.input[r] >= 0) phi[e.row + r] -= state.in.u[e.input[r]];
      for (int j = 0; j < n; ++j) detail::subtract_scaled(wrench[e.frame[j]], state.lam[e.row + r], g[r * n + j]);
    }
  }
}

// Every iteration of BDF passes here: what it calls are products of three numbers, and calls would cost as much.
template <class K>
[[gnu::flatten]] void ConstraintGroup<K>::add_stabilized_constraints(const KinematicState& state,
                                                                     std::span<const double> mu, std::span<double> phi,
                                                                     std::span<double> phi_dot,
                                                                     std::span<Wrench<double>> wrench,
                                                                     std::span<Wrench<double>> mu_wrench) const {
  if constexpr (detail::WithoutRows<K>) {
    for (const Element& e : state.elements.of(elements_)) {
      const Frame<double>&a = state.frames[e.frame[0]], &b = state.frames[e.frame[1]];
      K::levels(e.params, a, b, phi.data() + e.row, phi_dot.data() + e.row);
      const auto add_wrench = [&](const double* multiplier, std::span<Wrench<double>> to) {
        const Eigen::Vector3d F = K::force(e.params, multiplier + e.row);
        Wrench<double>&on_a = to[e.frame[0]], &on_b = to[e.frame[1]];
        on_a.force += F;
        on_a.moment += K::moment(e.params.s_a, a, F);
        on_b.force -= F;
        on_b.moment -= K::moment(e.params.s_b, b, F);
      };
      add_wrench(state.lam.data(), wrench);
      add_wrench(mu.data(), mu_wrench);
      for (int r = 0; r < K::n_rows; ++r) {
        if (e.input[r] < 0) continue;
        phi[e.row + r] -= state.in.u[e.input[r]];
        phi_dot[e.row + r] -= state.in.ud[e.input[r]];
      }
    }
    return;
  }
  constexpr int n = K::n_frames;
  std::array<Frame<double>, n> f;
  std::array<FrameRow<double>, K::n_rows * n> g;
  for (const Element& e : state.elements.of(elements_)) {
    detail::gather<Element, n>(state, e, f);
    K::rows(e.params, f.data(), g.data());
    if constexpr (K::holonomic)
      K::phi(e.params, f.data(), detail::gather_turns(state, e, e.branch).data(), phi.data() + e.row);
    for (int r = 0; r < K::n_rows; ++r) {
      const int row = e.row + r, input = e.input[r];
      double rate = 0.0;
      for (int j = 0; j < n; ++j) {
        rate += power_of(g[r * n + j], f[j]);
        detail::subtract_scaled(wrench[e.frame[j]], state.lam[row], g[r * n + j]);
        if (K::holonomic) detail::subtract_scaled(mu_wrench[e.frame[j]], mu[row], g[r * n + j]);
      }
      if (input >= 0) rate -= K::holonomic ? state.in.ud[input] : state.in.u[input];
      phi_dot[row] = rate;
      if (!K::holonomic) phi[row] = rate;
      if (K::holonomic && input >= 0) phi[row] -= state.in.u[input];
    }
  }
}

template <class K>
void ConstraintGroup<K>::calc_rates(const KinematicState& state, std::span<double> phi_dot, std::span<double>) const {
  constexpr int n = K::n_frames;
  std::array<Frame<double>, n> at;
  std::array<FrameRow<double>, K::n_rows * n> rows;
  for (const Element& e : state.elements.of(elements_)) {
    detail::gather<Element, n>(state, e, at);
    K::rows(e.params, at.data(), rows.data());
    for (int r = 0; r < K::n_rows; ++r) {
      double rate = 0.0;
      for (int j = 0; j < n; ++j) rate = rate + along(rows[r * n + j], at[j]);
      const int input = e.input[r];
      phi_dot[e.row + r] = rate;
      if (input >= 0) phi_dot[e.row + r] -= K::holonomic ? state.in.ud[input] : state.in.u[input];
    }
  }
}

template <class K>
void ConstraintGroup<K>::calc_velocity_level(const KinematicState& state, std::span<double> phi_dot,
                                             std::span<double> bias) const {
  constexpr int n = K::n_frames;
  std::array<Frame<Dual<1>>, n> f;
  std::array<FrameRow<Dual<1>>, K::n_rows * n> g;
  for (const Element& e : state.elements.of(elements_)) {
    for (int i = 0; i < n; ++i) f[i] = along_motion(state.frames[e.frame[i]]);
    K::rows(e.params, f.data(), g.data());
    for (int r = 0; r < K::n_rows; ++r) {
      Dual<1> rate(0.0);  // G v, and Ġ v in its derivative
      for (int j = 0; j < n; ++j) rate = rate + along(g[r * n + j], f[j]);
      const int input = e.input[r];
      phi_dot[e.row + r] = rate.v;
      bias[e.row + r] = rate.d[0];
      if (input >= 0) {
        phi_dot[e.row + r] -= K::holonomic ? state.in.ud[input] : state.in.u[input];
        bias[e.row + r] -= K::holonomic ? state.in.udd[input] : state.in.ud[input];
      }
    }
  }
}

template <class K>
bool ConstraintGroup<K>::calc_row_accelerations([[maybe_unused]] const KinematicState& state,
                                                [[maybe_unused]] int element,
                                                [[maybe_unused]] std::span<const FrameChanges> changes,
                                                [[maybe_unused]] std::span<Dual<6>> phi_ddot) const {
  if constexpr (differentiable_twice<K>) {
    constexpr int n = K::n_frames;
    const Element& e = elements_[element];
    std::array<Frame<Moving>, n> f;
    std::array<FrameRow<Moving>, K::n_rows * n> g;
    for (int i = 0; i < n; ++i) f[i] = moving_frame(state.frames[e.frame[i]], changes[i]);
    K::rows(e.params, f.data(), g.data());
    for (int r = 0; r < K::n_rows; ++r) {
      Moving rate(0.0);  // G v, and its derivative by time
      for (int j = 0; j < n; ++j) rate = rate + along(g[r * n + j], f[j]);
      phi_ddot[r] = rate.d[0];
    }
  }
  return differentiable_twice<K>;
}

template <class K>
void ConstraintGroup<K>::add_planes(const KinematicState& state, PlaneSet set, std::span<const int> slots,
                                    FramePlanes& planes) const {
  constexpr int n = K::n_frames, pairs = n * n;
  const bool wants_G = contains(set, PlaneSet::G), wants_K = contains(set, PlaneSet::K_lam);
  const bool wants_rate = contains(set, PlaneSet::Gv_q);
  if (!wants_G && !wants_K && !wants_rate) return;
  std::array<Frame<double>, n> f;
  std::array<FrameRow<double>, K::n_rows * n> g;
  std::array<Frame<Dual<6>>, n> lifted;
  std::array<FrameRow<Dual<6>>, K::n_rows * n> dg;
  constexpr std::ptrdiff_t per_element = pairs + K::n_rows * n;
  const int* slot = slots.data() + state.elements.first * per_element;
  for (const Element& e : state.elements.of(elements_)) {
    detail::gather<Element, n>(state, e, f);
    const int* row_slot = slot + pairs;
    if (wants_G) {
      K::rows(e.params, f.data(), g.data());
      for (int k = 0; k < K::n_rows * n; ++k)
        if (row_slot[k] >= 0)
          planes.G[row_slot[k]] += (Row6() << g[k].force.transpose(), g[k].moment.transpose()).finished();
    }
    if constexpr (detail::WithoutRows<K>) {
      for (int i = 0; i < n; ++i) {
        if (slot[i * n + i] < 0) continue;
        const Eigen::Vector3d& s = i == 0 ? e.params.s_a : e.params.s_b;
        const double sign = i == 0 ? -1.0 : 1.0;
        if (wants_K)
          planes.K_lam[slot[i * n + i]].template bottomRightCorner<3, 3>() +=
              sign * K::moment_derivative(s, f[i], K::force(e.params, state.lam.data() + e.row));
        for (int r = 0; wants_rate && r < K::n_rows; ++r)
          if (row_slot[r * n + i] >= 0)
            planes.Gv_q[row_slot[r * n + i]].template tail<3>() +=
                sign * f[i].w.transpose() * K::moment_derivative(s, f[i], e.params.e.row(r).transpose());
      }
    } else if (wants_K || wants_rate) {
      for (int i = 0; i < n; ++i) lifted[i] = lift<Dual<6>>(f[i]);
      for (int j = 0; j < n; ++j) {
        if (slot[j * n + j] < 0) continue;
        lifted[j] = seed_position(f[j]);
        K::rows(e.params, lifted.data(), dg.data());
        lifted[j] = lift<Dual<6>>(f[j]);
        for (int r = 0; r < K::n_rows; ++r) {
          const double lam = state.lam[e.row + r];
          const int rate_slot = row_slot[r * n + j];
          for (int i = 0; i < n; ++i) {
            const FrameRow<Dual<6>>& row = dg[r * n + i];
            const int pair = slot[i * n + j];
            if (wants_K && pair >= 0)
              for (int c = 0; c < 3; ++c)
                for (int k = 0; k < 6; ++k) {
                  planes.K_lam[pair](c, k) += lam * row.force[c].d[k];
                  planes.K_lam[pair](3 + c, k) += lam * row.moment[c].d[k];
                }
            if (wants_rate && rate_slot >= 0)
              for (int c = 0; c < 3; ++c)
                for (int k = 0; k < 6; ++k)
                  planes.Gv_q[rate_slot][k] += row.force[c].d[k] * f[i].v[c] + row.moment[c].d[k] * f[i].w[c];
          }
        }
      }
    }
    slot += per_element;
  }
}

// −(Gᵀλ)·v: zero for scleronomic rows that hold, the power of the drive for motions.
template <class K>
double ConstraintGroup<K>::power(const KinematicState& state) const {
  std::array<Frame<double>, K::n_frames> f;
  std::array<FrameRow<double>, K::n_rows * K::n_frames> g;
  double power = 0.0;
  for (const Element& e : elements_) {
    detail::gather<Element, K::n_frames>(state, e, f);
    K::rows(e.params, f.data(), g.data());
    for (int r = 0; r < K::n_rows; ++r)
      for (int j = 0; j < K::n_frames; ++j) power -= state.lam[e.row + r] * power_of(g[r * K::n_frames + j], f[j]);
  }
  return power;
}

template <class K>
template <class S>
Wrench<S> ConstraintGroup<K>::calc_reaction(int e, const Frame<S>* local, const S* lam, int local_frame) const {
  std::array<FrameRow<S>, K::n_rows * K::n_frames> g;
  K::rows(elements_[e].params, local, g.data());
  Wrench<S> w = zero_wrench<S>();
  for (int r = 0; r < K::n_rows; ++r) {
    w.force -= g[r * K::n_frames + local_frame].force * lam[r];
    w.moment -= g[r * K::n_frames + local_frame].moment * lam[r];
  }
  return w;
}

template <class K>
Wrench<double> ConstraintGroup<K>::reaction(int e, const Frame<double>* local, const double* lam,
                                            int local_frame) const {
  return calc_reaction(e, local, lam, local_frame);
}

template <class K>
Wrench<Dual<6>> ConstraintGroup<K>::reaction(int e, const Frame<Dual<6>>* local, const Dual<6>* lam,
                                             int local_frame) const {
  return calc_reaction(e, local, lam, local_frame);
}

}  // namespace trammel
