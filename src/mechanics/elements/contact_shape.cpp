// SPDX-License-Identifier: Apache-2.0
#include "trammel/mechanics/elements/contact_shape.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "trammel/mechanics/elements/contact_simple.h"
#include "trammel/mechanics/elements/contact_surface.h"

namespace trammel {

namespace {

using ShapeKind = ContactShape::Kind;

constexpr double infinity = std::numeric_limits<double>::infinity();

class HalfSpace final : public ContactSurfaceOf<HalfSpace> {
 public:
  std::string_view word() const override { return "plane"; }
  template <class S>
  NearestPoint<S> nearest_of(const Vec3<S>& y) const {
    return {y.z(), {S(0.0), S(0.0), S(1.0)}};
  }
  Eigen::Vector3d support(const Eigen::Vector3d& d) const override { return d * infinity; }
  double size() const override { return infinity; }
  double reach() const override { return infinity; }
  double curvature_radius() const override { return infinity; }
};

class Point final : public ContactSurfaceOf<Point> {
 public:
  std::string_view word() const override { return "sphere"; }
  template <class S>
  NearestPoint<S> nearest_of(const Vec3<S>& y) const {
    return from_core(y);
  }
  Eigen::Vector3d support(const Eigen::Vector3d&) const override { return Eigen::Vector3d::Zero(); }
  double size() const override { return 0.0; }
  double reach() const override { return 0.0; }
  double curvature_radius() const override { return 0.0; }
};

template <class S>
Vec3<S> to_world(const ContactShape& shape, const Frame<S>& f, const Vec3<S>& direction) {
  return rotate(f.R, rotate(Mat3<S>(shape.Q.template cast<S>()), direction));
}

template <class S>
Vec3<S> to_shape(const ContactShape& shape, const Frame<S>& f, const Vec3<S>& direction) {
  const Vec3<S> local = rotate_back(f.R, direction);
  Vec3<S> x;
  for (int i = 0; i < 3; ++i) x[i] = shape.Q(0, i) * local[0] + shape.Q(1, i) * local[1] + shape.Q(2, i) * local[2];
  return x;
}

}  // namespace

const ContactSurface& ContactShape::core() const {
  static const HalfSpace half_space;
  static const Point point;
  if (kind == ShapeKind::plane) return half_space;
  return kind == ShapeKind::sphere ? point : *surface;
}

ContactShape ContactShape::softened() const {
  ContactShape soft = *this;
  if (soft_surface != nullptr) soft.surface = soft_surface, soft.radius = soft_radius;
  return soft;
}

std::string_view ContactShape::word() const { return core().word(); }
bool ContactShape::convex() const { return core().convex(); }

double ContactShape::extent(const Eigen::Vector3d& d) const {
  if (kind == ShapeKind::sphere) return radius;
  if (kind == ShapeKind::plane) return infinity;
  const Eigen::Vector3d m = Q.transpose() * d;
  return std::max(surface->support(m).dot(m), -surface->support(-m).dot(m)) + radius;
}

double ContactShape::size() const { return kind == ShapeKind::sphere ? radius : core().size() + radius; }
double ContactShape::reach() const { return core().reach() + radius; }
double ContactShape::curvature_radius() const { return core().curvature_radius() + radius; }

bool in_order(const ContactShape& a, const ContactShape& b) {
  if (a.kind != b.kind || a.kind != ShapeKind::solid) return a.kind <= b.kind;
  return a.surface->roundness() <= b.surface->roundness();
}

int n_features(const ContactShape& a, const ContactShape& b) {
  if (b.kind == ShapeKind::plane) return 0;
  if (b.kind == ShapeKind::sphere) return 1;
  if (a.kind == ShapeKind::plane) return b.surface->n_lowest();
  return a.surface->convex() && b.surface->roundness() > 0 ? 1 : 0;
}

// A ball of radius r about `center` against shape a.
template <class S>
Touch<S> touch_ball(const ContactShape& a, const Frame<S>& fa, const Vec3<S>& center, double r) {
  const Vec3<S> apart = center - point_position(fa, a.center);
  if (detail::is_simple(a)) return detail::touch_simply(a, fa, apart, center, r);
  const Vec3<S> y = to_shape(a, fa, apart);
  const NearestPoint<S> nearest = a.surface->nearest(y);
  const Vec3<S> n = to_world(a, fa, nearest.n);
  const S depth = (a.radius + r) - nearest.distance;
  return {depth, n, center - n * S(r - 0.5 * depth)};
}

template <class S>
Touch<S> calc_touch(const ContactShape& a, const Frame<S>& fa, const ContactShape& b, const Frame<S>& fb, int feature) {
  const Vec3<S> center = point_position(fb, b.center);
  if (b.kind == ShapeKind::sphere) return touch_ball(a, fa, center, b.radius);
  if (a.kind == ShapeKind::plane) {
    const Vec3<S> n = rotate(fa.R, Eigen::Vector3d(a.Q.col(2)));
    const Vec3<S> low = b.surface->lowest(to_shape(b, fb, n), feature);
    return touch_ball(a, fa, Vec3<S>(center + to_world(b, fb, low)), b.radius);
  }
  const auto touch = [&](const ContactShape& target) {
    const Vec3<S> deep = b.surface->deepest(DistanceField<S>(target, fa, b, fb));
    return touch_ball(target, fa, Vec3<S>(center + to_world(b, fb, deep)), b.radius);
  };
  // A surface without a radius around it enters the core: where edges are sharp, two faces may be equally near there.
  return b.radius > 0.0 ? touch(a) : touch(a.softened());
}

template Touch<double> touch_ball(const ContactShape&, const Frame<double>&, const Vec3<double>&, double);
template Touch<Dual<6>> touch_ball(const ContactShape&, const Frame<Dual<6>>&, const Vec3<Dual<6>>&, double);
template Touch<double> calc_touch(const ContactShape&, const Frame<double>&, const ContactShape&, const Frame<double>&,
                                  int);
template Touch<Dual<6>> calc_touch(const ContactShape&, const Frame<Dual<6>>&, const ContactShape&,
                                   const Frame<Dual<6>>&, int);

}  // namespace trammel
