// SPDX-License-Identifier: Apache-2.0
#include "trammel/mechanics/kinds/shape_parts.h"

namespace trammel {

namespace {

struct SphereShape {
  static constexpr std::string_view name = "sphere", meaning = "";
  static std::vector<Key> keys() { return {shape_radius_key()}; }
  static void read(KindFields& fields, Shape& shape) { shape.radius = fields.number("radius", 1.0); }
  static constexpr auto check = check_any_size;
  static std::optional<Solid> solid(const Shape& shape) {
    const double r = shape.radius, volume = 4.0 / 3.0 * std::numbers::pi * r * r * r;
    return solid_about_z(volume, 0.4 * volume * r * r, 0.4 * volume * r * r);
  }
  static constexpr std::string_view touched = "sphere";
  static constexpr auto check_surface = check_radius_of_surface;
  static std::optional<ContactShape> surface(const Shape& shape) {
    ContactShape c;
    c.kind = ContactShape::Kind::sphere;
    c.radius = shape.radius;
    return c;
  }
  static constexpr std::string_view drawn_as = "sphere";
  static constexpr auto draw = draw_as_it_is;
};

}  // namespace

constinit const ShapeDescription kinds::sphere_shape = describe_shape<SphereShape>();

}  // namespace trammel
