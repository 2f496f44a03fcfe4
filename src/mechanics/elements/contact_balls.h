// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "contact_listed.h"
#include "trammel/mechanics/elements/contact_group.h"
#include "trammel/mechanics/elements/contact_kernel.h"

namespace trammel {

namespace detail {

// A ball whose centre is the origin of its frame.
inline bool is_ball(const ContactShape& shape) {
  return shape.kind == ContactShape::Kind::sphere && shape.center.isZero(0.0);
}

// Forces that depend on nothing but the overlap and the velocities there, and make no moments.
inline bool is_plain(const ContactLaw& law) {
  return !law.friction.has_bristles() && !law.friction.resists_turning() && law.normal.bounce == 0.0;
}

}  // namespace detail

/// What is listed, made ready to be evaluated many times: of which heaps are made, balls about their body's origin
/// against such balls and against planes, with laws that have no bristles, and all other places.
///
/// Forces of balls are those of detail::calc_contact, in another order of operations: turning speeds are taken to the
/// world once per body, and moments are summed there and taken back once.
struct ContactGroup::Listed::Balls {
  struct Pair {
    int a, b;   // frames; a is the plane's
    int plane;  // geometry, −1: a ball
    int law;
    double radius_a, radius_b;
    NormalLaw normal;  // between these two
  };
  std::vector<Place> places;  // all that is listed, in order
  std::vector<Pair> pairs;
  std::vector<int> others;  // places that are no pairs of balls

  /// The list that these modes stand for: made once, kept by the thread until other modes are asked for.
  static const Balls& of(const ContactGroup& group, std::span<const int> modes);

  void add_forces(const ContactGroup& group, const KinematicState& state, std::span<Wrench<double>> wrench) const;
  double calc_potential(const ContactGroup& group, std::span<const Frame<double>> frames) const;
  double calc_power(const ContactGroup& group, std::span<const Frame<double>> frames) const;

 private:
  struct Kept;
  struct Touching {
    double depth;
    Vec3<double> n, arm_a, arm_b;  // from the origins of the frames to the point
  };
  void make(const ContactGroup& group, std::span<const int> modes);
  static bool find(const ContactGroup& group, const Pair& pair, std::span<const Frame<double>> frames, Touching& at);
  template <class Visit>
  void visit_touching(const ContactGroup& group, std::span<const Frame<double>> frames, const Visit& visit) const;
};

// A few lists: a machine in joint coordinates has two groups, and who looks back has other modes.
struct ContactGroup::Listed::Balls::Kept {
  struct List {
    long group = 0;
    std::vector<int> modes;
    Balls balls;
  };
  std::array<List, 4> lists;
  std::size_t newest = 0;
};

inline const ContactGroup::Listed::Balls& ContactGroup::Listed::Balls::of(const ContactGroup& group,
                                                                          std::span<const int> modes) {
  static thread_local Kept kept;
  modes = group.listing(modes);
  for (std::size_t i = 0; i < kept.lists.size(); ++i) {
    const Kept::List& list = kept.lists[(kept.newest + i) % kept.lists.size()];
    if (list.group == group.id_ && std::equal(modes.begin(), modes.end(), list.modes.begin(), list.modes.end()))
      return list.balls;
  }
  kept.newest = (kept.newest + kept.lists.size() - 1) % kept.lists.size();
  Kept::List& list = kept.lists[kept.newest];
  list.group = group.id_;
  list.modes.assign(modes.begin(), modes.end());
  list.balls.make(group, modes);
  return list.balls;
}

inline void ContactGroup::Listed::Balls::make(const ContactGroup& group, std::span<const int> modes) {
  others.clear(), others.reserve(group.capacity());
  places.clear(), places.reserve(group.capacity());
  pairs.clear(), pairs.reserve(group.capacity());
  for (int i = 0; i < group.n_listed(modes); ++i) {
    const Place p = group.place(modes, i);
    const Geometry &ga = group.geometry_[p.a], &gb = group.geometry_[p.b];
    const bool plane = ga.shape.kind == ContactShape::Kind::plane;
    places.push_back(p);
    if (!detail::is_ball(gb.shape) || !(plane || detail::is_ball(ga.shape)) ||
        !detail::is_plain(group.laws_[p.law].law) || detail::Belts{ga.belt, gb.belt}.run()) {
      others.push_back(i);
      continue;
    }
    pairs.push_back({.a = ga.frame,
                     .b = gb.frame,
                     .plane = plane ? p.a : -1,
                     .law = p.law,
                     .radius_a = ga.shape.radius,
                     .radius_b = gb.shape.radius,
                     .normal = group.normal_law(p, modes)});
  }
}

inline bool ContactGroup::Listed::Balls::find(const ContactGroup& group, const Pair& pair,
                                              std::span<const Frame<double>> frames, Touching& at) {
  const Frame<double>&fa = frames[pair.a], &fb = frames[pair.b];
  if (pair.plane < 0) {
    const Vec3<double> apart = fb.p - fa.p;
    const double squared = dot(apart, apart), reach = pair.radius_a + pair.radius_b;
    if (squared >= reach * reach) return false;
    const double distance = std::sqrt(squared);
    at.depth = reach - distance;
    at.n = apart * (1.0 / distance);
    at.arm_a = at.n * (pair.radius_a - 0.5 * at.depth);
  } else {
    const ContactShape& shape = group.geometry_[pair.plane].shape;
    at.n = rotate(fa.R, Eigen::Vector3d(shape.Q.col(2)));
    at.depth = pair.radius_b - dot(at.n, Vec3<double>(fb.p - point_position(fa, shape.center)));
    if (!(at.depth > 0.0)) return false;
  }
  at.arm_b = at.n * (0.5 * at.depth - pair.radius_b);
  if (pair.plane >= 0) at.arm_a = fb.p + at.arm_b - fa.p;
  return true;
}

// Calls visit(pair, touching, velocity of a against b) where surfaces overlap.
template <class Visit>
void ContactGroup::Listed::Balls::visit_touching(const ContactGroup& group, std::span<const Frame<double>> frames,
                                                 const Visit& visit) const {
  static thread_local std::vector<Vec3<double>> turning;  // scratch: of frames, in the world
  turning.resize(frames.size());
  for (std::size_t f = 0; f < frames.size(); ++f) turning[f] = rotate(frames[f].R, frames[f].w);
  Touching at;
  for (const Pair& pair : pairs) {
    if (!find(group, pair, frames, at)) continue;
    const Vec3<double> of_a = frames[pair.a].v + cross(turning[pair.a], at.arm_a);
    const Vec3<double> of_b = frames[pair.b].v + cross(turning[pair.b], at.arm_b);
    visit(pair, at, Vec3<double>(of_a - of_b));
  }
}

inline void ContactGroup::Listed::Balls::add_forces(const ContactGroup& group, const KinematicState& state,
                                                    std::span<Wrench<double>> wrench) const {
  if (pairs.empty()) return;
  static thread_local std::vector<Vec3<double>> moment;  // scratch: on frames, in the world
  moment.assign(state.frames.size(), Vec3<double>::Zero());
  visit_touching(group, state.frames, [&](const Pair& pair, const Touching& at, const Vec3<double>& u) {
    const double rate = dot(at.n, u), N = detail::raw_force(pair.normal, at.depth, rate);
    if (!(N > 0.0)) return;
    Vec3<double> F = at.n * N;
    const FrictionLaw& friction = group.laws_[pair.law].law.friction;
    if (friction.kind == FrictionLaw::Kind::coulomb) {
      const Vec3<double> v = u - at.n * rate;
      F += v * (N * friction.mu_k / std::sqrt(dot(v, v) + friction.v_s * friction.v_s));
    }
    wrench[pair.a].force -= F;
    wrench[pair.b].force += F;
    moment[pair.a] -= cross(at.arm_a, F);
    moment[pair.b] += cross(at.arm_b, F);
  });
  for (std::size_t f = 1; f < state.frames.size(); ++f) wrench[f].moment += rotate_back(state.frames[f].R, moment[f]);
}

inline double ContactGroup::Listed::Balls::calc_potential(const ContactGroup& group,
                                                          std::span<const Frame<double>> frames) const {
  double energy = 0.0;
  Touching at;
  for (const Pair& pair : pairs)
    if (find(group, pair, frames, at)) energy += detail::stored_energy(pair.normal, at.depth);
  return energy;
}

inline double ContactGroup::Listed::Balls::calc_power(const ContactGroup& group,
                                                      std::span<const Frame<double>> frames) const {
  double power = 0.0;
  visit_touching(group, frames, [&](const Pair& pair, const Touching& at, const Vec3<double>& u) {
    const double rate = dot(at.n, u), N = std::max(0.0, detail::raw_force(pair.normal, at.depth, rate));
    const FrictionLaw& friction = group.laws_[pair.law].law.friction;
    power += (detail::raw_force(pair.normal, at.depth, 0.0) - N) * rate;
    if (friction.kind != FrictionLaw::Kind::coulomb) return;
    const Vec3<double> v = u - at.n * rate;
    const double slip = dot(v, v);
    power -= N * friction.mu_k * slip / std::sqrt(slip + friction.v_s * friction.v_s);
  });
  return power;
}

}  // namespace trammel
