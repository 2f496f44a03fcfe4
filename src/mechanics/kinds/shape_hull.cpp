// SPDX-License-Identifier: Apache-2.0
#include "trammel/mechanics/elements/triangle_mesh.h"
#include "trammel/mechanics/kinds/shape_parts.h"

namespace trammel {

namespace {

/// The smallest convex solid around points, as `vertices` and `triangles`.
struct HullShape {
  static constexpr std::string_view name = "hull", meaning = "the smallest convex solid around points";
  static std::vector<Key> keys() {
    return {{.name = "points", .type = KeyType::matrix, .unit = "m", .meaning = "`[[x, y, z], …]`, four at least"},
            {.name = "file",
             .type = KeyType::text,
             .meaning = "instead: those of an STL or OBJ file, relative to the folder of the model"}};
  }
  static void read(KindFields& fields, Shape& shape) {
    const std::string which = fields.one_of({"points", "file"});
    if (which.empty()) return fields.require("points");
    std::vector<Eigen::Vector3d> points;
    if (which == "file") {
      Shape from;
      fields.mesh("file", from);
      for (const Eigen::Vector3f& v : from.vertices) points.push_back(v.cast<double>());
      if (points.empty()) return;
    } else {
      // As they are kept: the hull of other numbers would be convex to the rounding of single ones alone.
      for (const std::vector<double>& p : fields.rows("points", 3, 4, "points [x, y, z]"))
        points.push_back(Eigen::Vector3d(p[0], p[1], p[2]).cast<float>().cast<double>());
      if (points.size() < 4) return;
    }
    const std::vector<TriangleMesh::Triangle> triangles = make_hull(points);
    if (triangles.empty()) return fields.report_at(which, "all points are in one plane: there is nothing between them");
    std::vector<int> place(points.size(), -1);
    for (TriangleMesh::Triangle t : triangles) {
      for (int& corner : t) {
        if (place[corner] < 0) {
          place[corner] = static_cast<int>(shape.vertices.size());
          shape.vertices.push_back(points[corner].cast<float>());
        }
        corner = place[corner];
      }
      shape.triangles.push_back(t);
    }
  }
  static constexpr auto check = check_any_size;
  static std::optional<Solid> solid(const Shape& shape) { return solid_of_triangles(shape); }
  static constexpr std::string_view touched = "hull";
  static std::string check_surface(const Shape& shape) {
    return TriangleMesh::find_issues(shape.vertices, shape.triangles);
  }
  static std::optional<ContactShape> surface(const Shape& shape) { return surface_of_triangles(shape, true, "hull"); }
  static constexpr std::string_view drawn_as = "mesh";
  static constexpr auto draw = draw_as_it_is;
};

}  // namespace

constinit const ShapeDescription kinds::hull_shape = describe_shape<HullShape>();

}  // namespace trammel
