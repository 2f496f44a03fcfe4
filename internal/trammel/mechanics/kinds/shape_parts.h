// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <memory>
#include <numbers>
#include <utility>

#include "trammel/mechanics/elements/contact_surface.h"
#include "trammel/mechanics/elements/surface_points.h"
#include "trammel/mechanics/kinds/fields.h"
#include "trammel/mechanics/kinds/shape_descriptor.h"
#include "trammel/mechanics/model_checks.h"

/// What the descriptors of shapes are written with.

namespace trammel {

// ---- keys ----------------------------------------------------------------------------------------------------------

Key shape_radius_key();
Key shape_length_key(std::string meaning = "along the axis, half of it on either side");
Key shape_axis_key(std::string meaning = "its direction, `[x, y, z]` or `\"x\"`");
Key rounding_key();

/// `rounding`, where the table has that key.
void read_rounding(KindFields& fields, Shape& shape);

// ---- checks --------------------------------------------------------------------------------------------------------

inline void check_any_size(detail::ModelChecks&, const GeometrySpec&) {}
inline std::string touch_nothing(const Shape&) { return {}; }
/// Of surfaces with a radius.
std::string check_radius_of_surface(const Shape& shape);
std::string check_rounding(const Shape& shape, double most, std::string_view than);

// ---- solids, surfaces, pictures ------------------------------------------------------------------------------------

/// About z, in the middle.
Solid solid_about_z(double volume, double axial, double radial);
/// I = m Σ/k − m s²/k about axes of symmetry: a box by its edges (k = 12), an ellipsoid by its half axes (k = 5).
Solid solid_of_sizes(const Eigen::Vector3d& size, double volume, double k);
inline std::optional<Solid> no_solid(const Shape&) { return std::nullopt; }
inline std::optional<ContactShape> no_surface(const Shape&) { return std::nullopt; }
/// A core with a radius around it.
template <class Core>
ContactShape solid_surface(Core core, double radius) {
  ContactShape c;
  c.kind = ContactShape::Kind::solid;
  c.surface = std::make_shared<const Core>(std::move(core));
  c.radius = radius;
  return c;
}
inline std::shared_ptr<const SurfacePoints> make_points(std::vector<SurfacePoint> points, double radius = 0.0) {
  return std::make_shared<const SurfacePoints>(std::move(points), radius);
}
/// Of closed triangles, counter-clockwise seen from outside; nothing if they are not.
std::optional<Solid> solid_of_triangles(const Shape& shape);
/// What contacts touch of them.
ContactShape surface_of_triangles(const Shape& shape, bool convex, const std::string& word);
inline void draw_as_it_is(Shape&) {}

}  // namespace trammel
