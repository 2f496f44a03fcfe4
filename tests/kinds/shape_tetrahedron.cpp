// SPDX-License-Identifier: Apache-2.0
#include "own_kinds.h"
#include "trammel/mechanics/kinds/shape_parts.h"

namespace trammel {

namespace {

/// A regular tetrahedron about its centre, with corners at ±`edge`/√8: only drawn, and with a mass.
struct TetrahedronShape {
  static constexpr std::string_view name = "tetrahedron", meaning = "a regular one";
  static std::vector<Key> keys() {
    return {{.name = "edge", .unit = "m", .required = true, .meaning = "of its faces", .range = Range::above(0.0)}};
  }
  static void read(KindFields& fields, Shape& shape) { shape.length = fields.number("edge", 1.0); }
  static void check(detail::ModelChecks& checks, const GeometrySpec& geometry) {
    if (!(geometry.shape.length > 0.0)) checks.report("geometry", geometry, "edge", "'edge' must be > 0");
  }
  static std::optional<Solid> solid(const Shape& shape) {
    const double a = shape.length, volume = a * a * a / (6.0 * std::numbers::sqrt2);
    return Solid{volume, Eigen::Vector3d::Zero(), volume * a * a / 20.0 * Eigen::Matrix3d::Identity()};
  }
  static constexpr std::string_view touched = "";
  static constexpr auto check_surface = touch_nothing;
  static constexpr auto surface = no_surface;
  static constexpr std::string_view drawn_as = "mesh";
  static void draw(Shape& shape) {
    const auto c = static_cast<float>(shape.length / (2.0 * std::numbers::sqrt2));
    shape.vertices = {{c, c, c}, {c, -c, -c}, {-c, c, -c}, {-c, -c, c}};
    shape.triangles = {{0, 1, 2}, {0, 3, 1}, {0, 2, 3}, {1, 3, 2}};
  }
};

}  // namespace

constinit const ShapeDescription own::tetrahedron = describe_shape<TetrahedronShape>();

}  // namespace trammel
