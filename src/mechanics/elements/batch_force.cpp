// SPDX-License-Identifier: Apache-2.0
#include "trammel/mechanics/elements/batch_force.h"

#include <algorithm>
#include <string>

#include "local_differences.h"
#include "trammel/base/error.h"

namespace trammel {

BatchForceGroup::BatchForceGroup(int frames_per_element, Law law, bool depends_on_velocity)
    : m_(frames_per_element), law_(std::move(law)), depends_on_velocity_(depends_on_velocity) {
  if (m_ < 1 || m_ > max_frames)
    throw InputError("a custom force touches " + std::to_string(m_) + " frames; 1 to " + std::to_string(max_frames) +
                     " are allowed");
}

void BatchForceGroup::add(std::span<const int> frames) {
  if (std::ssize(frames) != m_)
    throw InputError("a custom force names " + std::to_string(frames.size()) + " frames, others of its law " +
                     std::to_string(m_));
  for (auto it = frames.begin(); it != frames.end(); ++it)
    if (std::find(it + 1, frames.end(), *it) != frames.end())
      throw InputError("a custom force names frame " + std::to_string(*it) + " twice");
  frames_.insert(frames_.end(), frames.begin(), frames.end());
}

std::vector<Frame<double>> BatchForceGroup::gather(const KinematicState& state) const {
  std::vector<Frame<double>> f(frames_.size());
  for (std::size_t i = 0; i < frames_.size(); ++i) f[i] = state.frames[frames_[i]];
  return f;
}

// Slots per element: the block of each ordered pair of its frames.
void BatchForceGroup::connect(std::span<const int>, Connectivity& connectivity, std::vector<int>& slots) const {
  for (int e = 0; e < size(); ++e)
    for (int i = 0; i < m_; ++i)
      for (int j = 0; j < m_; ++j) slots.push_back(connectivity.pair(frames_[e * m_ + i], frames_[e * m_ + j]));
}

void BatchForceGroup::add_forces(const KinematicState& state, std::span<Wrench<double>> wrench,
                                 std::span<double>) const {
  const std::vector<Frame<double>> f = gather(state);
  std::vector<Wrench<double>> w(f.size());
  law_(state.in.u[0], size(), f.data(), w.data());
  for (std::size_t i = 0; i < f.size(); ++i) trammel::add(wrench[frames_[i]], w[i]);
}

void BatchForceGroup::add_planes(const KinematicState& state, PlaneSet set, std::span<const int> slots,
                                 FramePlanes& planes) const {
  if (contains(set, PlaneSet::K)) add_plane(state, false, slots, planes.K);
  if (contains(set, PlaneSet::D) && depends_on_velocity_) add_plane(state, true, slots, planes.D);
}

// For every element and each of its frames that moves: twelve elements, moved forth and back in the six directions.
void BatchForceGroup::add_plane(const KinematicState& state, bool by_velocity, std::span<const int> slots,
                                BlockPlane& plane) const {
  constexpr double delta = differences::delta;
  const std::vector<Frame<double>> f = gather(state);
  const auto moves = [&](int e, int j) { return slots[(e * m_ + j) * m_ + j] >= 0; };
  std::vector<Frame<double>> changed;
  changed.reserve(f.size() * 12 * static_cast<std::size_t>(m_));
  for (int e = 0; e < size(); ++e)
    for (int j = 0; j < m_; ++j) {
      if (!moves(e, j)) continue;  // it has no columns
      const auto first = f.begin() + e * m_;
      for (int k = 0; k < 6; ++k)
        for (const double step : {delta, -delta}) {
          changed.insert(changed.end(), first, first + m_);
          Frame<double>& frame = *(changed.end() - m_ + j);
          frame = by_velocity ? differences::with_twist(frame, k, step) : differences::moved(frame, k, step);
        }
    }
  std::vector<Wrench<double>> w(changed.size());
  if (!changed.empty()) law_(state.in.u[0], static_cast<int>(changed.size()) / m_, changed.data(), w.data());

  const Wrench<double>* next = w.data();
  for (int e = 0; e < size(); ++e)
    for (int j = 0; j < m_; ++j) {
      if (!moves(e, j)) continue;
      for (int k = 0; k < 6; ++k, next += 2 * m_)
        for (int i = 0; i < m_; ++i) {
          const int slot = slots[(e * m_ + i) * m_ + j];
          if (slot < 0) continue;
          Block6& block = plane[slot];
          for (int c = 0; c < 3; ++c) {
            block(c, k) -= (next[i].force[c] - next[m_ + i].force[c]) / (2 * delta);
            block(3 + c, k) -= (next[i].moment[c] - next[m_ + i].moment[c]) / (2 * delta);
          }
        }
    }
}

double BatchForceGroup::power(const KinematicState& state) const {
  const std::vector<Frame<double>> f = gather(state);
  std::vector<Wrench<double>> w(f.size());
  law_(state.in.u[0], size(), f.data(), w.data());
  double power = 0.0;
  for (std::size_t i = 0; i < f.size(); ++i) power += power_of(w[i], f[i]);
  return power;
}

}  // namespace trammel
