// SPDX-License-Identifier: Apache-2.0
#include "vtk_shapes.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "trammel/io/json_value.h"

namespace trammel {

namespace {

constexpr int n_around = 32;  // facets of what is round

using Profile = std::vector<std::pair<double, double>>;  // radius and z, from below

/// The profile turned about z; radii of zero are poles.
void revolve(const Profile& profile, Surface& surface) {
  for (const auto& [radius, z] : profile)
    for (int j = 0; j < n_around; ++j) {
      const double angle = 2.0 * std::numbers::pi * j / n_around;
      surface.points.emplace_back(radius * std::cos(angle), radius * std::sin(angle), z);
    }
  for (int i = 0; i + 1 < static_cast<int>(profile.size()); ++i)
    for (int j = 0; j < n_around; ++j) {
      const int a = i * n_around + j, b = i * n_around + (j + 1) % n_around;
      surface.polygons.push_back({a, b, b + n_around, a + n_around});
    }
}

/// A quarter of a circle about (0, z) from its equator to its pole (or back): `side` is +1 above, −1 below.
void add_cap(Profile& profile, double radius, double z, double side) {
  constexpr int n = 8;
  for (int i = 0; i <= n; ++i) {
    const double angle = 0.5 * std::numbers::pi * (side > 0.0 ? i : n - i) / n;
    profile.emplace_back(radius * std::cos(angle), z + side * radius * std::sin(angle));
  }
}

void extrude(const std::vector<double>& polygon, double length, Surface& surface) {
  const int n = static_cast<int>(polygon.size() / 2);
  std::vector<int> bottom, top;
  for (int side = 0; side < 2; ++side)
    for (int i = 0; i < n; ++i)
      surface.points.emplace_back(polygon[static_cast<std::size_t>(2 * i)],
                                  polygon[static_cast<std::size_t>(2 * i + 1)], (side - 0.5) * length);
  for (int i = 0; i < n; ++i) {
    bottom.insert(bottom.begin(), i), top.push_back(n + i);
    surface.polygons.push_back({i, (i + 1) % n, n + (i + 1) % n, n + i});
  }
  surface.polygons.push_back(std::move(bottom));
  surface.polygons.push_back(std::move(top));
}

void take_mesh(const JsonValue& shape, Surface& surface) {
  const std::vector<double> vertices = shape.numbers_at("vertices"), triangles = shape.numbers_at("triangles");
  for (std::size_t i = 0; i + 2 < vertices.size(); i += 3)
    surface.points.emplace_back(vertices[i], vertices[i + 1], vertices[i + 2]);
  const double n = static_cast<double>(surface.points.size());
  for (std::size_t i = 0; i + 2 < triangles.size(); i += 3) {
    const bool known = std::all_of(&triangles[i], &triangles[i] + 3, [&](double v) { return v >= 0.0 && v < n; });
    if (known)
      surface.polygons.push_back(
          {static_cast<int>(triangles[i]), static_cast<int>(triangles[i + 1]), static_cast<int>(triangles[i + 2])});
  }
}

/// In the shape's own axes.
void make_surface(const JsonValue& shape, Surface& surface) {
  const JsonValue* kind = shape.find("kind");
  if (kind == nullptr) return;
  const double r = shape.number_at("radius", 0.0), l = shape.number_at("length", 0.0);
  const double inner = shape.number_at("inner_radius", 0.0), h = 0.5 * l;
  Profile profile;
  if (kind->text == "box") {
    const std::vector<double> size = shape.numbers_at("size");
    if (size.size() != 3) return;
    const double x = 0.5 * size[0], y = 0.5 * size[1];
    extrude({-x, -y, x, -y, x, y, -x, y}, size[2], surface);
  } else if (kind->text == "extrusion") {
    if (const std::vector<double> polygon = shape.numbers_at("polygon"); polygon.size() >= 6)
      extrude(polygon, l, surface);
  } else if (kind->text == "mesh") {
    take_mesh(shape, surface);
  } else if (kind->text == "cylinder") {
    profile = {{inner, -h}, {r, -h}, {r, h}, {inner, h}};
    if (inner > 0.0) profile.emplace_back(inner, -h);
  } else if (kind->text == "cone") {
    profile = {{0.0, -h}, {r, -h}, {0.0, h}};
  } else if (kind->text == "sphere" || kind->text == "capsule") {
    const double straight = kind->text == "capsule" ? h : 0.0;
    add_cap(profile, r, -straight, -1.0);
    add_cap(profile, r, straight, 1.0);
  }
  if (!profile.empty()) revolve(profile, surface);
}

}  // namespace

std::vector<Surface> read_surfaces(const std::string& scene, int n_bodies) {
  std::vector<Surface> surfaces;
  const std::optional<JsonValue> read = parse_json(scene);
  const JsonValue* shapes = read ? read->find("shapes") : nullptr;
  if (shapes == nullptr) return surfaces;
  for (const JsonValue& shape : shapes->items) {
    Surface surface;
    const double body = shape.number_at("body", -1.0);
    surface.body = body >= 0.0 && body < n_bodies ? static_cast<int>(body) : -1;
    make_surface(shape, surface);
    const std::vector<double> at = shape.numbers_at("position"), q = shape.numbers_at("quaternion");
    if (surface.polygons.empty() || at.size() != 3 || q.size() != 4) continue;
    const Eigen::Matrix3d R = Eigen::Quaterniond(q[0], q[1], q[2], q[3]).toRotationMatrix();
    for (Eigen::Vector3d& point : surface.points) point = Eigen::Vector3d(at[0], at[1], at[2]) + R * point;
    surfaces.push_back(std::move(surface));
  }
  return surfaces;
}

}  // namespace trammel
