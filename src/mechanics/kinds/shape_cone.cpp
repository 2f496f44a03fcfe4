// SPDX-License-Identifier: Apache-2.0
#include "trammel/mechanics/kinds/shape_parts.h"

namespace trammel {

namespace {

/// Base of `radius` at z = −length/2, apex at z = +length/2.
struct ConeShape {
  static constexpr std::string_view name = "cone", meaning = "";
  static std::vector<Key> keys() {
    return {shape_radius_key(), shape_length_key(), shape_axis_key("its direction, towards the tip")};
  }
  static void read(KindFields& fields, Shape& shape) {
    shape.radius = fields.number("radius", 1.0);
    shape.length = fields.number("length", 1.0);
    shape.orientation = fields.axes("axis");
  }
  static constexpr auto check = check_any_size;
  static std::optional<Solid> solid(const Shape& s) {
    const double r = s.radius, L = s.length, volume = std::numbers::pi * r * r * L / 3.0;
    Solid solid = solid_about_z(volume, 0.3 * volume * r * r, volume * (0.15 * r * r + 3.0 / 80.0 * L * L));
    solid.center.z() = -L / 4.0;
    return solid;
  }
  static constexpr std::string_view touched = "";
  static constexpr auto check_surface = touch_nothing;
  static constexpr auto surface = no_surface;
  static constexpr std::string_view drawn_as = "cone";
  static constexpr auto draw = draw_as_it_is;
};

}  // namespace

constinit const ShapeDescription kinds::cone_shape = describe_shape<ConeShape>();

}  // namespace trammel
