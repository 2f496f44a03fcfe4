#include "trammel/mechanics/solid.h"

#include <cmath>
#include <numbers>

namespace trammel {

namespace {

// Green's theorem on the polygon: area, centroid and second moments about it.
//   A = ½ Σ c,  c = xᵢ yᵢ₊₁ − xᵢ₊₁ yᵢ,   ∫x dA = 1/6 Σ (xᵢ + xᵢ₊₁) c,   ∫x² dA = 1/12 Σ (xᵢ² + xᵢ xᵢ₊₁ + xᵢ₊₁²) c, …
Solid extruded(const Shape& shape) {
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

Solid about_z(double volume, double axial, double radial) {
  return {volume, Eigen::Vector3d::Zero(), Eigen::Vector3d(radial, radial, axial).asDiagonal()};
}

std::optional<Solid> in_own_axes(const Shape& s) {
  const double r = s.radius, L = s.length;
  switch (s.kind) {
    case GeometryKind::box:
    case GeometryKind::ellipsoid: {
      const bool box = s.kind == GeometryKind::box;
      const double volume = s.size.prod() * (box ? 1.0 : 4.0 / 3.0 * std::numbers::pi);
      const Eigen::Vector3d squared = s.size.cwiseAbs2() * (volume / (box ? 12.0 : 5.0));
      return Solid{volume, Eigen::Vector3d::Zero(),
                   Eigen::Vector3d(Eigen::Vector3d::Constant(squared.sum()) - squared).asDiagonal()};
    }
    case GeometryKind::sphere: {
      const double volume = 4.0 / 3.0 * std::numbers::pi * r * r * r;
      return about_z(volume, 0.4 * volume * r * r, 0.4 * volume * r * r);
    }
    case GeometryKind::cylinder: {
      const double volume = std::numbers::pi * (r * r - s.inner_radius * s.inner_radius) * L;
      const double squares = r * r + s.inner_radius * s.inner_radius;
      return about_z(volume, volume * squares / 2.0, volume * (3.0 * squares + L * L) / 12.0);
    }
    case GeometryKind::capsule: {
      const double tube = std::numbers::pi * r * r * L, ends = 4.0 / 3.0 * std::numbers::pi * r * r * r;
      return about_z(tube + ends, tube * r * r / 2.0 + 0.4 * ends * r * r,
                     tube * (3.0 * r * r + L * L) / 12.0 + ends * (0.4 * r * r + L * L / 4.0 + 3.0 / 8.0 * L * r));
    }
    case GeometryKind::cone: {
      const double volume = std::numbers::pi * r * r * L / 3.0;
      Solid solid = about_z(volume, 0.3 * volume * r * r, volume * (0.15 * r * r + 3.0 / 80.0 * L * L));
      solid.center.z() = -L / 4.0;
      return solid;
    }
    case GeometryKind::extrusion:
      return extruded(s);
    case GeometryKind::mesh:
    case GeometryKind::plane:
      break;
  }
  return std::nullopt;
}

}  // namespace

std::optional<Solid> calc_solid(const Shape& shape) {
  std::optional<Solid> solid = in_own_axes(shape);
  if (!solid) return solid;
  solid->center = shape.position + shape.orientation * solid->center;
  solid->inertia = (shape.orientation * solid->inertia * shape.orientation.transpose()).eval();
  return solid;
}

Solid join(const Solid& a, const Solid& b) {
  Solid sum;
  sum.volume = a.volume + b.volume;
  if (sum.volume == 0.0) return sum;
  sum.center = (a.volume * a.center + b.volume * b.center) / sum.volume;
  for (const Solid* part : {&a, &b}) {
    const Eigen::Vector3d d = part->center - sum.center;
    sum.inertia += part->inertia + part->volume * (d.squaredNorm() * Eigen::Matrix3d::Identity() - d * d.transpose());
  }
  return sum;
}

}  // namespace trammel
