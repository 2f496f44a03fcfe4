// SPDX-License-Identifier: Apache-2.0
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

class CamCore final : public ContactSurfaceOf<CamCore> {
 public:
  CamCore(std::shared_ptr<const CamProfile> profile, double half_length)
      : profile_(std::move(profile)), h_(half_length) {}
  std::string_view word() const override { return "smooth extrusion"; }
  bool convex() const override { return false; }
  int roundness() const override { return 3; }
  bool beside(const Vec3<double>& y) const override { return std::abs(y.z()) <= h_; }
  int n_lowest() const override { return 1; }

  // The nearest point of the curve: g(s) = (C − y)·C′ = 0. Sought among samples, refined by Newton; then s follows y by
  // the implicit derivative δs = −g_y·δy/g_s.
  template <class S>
  NearestPoint<S> nearest_of(const Vec3<S>& y) const {
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

  // The deepest point of the curve, in its middle plane, in a convex surface: f′ = n·C′, f″ = C′·(∂n/∂x) C′ + n·C″.
  template <class S>
  Vec3<S> deepest_of(const DistanceField<S>& field) const {
    using T = Taylor2<double>;
    const CamProfile& profile = *profile_;
    const int n = 4 * static_cast<int>(profile.x.knots().size());
    double s = 0.0, best = unlimited;
    for (int k = 0; k < n; ++k) {
      const double at = profile.period * k / n;
      const double d = field.value({profile.x.evaluate(at), profile.y.evaluate(at), 0.0}).distance;
      if (d < best) best = d, s = at;
    }
    T x, y;
    double slope = 0.0, curvature = 1.0;
    const auto look = [&] {
      x = profile.x.evaluate(T::time(s)), y = profile.y.evaluate(T::time(s));
      Vec3<Dual<6>> at{Dual<6>(x.v), Dual<6>(y.v), Dual<6>(0.0)};
      at[0].d[0] = x.d, at[1].d[0] = y.d;
      const NearestPoint<Dual<6>> near = field.sloped(at);
      slope = near.n[0].v * x.d + near.n[1].v * y.d;
      curvature = near.n[0].d[0] * x.d + near.n[1].d[0] * y.d + near.n[0].v * x.dd + near.n[1].v * y.dd;
      curvature = std::max(curvature, 1e-6 * (x.d * x.d + y.d * y.d) / profile.reach);
    };
    const double largest = profile.period / n;
    look();
    for (int k = 0; k < 60; ++k) {
      const double change = std::clamp(slope / curvature, -largest, largest);
      s -= change;
      look();
      if (std::abs(change) <= 1e-15 * profile.period) break;
    }
    Vec3<S> at{S(x.v), S(y.v), S(0.0)};
    const NearestPoint<S> near = field.moved(at);
    const S ds = -(near.n[0] * x.d + near.n[1] * y.d) / curvature;
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
  double h_;
};

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
    return solid_surface(CamCore(CamProfile::make(shape.polygon), 0.5 * shape.length), 0.0);
  }
  static constexpr std::string_view drawn_as = "extrusion";
  // The curve as a polygon.
  static void draw(Shape& shape) {
    if (!shape.smooth) return;
    const auto profile = CamProfile::make(shape.polygon);
    const int n = 8 * static_cast<int>(shape.polygon.size());
    shape.polygon.clear();
    for (int k = 0; k < n; ++k) {
      const double s = profile->period * k / n;
      shape.polygon.emplace_back(profile->x.evaluate(s), profile->y.evaluate(s));
    }
  }
};

}  // namespace

constinit const ShapeDescription kinds::extrusion_shape = describe_shape<ExtrusionShape>();

}  // namespace trammel
