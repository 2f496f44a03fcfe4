// SPDX-License-Identifier: Apache-2.0
#include "trammel/mechanics/elements/contact_shape.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "contact_simple.h"
#include "trammel/math/taylor.h"

namespace trammel {

namespace {

using ShapeKind = ContactShape::Kind;

constexpr double infinity = std::numeric_limits<double>::infinity();
// Where a cylinder stands upright its lowest point is the whole rim; below this tilt the point moves smoothly inwards.
constexpr double upright_tilt = 1e-3;
// Lines whose directions differ by less count as parallel.
constexpr double parallel_tol = 1e-12;

template <class S>
S norm(const Vec3<S>& x) {
  using std::sqrt;
  return sqrt(dot(x, x));
}

template <class S>
S clamp(const S& x, double limit) {
  return x > limit ? S(limit) : x < -limit ? S(-limit) : x;
}

// Nearest point of a shape to y (axes and origin of the shape): distance outside the core (> 0) and direction outwards.
template <class S>
struct Nearest {
  S distance;
  Vec3<S> n;
};

template <class S>
Nearest<S> from_core(const Vec3<S>& offset) {
  const S distance = norm(offset);
  const S inverse = 1.0 / distance;
  return {distance, offset * inverse};
}

template <class S>
Nearest<S> nearest_of_box(const Vec3<S>& y, const Eigen::Vector3d& half) {
  Vec3<S> offset;
  bool inside = true;
  for (int i = 0; i < 3; ++i) {
    offset[i] = y[i] - clamp(y[i], half[i]);
    inside &= value_of(offset[i]) == 0.0;
  }
  if (!inside) return from_core(offset);
  int face = 0;
  for (int i = 1; i < 3; ++i)
    if (half[i] - std::abs(value_of(y[i])) < half[face] - std::abs(value_of(y[face]))) face = i;
  const double sign = value_of(y[face]) < 0.0 ? -1.0 : 1.0;
  Nearest<S> nearest{sign * y[face] - half[face], Vec3<S>::Zero()};
  nearest.n[face] = S(sign);
  return nearest;
}

template <class S>
Nearest<S> nearest_of_cylinder(const Vec3<S>& y, double radius, double half_length) {
  using std::sqrt;
  const S squared = y.x() * y.x() + y.y() * y.y();
  const bool beside = value_of(squared) > radius * radius;
  const S z = y.z() - clamp(y.z(), half_length);
  const bool beyond = value_of(z) != 0.0;
  if (!beside && !beyond) {  // inside: out by the nearer way
    const S rho = value_of(squared) > 0.0 ? S(sqrt(squared)) : S(0.0);
    const double sign = value_of(y.z()) < 0.0 ? -1.0 : 1.0;
    const S side = rho - radius, end = sign * y.z() - half_length;
    if (side > end && value_of(rho) > 0.0) {
      const S inverse = 1.0 / rho;
      return {side, {y.x() * inverse, y.y() * inverse, S(0.0)}};
    }
    return {end, {S(0.0), S(0.0), S(sign)}};
  }
  Vec3<S> offset{S(0.0), S(0.0), z};
  if (beside) {
    const S out = 1.0 - radius / sqrt(squared);
    offset.x() = y.x() * out, offset.y() = y.y() * out;
  }
  return from_core(offset);
}

// The nearest point c of the ellipsoid Σ (cᵢ/aᵢ)² = 1 has y − c along its normal: cᵢ = aᵢ² yᵢ/(aᵢ² + t), and t is the
// largest root of
//   F(t) = Σ (aᵢ yᵢ/(aᵢ² + t))² − 1,
// convex and falling for t > −min aᵢ²: Newton from the left converges from one side. One step with duals from the root
// then carries its derivative.
template <class S>
Nearest<S> nearest_of_ellipsoid(const Vec3<S>& y, const Eigen::Vector3d& a) {
  using std::sqrt;
  const double smallest = a.minCoeff();
  double t = -smallest * smallest;
  for (int i = 0; i < 3; ++i) t = std::max(t, a[i] * std::abs(value_of(y[i])) - a[i] * a[i]);  // F ≥ 0 there
  const auto F = [&](double at, double& slope) {
    double sum = -1.0;
    slope = 0.0;
    for (int i = 0; i < 3; ++i) {
      const double d = a[i] * a[i] + at, u = a[i] * value_of(y[i]) / d;
      sum += u * u;
      slope -= 2.0 * u * u / d;
    }
    return sum;
  };
  double slope = 0.0;
  for (int k = 0; k < 60; ++k) {
    const double change = F(t, slope) / slope;
    if (!std::isfinite(change)) break;
    t -= change;
    if (std::abs(change) <= 1e-15 * (std::abs(t) + smallest * smallest)) break;
  }
  F(t, slope);
  S sum(-1.0);
  for (int i = 0; i < 3; ++i) {
    const S u = a[i] * y[i] / (a[i] * a[i] + t);
    sum += u * u;
  }
  const S root = t - sum / slope;
  Vec3<S> c, normal;
  for (int i = 0; i < 3; ++i) {
    c[i] = a[i] * a[i] * y[i] / (a[i] * a[i] + root);
    normal[i] = c[i] / (a[i] * a[i]);
  }
  const S inverse = 1.0 / norm(normal);
  normal = normal * inverse;
  return {dot(normal, Vec3<S>(y - c)), normal};
}

// The nearest point of the curve: g(s) = (C − y)·C′ = 0. Sought among samples, refined by Newton; then s follows y by
// the implicit derivative δs = −g_y·δy/g_s.
template <class S>
Nearest<S> nearest_of_profile(const Vec3<S>& y, const CamProfile& profile) {
  using std::sqrt;
  const double px = value_of(y.x()), py = value_of(y.y());
  const int n = 4 * static_cast<int>(profile.x.knots().size());
  double s = 0.0, best = infinity;
  for (int k = 0; k < n; ++k) {
    const double at = profile.period * k / n;
    const double dx = profile.x.evaluate(at) - px, dy = profile.y.evaluate(at) - py;
    if (dx * dx + dy * dy < best) best = dx * dx + dy * dy, s = at;
  }
  using T = Taylor2<double>;
  T x, yy;
  double slope = 1.0;
  const double largest = profile.period / n;
  for (int k = 0; k < 40; ++k) {
    x = profile.x.evaluate(T::time(s)), yy = profile.y.evaluate(T::time(s));
    const double g = (x.v - px) * x.d + (yy.v - py) * yy.d, squared = x.d * x.d + yy.d * yy.d;
    slope = squared + (x.v - px) * x.dd + (yy.v - py) * yy.dd;
    const double change = std::clamp(g / (slope > 0.1 * squared ? slope : squared), -largest, largest);
    s -= change;
    if (std::abs(change) <= 1e-15 * profile.period) break;
  }
  x = profile.x.evaluate(T::time(s)), yy = profile.y.evaluate(T::time(s));
  slope = x.d * x.d + yy.d * yy.d + (x.v - px) * x.dd + (yy.v - py) * yy.dd;
  const S ds = -((x.v - y.x()) * x.d + (yy.v - y.y()) * yy.d) / slope;
  const S tx = x.d + x.dd * ds, ty = yy.d + yy.dd * ds;
  const S inverse = 1.0 / sqrt(tx * tx + ty * ty);
  const Vec3<S> normal{ty * inverse, -tx * inverse, S(0.0)};  // outwards of a curve that runs counter-clockwise
  const S dx = y.x() - (x.v + x.d * ds), dy = y.y() - (yy.v + yy.d * ds);
  return {dx * normal.x() + dy * normal.y(), normal};
}

// The lowest point of the curve along m: g(s) = C′·m = 0. The same way; where the curve is straight and lies flat the
// point may be anywhere along it, so that its radius of curvature counts with a million times the curve's reach at
// most.
template <class S>
Vec3<S> lowest_of_profile(const Vec3<S>& m, const CamProfile& profile) {
  const double mx = value_of(m.x()), my = value_of(m.y()), size = std::hypot(mx, my);
  const int n = 4 * static_cast<int>(profile.x.knots().size());
  double s = 0.0, best = infinity;
  for (int k = 0; k < n; ++k) {
    const double at = profile.period * k / n, height = profile.x.evaluate(at) * mx + profile.y.evaluate(at) * my;
    if (height < best) best = height, s = at;
  }
  using T = Taylor2<double>;
  T x, y;
  double slope = 1.0;
  const auto look = [&] {
    x = profile.x.evaluate(T::time(s)), y = profile.y.evaluate(T::time(s));
    const double flat = 1e-6 * size * (x.d * x.d + y.d * y.d) / profile.reach;
    slope = std::max(x.dd * mx + y.dd * my, std::max(flat, std::numeric_limits<double>::min()));
  };
  const double largest = profile.period / n;
  look();
  for (int k = 0; k < 40; ++k) {
    const double change = std::clamp((x.d * mx + y.d * my) / slope, -largest, largest);
    s -= change;
    look();
    if (std::abs(change) <= 1e-15 * profile.period) break;
  }
  const S ds = -(x.d * m.x() + y.d * m.y()) / slope;
  return {x.v + x.d * ds, y.v + y.d * ds, S(0.0)};
}

template <class S>
Nearest<S> nearest_of(const ContactShape& shape, const Vec3<S>& y) {
  switch (shape.kind) {
    case ShapeKind::box:
      return nearest_of_box(y, shape.half);
    case ShapeKind::cylinder:
      return nearest_of_cylinder(y, shape.core_radius, shape.half_length);
    case ShapeKind::capsule:
      return from_core(Vec3<S>{y.x(), y.y(), y.z() - clamp(y.z(), shape.half_length)});
    case ShapeKind::ellipsoid:
      return nearest_of_ellipsoid(y, shape.half);
    case ShapeKind::profile:
      return nearest_of_profile(y, *shape.profile);
    case ShapeKind::plane:
    case ShapeKind::sphere:
      break;  // touch_ball
  }
  return from_core(y);
}

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

// A ball of radius r about `center` against shape a.
template <class S>
Touch<S> touch_ball(const ContactShape& a, const Frame<S>& fa, const Vec3<S>& center, double r) {
  const Vec3<S> apart = center - point_position(fa, a.center);
  if (detail::is_simple(a)) return detail::touch_simply(a, fa, apart, center, r);
  const Vec3<S> y = to_shape(a, fa, apart);
  if (a.kind == ShapeKind::profile && std::abs(value_of(y.z())) > a.half_length)
    return {S(-infinity), Vec3<S>{S(1.0), S(0.0), S(0.0)}, center};
  const Nearest<S> nearest = nearest_of(a, y);
  const Vec3<S> n = to_world(a, fa, nearest.n);
  const S depth = (a.radius + r) - nearest.distance;
  return {depth, n, center - n * S(r - 0.5 * depth)};
}

// The point of shape b (its core) that may be lowest above a plane with normal n.
template <class S>
Vec3<S> lowest_point(const ContactShape& b, const Frame<S>& fb, const Vec3<S>& n, int feature) {
  using std::sqrt;
  const Vec3<S> center = point_position(fb, b.center);
  const Vec3<S> m = to_shape(b, fb, n);
  Vec3<S> low = Vec3<S>::Zero();
  switch (b.kind) {
    case ShapeKind::box:
      for (int i = 0; i < 3; ++i) low[i] = S((feature >> i & 1) ? b.half[i] : -b.half[i]);
      break;
    case ShapeKind::capsule:
      low[2] = S(feature == 0 ? -b.half_length : b.half_length);
      break;
    case ShapeKind::cylinder: {
      const S out = -b.core_radius / sqrt(m.x() * m.x() + m.y() * m.y() + upright_tilt * upright_tilt);
      low = {m.x() * out, m.y() * out, S(feature == 0 ? -b.half_length : b.half_length)};
      break;
    }
    case ShapeKind::ellipsoid: {
      S squared(0.0);
      for (int i = 0; i < 3; ++i) squared += (b.half[i] * b.half[i]) * m[i] * m[i];
      const S scale = -1.0 / sqrt(squared);
      for (int i = 0; i < 3; ++i) low[i] = (b.half[i] * b.half[i]) * m[i] * scale;
      break;
    }
    case ShapeKind::profile:
      low = lowest_of_profile(m, *b.profile);
      break;
    default:
      break;
  }
  return center + to_world(b, fb, low);
}

// Nearest points of two segments center ± half_length axis.
template <class S>
Touch<S> touch_capsules(const ContactShape& a, const Frame<S>& fa, const ContactShape& b, const Frame<S>& fb) {
  const Vec3<S> z{S(0.0), S(0.0), S(1.0)};
  const Vec3<S> p = point_position(fa, a.center), u = to_world(a, fa, z);
  const Vec3<S> q = point_position(fb, b.center), w = to_world(b, fb, z);
  const Vec3<S> d = q - p;
  const S cosine = dot(u, w), du = dot(d, u), dw = dot(d, w), sine2 = 1.0 - cosine * cosine;
  // Unlimited lines first; parallel ones meet in the middle of their overlap.
  S s = value_of(sine2) > parallel_tol ? S((du - cosine * dw) / sine2) : S(0.5 * du);
  s = clamp(s, a.half_length);
  S t = clamp(S(cosine * s - dw), b.half_length);
  s = clamp(S(cosine * t + du), a.half_length);
  const Nearest<S> nearest = from_core(Vec3<S>(q + w * t - p - u * s));
  const S depth = (a.radius + b.radius) - nearest.distance;
  return {depth, nearest.n, q + w * t - nearest.n * S(b.radius - 0.5 * depth)};
}

}  // namespace

std::shared_ptr<const CamProfile> CamProfile::make(const std::vector<Eigen::Vector2d>& points) {
  std::vector<Eigen::Vector2d> p = points;
  double area = 0.0;
  for (std::size_t i = 0; i < p.size(); ++i) {
    const Eigen::Vector2d& next = p[(i + 1) % p.size()];
    area += p[i].x() * next.y() - p[i].y() * next.x();
  }
  if (area < 0.0) std::reverse(p.begin(), p.end());
  p.push_back(p.front());
  std::vector<double> s(p.size(), 0.0), x(p.size()), y(p.size());
  double reach = 0.0;
  for (std::size_t i = 0; i < p.size(); ++i) {
    if (i > 0) s[i] = s[i - 1] + (p[i] - p[i - 1]).norm();
    x[i] = p[i].x(), y[i] = p[i].y();
  }
  const SplineOptions periodic{SplineEnds::periodic, Extrapolation::linear};
  CamProfile profile{CubicSpline(s, x, periodic), CubicSpline(s, y, periodic), s.back(), 0.0};
  const int n = 16 * static_cast<int>(p.size());
  for (int k = 0; k < n; ++k) {
    const double at = profile.period * k / n;
    reach = std::max(reach, std::hypot(profile.x.evaluate(at), profile.y.evaluate(at)));
  }
  profile.reach = 1.01 * reach;  // between samples
  return std::make_shared<const CamProfile>(std::move(profile));
}

double ContactShape::extent(const Eigen::Vector3d& d) const {
  const Eigen::Vector3d m = Q.transpose() * d;
  const double across = std::sqrt(std::max(0.0, 1.0 - m.z() * m.z())), along = half_length * std::abs(m.z());
  switch (kind) {
    case ShapeKind::box:
      return half.dot(m.cwiseAbs()) + radius;
    case ShapeKind::cylinder:
      return along + core_radius * across + radius;
    case ShapeKind::capsule:
      return along + radius;
    case ShapeKind::ellipsoid:
      return half.cwiseProduct(m).norm();
    case ShapeKind::profile:
      return along + profile->reach * across;
    case ShapeKind::sphere:
      return radius;
    case ShapeKind::plane:
      break;
  }
  return infinity;
}

double ContactShape::size() const {
  switch (kind) {
    case ShapeKind::box:
      return half.minCoeff() + radius;
    case ShapeKind::cylinder:
      return std::min(core_radius, half_length) + radius;
    case ShapeKind::ellipsoid:
      return half.minCoeff();
    case ShapeKind::profile:
      return profile->reach;
    case ShapeKind::capsule:
    case ShapeKind::sphere:
      return radius;
    case ShapeKind::plane:
      break;
  }
  return infinity;
}

double ContactShape::reach() const {
  switch (kind) {
    case ShapeKind::box:
      return half.norm() + radius;
    case ShapeKind::cylinder:
      return std::hypot(core_radius, half_length) + radius;
    case ShapeKind::capsule:
      return half_length + radius;
    case ShapeKind::ellipsoid:
      return half.maxCoeff();
    case ShapeKind::profile:
      return std::hypot(profile->reach, half_length);
    case ShapeKind::sphere:
      return radius;
    case ShapeKind::plane:
      break;
  }
  return infinity;
}

double ContactShape::curvature_radius() const {
  switch (kind) {
    case ShapeKind::sphere:
    case ShapeKind::capsule:
    case ShapeKind::box:
      return radius;
    case ShapeKind::ellipsoid:
      return half.mean();
    case ShapeKind::cylinder:
      return core_radius + radius;
    case ShapeKind::profile:
      return profile->reach;
    case ShapeKind::plane:
      break;
  }
  return infinity;
}

int n_features(const ContactShape& a, const ContactShape& b) {
  if (b.kind == ShapeKind::plane) return 0;
  if (b.kind == ShapeKind::sphere) return 1;
  if (a.kind == ShapeKind::plane) {
    switch (b.kind) {
      case ShapeKind::box:
        return 8;
      case ShapeKind::cylinder:
      case ShapeKind::capsule:
        return 2;
      case ShapeKind::ellipsoid:
      case ShapeKind::profile:
        return 1;
      default:
        return 0;
    }
  }
  return a.kind == ShapeKind::capsule && b.kind == ShapeKind::capsule ? 1 : 0;
}

template <class S>
Touch<S> calc_touch(const ContactShape& a, const Frame<S>& fa, const ContactShape& b, const Frame<S>& fb, int feature) {
  if (b.kind == ShapeKind::sphere) return touch_ball(a, fa, point_position(fb, b.center), b.radius);
  if (a.kind == ShapeKind::plane) {
    const Vec3<S> n = to_world(a, fa, Vec3<S>{S(0.0), S(0.0), S(1.0)});
    return touch_ball(a, fa, lowest_point(b, fb, n, feature), b.radius);
  }
  return touch_capsules(a, fa, b, fb);
}

template Touch<double> calc_touch(const ContactShape&, const Frame<double>&, const ContactShape&, const Frame<double>&,
                                  int);
template Touch<Dual<6>> calc_touch(const ContactShape&, const Frame<Dual<6>>&, const ContactShape&,
                                   const Frame<Dual<6>>&, int);

}  // namespace trammel
