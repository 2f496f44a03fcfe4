// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "trammel/mechanics/kinds/shape_parts.h"

namespace trammel {

namespace {

/// Everything below its xy plane, without end; drawn as a thin plate with the edges `size`.
struct PlaneShape {
  static constexpr std::string_view name = "plane", meaning = "";
  static std::vector<Key> keys() {
    return {shape_axis_key("its normal; bodies stay on that side"),
            {.name = "width",
             .unit = "m",
             .fallback = "1",
             .meaning = "of what is drawn, along x",
             .range = Range::above(0.0)},
            {.name = "depth",
             .unit = "m",
             .fallback = "1",
             .meaning = "of what is drawn, along y",
             .range = Range::above(0.0)}};
  }
  static void read(KindFields& fields, Shape& shape) {
    shape.size = {fields.number("width", 1.0), fields.number("depth", 1.0), 0.0};
    shape.orientation = fields.axes("axis");
  }
  static constexpr auto check = check_any_size;
  static constexpr auto solid = no_solid;
  static constexpr std::string_view touched = "plane";
  static constexpr auto check_surface = touch_nothing;
  static std::optional<ContactShape> surface(const Shape&) {
    ContactShape c;
    c.kind = ContactShape::Kind::plane;
    return c;
  }
  static constexpr std::string_view drawn_as = "box";
  static void draw(Shape& shape) {
    shape.size.z() = 0.005 * std::max(shape.size.x(), shape.size.y());
    shape.position -= 0.5 * shape.size.z() * shape.orientation.col(2);
  }
};

}  // namespace

constinit const ShapeDescription kinds::plane_shape = describe_shape<PlaneShape>();

}  // namespace trammel
