// SPDX-License-Identifier: Apache-2.0
#include "trammel/mechanics/kinds/shape_parts.h"

#include <fmt/format.h>

#include <Eigen/Geometry>

#include "trammel/mechanics/elements/triangle_mesh.h"

namespace trammel {

Key shape_radius_key() {
  return {.name = "radius", .unit = "m", .required = true, .meaning = "the outer radius", .range = Range::above(0.0)};
}

Key shape_length_key(std::string meaning) {
  return {.name = "length", .unit = "m", .required = true, .meaning = std::move(meaning), .range = Range::above(0.0)};
}

Key shape_axis_key(std::string meaning) {
  return {.name = "axis", .type = KeyType::direction, .fallback = "z", .meaning = std::move(meaning)};
}

Key rounding_key() {
  return {.name = "rounding",
          .unit = "m",
          .fallback = "0",
          .meaning = "radius of the edges, for contacts",
          .range = Range::from(0.0)};
}

void read_rounding(KindFields& fields, Shape& shape) {
  if (fields.knows("rounding")) shape.rounding = fields.number("rounding", 0.0);
}

std::string check_radius_of_surface(const Shape& shape) {
  return shape.radius > 0.0 ? std::string() : fmt::format("its radius is {} m but must be > 0", shape.radius);
}

std::string check_rounding(const Shape& shape, double most, std::string_view than) {
  if (!(shape.rounding >= 0.0)) return fmt::format("its rounding is {} m but must be ≥ 0", shape.rounding);
  if (shape.rounding <= most) return {};
  return fmt::format("its rounding {} m is more than {}", shape.rounding, than);
}

Solid solid_about_z(double volume, double axial, double radial) {
  return {volume, Eigen::Vector3d::Zero(), Eigen::Vector3d(radial, radial, axial).asDiagonal()};
}

Solid solid_of_sizes(const Eigen::Vector3d& size, double volume, double k) {
  const Eigen::Vector3d squared = size.cwiseAbs2() * (volume / k);
  return Solid{volume, Eigen::Vector3d::Zero(),
               Eigen::Vector3d(Eigen::Vector3d::Constant(squared.sum()) - squared).asDiagonal()};
}

// Tetrahedra from the origin over every triangle: with det = a·(b × c), ∫dV = det/6, ∫x dV = det/24 (a + b + c) and
// ∫x xᵀ dV = det/120 (a aᵀ + b bᵀ + c cᵀ + (a + b + c)(a + b + c)ᵀ).
std::optional<Solid> solid_of_triangles(const Shape& shape) {
  if (!TriangleMesh::find_issues(shape.vertices, shape.triangles).empty()) return std::nullopt;
  double volume = 0.0;
  Eigen::Vector3d first = Eigen::Vector3d::Zero();
  Eigen::Matrix3d second = Eigen::Matrix3d::Zero();
  for (const std::array<int, 3>& t : shape.triangles) {
    const Eigen::Vector3d a = shape.vertices[t[0]].cast<double>(), b = shape.vertices[t[1]].cast<double>(),
                          c = shape.vertices[t[2]].cast<double>(), sum = a + b + c;
    const double det = a.dot(b.cross(c));
    volume += det / 6.0;
    first += det / 24.0 * sum;
    second += det / 120.0 * (a * a.transpose() + b * b.transpose() + c * c.transpose() + sum * sum.transpose());
  }
  const Eigen::Vector3d center = first / volume;
  second -= volume * center * center.transpose();
  return Solid{volume, center, second.trace() * Eigen::Matrix3d::Identity() - second};
}

ContactShape surface_of_triangles(const Shape& shape, bool convex, const std::string& word) {
  ContactShape c;
  c.kind = ContactShape::Kind::solid;
  const std::shared_ptr<const TriangleMesh> mesh = find_mesh(shape.vertices, shape.triangles, convex, word);
  c.surface = mesh;
  c.points = mesh->points();
  if (convex) {
    c.soft_radius = foundation_rounding * mesh->size();
    c.soft_surface = mesh->make_inner(c.soft_radius);
    if (c.soft_surface == nullptr) c.soft_radius = 0.0;
  }
  return c;
}

}  // namespace trammel
