// SPDX-License-Identifier: Apache-2.0
#include "trammel/mechanics/elements/triangle_mesh.h"
#include "trammel/mechanics/kinds/shape_parts.h"

namespace trammel {

namespace {

/// `vertices` and `triangles`, which need not enclose anything.
struct MeshShape {
  static constexpr std::string_view name = "mesh", meaning = "";
  static std::vector<Key> keys() {
    return {{.name = "file",
             .type = KeyType::text,
             .required = true,
             .meaning = "an STL or OBJ file, relative to the folder of the model"},
            {.name = "scale",
             .fallback = "1",
             .meaning = "of the file's numbers; 0.001 for a file in mm",
             .range = Range::above(0.0)}};
  }
  static void read(KindFields& fields, Shape& shape) {
    const double scale = fields.number("scale", 1.0);
    fields.mesh("file", shape);
    for (Eigen::Vector3f& vertex : shape.vertices) vertex *= static_cast<float>(scale);
  }
  static constexpr auto check = check_any_size;
  static std::optional<Solid> solid(const Shape& shape) { return solid_of_triangles(shape); }
  static constexpr std::string_view touched = "closed mesh";
  static std::string check_surface(const Shape& shape) {
    return TriangleMesh::find_issues(shape.vertices, shape.triangles);
  }
  static std::optional<ContactShape> surface(const Shape& shape) { return surface_of_triangles(shape, false, "mesh"); }
  static constexpr std::string_view drawn_as = "mesh";
  static constexpr auto draw = draw_as_it_is;
};

}  // namespace

constinit const ShapeDescription kinds::mesh_shape = describe_shape<MeshShape>();

}  // namespace trammel
