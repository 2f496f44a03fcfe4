// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "trammel/mechanics/elements/force_group.h"

namespace trammel {

// Slots per element: the block of each ordered pair of its frames.
template <class K>
void ForceGroup<K>::connect(std::span<const int>, Connectivity& connectivity, std::vector<int>& slots) const {
  for (const Element& e : elements_)
    for (int i = 0; i < K::n_frames; ++i)
      for (int j = 0; j < K::n_frames; ++j) slots.push_back(connectivity.pair(e.frame[i], e.frame[j]));
}

namespace detail {

template <class Element, int N>
void gather(const KinematicState& state, const Element& e, std::array<Frame<double>, N>& frames) {
  for (int i = 0; i < N; ++i) frames[i] = state.frames[e.frame[i]];
}

template <class Element, std::size_t N>
std::array<double, N + 1> gather_turns(const KinematicState& state, const Element& e,
                                       const std::array<int, N>& branch) {
  static_cast<void>(e);
  std::array<double, N + 1> turns{};  // one spare, so that kinds without angles have a valid pointer
  for (std::size_t i = 0; i < N; ++i) turns[i] = branch[i] < 0 ? 0.0 : state.turns[branch[i]];
  return turns;
}

/// Nothing of an element that is off needs to be computed.
template <class K>
bool is_off(const typename K::Params& c, const Frame<double>* f, const double* turns) {
  if constexpr (requires { K::is_off(c, f, turns); })
    return K::is_off(c, f, turns);
  else
    return false;
}

/// The force acts along one coordinate: what its velocity does is known without seeds.
template <class K>
constexpr bool has_rate_slope = requires(const typename K::Params& c, const Frame<double>* f, FrameRow<double>* g) {
  K::calc_rate_slope(c, f, &f->p.x(), g);
};

/// block −= slope · row columnᵀ
inline void subtract_product(const FrameRow<double>& row, double slope, const FrameRow<double>& column, Block6& block) {
  Vec6<double> r, c;
  r << row.force, row.moment;
  c << column.force, column.moment;
  for (int k = 0; k < 6; ++k)
    for (int i = 0; i < 6; ++i) block(i, k) -= r[i] * (slope * c[k]);
}

}  // namespace detail

template <class K>
void ForceGroup<K>::add_forces(const KinematicState& state, std::span<Wrench<double>> wrench, std::span<double>) const {
  std::array<Frame<double>, K::n_frames> f;
  std::array<Wrench<double>, K::n_frames> w;
  for (const Element& e : state.elements.of(elements_)) {
    detail::gather<Element, K::n_frames>(state, e, f);
    const auto turns = detail::gather_turns(state, e, e.branch);
    if (detail::is_off<K>(e.params, f.data(), turns.data())) continue;
    K::force(e.params, f.data(), turns.data(), w.data());
    for (int i = 0; i < K::n_frames; ++i) trammel::add(wrench[e.frame[i]], w[i]);
  }
}

template <class K>
void ForceGroup<K>::add_planes(const KinematicState& state, PlaneSet set, std::span<const int> slots,
                               FramePlanes& planes) const {
  constexpr int n = K::n_frames;
  const bool wants_K = contains(set, PlaneSet::K), wants_D = contains(set, PlaneSet::D) && K::depends_on_velocity;
  if (!wants_K && !wants_D) return;
  std::array<Frame<double>, n> f;
  std::array<Frame<Dual<6>>, n> lifted;
  std::array<Wrench<Dual<6>>, n> w;
  const int* slot = slots.data() + static_cast<std::ptrdiff_t>(state.elements.first) * n * n;
  for (const Element& e : state.elements.of(elements_)) {
    const int* const pairs = slot;
    slot += n * n;
    detail::gather<Element, n>(state, e, f);
    const auto turns = detail::gather_turns(state, e, e.branch);
    if (detail::is_off<K>(e.params, f.data(), turns.data())) continue;
    for (int i = 0; i < n; ++i) lifted[i] = lift<Dual<6>>(f[i]);
    for (int j = 0; j < n; ++j) {
      if (pairs[j * n + j] < 0) continue;  // a frame that does not move has no columns
      if (wants_K) {
        lifted[j] = seed_position(f[j]);
        K::force(e.params, lifted.data(), turns.data(), w.data());
        for (int i = 0; i < n; ++i)
          if (pairs[i * n + j] >= 0) subtract_derivative(w[i], planes.K[pairs[i * n + j]]);
      }
      if (wants_D && !detail::has_rate_slope<K>) {
        lifted[j] = seed_velocity(f[j]);
        K::force(e.params, lifted.data(), turns.data(), w.data());
        for (int i = 0; i < n; ++i)
          if (pairs[i * n + j] >= 0) subtract_derivative(w[i], planes.D[pairs[i * n + j]]);
      }
      lifted[j] = lift<Dual<6>>(f[j]);
    }
    if constexpr (detail::has_rate_slope<K>) {
      if (!wants_D) continue;
      FrameRow<double> g[n];
      const double slope = K::calc_rate_slope(e.params, f.data(), turns.data(), g);
      for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j)
          if (slope != 0.0 && pairs[i * n + j] >= 0)
            detail::subtract_product(g[i], slope, g[j], planes.D[pairs[i * n + j]]);
    }
  }
}

template <class K>
double ForceGroup<K>::potential(const KinematicState& state) const {
  std::array<Frame<double>, K::n_frames> f;
  double energy = 0.0;
  for (const Element& e : elements_) {
    detail::gather<Element, K::n_frames>(state, e, f);
    energy += K::potential(e.params, f.data(), detail::gather_turns(state, e, e.branch).data());
  }
  return energy;
}

// P = Σ wrench·twist + V̇: what is not the gradient of the potential.
template <class K>
double ForceGroup<K>::power(const KinematicState& state) const {
  std::array<Frame<double>, K::n_frames> f;
  std::array<Frame<Dual<1>>, K::n_frames> moving;
  std::array<Wrench<double>, K::n_frames> w;
  double power = 0.0;
  for (const Element& e : elements_) {
    detail::gather<Element, K::n_frames>(state, e, f);
    const auto turns = detail::gather_turns(state, e, e.branch);
    K::force(e.params, f.data(), turns.data(), w.data());
    for (int i = 0; i < K::n_frames; ++i) {
      power += power_of(w[i], f[i]);
      moving[i] = along_motion(f[i]);
    }
    power += K::potential(e.params, moving.data(), turns.data()).d[0];
  }
  return power;
}

}  // namespace trammel
