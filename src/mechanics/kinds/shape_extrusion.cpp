// SPDX-License-Identifier: Apache-2.0
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
    ContactShape c;
    c.kind = ContactShape::Kind::profile;
    c.half_length = 0.5 * shape.length;
    c.profile = CamProfile::make(shape.polygon);
    return c;
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
