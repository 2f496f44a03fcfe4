// SPDX-License-Identifier: Apache-2.0
#include "trammel/mechanics/elements/custom_force.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "local_differences.h"
#include "trammel/base/error.h"

namespace trammel {

namespace {

using differences::delta;
using differences::moved;
using differences::with_twist;
using Frames = std::array<Frame<double>, CustomForce::max_frames>;
using Wrenches = std::array<Wrench<double>, CustomForce::max_frames>;

int gather(const KinematicState& state, const CustomForce& force, Frames& f) {
  const std::span<const int> frames = force.frames();
  for (std::size_t i = 0; i < frames.size(); ++i) f[i] = state.frames[frames[i]];
  return static_cast<int>(frames.size());
}

Frame<double> later(const Frame<double>& frame, double step) {
  Frame<double> f = frame;
  f.p += step * frame.v;
  f.R = frame.R * exp_so3(Vec3<double>(step * frame.w));
  return f;
}

}  // namespace

void CustomForce::force_with_derivatives(double, const Frame<Dual<6>>*, Wrench<Dual<6>>*) const {
  throw Error("a custom force has_derivatives() but does not override force_with_derivatives()");
}

void CustomForceGroup::add(std::unique_ptr<const CustomForce> force) {
  const std::span<const int> frames = force->frames();
  if (frames.empty() || frames.size() > static_cast<std::size_t>(CustomForce::max_frames))
    throw InputError("a custom force touches " + std::to_string(frames.size()) + " frames; 1 to " +
                     std::to_string(CustomForce::max_frames) + " are allowed");
  for (std::size_t i = 0; i < frames.size(); ++i)
    if (std::find(frames.begin() + static_cast<std::ptrdiff_t>(i) + 1, frames.end(), frames[i]) != frames.end())
      throw InputError("a custom force names frame " + std::to_string(frames[i]) + " twice");
  forces_.push_back(std::move(force));
}

// Slots per element: the block of each ordered pair of its frames.
void CustomForceGroup::connect(std::span<const int>, Connectivity& connectivity, std::vector<int>& slots) const {
  for (const auto& force : forces_)
    for (int i : force->frames())
      for (int j : force->frames()) slots.push_back(connectivity.pair(i, j));
}

void CustomForceGroup::add_forces(const KinematicState& state, std::span<Wrench<double>> wrench,
                                  std::span<double>) const {
  Frames f;
  Wrenches w;
  for (const auto& force : forces_) {
    const int n = gather(state, *force, f);
    force->force(state.in.u[0], f.data(), w.data());
    for (int i = 0; i < n; ++i) trammel::add(wrench[force->frames()[i]], w[i]);
  }
}

void CustomForceGroup::add_planes(const KinematicState& state, PlaneSet set, std::span<const int> slots,
                                  FramePlanes& planes) const {
  const bool wants_K = contains(set, PlaneSet::K), wants_D = contains(set, PlaneSet::D);
  if (!wants_K && !wants_D) return;
  const double t = state.in.u[0];
  Frames f;
  Wrenches plus, minus;
  std::array<Frame<Dual<6>>, CustomForce::max_frames> lifted;
  std::array<Wrench<Dual<6>>, CustomForce::max_frames> w;
  const int* slot = slots.data();
  for (const auto& force : forces_) {
    const int n = gather(state, *force, f);
    const auto by_duals = [&](int j, const Frame<Dual<6>>& seeded, BlockPlane& plane) {
      lifted[j] = seeded;
      force->force_with_derivatives(t, lifted.data(), w.data());
      lifted[j] = lift<Dual<6>>(f[j]);
      for (int i = 0; i < n; ++i)
        if (slot[i * n + j] >= 0) subtract_derivative(w[i], plane[slot[i * n + j]]);
    };
    const auto by_differences = [&](int j, auto change, BlockPlane& plane) {
      const Frame<double> at = f[j];
      for (int k = 0; k < 6; ++k) {
        f[j] = change(at, k, delta);
        force->force(t, f.data(), plus.data());
        f[j] = change(at, k, -delta);
        force->force(t, f.data(), minus.data());
        for (int i = 0; i < n; ++i) {
          if (slot[i * n + j] < 0) continue;
          Block6& block = plane[slot[i * n + j]];
          for (int c = 0; c < 3; ++c) {
            block(c, k) -= (plus[i].force[c] - minus[i].force[c]) / (2 * delta);
            block(3 + c, k) -= (plus[i].moment[c] - minus[i].moment[c]) / (2 * delta);
          }
        }
      }
      f[j] = at;
    };
    const bool duals = force->has_derivatives();
    if (duals)
      for (int i = 0; i < n; ++i) lifted[i] = lift<Dual<6>>(f[i]);
    for (int j = 0; j < n; ++j) {
      if (slot[j * n + j] < 0) continue;  // a frame that does not move has no columns
      if (duals) {
        if (wants_K) by_duals(j, seed_position(f[j]), planes.K);
        if (wants_D) by_duals(j, seed_velocity(f[j]), planes.D);
      } else {
        if (wants_K) by_differences(j, moved, planes.K);
        if (wants_D) by_differences(j, with_twist, planes.D);
      }
    }
    slot += n * n;
  }
}

double CustomForceGroup::potential(const KinematicState& state) const {
  Frames f;
  double energy = 0.0;
  for (const auto& force : forces_) {
    gather(state, *force, f);
    energy += force->potential(state.in.u[0], f.data());
  }
  return energy;
}

// P = Σ wrench·twist + V̇ (at fixed t), V̇ by a difference along the motion.
double CustomForceGroup::power(const KinematicState& state) const {
  const double t = state.in.u[0];
  Frames f, before, after;
  Wrenches w;
  double power = 0.0;
  for (const auto& force : forces_) {
    const int n = gather(state, *force, f);
    force->force(t, f.data(), w.data());
    double speed = 1.0;
    for (int i = 0; i < n; ++i) {
      power += power_of(w[i], f[i]);
      speed = std::max({speed, f[i].v.norm(), f[i].w.norm()});
    }
    const double step = delta / speed;
    for (int i = 0; i < n; ++i) before[i] = later(f[i], -step), after[i] = later(f[i], step);
    power += (force->potential(t, after.data()) - force->potential(t, before.data())) / (2 * step);
  }
  return power;
}

}  // namespace trammel
