// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "trammel/mechanics/kinds/shape_parts.h"

namespace trammel {

namespace {

/// About z, `length` long, with a bore of `inner_radius`; its edges rounded where it is touched.
struct CylinderShape {
  static constexpr std::string_view name = "cylinder", meaning = "";
  static std::vector<Key> keys() {
    return {shape_radius_key(),
            shape_length_key(),
            {.name = "inner_radius",
             .unit = "m",
             .fallback = "0",
             .meaning = "of a bore, less than `radius`",
             .range = Range::from(0.0)},
            shape_axis_key(),
            rounding_key()};
  }
  static void read(KindFields& fields, Shape& shape) {
    shape.radius = fields.number("radius", 1.0);
    shape.length = fields.number("length", 1.0);
    shape.orientation = fields.axes("axis");
    shape.inner_radius = fields.number("inner_radius", 0.0);
    if (!(shape.inner_radius < shape.radius)) {
      fields.report_at("inner_radius", fmt::format("'inner_radius' is {} but must be less than 'radius' = {}",
                                                   shape.inner_radius, shape.radius));
      shape.inner_radius = 0.0;
    }
    read_rounding(fields, shape);
  }
  static constexpr auto check = check_any_size;
  static std::optional<Solid> solid(const Shape& s) {
    const double r = s.radius, L = s.length;
    const double volume = std::numbers::pi * (r * r - s.inner_radius * s.inner_radius) * L;
    const double squares = r * r + s.inner_radius * s.inner_radius;
    return solid_about_z(volume, volume * squares / 2.0, volume * (3.0 * squares + L * L) / 12.0);
  }
  static constexpr std::string_view touched = "cylinder";
  static std::string check_surface(const Shape& shape) {
    if (std::string wrong = check_radius_of_surface(shape); !wrong.empty()) return wrong;
    return check_rounding(shape, std::min(shape.radius, 0.5 * shape.length), "its radius or half of its length");
  }
  static std::optional<ContactShape> surface(const Shape& shape) {
    ContactShape c;
    c.kind = ContactShape::Kind::cylinder;
    c.core_radius = shape.radius - shape.rounding;
    c.half_length = 0.5 * shape.length - shape.rounding;
    c.radius = shape.rounding;
    return c;
  }
  static constexpr std::string_view drawn_as = "cylinder";
  static constexpr auto draw = draw_as_it_is;
};

}  // namespace

constinit const ShapeDescription kinds::cylinder_shape = describe_shape<CylinderShape>();

}  // namespace trammel
