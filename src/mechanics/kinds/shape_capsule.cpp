// SPDX-License-Identifier: Apache-2.0
#include "trammel/mechanics/kinds/shape_parts.h"

namespace trammel {

namespace {

/// A cylinder of `length` with half spheres at its ends.
struct CapsuleShape {
  static constexpr std::string_view name = "capsule", meaning = "";
  static std::vector<Key> keys() {
    return {shape_radius_key(), shape_length_key("along the axis, without the round ends"), shape_axis_key()};
  }
  static void read(KindFields& fields, Shape& shape) {
    shape.radius = fields.number("radius", 1.0);
    shape.length = fields.number("length", 1.0);
    shape.orientation = fields.axes("axis");
  }
  static constexpr auto check = check_any_size;
  static std::optional<Solid> solid(const Shape& s) {
    const double r = s.radius, L = s.length;
    const double tube = std::numbers::pi * r * r * L, ends = 4.0 / 3.0 * std::numbers::pi * r * r * r;
    return solid_about_z(tube + ends, tube * r * r / 2.0 + 0.4 * ends * r * r,
                         tube * (3.0 * r * r + L * L) / 12.0 + ends * (0.4 * r * r + L * L / 4.0 + 3.0 / 8.0 * L * r));
  }
  static constexpr std::string_view touched = "capsule";
  static constexpr auto check_surface = check_radius_of_surface;
  static std::optional<ContactShape> surface(const Shape& shape) {
    ContactShape c;
    c.kind = ContactShape::Kind::capsule;
    c.half_length = 0.5 * shape.length;
    c.radius = shape.radius;
    return c;
  }
  static constexpr std::string_view drawn_as = "capsule";
  static constexpr auto draw = draw_as_it_is;
};

}  // namespace

constinit const ShapeDescription kinds::capsule_shape = describe_shape<CapsuleShape>();

}  // namespace trammel
