// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "contact_foundation.h"
#include "contact_listed.h"
#include "trammel/base/crew.h"
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
///
/// With threads pairs are looked at by several, each pair's numbers in a place of its own, and added by one in the
/// order of the pairs: every sum has the bits that one thread gives it.
struct ContactGroup::Listed::Balls {
  // Most pairs of a heap are apart: half a line of memory says so.
  struct Pair {
    int a, b;   // frames; a is the plane's
    int plane;  // geometry, −1: a ball
    int rule;
    double radius_a, radius_b;
  };
  // What holds where they press: a few for all pairs, if laws do not depend on radii.
  struct Rule {
    int law;
    NormalLaw normal;
  };
  std::vector<Place> places;  // all that is listed, in order
  std::vector<Pair> pairs;
  std::vector<Rule> rules;
  std::vector<int> others;  // places that are no pairs of balls

  /// The list that these modes stand for: made once, kept by the thread until other modes are asked for.
  static const Balls& of(const ContactGroup& group, std::span<const int> modes);

  void add_forces(const ContactGroup& group, const KinematicState& state, std::span<Wrench<double>> wrench) const;
  double calc_potential(const ContactGroup& group, std::span<const Frame<double>> frames) const;
  double calc_power(const ContactGroup& group, std::span<const Frame<double>> frames) const;

  /// Calls visit(place, what it does) for the places that are no pairs of balls, in their order.
  template <class Visit>
  void visit_others(const ContactGroup& group, const KinematicState& state, const Visit& visit) const;

  static constexpr long shared_pairs = 512;  // that one thread looks at: some twenty microseconds
  static constexpr long shared_others = 64;  // whose geometry takes a microsecond or several

 private:
  struct Kept;
  // What pairs see of frames: positions by themselves, which all pairs ask for; velocity and turning speed in the
  // world.
  struct Mover {
    Vec3<double> v, w;
  };
  struct Movers {
    std::span<const Vec3<double>> places;
    std::span<const Mover> speeds;
  };
  struct Touching {
    double depth;
    Vec3<double> n, arm_a, arm_b;  // from the origins of the frames to the point
  };
  // What a pair does to b, to a the opposite; in the world.
  struct Push {
    bool presses;
    Vec3<double> force, moment_a, moment_b;
  };
  void make(const ContactGroup& group, std::span<const int> modes);
  int rule_of(int law, const NormalLaw& normal);
  static Movers look_at(std::span<const Frame<double>> frames);
  static bool find(const ContactGroup& group, const Pair& pair, const Frame<double>& of_plane, const Vec3<double>& a,
                   const Vec3<double>& b, Touching& at);
  static bool find(const ContactGroup& group, const Pair& pair, std::span<const Frame<double>> frames, Touching& at) {
    return find(group, pair, frames[pair.a], frames[pair.a].p, frames[pair.b].p, at);
  }
  static bool find(const ContactGroup& group, const Pair& pair, std::span<const Frame<double>> frames,
                   const Movers& movers, Touching& at, Vec3<double>& relative);
  void push(const ContactGroup& group, const Pair& pair, std::span<const Frame<double>> frames, const Movers& movers,
            Push& out) const;
  template <class Value>
  double sum(const Value& value) const;
  static void act(const ContactGroup& group, const KinematicState& state, const Place& p,
                  detail::ContactOutput<double>& out);
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
  rules.clear();
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
                     .rule = rule_of(p.law, group.normal_law(p, modes)),
                     .radius_a = ga.shape.radius,
                     .radius_b = gb.shape.radius});
  }
}

// One of the last few, or a new one. Rules of one law differ in their stiffness alone.
inline int ContactGroup::Listed::Balls::rule_of(int law, const NormalLaw& normal) {
  constexpr int looked_at = 16;
  const int n = static_cast<int>(rules.size());
  for (int i = n - 1; i >= std::max(0, n - looked_at); --i)
    if (rules[i].law == law && rules[i].normal.kind == normal.kind && rules[i].normal.stiffness == normal.stiffness)
      return i;
  rules.push_back({law, normal});
  return n;
}

inline bool ContactGroup::Listed::Balls::find(const ContactGroup& group, const Pair& pair,
                                              const Frame<double>& of_plane, const Vec3<double>& a,
                                              const Vec3<double>& b, Touching& at) {
  if (pair.plane < 0) {
    const Vec3<double> apart = b - a;
    const double squared = dot(apart, apart), reach = pair.radius_a + pair.radius_b;
    if (squared >= reach * reach) return false;
    const double distance = std::sqrt(squared);
    at.depth = reach - distance;
    at.n = apart * (1.0 / distance);
    at.arm_a = at.n * (pair.radius_a - 0.5 * at.depth);
  } else {
    const ContactShape& shape = group.geometry_[pair.plane].shape;
    at.n = rotate(of_plane.R, Eigen::Vector3d(shape.Q.col(2)));
    at.depth = pair.radius_b - dot(at.n, Vec3<double>(b - point_position(of_plane, shape.center)));
    if (!(at.depth > 0.0)) return false;
  }
  at.arm_b = at.n * (0.5 * at.depth - pair.radius_b);
  if (pair.plane >= 0) at.arm_a = b + at.arm_b - a;
  return true;
}

// And how fast a moves against b there.
inline bool ContactGroup::Listed::Balls::find(const ContactGroup& group, const Pair& pair,
                                              std::span<const Frame<double>> frames, const Movers& movers, Touching& at,
                                              Vec3<double>& relative) {
  if (!find(group, pair, frames[pair.a], movers.places[pair.a], movers.places[pair.b], at)) return false;
  const Mover &a = movers.speeds[pair.a], &b = movers.speeds[pair.b];
  const Vec3<double> of_a = a.v + cross(a.w, at.arm_a), of_b = b.v + cross(b.w, at.arm_b);
  relative = of_a - of_b;
  return true;
}

// Kept by the thread until it looks again.
inline ContactGroup::Listed::Balls::Movers ContactGroup::Listed::Balls::look_at(std::span<const Frame<double>> frames) {
  static thread_local std::vector<Vec3<double>> scratch_places;
  static thread_local std::vector<Mover> scratch_speeds;
  std::vector<Vec3<double>>& places = scratch_places;  // the caller's, whoever writes
  std::vector<Mover>& speeds = scratch_speeds;
  places.resize(frames.size()), speeds.resize(frames.size());
  share(static_cast<long>(frames.size()), shared_pairs, [&](long first, long last) {
    for (long f = first; f < last; ++f)
      places[f] = frames[f].p, speeds[f] = {frames[f].v, rotate(frames[f].R, frames[f].w)};
  });
  return {places, speeds};
}

inline void ContactGroup::Listed::Balls::push(const ContactGroup& group, const Pair& pair,
                                              std::span<const Frame<double>> frames, const Movers& movers,
                                              Push& out) const {
  Touching at;
  Vec3<double> u;
  out.presses = false;
  if (!find(group, pair, frames, movers, at, u)) return;
  const Rule& rule = rules[pair.rule];
  const double rate = dot(at.n, u), N = detail::raw_force(rule.normal, at.depth, rate);
  if (!(N > 0.0)) return;
  out.presses = true;
  out.force = at.n * N;
  const FrictionLaw& friction = group.laws_[rule.law].law.friction;
  if (friction.kind == FrictionLaw::Kind::coulomb) {
    const Vec3<double> v = u - at.n * rate;
    out.force += v * (N * friction.mu_k / std::sqrt(dot(v, v) + friction.v_s * friction.v_s));
  }
  out.moment_a = cross(at.arm_a, out.force);
  out.moment_b = cross(at.arm_b, out.force);
}

inline void ContactGroup::Listed::Balls::add_forces(const ContactGroup& group, const KinematicState& state,
                                                    std::span<Wrench<double>> wrench) const {
  if (pairs.empty()) return;
  static thread_local std::vector<Vec3<double>> of_frames;  // scratch: moments on frames, in the world
  static thread_local std::vector<Push> of_pairs;
  std::vector<Vec3<double>>& moment = of_frames;
  std::vector<Push>& pushes = of_pairs;
  const Movers movers = look_at(state.frames);
  moment.assign(state.frames.size(), Vec3<double>::Zero());
  const auto add = [&](const Pair& pair, const Push& p) {
    if (!p.presses) return;
    wrench[pair.a].force -= p.force;
    wrench[pair.b].force += p.force;
    moment[pair.a] -= p.moment_a;
    moment[pair.b] += p.moment_b;
  };
  const long n = static_cast<long>(pairs.size());
  if (Crew::mine() == nullptr || n < 2 * shared_pairs) {
    Push p;
    for (const Pair& pair : pairs) push(group, pair, state.frames, movers, p), add(pair, p);
  } else {
    pushes.reserve(places.capacity()), pushes.resize(pairs.size());
    share(n, shared_pairs, [&](long first, long last) {
      for (long i = first; i < last; ++i) push(group, pairs[i], state.frames, movers, pushes[i]);
    });
    for (long i = 0; i < n; ++i) add(pairs[i], pushes[i]);
  }
  share(static_cast<long>(state.frames.size()), shared_pairs, [&](long first, long last) {
    for (long f = std::max(1L, first); f < last; ++f) wrench[f].moment += rotate_back(state.frames[f].R, moment[f]);
  });
}

// Σ value(pair), in the order of the pairs.
template <class Value>
double ContactGroup::Listed::Balls::sum(const Value& value) const {
  double total = 0.0;
  const long n = static_cast<long>(pairs.size());
  if (Crew::mine() == nullptr || n < 2 * shared_pairs) {
    for (const Pair& pair : pairs) total += value(pair);
    return total;
  }
  static thread_local std::vector<double> scratch;
  std::vector<double>& values = scratch;
  values.reserve(places.capacity()), values.resize(pairs.size());
  share(n, shared_pairs, [&](long first, long last) {
    for (long i = first; i < last; ++i) values[i] = value(pairs[i]);
  });
  for (const double x : values) total += x;
  return total;
}

inline double ContactGroup::Listed::Balls::calc_potential(const ContactGroup& group,
                                                          std::span<const Frame<double>> frames) const {
  return sum([&](const Pair& pair) {
    Touching at;
    return find(group, pair, frames, at) ? detail::stored_energy(rules[pair.rule].normal, at.depth) : 0.0;
  });
}

inline double ContactGroup::Listed::Balls::calc_power(const ContactGroup& group,
                                                      std::span<const Frame<double>> frames) const {
  if (pairs.empty()) return 0.0;
  const Movers movers = look_at(frames);
  return sum([&](const Pair& pair) {
    Touching at;
    Vec3<double> u;
    if (!find(group, pair, frames, movers, at, u)) return 0.0;
    const Rule& rule = rules[pair.rule];
    const double rate = dot(at.n, u), N = std::max(0.0, detail::raw_force(rule.normal, at.depth, rate));
    const FrictionLaw& friction = group.laws_[rule.law].law.friction;
    double power = (detail::raw_force(rule.normal, at.depth, 0.0) - N) * rate;
    if (friction.kind != FrictionLaw::Kind::coulomb) return power;
    const Vec3<double> v = u - at.n * rate;
    const double slip = dot(v, v);
    return power - N * friction.mu_k * slip / std::sqrt(slip + friction.v_s * friction.v_s);
  });
}

// A foundation needs scratch memory that grows with its points: one thread has it.
inline void ContactGroup::Listed::Balls::act(const ContactGroup& group, const KinematicState& state, const Place& p,
                                             detail::ContactOutput<double>& out) {
  const Geometry &ga = group.geometry_[p.a], &gb = group.geometry_[p.b];
  const Frame<double>&fa = state.frames[ga.frame], &fb = state.frames[gb.frame];
  const Vec3<double> bristle = group.bristle_of(state, p);
  if (group.is_foundation(p)) {
    const detail::Foundation f = group.foundation_of(p, state.modes);
    static thread_local std::vector<int> pressed;  // scratch
    detail::find_pressed(f, fa, fb, pressed);
    out = detail::calc_foundation<double>(f, fa, fb, bristle, pressed);
  } else {
    out = detail::calc_contact<double>(ga.shape, fa, gb.shape, fb, p.feature, group.normal_law(p, state.modes),
                                       group.friction_law(p), {ga.belt, gb.belt}, bristle);
  }
}

template <class Visit>
void ContactGroup::Listed::Balls::visit_others(const ContactGroup& group, const KinematicState& state,
                                               const Visit& visit) const {
  using Output = detail::ContactOutput<double>;
  const long n = static_cast<long>(others.size());
  const bool shares = Crew::mine() != nullptr && n >= 2 * shared_others;
  static thread_local std::vector<Output> scratch;
  std::vector<Output>& outputs = scratch;
  if (shares) {
    outputs.reserve(places.capacity()), outputs.resize(others.size());
    share(n, shared_others, [&](long first, long last) {
      for (long i = first; i < last; ++i)
        if (const Place& p = places[others[i]]; !group.is_foundation(p)) act(group, state, p, outputs[i]);
    });
  }
  Output own;
  for (long i = 0; i < n; ++i) {
    const Place& p = places[others[i]];
    const bool done = shares && !group.is_foundation(p);
    if (!done) act(group, state, p, own);
    visit(p, done ? outputs[i] : own);
  }
}

}  // namespace trammel
