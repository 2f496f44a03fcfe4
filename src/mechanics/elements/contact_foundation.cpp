// SPDX-License-Identifier: Apache-2.0
#include "contact_foundation.h"

#include <limits>

#include "trammel/mechanics/elements/contact_group.h"

namespace trammel {

namespace detail {

Touch<double> find_deepest(const Foundation& f, const Frame<double>& fa, const Frame<double>& fb, double limit) {
  const DistanceField<double> field(f.a, fa, f.b, fb);
  const SurfacePoints& all = *f.b.points;
  const double reach = f.a.radius + all.radius();
  Touch<double> deepest{-std::numeric_limits<double>::infinity(), Vec3<double>(0.0, 0.0, 1.0), fb.p};
  all.visit([&](const Vec3<double>& x) { return field.value(x).distance - reach; },
            [&] { return std::min(limit, -deepest.depth); },
            [&](int i) {
              const Touch<double> touch = f.touch(all.points()[i], field, fa, fb);
              if (touch.depth > deepest.depth && -touch.depth <= limit) deepest = touch;
            });
  return deepest;
}

void find_pressed(const Foundation& f, const Frame<double>& fa, const Frame<double>& fb, std::vector<int>& pressed) {
  const DistanceField<double> field(f.a, fa, f.b, fb);
  const SurfacePoints& all = *f.b.points;
  const double reach = f.a.radius + all.radius();
  pressed.clear();
  all.visit([&](const Vec3<double>& x) { return field.value(x).distance - reach; }, [] { return 0.0; },
            [&](int i) {
              if (f.touch(all.points()[i], field, fa, fb).depth > 0.0) pressed.push_back(i);
            });
}

namespace {

template <class S>
struct Pressed {
  Touch<S> touch;
  S N;
  Vec3<S> v;  // of a against b, tangential
};

// (1) and (2) at every pressed point.
template <class S>
void press_all(const Foundation& f, const Frame<S>& fa, const Frame<S>& fb, const std::vector<int>& pressed,
               std::vector<Pressed<S>>& out) {
  const DistanceField<S> field(f.a, fa, f.b, fb);
  out.clear();
  for (const int i : pressed) {
    const SurfacePoint& p = f.b.points->points()[i];
    Pressed<S> at{f.touch(p, field, fa, fb), S(0.0), Vec3<S>::Zero()};
    if (!(at.touch.depth > 0.0)) continue;
    const Vec3<S> relative = velocity_at(fa, at.touch.point) - velocity_at(fb, at.touch.point);
    const S rate = dot(at.touch.n, relative);
    at.N = f.normal.stiffness * f.press(p, at.touch.depth) * (1.0 + f.normal.damping * rate);
    if (!(at.N > 0.0)) continue;
    at.v = relative - at.touch.n * rate;
    out.push_back(at);
  }
}

template <class S>
Vec3<S> friction_at(const Foundation& f, const Pressed<S>& at, const Vec3<S>& bristle) {
  const Vec3<S> z = bristle - at.touch.n * dot(at.touch.n, bristle);
  return friction_ratio(f.friction, at.v, z) * at.N;
}

}  // namespace

template <class S>
FoundationOutput<S> calc_foundation(const Foundation& f, const Frame<S>& fa, const Frame<S>& fb, const Vec3<S>& z_a,
                                    const std::vector<int>& pressed) {
  static thread_local std::vector<Pressed<S>> points;  // scratch
  press_all(f, fa, fb, pressed, points);
  FoundationOutput<S> out;
  out.w[0] = out.w[1] = zero_wrench<S>();
  out.presses = !points.empty();
  if (!out.presses) return out;
  const bool bristles = f.friction.kind == FrictionLaw::Kind::lugre;
  const Vec3<S> bristle = bristles ? rotate(fa.R, z_a) : z_a;
  Vec3<S> force = Vec3<S>::Zero(), moment = Vec3<S>::Zero(), flow = Vec3<S>::Zero(), mean = Vec3<S>::Zero();
  S total(0.0);
  for (const Pressed<S>& at : points) {  // moments about the origin of a
    Vec3<S> F = at.touch.n * at.N;
    mean += F;
    if (f.friction.kind != FrictionLaw::Kind::none) F += friction_at(f, at, bristle);
    force += F;
    moment += cross(Vec3<S>(at.touch.point - fa.p), F);
    if (bristles) flow += at.v * at.N, total += at.N;
  }
  if (bristles) {  // (3)
    const Vec3<S> n = mean * S(1.0 / length_of(mean));
    Vec3<S> v = flow * S(1.0 / total);
    v -= n * dot(n, v);
    out.z_rate = rotate_back(fa.R, bristle_rate(f.friction, v, Vec3<S>(bristle - n * dot(n, bristle))));
  }
  out.w[0] = {-force, rotate_back(fa.R, Vec3<S>(-moment))};
  out.w[1] = {force, rotate_back(fb.R, Vec3<S>(moment - cross(Vec3<S>(fb.p - fa.p), force)))};
  return out;
}

template FoundationOutput<double> calc_foundation(const Foundation&, const Frame<double>&, const Frame<double>&,
                                                  const Vec3<double>&, const std::vector<int>&);
template FoundationOutput<Dual<6>> calc_foundation(const Foundation&, const Frame<Dual<6>>&, const Frame<Dual<6>>&,
                                                   const Vec3<Dual<6>>&, const std::vector<int>&);

// Wrench·twist of both sides at a point is −N ȧ − F_t·v; the stored energy grows by K s(a) A ȧ.
FoundationSums sum_foundation(const Foundation& f, const Frame<double>& fa, const Frame<double>& fb,
                              const Vec3<double>& z_a) {
  static thread_local std::vector<int> pressed;  // scratch
  find_pressed(f, fa, fb, pressed);
  FoundationSums sums;
  const DistanceField<double> field(f.a, fa, f.b, fb);
  const Vec3<double> bristle = fa.R * z_a;
  for (const int i : pressed) {
    const SurfacePoint& p = f.b.points->points()[i];
    Pressed<double> at{f.touch(p, field, fa, fb), 0.0, Vec3<double>::Zero()};
    const Vec3<double> relative = velocity_at(fa, at.touch.point) - velocity_at(fb, at.touch.point);
    const double rate = at.touch.n.dot(relative), still = f.normal.stiffness * f.press(p, at.touch.depth);
    sums.energy += f.normal.stiffness * f.store(p, at.touch.depth);
    sums.power += still * rate;
    at.N = still * (1.0 + f.normal.damping * rate);
    if (!(at.N > 0.0)) continue;
    at.v = relative - rate * at.touch.n;
    const Vec3<double> friction = friction_at(f, at, bristle);
    sums.power -= at.N * rate + friction.dot(at.v);
    sums.normal_force += at.N;
    sums.pressure = std::max(sums.pressure, at.N / p.weight);
    sums.n += at.N * at.touch.n, sums.point += at.N * at.touch.point;
    sums.friction += friction;
  }
  if (sums.normal_force > 0.0) sums.point /= sums.normal_force, sums.n.normalize();
  return sums;
}

}  // namespace detail

// By the poses, by the twists and by the bristles: sweeps over the points that press.
void ContactGroup::add_foundation_planes(const KinematicState& state, const Place& p, PlaneSet set, const int* own,
                                         const int* diagonal, FramePlanes& planes) const {
  using D6 = Dual<6>;
  const Geometry &ga = geometry_[p.a], &gb = geometry_[p.b];
  const Frame<double>* f[2] = {&state.frames[ga.frame], &state.frames[gb.frame]};
  const detail::Foundation foundation(soft_[p.a], gb.shape, laws_[p.law].law);
  static thread_local std::vector<int> pressed;  // scratch
  detail::find_pressed(foundation, *f[0], *f[1], pressed);
  if (pressed.empty()) return;
  const bool wants_K = contains(set, PlaneSet::K), wants_D = contains(set, PlaneSet::D), bristles = bristled(p);
  const bool wants_states = bristles && contains(set, PlaneSet::internal);
  const int *of_force = own + 4, *of_rate = own + 10, z = first_state_ + 3 * p.slot;
  Vec3<double> bristle = Vec3<double>::Zero();
  if (bristles) bristle = {state.z[z], state.z[z + 1], state.z[z + 2]};
  if (!detail::calc_foundation<double>(foundation, *f[0], *f[1], bristle, pressed).presses) return;
  const Vec3<D6> held = lift<D6>(bristle);
  Frame<D6> lifted[2] = {lift<D6>(*f[0]), lift<D6>(*f[1])};
  for (int c = 0; c < 2; ++c) {
    if (own[3 * c] < 0) continue;
    for (const bool by_pose : {true, false}) {
      if (!(by_pose ? wants_K : wants_D) && !wants_states) continue;
      lifted[c] = by_pose ? seed_position(*f[c]) : seed_velocity(*f[c]);
      const auto out = detail::calc_foundation<D6>(foundation, lifted[0], lifted[1], held, pressed);
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
  const auto out = detail::calc_foundation<D6>(foundation, lifted[0], lifted[1], seeded, pressed);
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

}  // namespace trammel
