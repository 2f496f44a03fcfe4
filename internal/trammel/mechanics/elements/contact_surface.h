// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <string_view>

#include "trammel/mechanics/elements/contact_shape.h"

namespace trammel {

/// The nearest point of a core to a point y, all in the axes of the core: y − distance n. Outside distance > 0 and n is
/// along the gradient of the distance; inside distance < 0 and n still points outwards.
template <class S>
struct NearestPoint {
  S distance;
  Vec3<S> n;
};

template <class S>
struct DistanceField;

/// What contacts ask of a core, in its own axes. A kind of shape derives from ContactSurfaceOf in its own file.
///
///   nearest   the signed distance of a point; convex surfaces have a convex one
///   support   the farthest point along a direction
///   lowest    the points that may be lowest above a plane with the upward normal m, one for each place
///   deepest   the point of this core that is deepest in another one, whose signed distance is convex: for surfaces
///             without flat parts it is unique and moves smoothly
class ContactSurface {
 public:
  virtual ~ContactSurface() = default;
  virtual std::string_view word() const = 0;
  virtual bool convex() const { return true; }
  /// Of two surfaces the one with the higher roundness looks for its deepest point in the other; 0: flat, it cannot.
  virtual int roundness() const { return 0; }
  virtual NearestPoint<double> nearest(const Vec3<double>& y) const = 0;
  virtual NearestPoint<Dual<6>> nearest(const Vec3<Dual<6>>& y) const = 0;
  virtual Eigen::Vector3d support(const Eigen::Vector3d& d) const = 0;
  virtual int n_lowest() const { return 0; }
  virtual Vec3<double> lowest(const Vec3<double>& m, int feature) const = 0;
  virtual Vec3<Dual<6>> lowest(const Vec3<Dual<6>>& m, int feature) const = 0;
  virtual Vec3<double> deepest(const DistanceField<double>& field) const = 0;
  virtual Vec3<Dual<6>> deepest(const DistanceField<Dual<6>>& field) const = 0;
  virtual double size() const = 0;              ///< without the radius around it
  virtual double reach() const = 0;             ///< without the radius around it
  virtual double curvature_radius() const = 0;  ///< without the radius around it; infinite if flat
  /// The two curvatures where it is touched, > 0 if it bulges out, with a radius around it [1/m].
  virtual Eigen::Vector2d curvatures(double radius) const {
    return Eigen::Vector2d::Constant(1.0 / (curvature_radius() + radius));
  }
  /// Whether points of a foundation may press into it: it has an outside all around.
  virtual bool takes_points() const { return true; }
};

/// The signed distance of a core as a function of points x in the axes of another shape: y = M x + q in its own.
/// Values with the frames as they are, slopes by x alone, and what S carries: derivatives by the frames.
template <class S>
struct DistanceField {
  const ContactSurface* target = nullptr;
  Mat3<double> M0;
  Vec3<double> q0;
  Mat3<S> M;
  Vec3<S> q;

  DistanceField(const ContactShape& of, const Frame<S>& f_of, const ContactShape& seen, const Frame<S>& f_seen)
      : target(&of.core()) {
    const Mat3<S> A = axes(of, f_of), B = axes(seen, f_seen);
    const Vec3<S> apart = point_position(f_seen, seen.center) - point_position(f_of, of.center);
    for (int i = 0; i < 3; ++i) {
      q[i] = A(0, i) * apart[0] + A(1, i) * apart[1] + A(2, i) * apart[2];
      for (int j = 0; j < 3; ++j) M(i, j) = A(0, i) * B(0, j) + A(1, i) * B(1, j) + A(2, i) * B(2, j);
    }
    for (int i = 0; i < 3; ++i) {
      q0[i] = value_of(q[i]);
      for (int j = 0; j < 3; ++j) M0(i, j) = value_of(M(i, j));
    }
  }
  NearestPoint<double> value(const Vec3<double>& x) const {
    NearestPoint<double> at = target->nearest(Vec3<double>(M0 * x + q0));
    at.n = (M0.transpose() * at.n).eval();
    return at;
  }
  /// With x seeded.
  NearestPoint<Dual<6>> sloped(const Vec3<Dual<6>>& x) const {
    Vec3<Dual<6>> y;
    for (int i = 0; i < 3; ++i) y[i] = M0(i, 0) * x[0] + M0(i, 1) * x[1] + M0(i, 2) * x[2] + q0[i];
    return back(target->nearest(y), M0);
  }
  NearestPoint<S> moved(const Vec3<S>& x) const {
    const Vec3<S> y = rotate(M, x) + q;
    return back(target->nearest(y), M);
  }

 private:
  static Mat3<S> axes(const ContactShape& shape, const Frame<S>& f) {
    Mat3<S> A;
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j)
        A(i, j) = f.R(i, 0) * shape.Q(0, j) + f.R(i, 1) * shape.Q(1, j) + f.R(i, 2) * shape.Q(2, j);
    return A;
  }
  template <class T, class U>
  static NearestPoint<T> back(const NearestPoint<T>& at, const Mat3<U>& turn) {
    NearestPoint<T> out{at.distance, Vec3<T>::Zero()};
    for (int i = 0; i < 3; ++i) out.n[i] = turn(0, i) * at.n[0] + turn(1, i) * at.n[1] + turn(2, i) * at.n[2];
    return out;
  }
};

/// The functions of a core D that are templates on the scalar: nearest_of, and what it has of lowest_of and deepest_of.
template <class D>
class ContactSurfaceOf : public ContactSurface {
 public:
  NearestPoint<double> nearest(const Vec3<double>& y) const final { return self().template nearest_of<double>(y); }
  NearestPoint<Dual<6>> nearest(const Vec3<Dual<6>>& y) const final { return self().template nearest_of<Dual<6>>(y); }
  Vec3<double> lowest(const Vec3<double>& m, int i) const final { return self().template lowest_of<double>(m, i); }
  Vec3<Dual<6>> lowest(const Vec3<Dual<6>>& m, int i) const final { return self().template lowest_of<Dual<6>>(m, i); }
  Vec3<double> deepest(const DistanceField<double>& field) const final {
    return self().template deepest_of<double>(field);
  }
  Vec3<Dual<6>> deepest(const DistanceField<Dual<6>>& field) const final {
    return self().template deepest_of<Dual<6>>(field);
  }
  template <class S>
  Vec3<S> lowest_of(const Vec3<S>&, int) const {
    return Vec3<S>::Zero();
  }
  template <class S>
  Vec3<S> deepest_of(const DistanceField<S>&) const {
    return Vec3<S>::Zero();
  }

 private:
  const D& self() const { return static_cast<const D&>(*this); }
};

// ---- what cores are written with -----------------------------------------------------------------------------------

template <class S>
S length_of(const Vec3<S>& x) {
  using std::sqrt;
  return sqrt(dot(x, x));
}

template <class S>
S clamp_between(const S& x, double low, double high) {
  return x > high ? S(high) : x < low ? S(low) : x;
}

template <class S>
NearestPoint<S> from_core(const Vec3<S>& offset) {
  const S distance = length_of(offset);
  const S inverse = 1.0 / distance;
  return {distance, offset * inverse};
}

/// Where a rim lies flat its lowest point is all of it; below twice this tilt the point moves inwards, C¹.
constexpr double upright_tilt = 5e-4;

/// The lowest point of the circle of radius r about z, at this height.
template <class S>
Vec3<S> lowest_of_rim(const Vec3<S>& m, double r, double height) {
  using std::sqrt;
  const S tilt2 = m.x() * m.x() + m.y() * m.y();
  const bool leans = tilt2 > 4.0 * upright_tilt * upright_tilt;
  const S out = -r / (leans ? S(sqrt(tilt2)) : S(upright_tilt + tilt2 / (4.0 * upright_tilt)));
  return {m.x() * out, m.y() * out, S(height)};
}

/// Where the slope of the distance along a curve passes zero, with the curvature there.
struct RestOnCurve {
  double s = 0.0, slope = 0.0, curvature = 1.0, low = 0.0, high = 0.0;
  /// The last step of Newton's iteration, that derivatives are taken of, leads beside the zero: the slope jumps through
  /// it, on a ridge within the surface, and the point stays where the jump is.
  bool is_ridge(double step, double scale) const {
    const double slack = 1e-9 * scale;
    return s + step < low - slack || s + step > high + slack;
  }
};

/// The zero between `low` and `high`, from s: Newton's iteration, kept between what is known, since on a ridge it would
/// go to and fro about the zero. `look` gives slope and curvature, the latter > 0.
template <class Look>
RestOnCurve find_rest(double s, double low, double high, double scale, const Look& look) {
  RestOnCurve at{s, 0.0, 1.0, low, high};
  double change = high - low, before = change;  // by the last iteration and the one before it
  look(at);
  for (int k = 0; k < 100 && std::abs(change) > 1e-15 * scale; ++k) {
    (at.slope > 0.0 ? at.high : at.low) = at.s;
    const double newton = at.s - at.slope / at.curvature;
    const bool is_good = newton > at.low && newton < at.high && 2.0 * std::abs(newton - at.s) < std::abs(before);
    before = change;
    change = (is_good ? newton : 0.5 * (at.low + at.high)) - at.s;
    at.s += change;
    look(at);
  }
  return at;
}

/// The point of the circle of radius r about z, at this height, that is deepest in a surface: f(φ) has the slope
/// r n·e_φ, and the curvature r² e_φ·(∂n/∂x) e_φ − r n·e_ρ. The distance d of a convex surface is at least
/// d(x₀) + n₀·(x − x₀), which is least where e_ρ is against n₀: a point that rests there is the deepest of all. Where
/// the surface is flat the first guess is one; where Newton's iteration finds none, about edges and deep within, the
/// lowest of some points are where the search begins.
template <class S>
Vec3<S> deepest_of_circle(const DistanceField<S>& field, double r, double height) {
  double out = 0.0;
  const auto look = [&](RestOnCurve& at) {
    const double c = std::cos(at.s), s = std::sin(at.s);
    Vec3<Dual<6>> x{Dual<6>(r * c), Dual<6>(r * s), Dual<6>(height)};
    x[0].d[0] = -s, x[1].d[0] = c;
    const NearestPoint<Dual<6>> near = field.sloped(x);
    at.slope = -s * near.n[0].v + c * near.n[1].v, out = c * near.n[0].v + s * near.n[1].v;
    at.curvature = std::max(r * (-s * near.n[0].d[0] + c * near.n[1].d[0]) - out, 1e-3);
  };
  constexpr double turn = 2.0 * std::numbers::pi;
  const Vec3<double> start = field.value({0.0, 0.0, height}).n;
  RestOnCurve at;
  at.s = std::atan2(-start.y(), -start.x());
  look(at);
  for (int k = 0; k < 8 && std::abs(at.slope) > 1e-14; ++k) {
    at.s -= std::clamp(at.slope / at.curvature, -0.5, 0.5);
    look(at);
  }
  at.low = at.high = at.s;
  if (!(std::abs(at.slope) < 1e-12 && out <= 0.0)) {
    constexpr int n = 120;
    constexpr double part = turn / n;
    std::array<double, n> samples;
    const auto distance = [&](double phi) {
      return field.value({r * std::cos(phi), r * std::sin(phi), height}).distance;
    };
    for (int k = 0; k < n; ++k) samples[static_cast<std::size_t>(k)] = distance(part * k);
    // Distances change by no more than the way: what lies between samples is lower by half of their distance at most.
    const double low_enough = *std::min_element(samples.begin(), samples.end()) + 0.5 * r * part;
    double best = std::numeric_limits<double>::infinity();
    for (int k = 0; k < n; ++k) {
      if (samples[static_cast<std::size_t>(k)] > low_enough) continue;
      const RestOnCurve rest = find_rest(part * k, part * (k - 1), part * (k + 1), turn, look);
      if (const double d = distance(rest.s); d < best) best = d, at = rest;
    }
  }
  const double c = std::cos(at.s), s = std::sin(at.s);
  Vec3<S> x{S(r * c), S(r * s), S(height)};
  const NearestPoint<S> near = field.moved(x);
  const S step = (s * near.n[0] - c * near.n[1]) / at.curvature;
  if (at.is_ridge(value_of(step), turn)) return x;
  x[0] -= r * s * step, x[1] += r * c * step;
  return x;
}

/// The deepest point of the segment z ∈ [low, high] on the axis: the slope n·e_z of the signed distance grows along it.
/// Where it vanishes on a stretch, which lies along a flat part, the middle is taken.
template <class S>
Vec3<S> deepest_of_segment(const DistanceField<S>& field, double low, double high) {
  const auto slope = [&](double z) { return field.value({0.0, 0.0, z}).n.z(); };
  const auto at_end = [](double z) { return Vec3<S>{S(0.0), S(0.0), S(z)}; };
  // Where the slope passes ±`level`: rounding leaves that much.
  constexpr double level = 1e-12;
  const auto seek = [&](double wanted) {
    double a = low, b = high;
    for (int k = 0; k < 60 && b - a > 1e-15 * (high - low); ++k) {
      const double mid = 0.5 * (a + b);
      (slope(mid) < wanted ? a : b) = mid;
    }
    return 0.5 * (a + b);
  };
  const double first = slope(low), last = slope(high);
  if (first > level || !(high > low)) return at_end(low);
  if (last < -level) return at_end(high);
  const double from = first < -level ? seek(-level) : low, to = last > level ? seek(level) : high;
  const double z = 0.5 * (from + to);
  Vec3<Dual<6>> seeded{Dual<6>(0.0), Dual<6>(0.0), Dual<6>(z)};
  seeded[2].d[0] = 1.0;
  const double curvature = field.sloped(seeded).n[2].d[0];
  Vec3<S> x = at_end(z);
  if (curvature * (high - low) > 1e-6) x[2] -= field.moved(x).n[2] / curvature;
  return x;
}

}  // namespace trammel
