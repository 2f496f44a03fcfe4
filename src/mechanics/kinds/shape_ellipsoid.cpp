// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "trammel/mechanics/kinds/shape_parts.h"

namespace trammel {

namespace {

/// Half axes `size`.
struct EllipsoidShape {
  static constexpr std::string_view name = "ellipsoid", meaning = "";
  static std::vector<Key> keys() {
    return {{.name = "half_axes",
             .type = KeyType::vector,
             .unit = "m",
             .required = true,
             .meaning = "along x, y and z, each > 0"}};
  }
  static void read(KindFields& fields, Shape& shape) { shape.size = fields.sizes("half_axes", "one"); }
  static constexpr auto check = check_any_size;
  static std::optional<Solid> solid(const Shape& shape) {
    return solid_of_sizes(shape.size, shape.size.prod() * (4.0 / 3.0 * std::numbers::pi), 5.0);
  }
  static constexpr std::string_view touched = "ellipsoid";
  static std::string check_surface(const Shape& shape) {
    return shape.size.minCoeff() > 0.0 ? "" : "its half axes must be > 0";
  }
  static std::optional<ContactShape> surface(const Shape& shape) {
    ContactShape c;
    c.kind = ContactShape::Kind::ellipsoid;
    c.half = shape.size;
    return c;
  }
  // By its facets.
  static constexpr std::string_view drawn_as = "mesh";
  static void draw(Shape& shape) {
    constexpr int n_around = 32, n_down = 16;
    for (int i = 0; i <= n_down; ++i)
      for (int j = 0; j < n_around; ++j) {
        const double u = std::numbers::pi * i / n_down, v = 2.0 * std::numbers::pi * j / n_around;
        const Eigen::Vector3d unit{std::sin(u) * std::cos(v), std::sin(u) * std::sin(v), std::cos(u)};
        shape.vertices.push_back(shape.size.cwiseProduct(unit).cast<float>());
      }
    for (int i = 0; i < n_down; ++i)
      for (int j = 0; j < n_around; ++j) {
        const int a = i * n_around + j, b = i * n_around + (j + 1) % n_around;
        shape.triangles.push_back({a, a + n_around, b});
        shape.triangles.push_back({b, a + n_around, b + n_around});
      }
  }
};

}  // namespace

constinit const ShapeDescription kinds::ellipsoid_shape = describe_shape<EllipsoidShape>();

}  // namespace trammel
