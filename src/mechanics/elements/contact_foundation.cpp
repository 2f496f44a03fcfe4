// SPDX-License-Identifier: Apache-2.0
#include "contact_foundation.h"

#include <cmath>
#include <limits>
#include <numbers>

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
  Vec3<S> v;          // of surface a against surface b, tangential
  double area = 0.0;  // that it stands for; 0: a line
};

double area_of(const SurfacePoint& p) { return p.line_radius > 0.0 ? 0.0 : p.weight; }

// (1) and (2) at every pressed point.
template <class S>
void press_all(const Foundation& f, const Frame<S>& fa, const Frame<S>& fb, const std::vector<int>& pressed,
               std::vector<Pressed<S>>& out) {
  const DistanceField<S> field(f.a, fa, f.b, fb);
  out.clear();
  for (const int i : pressed) {
    const SurfacePoint& p = f.b.points->points()[i];
    Pressed<S> at{f.touch(p, field, fa, fb), S(0.0), Vec3<S>::Zero(), area_of(p)};
    if (!(at.touch.depth > 0.0)) continue;
    const Vec3<S> relative = velocity_at(fa, at.touch.point) - velocity_at(fb, at.touch.point);
    const S rate = dot(at.touch.n, relative);
    at.N = f.normal.stiffness * f.press(p, at.touch.depth) * damped(f.normal, rate);
    if (!(at.N > 0.0)) continue;
    const Vec3<S> sliding = f.belts.sliding(fa, fb, relative);
    at.v = sliding - at.touch.n * dot(at.touch.n, sliding);
    out.push_back(at);
  }
}

// (4).
template <class S>
Vec3<S> rub_at(const Foundation& f, const Pressed<S>& at, const Vec3<S>& bristle, const Vec3<S>& turning) {
  using std::sqrt;
  if (f.friction.kind != FrictionLaw::Kind::coulomb) {
    const Vec3<S> z = bristle - at.touch.n * dot(at.touch.n, bristle);
    return friction_ratio(f.friction, at.v, z) * at.N;
  }
  const S spin = dot(at.touch.n, turning), Q = 4.0 * at.area * spin * spin;
  const S V = dot(at.v, at.v) + f.friction.v_s * f.friction.v_s, push = at.N * f.friction.mu_k;
  if (!(value_of(V) < value_of(Q))) return at.v * S(push / sqrt(V));
  const S u = 1.0 - V / Q;
  return at.v * S(push / sqrt(Q) * (1.0 + u * (0.5 + u * (0.375 + u * (25.0 / 24.0)))));
}

}  // namespace

template <class S>
ContactOutput<S> calc_foundation(const Foundation& f, const Frame<S>& fa, const Frame<S>& fb, const Vec3<S>& z_a,
                                 const std::vector<int>& pressed) {
  static thread_local std::vector<Pressed<S>> points;  // scratch
  press_all(f, fa, fb, pressed, points);
  ContactOutput<S> out;
  out.w[0] = out.w[1] = zero_wrench<S>();
  out.presses = !points.empty();
  if (!out.presses) return out;
  const bool bristles = f.friction.has_bristles();
  const Vec3<S> bristle = bristles ? rotate(fa.R, z_a) : z_a;
  Vec3<S> force = Vec3<S>::Zero(), moment = Vec3<S>::Zero(), flow = Vec3<S>::Zero(), mean = Vec3<S>::Zero();
  S total(0.0);
  const Vec3<S> turning = rotate(fa.R, fa.w) - rotate(fb.R, fb.w);
  for (const Pressed<S>& at : points) {  // moments about the origin of a
    Vec3<S> F = at.touch.n * at.N;
    mean += F;
    if (f.friction.kind != FrictionLaw::Kind::none) F += rub_at(f, at, bristle, turning);
    force += F;
    moment += cross(Vec3<S>(at.touch.point - fa.p), F);
    if (f.friction.resists_turning()) moment += turning_ratio(f.friction, at.touch.n, turning) * at.N;
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

template ContactOutput<double> calc_foundation(const Foundation&, const Frame<double>&, const Frame<double>&,
                                               const Vec3<double>&, const std::vector<int>&);
template ContactOutput<Dual<6>> calc_foundation(const Foundation&, const Frame<Dual<6>>&, const Frame<Dual<6>>&,
                                                const Vec3<Dual<6>>&, const std::vector<int>&);

// Wrench·twist of both sides at a point is −N ȧ − F_t·v − M·ω, with the motion of the bodies; the stored energy grows
// by K s(a) A ȧ.
FoundationSums sum_foundation(const Foundation& f, const Frame<double>& fa, const Frame<double>& fb,
                              const Vec3<double>& z_a) {
  static thread_local std::vector<int> pressed;  // scratch
  find_pressed(f, fa, fb, pressed);
  FoundationSums sums;
  const DistanceField<double> field(f.a, fa, f.b, fb);
  const Vec3<double> bristle = fa.R * z_a, turning = fa.R * fa.w - fb.R * fb.w;
  for (const int i : pressed) {
    const SurfacePoint& p = f.b.points->points()[i];
    Pressed<double> at{f.touch(p, field, fa, fb), 0.0, Vec3<double>::Zero(), area_of(p)};
    const Vec3<double> relative = velocity_at(fa, at.touch.point) - velocity_at(fb, at.touch.point);
    const double rate = at.touch.n.dot(relative), still = f.normal.stiffness * f.press(p, at.touch.depth);
    sums.energy += f.normal.stiffness * f.store(p, at.touch.depth);
    sums.power += still * rate;
    at.N = still * damped(f.normal, rate);
    if (!(at.N > 0.0)) continue;
    const Vec3<double> sliding = f.belts.sliding(fa, fb, relative);
    at.v = sliding - at.touch.n.dot(sliding) * at.touch.n;
    const Vec3<double> friction = rub_at(f, at, bristle, turning);
    sums.power -= at.N * rate + friction.dot(relative);
    if (f.friction.resists_turning()) sums.power -= at.N * turning_ratio(f.friction, at.touch.n, turning).dot(turning);
    sums.normal_force += at.N;
    sums.area += p.weight * (p.line_radius > 0.0 ? 2.0 * std::sqrt(2.0 * p.line_radius * at.touch.depth) : 1.0);
    sums.pressure = std::max(sums.pressure, at.N / p.weight);
    sums.n += at.N * at.touch.n, sums.point += at.N * at.touch.point;
    sums.friction += friction;
  }
  if (sums.normal_force > 0.0) sums.point /= sums.normal_force, sums.n.normalize();
  return sums;
}

}  // namespace detail

}  // namespace trammel
