// SPDX-License-Identifier: Apache-2.0
#include "trammel/mechanics/kinds/shape_parts.h"

namespace trammel {

namespace {

/// Edges `size`, rounded by `rounding` where it is touched.
struct BoxShape {
  static constexpr std::string_view name = "box", meaning = "";
  static std::vector<Key> keys() {
    return {{.name = "size",
             .type = KeyType::vector,
             .unit = "m",
             .required = true,
             .meaning = "the edges along x, y and z, each > 0"},
            rounding_key()};
  }
  static void read(KindFields& fields, Shape& shape) {
    shape.size = fields.sizes("size", "edge");
    read_rounding(fields, shape);
  }
  static void check(detail::ModelChecks& checks, const GeometrySpec& geometry) {
    if (!(geometry.shape.size.minCoeff() > 0.0))
      checks.report("geometry", geometry, "size", "every edge of 'size' must be > 0");
  }
  static std::optional<Solid> solid(const Shape& shape) { return solid_of_sizes(shape.size, shape.size.prod(), 12.0); }
  static constexpr std::string_view touched = "box";
  static std::string check_surface(const Shape& shape) {
    return check_rounding(shape, 0.5 * shape.size.minCoeff(), "half of its smallest edge");
  }
  static std::optional<ContactShape> surface(const Shape& shape) {
    ContactShape c;
    c.kind = ContactShape::Kind::box;
    c.half = 0.5 * shape.size - Eigen::Vector3d::Constant(shape.rounding);
    c.radius = shape.rounding;
    return c;
  }
  static constexpr std::string_view drawn_as = "box";
  static constexpr auto draw = draw_as_it_is;
};

}  // namespace

constinit const ShapeDescription kinds::box_shape = describe_shape<BoxShape>();

}  // namespace trammel
