// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>

#include "contact_columns.h"
#include "contact_listed.h"
#include "trammel/mechanics/elements/contact_kernel.h"

// What may meet within a step. Between two instants τ apart a point moves from c₀ to c₁ with the velocities v₀ and v₁
// there, and is taken to follow the cubic through them:
//
//   (1) it stays in the hull of c₀, c₀ + τ v₀/3, c₁ − τ v₁/3, c₁
//   (2) its acceleration is between (6 w − 4 v₀ − 2 v₁)/τ and (−6 w + 2 v₀ + 4 v₁)/τ, w = (c₁ − c₀)/τ
//
// Dense output is of a higher order than three: what is off the straight line counts one and a half times (2), twice
// (1).
//
// The gap g of convex shapes that move straight without turning is convex in time, so that its tangents are below it;
// every surface point of a motion with accelerations up to A leaves the straight motion by A s²/2. With L, the largest
// relative speed of surface points,
//
//   (3) g(s) ≥ max(g₀ + ġ₀ s, g₁ − ġ₁ (τ − s)) − A τ²/2,       (4) g(s) ≥ (g₀ + g₁ − L τ)/2

namespace trammel {

namespace {

constexpr double beyond_cubic = 1.5, beyond_hull = 2.0;

double turning_reach(const ContactShape& shape) {
  return shape.kind == ContactShape::Kind::sphere ? 0.0 : shape.reach();
}

Vec3<double> largest_acceleration_ends(const Vec3<double>& w, const Vec3<double>& v0, const Vec3<double>& v1) {
  const Vec3<double> first = 6.0 * w - 4.0 * v0 - 2.0 * v1, last = 6.0 * w - 2.0 * v0 - 4.0 * v1;
  return first.squaredNorm() > last.squaredNorm() ? first : last;
}

// (1) of the centre of a shape, widened.
struct Hull {
  Vec3<double> c0, p1, p2, c1;
};
Hull hull_of(const ContactShape& shape, const Frame<double>& f0, const Frame<double>& f1, double tau) {
  Hull hull;
  hull.c0 = point_position(f0, shape.center), hull.c1 = point_position(f1, shape.center);
  const Vec3<double> third = (hull.c1 - hull.c0) / 3.0;
  hull.p1 = hull.c0 + third + beyond_hull * (tau / 3.0 * point_velocity(f0, shape.center) - third);
  hull.p2 = hull.c1 - third + beyond_hull * (third - tau / 3.0 * point_velocity(f1, shape.center));
  return hull;
}

}  // namespace

double ContactGroup::calc_depth(std::span<const Frame<double>> frames, const Place& p) const {
  const Geometry &ga = geometry_[p.a], &gb = geometry_[p.b];
  if (ga.shape.kind == ContactShape::Kind::sphere && gb.shape.kind == ContactShape::Kind::sphere) {  // apart, as a rule
    const Vec3<double> apart =
        point_position(frames[gb.frame], gb.shape.center) - point_position(frames[ga.frame], ga.shape.center);
    const double reach = ga.shape.radius + gb.shape.radius, squared = dot(apart, apart);
    return squared < reach * reach ? reach - std::sqrt(squared) : 0.0;
  }
  if (is_foundation(p))
    return std::max(0.0, calc_place(p.a, frames[ga.frame], p.b, frames[gb.frame], p.feature, 0.0).depth);
  Touch<double> touch;
  const bool overlap = detail::find_touch(ga.shape, frames[ga.frame], gb.shape, frames[gb.frame], p.feature, touch);
  return overlap ? touch.depth : 0.0;
}

// What is not listed was a margin apart at the first instant. Planes that move sweep any distance, far from their
// origin.
bool ContactGroup::stays_near(const Way& ends) const {
  const double tau = ends.t[1] - ends.t[0], half = 0.5 * margin_part * least_size_;
  const auto from = ends.at(0), to = ends.at(1);
  return std::all_of(geometry_.begin(), geometry_.end(), [&](const Geometry& g) {
    const Frame<double>&f0 = from[g.frame], &f1 = to[g.frame];
    if (g.shape.kind == ContactShape::Kind::plane)
      return f0.v.isZero(0.0) && f0.w.isZero(0.0) && f1.v.isZero(0.0) && f1.w.isZero(0.0) && f0.p == f1.p;
    const Hull way = hull_of(g.shape, f0, f1, tau);
    const double turned = turning_reach(g.shape) * tau * std::max(f0.w.norm(), f1.w.norm());
    const auto within = [&](const Vec3<double>& point) { return (point - way.c0).norm() + turned < half; };
    return within(way.c1) && within(way.p1) && within(way.p2);
  });
}

ContactGroup::Passing ContactGroup::calc_passing(double t, std::span<const Frame<double>> frames,
                                                 const Place& p) const {
  const Geometry &ga = geometry_[p.a], &gb = geometry_[p.b];
  Passing passing{t, frames[ga.frame], frames[gb.frame], 0.0, 0.0};
  const Touch<double> touch = calc_place(p.a, passing.a, p.b, passing.b, p.feature);
  passing.gap = -touch.depth;
  passing.rate =
      -touch.n.dot(detail::velocity_at(passing.a, touch.point) - detail::velocity_at(passing.b, touch.point));
  return passing;
}

double ContactGroup::bound_gap(const Place& p, const Passing& from, const Passing& to) const {
  const double tau = to.t - from.t;
  const ContactShape &sa = geometry_[p.a].shape, &sb = geometry_[p.b].shape;
  const Vec3<double> c0 = point_position(from.b, sb.center) - point_position(from.a, sa.center);
  const Vec3<double> c1 = point_position(to.b, sb.center) - point_position(to.a, sa.center);
  const Vec3<double> v0 = point_velocity(from.b, sb.center) - point_velocity(from.a, sa.center);
  const Vec3<double> v1 = point_velocity(to.b, sb.center) - point_velocity(to.a, sa.center);
  const Vec3<double> w = (c1 - c0) / tau;
  double A = beyond_cubic * largest_acceleration_ends(w, v0, v1).norm() / tau;
  double L = std::max(v0.norm(), v1.norm()) + 0.5 * A * tau;
  const auto turn = [&](const Frame<double>& f0, const Frame<double>& f1, double reach) {
    const double spin = std::max(f0.w.norm(), f1.w.norm());
    if (spin == 0.0) return;
    A += reach * (spin * spin + beyond_cubic * (f1.w - f0.w).norm() / tau);
    L += reach * spin;
  };
  const bool plane = sa.kind == ContactShape::Kind::plane;  // turns about a point of it: the other one is that far away
  turn(from.a, to.a, plane ? std::max(c0.norm(), c1.norm()) + sb.reach() : turning_reach(sa));
  turn(from.b, to.b, turning_reach(sb));
  const double slow = 0.5 * (from.gap + to.gap - L * tau);
  if (!sa.convex() || !sb.convex() || is_foundation(p)) return slow;  // nor are points convex
  double lines = 0.0;
  if (from.rate >= 0.0) {
    lines = from.gap;
  } else if (to.rate <= 0.0) {
    lines = to.gap;
  } else {
    const double s = std::clamp((to.gap - to.rate * tau - from.gap) / (from.rate - to.rate), 0.0, tau);
    lines = std::max(from.gap + from.rate * s, to.gap - to.rate * (tau - s));
  }
  return std::max(slow, lines - 0.5 * A * tau * tau);
}

double ContactGroup::largest_spin(std::span<const Frame<double>> frames, bool all) const {
  double largest = 0.0;
  for (const Geometry& g : geometry_)
    if (all || turning_reach(g.shape) > 0.0 || !g.shape.center.isZero())
      largest = std::max(largest, frames[g.frame].w.squaredNorm());
  return std::sqrt(largest);
}

void ContactGroup::find_candidates(const Way& instants, std::span<const int> modes, std::vector<Place>& found) const {
  static thread_local std::vector<detail::ContactBox> boxes;  // scratch
  static thread_local Listed listed;
  listed.read(*this, modes);
  const auto call = [&](int a, int b) {
    if (!order_pair(a, b)) return;
    const int law = law_of_[geometry_[a].kind * n_kinds_ + geometry_[b].kind];
    for (int feature = 0; feature < n_places(a, b); ++feature)
      if (!listed.contains(pair_number(a, b, feature))) found.push_back({-1, a, b, feature, law});
  };
  boxes.resize(bounded_.size());
  for (std::size_t i = 0; i < bounded_.size(); ++i) {
    const Geometry& g = geometry_[bounded_[i]];
    const double radius = g.shape.reach();
    detail::ContactBox& box = boxes[i];
    box.geometry = bounded_[i];
    for (int k = 0; k < 3; ++k) box.low[k] = std::numeric_limits<double>::infinity(), box.high[k] = -box.low[k];
    for (std::size_t s = 0; s + 1 < instants.t.size(); ++s) {
      const double tau = instants.t[s + 1] - instants.t[s];
      const Frame<double>&f0 = instants.at(s)[g.frame], &f1 = instants.at(s + 1)[g.frame];
      const Hull way = hull_of(g.shape, f0, f1, tau);
      const double turned = turning_reach(g.shape) * tau * std::max(f0.w.norm(), f1.w.norm());
      for (int k = 0; k < 3; ++k) {
        double half = radius;
        if (g.shape.kind != ContactShape::Kind::sphere)
          half = std::min(radius, 0.5 * turned + std::max(g.shape.extent(f0.R.row(k).transpose()),
                                                          g.shape.extent(f1.R.row(k).transpose())));
        box.low[k] = std::min(box.low[k], std::min({way.c0[k], way.c1[k], way.p1[k], way.p2[k]}) - half);
        box.high[k] = std::max(box.high[k], std::max({way.c0[k], way.c1[k], way.p1[k], way.p2[k]}) + half);
      }
    }
    // Planes that stand still: the box is on their side that is free, or it is not.
    for (const int plane : planes_) {
      const Geometry& other = geometry_[plane];
      if (other.frame == g.frame) continue;
      bool clear = true;
      const Frame<double>& f = instants.at(0)[other.frame];
      for (std::size_t s = 0; s < instants.t.size() && clear; ++s) {
        const Frame<double>& now = instants.at(s)[other.frame];
        clear = now.v.isZero(0.0) && now.w.isZero(0.0) && now.p == f.p;
      }
      if (clear) {
        const Vec3<double> n = f.R * other.shape.Q.col(2), at = point_position(f, other.shape.center);
        double height = 0.0;
        for (int k = 0; k < 3; ++k) height += n[k] * ((n[k] > 0.0 ? box.low[k] : box.high[k]) - at[k]);
        clear = height > 0.0;
      }
      if (!clear) call(plane, bounded_[i]);
    }
  }
  detail::visit_overlaps(boxes, call);
}

}  // namespace trammel
