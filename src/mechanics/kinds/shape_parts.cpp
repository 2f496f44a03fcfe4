// SPDX-License-Identifier: Apache-2.0
#include "trammel/mechanics/kinds/shape_parts.h"

#include <fmt/format.h>

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

}  // namespace trammel
