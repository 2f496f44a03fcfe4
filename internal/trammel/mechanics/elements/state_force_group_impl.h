// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "trammel/mechanics/elements/state_force_group.h"

namespace trammel {

// Slots per element: the block of each ordered pair of its frames; of each frame its forces of z; of each state its
// rates by frames and by states.
template <class K>
void StateForceGroup<K>::connect(std::span<const int>, Connectivity& connectivity, std::vector<int>& slots) const {
  for (const Element& e : elements_) {
    for (const int i : e.frame)
      for (const int j : e.frame) slots.push_back(connectivity.pair(i, j));
    for (const int i : e.frame)
      for (int k = 0; k < K::n_states; ++k) slots.push_back(connectivity.state_force(i, e.first_state + k));
    for (int k = 0; k < K::n_states; ++k) {
      for (const int j : e.frame) slots.push_back(connectivity.state_rate(e.first_state + k, j));
      for (int other = 0; other < K::n_states; ++other)
        slots.push_back(connectivity.state_state(e.first_state + k, e.first_state + other));
    }
  }
}

template <class K>
void StateForceGroup<K>::add_forces(const KinematicState& state, std::span<Wrench<double>> wrench,
                                    std::span<double> rates) const {
  std::array<Frame<double>, K::n_frames> f;
  std::array<Wrench<double>, K::n_frames> w;
  std::array<double, K::n_states> rate;
  for (const Element& e : elements_) {
    for (int i = 0; i < K::n_frames; ++i) f[i] = state.frames[e.frame[i]];
    K::force(e.params, f.data(), state.z.data() + e.first_state, w.data(), rate.data());
    for (int i = 0; i < K::n_frames; ++i) trammel::add(wrench[e.frame[i]], w[i]);
    if (rates.empty()) continue;
    for (int k = 0; k < K::n_states; ++k) rates[e.first_state + k] = rate[k];
  }
}

template <class K>
void StateForceGroup<K>::add_planes(const KinematicState& state, PlaneSet set, std::span<const int> all_slots,
                                    FramePlanes& planes) const {
  using D6 = Dual<6>;
  constexpr int n = K::n_frames, m = K::n_states;
  static_assert(m <= 6);
  const bool wants_K = contains(set, PlaneSet::K), wants_D = contains(set, PlaneSet::D);
  const bool wants_states = contains(set, PlaneSet::internal);
  if (!wants_K && !wants_D && !wants_states) return;
  std::array<Frame<double>, n> f;
  std::array<Frame<D6>, n> lifted;
  std::array<Wrench<D6>, n> w;
  std::array<D6, m> z, rate;
  const int* slot = all_slots.data();
  for (const Element& e : elements_) {
    const int *pairs = slot, *forces = pairs + n * n, *of_rates = forces + n * m;
    slot = of_rates + m * (n + m);
    for (int i = 0; i < n; ++i) f[i] = state.frames[e.frame[i]], lifted[i] = lift<D6>(f[i]);
    for (int k = 0; k < m; ++k) z[k] = D6(state.z[e.first_state + k]);
    // A frame that does not move has no columns.
    const auto by_frame = [&](int j, bool wants, BlockPlane& plane, std::vector<Row6>& of_states) {
      K::force(e.params, lifted.data(), z.data(), w.data(), rate.data());
      for (int i = 0; wants && i < n; ++i)
        if (pairs[i * n + j] >= 0) subtract_derivative(w[i], plane[pairs[i * n + j]]);
      for (int k = 0; wants_states && k < m; ++k)
        if (of_rates[k * (n + m) + j] >= 0)
          for (int c = 0; c < 6; ++c) of_states[of_rates[k * (n + m) + j]][c] -= rate[k].d[c];
    };
    for (int j = 0; j < n; ++j) {
      if (pairs[j * n + j] < 0) continue;
      if (wants_K || wants_states) lifted[j] = seed_position(f[j]), by_frame(j, wants_K, planes.K, planes.g_q);
      if (wants_D || wants_states) lifted[j] = seed_velocity(f[j]), by_frame(j, wants_D, planes.D, planes.g_v);
      lifted[j] = lift<D6>(f[j]);
    }
    if (!wants_states) continue;
    for (int k = 0; k < m; ++k) z[k].d[k] = 1.0;
    K::force(e.params, lifted.data(), z.data(), w.data(), rate.data());
    for (int k = 0; k < m; ++k) {
      for (int i = 0; i < n; ++i)
        if (forces[i * m + k] >= 0)
          for (int c = 0; c < 3; ++c) {
            planes.f_z[forces[i * m + k]][c] -= w[i].force[c].d[k];
            planes.f_z[forces[i * m + k]][3 + c] -= w[i].moment[c].d[k];
          }
      for (int other = 0; other < m; ++other) planes.g_z[of_rates[k * (n + m) + n + other]] -= rate[k].d[other];
    }
  }
}

// Nothing is stored: all of it is work.
template <class K>
double StateForceGroup<K>::power(const KinematicState& state) const {
  std::array<Frame<double>, K::n_frames> f;
  std::array<Wrench<double>, K::n_frames> w;
  std::array<double, K::n_states> rate;
  double power = 0.0;
  for (const Element& e : elements_) {
    for (int i = 0; i < K::n_frames; ++i) f[i] = state.frames[e.frame[i]];
    K::force(e.params, f.data(), state.z.data() + e.first_state, w.data(), rate.data());
    for (int i = 0; i < K::n_frames; ++i) power += power_of(w[i], f[i]);
  }
  return power;
}

}  // namespace trammel
