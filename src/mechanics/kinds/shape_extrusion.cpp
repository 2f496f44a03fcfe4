// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "trammel/math/taylor.h"
#include "trammel/mechanics/kinds/shape_parts.h"

namespace trammel {

namespace {

// Green's theorem on the polygon: area, centroid and second moments about it.
//   A = ½ Σ c,  c = xᵢ yᵢ₊₁ − xᵢ₊₁ yᵢ,   ∫x dA = 1/6 Σ (xᵢ + xᵢ₊₁) c,   ∫x² dA = 1/12 Σ (xᵢ² + xᵢ xᵢ₊₁ + xᵢ₊₁²) c, …
Solid extrude(const Shape& shape) {
  double area = 0.0, sx = 0.0, sy = 0.0, sxx = 0.0, syy = 0.0, sxy = 0.0;
  const std::size_t n = shape.polygon.size();
  for (std::size_t i = 0; i < n; ++i) {
    const Eigen::Vector2d &p = shape.polygon[i], &q = shape.polygon[(i + 1) % n];
    const double c = p.x() * q.y() - q.x() * p.y();
    area += c / 2.0;
    sx += (p.x() + q.x()) * c / 6.0, sy += (p.y() + q.y()) * c / 6.0;
    sxx += (p.x() * p.x() + p.x() * q.x() + q.x() * q.x()) * c / 12.0;
    syy += (p.y() * p.y() + p.y() * q.y() + q.y() * q.y()) * c / 12.0;
    sxy += (p.x() * q.y() + 2.0 * p.x() * p.y() + 2.0 * q.x() * q.y() + q.x() * p.y()) * c / 24.0;
  }
  const double sign = area < 0.0 ? -1.0 : 1.0;  // clockwise corners
  area *= sign, sx *= sign, sy *= sign, sxx *= sign, syy *= sign, sxy *= sign;
  const double x = sx / area, y = sy / area, L = shape.length;
  const double xx = (sxx - area * x * x) * L, yy = (syy - area * y * y) * L, xy = (sxy - area * x * y) * L;
  const double zz = area * L * L * L / 12.0;
  Solid solid{area * L, {x, y, 0.0}, Eigen::Matrix3d::Zero()};
  solid.inertia << yy + zz, -xy, 0.0, -xy, xx + zz, 0.0, 0.0, 0.0, xx + yy;
  return solid;
}

/// A cam with flat ends, or what is inside of it by `inset`: the depth of points in it, less the inset.
class CamCore final : public ContactSurfaceOf<CamCore> {
 public:
  CamCore(std::shared_ptr<const CamProfile> profile, double half_length, double inset)
      : profile_(std::move(profile)), h_(half_length), inset_(inset) {}
  std::string_view word() const override { return "smooth extrusion"; }
  bool convex() const override { return false; }
  int roundness() const override { return 3; }
  int n_lowest() const override { return 1; }

  // By the side, by an end, or to the rim.
  template <class S>
  NearestPoint<S> nearest_of(const Vec3<S>& y) const {
    using std::sqrt;
    NearestPoint<S> side = nearest_of_curve(y);
    side.distance += inset_;
    const double sign = value_of(y.z()) < 0.0 ? -1.0 : 1.0;
    const S end = sign * y.z() - (h_ - inset_);
    if (side.distance > 0.0 && end > 0.0) {
      const S distance = sqrt(side.distance * side.distance + end * end), inverse = 1.0 / distance;
      return {distance, side.n * S(side.distance * inverse) + Vec3<S>{S(0.0), S(0.0), sign * end * inverse}};
    }
    return side.distance > end ? side : NearestPoint<S>{end, {S(0.0), S(0.0), S(sign)}};
  }

  // The nearest point of the curve: g(s) = (C − y)·C′ = 0. Sought among samples, refined by Newton; then s follows y by
  // the implicit derivative δs = −g_y·δy/g_s.
  template <class S>
  NearestPoint<S> nearest_of_curve(const Vec3<S>& y) const {
    const CamProfile& profile = *profile_;
    using std::sqrt;
    const double px = value_of(y.x()), py = value_of(y.y());
    const int n = 4 * static_cast<int>(profile.x.knots().size());
    double s = 0.0, best = unlimited;
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
  Vec3<S> lowest_of(const Vec3<S>& m, int) const {
    const CamProfile& profile = *profile_;
    const double mx = value_of(m.x()), my = value_of(m.y()), size = std::hypot(mx, my);
    const int n = 4 * static_cast<int>(profile.x.knots().size());
    double s = 0.0, best = unlimited;
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

  // The deepest point of the curve, in its middle plane, in a convex surface: f′ = n·C′, f″ = C′·(∂n/∂x) C′ + n·C″. The
  // slope passes zero between the neighbours of a sample that is lower than both; several of them are looked at where
  // they are nearly as low, since what lies between samples is lower by half of their distance at most.
  template <class S>
  Vec3<S> deepest_of(const DistanceField<S>& field) const {
    using T = Taylor2<double>;
    const CamProfile& profile = *profile_;
    const int n = 4 * static_cast<int>(profile.x.knots().size());
    const double part = profile.period / n;
    const auto point_at = [&](double s) { return Vec3<double>{profile.x.evaluate(s), profile.y.evaluate(s), 0.0}; };
    static thread_local std::vector<double> samples;  // scratch
    samples.resize(static_cast<std::size_t>(n));
    double lowest = unlimited, longest = 0.0;
    Vec3<double> last = point_at(-part);
    for (int k = 0; k < n; ++k) {
      const Vec3<double> point = point_at(part * k);
      lowest = std::min(lowest, samples[static_cast<std::size_t>(k)] = field.value(point).distance);
      longest = std::max(longest, length_of(Vec3<double>(point - last)));
      last = point;
    }
    T x, y;
    const auto look = [&](RestOnCurve& at) {
      x = profile.x.evaluate(T::time(at.s)), y = profile.y.evaluate(T::time(at.s));
      Vec3<Dual<6>> point{Dual<6>(x.v), Dual<6>(y.v), Dual<6>(0.0)};
      point[0].d[0] = x.d, point[1].d[0] = y.d;
      const NearestPoint<Dual<6>> near = field.sloped(point);
      at.slope = near.n[0].v * x.d + near.n[1].v * y.d;
      const double curvature = near.n[0].d[0] * x.d + near.n[1].d[0] * y.d + near.n[0].v * x.dd + near.n[1].v * y.dd;
      at.curvature = std::max(curvature, 1e-6 * (x.d * x.d + y.d * y.d) / profile.reach);
    };
    RestOnCurve rest;
    double best = unlimited;
    for (int k = 0; k < n; ++k) {
      const auto sample = [&](int i) { return samples[static_cast<std::size_t>((i + n) % n)]; };
      const double here = sample(k);
      if (here > lowest + 0.5 * longest || here > sample(k - 1) || here > sample(k + 1)) continue;
      const RestOnCurve found = find_rest(part * k, part * (k - 1), part * (k + 1), profile.period, look);
      if (const double d = field.value(point_at(found.s)).distance; d < best) best = d, rest = found;
    }
    look(rest);
    Vec3<S> at{S(x.v), S(y.v), S(0.0)};
    const NearestPoint<S> near = field.moved(at);
    const S ds = -(near.n[0] * x.d + near.n[1] * y.d) / rest.curvature;
    if (rest.is_ridge(value_of(ds), profile.period)) return at;
    at[0] += x.d * ds, at[1] += y.d * ds;
    return at;
  }
  Eigen::Vector3d support(const Eigen::Vector3d& d) const override {
    const double across = std::hypot(d.x(), d.y()), out = across > 0.0 ? profile_->reach / across : 0.0;
    return {out * d.x(), out * d.y(), d.z() < 0.0 ? -h_ : h_};
  }
  double size() const override { return profile_->reach; }
  double reach() const override { return std::hypot(profile_->reach, h_); }
  double curvature_radius() const override { return profile_->reach; }

 private:
  static constexpr double unlimited = std::numeric_limits<double>::infinity();
  std::shared_ptr<const CamProfile> profile_;
  double h_, inset_;
};

std::vector<Eigen::Vector2d> sample_curve(const CamProfile& profile, int n) {
  std::vector<Eigen::Vector2d> curve;
  for (int k = 0; k < n; ++k) {
    const double s = profile.period * k / n;
    curve.emplace_back(profile.x.evaluate(s), profile.y.evaluate(s));
  }
  return curve;
}

// Triangles of a polygon that runs counter-clockwise and does not cross itself: ears are cut off, corners that turn
// left with no other corner in their triangle.
std::vector<std::array<int, 3>> cut_ears(const std::vector<Eigen::Vector2d>& corners) {
  std::vector<int> left(corners.size());
  for (std::size_t i = 0; i < left.size(); ++i) left[i] = static_cast<int>(i);
  const auto turn = [&](int i, int j, int k) {
    const Eigen::Vector2d a = corners[j] - corners[i], b = corners[k] - corners[i];
    return a.x() * b.y() - a.y() * b.x();
  };
  std::vector<std::array<int, 3>> triangles;
  while (left.size() > 2) {
    const std::size_t n = left.size();
    std::size_t ear = 0;
    for (; ear < n; ++ear) {
      const int i = left[(ear + n - 1) % n], j = left[ear], k = left[(ear + 1) % n];
      const auto is_within = [&](int p) {
        return p != i && p != j && p != k && turn(i, j, p) > 0.0 && turn(j, k, p) > 0.0 && turn(k, i, p) > 0.0;
      };
      if (turn(i, j, k) > 0.0 && std::none_of(left.begin(), left.end(), is_within)) break;
    }
    if (ear == n) break;  // what is left has no area, or crosses itself
    triangles.push_back({left[(ear + n - 1) % n], left[ear], left[(ear + 1) % n]});
    left.erase(left.begin() + static_cast<std::ptrdiff_t>(ear));
  }
  return triangles;
}

// Where a cam presses as a foundation: on its side around the curve, where sums of equal steps of s are those of a
// periodic function, and across it as on boxes; on its ends.
std::vector<SurfacePoint> points_of_cam(const CamProfile& profile, double h, double inset) {
  constexpr int least_around = 48, of_ends = 32;
  using T = Taylor2<double>;
  std::vector<SurfacePoint> points;
  const int n = std::max(least_around, 2 * static_cast<int>(profile.x.knots().size()));
  const ClosedRule across(nodes_of_line, part_within(h, inset));
  for (int k = 0; k < n; ++k) {
    const T x = profile.x.evaluate(T::time(profile.period * k / n));
    const T y = profile.y.evaluate(T::time(profile.period * k / n));
    const double length = profile.period / n * std::hypot(x.d, y.d);
    for (int i = 0; i < across.size(); ++i)
      points.push_back({{x.v, y.v, h * across.node[i]}, length * h * across.weight[i], 0.0, 0.0});
  }
  const std::vector<Eigen::Vector2d> rim = sample_curve(profile, of_ends);
  for (const std::array<int, 3>& t : cut_ears(rim))
    for (const double z : {-h, h}) {
      const auto corner = [&](int i) { return Eigen::Vector3d(rim[t[i]].x(), rim[t[i]].y(), z); };
      add_triangle(corner(0), corner(1), corner(2), 0.5 * profile.reach, points);
    }
  return points;
}

/// The `polygon` (x, y), `length` along z, half of it on either side; a closed spline through its corners if `smooth`.
struct ExtrusionShape {
  static constexpr std::string_view name = "extrusion", meaning = "";
  static std::vector<Key> keys() {
    return {{.name = "polygon",
             .type = KeyType::matrix,
             .unit = "m",
             .required = true,
             .meaning = "the corners `[[x, y], …]` in order"},
            shape_length_key(),
            shape_axis_key(),
            {.name = "smooth",
             .type = KeyType::boolean,
             .fallback = "false",
             .meaning = "a closed cubic spline through the corners: a cam"}};
  }
  static void read(KindFields& fields, Shape& shape) {
    shape.polygon = fields.corners("polygon");
    shape.length = fields.number("length", 1.0);
    shape.orientation = fields.axes("axis");
    shape.smooth = fields.boolean("smooth", false);
  }
  static constexpr auto check = check_any_size;
  static std::optional<Solid> solid(const Shape& shape) { return extrude(shape); }
  static constexpr std::string_view touched = "smooth extrusion (smooth = true)";
  static constexpr auto check_surface = touch_nothing;
  static std::optional<ContactShape> surface(const Shape& shape) {
    if (!shape.smooth) return std::nullopt;
    const std::shared_ptr<const CamProfile> profile = CamProfile::make(shape.polygon);
    const double h = 0.5 * shape.length;
    ContactShape c = solid_surface(CamCore(profile, h, 0.0), 0.0);
    c.soft_radius = foundation_rounding * std::min(profile->reach, h);
    c.soft_surface = std::make_shared<const CamCore>(profile, h, c.soft_radius);
    c.points = make_points(points_of_cam(*profile, h, c.soft_radius));
    return c;
  }
  static constexpr std::string_view drawn_as = "extrusion";
  // The curve as a polygon.
  static void draw(Shape& shape) {
    if (!shape.smooth) return;
    const int n = 8 * static_cast<int>(shape.polygon.size());
    shape.polygon = sample_curve(*CamProfile::make(shape.polygon), n);
  }
};

}  // namespace

constinit const ShapeDescription kinds::extrusion_shape = describe_shape<ExtrusionShape>();

}  // namespace trammel
