// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "trammel/mechanics/elements/triangle_mesh.h"
#include "trammel/mechanics/kinds/shape_parts.h"

namespace trammel {

namespace {

/// Ground over a grid in its xy plane, whose middle is the origin, as a solid: two triangles over each cell, walls, and
/// a floor a tenth of its width below the lowest height.
struct HeightFieldShape {
  static constexpr std::string_view name = "height_field", meaning = "ground by its heights over a grid";
  static std::vector<Key> keys() {
    return {{.name = "heights",
             .type = KeyType::matrix,
             .unit = "m",
             .required = true,
             .meaning = "rows along y of heights along x, two by two at least"},
            {.name = "spacing",
             .unit = "m",
             .required = true,
             .meaning = "between two heights, along x and y",
             .range = Range::above(0.0)}};
  }
  static void read(KindFields& fields, Shape& shape) {
    const double d = fields.number("spacing", 1.0);
    const std::vector<std::vector<double>> z = fields.rows("heights", 0, 2, "rows of heights");
    if (z.size() < 2) return;
    const int ny = static_cast<int>(z.size()), nx = static_cast<int>(z[0].size());
    if (nx < 2) return fields.report_at("heights", "a row of 'heights' needs two numbers at least");
    double low = z[0][0];
    for (const std::vector<double>& row : z) low = std::min(low, *std::min_element(row.begin(), row.end()));
    const double floor = low - 0.1 * d * std::max(nx - 1, ny - 1);
    for (const bool top : {true, false})
      for (int j = 0; j < ny; ++j)
        for (int i = 0; i < nx; ++i)
          shape.vertices.push_back(
              Eigen::Vector3d(d * (i - 0.5 * (nx - 1)), d * (j - 0.5 * (ny - 1)), top ? z[j][i] : floor).cast<float>());
    const auto at = [&](int i, int j) { return j * nx + i; };
    const int below = nx * ny;
    const auto add = [&](int a, int b, int c) { shape.triangles.push_back({a, b, c}); };
    for (int j = 0; j + 1 < ny; ++j)
      for (int i = 0; i + 1 < nx; ++i) {
        const int a = at(i, j), b = at(i + 1, j), c = at(i + 1, j + 1), e = at(i, j + 1);
        add(a, b, c), add(a, c, e);
        add(below + a, below + c, below + b), add(below + a, below + e, below + c);
      }
    const auto wall = [&](int a, int b) { add(b, a, below + a), add(b, below + a, below + b); };
    for (int i = 0; i + 1 < nx; ++i) wall(at(i, 0), at(i + 1, 0)), wall(at(i + 1, ny - 1), at(i, ny - 1));
    for (int j = 0; j + 1 < ny; ++j) wall(at(nx - 1, j), at(nx - 1, j + 1)), wall(at(0, j + 1), at(0, j));
  }
  static constexpr auto check = check_any_size;
  static constexpr auto solid = no_solid;
  static constexpr std::string_view touched = "height field";
  static std::string check_surface(const Shape& shape) {
    return TriangleMesh::find_issues(shape.vertices, shape.triangles);
  }
  static std::optional<ContactShape> surface(const Shape& shape) {
    return surface_of_triangles(shape, false, "height field");
  }
  static constexpr std::string_view drawn_as = "mesh";
  static constexpr auto draw = draw_as_it_is;
};

}  // namespace

constinit const ShapeDescription kinds::height_field_shape = describe_shape<HeightFieldShape>();

}  // namespace trammel
