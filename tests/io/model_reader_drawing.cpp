// SPDX-License-Identifier: Apache-2.0
#include <Eigen/LU>
#include <cstdint>
#include <cstring>
#include <fstream>

#include "model_text.h"
#include "sample_run.h"
#include "trammel/simulation/scene.h"

// [[geometry]]: what pictures show, read from a model and handed on as the scene.

namespace trammel::test_model_reader_drawing {
namespace {

using sample::Folder;

Shape shape_of(const std::string& keys, const std::filesystem::path& name = "model.toml") {
  return read_study_text(pendulum + "\n[[geometry]]\nbody = \"rod\"\n" + keys, name).model.geometry.at(0).shape;
}

TEST(Geometry, reads_every_kind) {
  EXPECT_EQ(shape_of("kind = \"box\"\nsize = [1, \"L\", 3]").size, Eigen::Vector3d(1, 2, 3));
  EXPECT_EQ(shape_of("kind = \"sphere\"\nradius = 0.5").radius, 0.5);
  const Shape tube = shape_of("kind = \"cylinder\"\nradius = 0.5\ninner_radius = 0.4\nlength = 3\naxis = \"x\"");
  EXPECT_EQ(tube.inner_radius, 0.4);
  EXPECT_EQ(tube.orientation.col(2), Eigen::Vector3d::UnitX());
  EXPECT_NEAR(tube.orientation.determinant(), 1.0, 1e-15);
  EXPECT_EQ(shape_of("kind = \"capsule\"\nradius = 0.5\nlength = 3").kind, GeometryKind::capsule);
  EXPECT_EQ(shape_of("kind = \"cone\"\nradius = 0.5\nlength = 3").kind, GeometryKind::cone);
  const Shape plate = shape_of("kind = \"extrusion\"\npolygon = [[0, 0], [1, 0], [0, \"L\"]]\nlength = 0.1");
  ASSERT_EQ(plate.polygon.size(), 3u);
  EXPECT_EQ(plate.polygon[2], Eigen::Vector2d(0, 2));
}

TEST(Geometry, is_placed_in_the_axes_of_its_body_and_colored) {
  const Shape shape = shape_of(
      "kind = \"sphere\"\nradius = 1\nposition = [1, 2, 3]\ncolor = \"#12aBcd\"\n"
      "axis_angle = { axis = \"z\", angle = \"pi/2\" }");
  EXPECT_EQ(shape.position, Eigen::Vector3d(1, 2, 3));
  EXPECT_TRUE(shape.orientation.col(0).isApprox(Eigen::Vector3d::UnitY(), 1e-15));
  EXPECT_EQ(shape.color, "#12aBcd");
}

TEST(Geometry, replaces_the_drawing_of_the_shape_that_gave_the_inertia) {
  const std::string solid = replaced(pendulum, "mass = \"m\"\ninertia = [0.1, 2, 2]",
                                     "shape = { kind = \"box\", size = [2, 1, 1], density = 1, color = \"#ff0000\" }\n"
                                     "center_of_mass = [0.5, 0, 0]");
  const Model drawn = read(solid).model;
  ASSERT_EQ(drawn.geometry.size(), 1u);
  EXPECT_EQ(drawn.geometry[0].body, "rod");
  EXPECT_EQ(drawn.geometry[0].shape.position, Eigen::Vector3d(0.5, 0, 0));
  EXPECT_EQ(drawn.geometry[0].shape.color, "#ff0000");
  const Model replaced_by = read(solid + "\n[[geometry]]\nbody = \"rod\"\nkind = \"sphere\"\nradius = 1").model;
  ASSERT_EQ(replaced_by.geometry.size(), 1u);
  EXPECT_EQ(replaced_by.geometry[0].shape.kind, GeometryKind::sphere);
}

TEST(Geometry, refuses_what_cannot_be_drawn_where_it_stands) {
  const std::string head = pendulum + "\n[[geometry]]\n";
  expect_refused(head + "kind = \"box\"\nsize = [1, 0, 1]", "[1, 0, 1]", {"every edge must be > 0"});
  expect_refused(head + "kind = \"ball\"\nradius = 1", "\"ball\"", {"Allowed", "'sphere'"});
  expect_refused(head + "kind = \"sphere\"\nradius = 1\nbody = \"rd\"", "\"rd\"", {"did you mean 'rod'?"});
  expect_refused(head + "kind = \"sphere\"\nradius = 1\ncolor = \"red\"", "\"red\"", {"#rrggbb"});
  expect_refused(head + "kind = \"sphere\"\nradius = 1\nsize = [1, 1, 1]", "size = [1", {"unknown key 'size'"});
  expect_refused(head + "kind = \"extrusion\"\nlength = 1\npolygon = [[0, 0], [1, 1]]", "[[0, 0]", {"at least 3"});
  expect_refused(head + "kind = \"mesh\"\nfile = \"missing.stl\"", "\"missing.stl\"", {"missing.stl", "No such file"});
}

// A tetrahedron: 4 vertices, 4 triangles, in every format.
const char* const tetrahedron_obj =
    "# a comment\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nvn 0 0 1\nf 1 3 2\nf 1/1/1 2//1 4\nf -4 -1 -2\nf 2 3 4\n";

std::string binary_stl(int announced) {
  const float corner[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  const int face[4][3] = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};
  std::string bytes(80, ' ');
  bytes.replace(0, 5, "solid");  // misleads those who go by the first word
  const auto n = static_cast<std::uint32_t>(announced);
  bytes.append(reinterpret_cast<const char*>(&n), 4);
  for (const auto& f : face) {
    bytes.append(12, '\0');
    for (const int k : f) bytes.append(reinterpret_cast<const char*>(corner[k]), 12);
    bytes.append(2, '\0');
  }
  return bytes;
}

TEST(Geometry, reads_meshes_and_joins_equal_vertices) {
  const Folder folder;
  std::ofstream(folder / "a.obj") << tetrahedron_obj;
  std::ofstream(folder / "b.stl", std::ios::binary) << binary_stl(4);
  std::string text = "solid tetrahedron\n";
  for (const char* face : {"0 0 0|0 1 0|1 0 0", "0 0 0|1 0 0|0 0 1", "0 0 0|0 0 1|0 1 0", "1 0 0|0 1 0|0 0 1"}) {
    text += "facet normal 0 0 0\n outer loop\n  vertex ";
    for (const char* c = face; *c != '\0'; ++c) text += *c == '|' ? std::string("\n  vertex ") : std::string(1, *c);
    text += "\n endloop\nendfacet\n";
  }
  std::ofstream(folder / "c.STL") << text << "endsolid\n";
  for (const char* name : {"a.obj", "b.stl", "c.STL"}) {
    const Shape mesh =
        shape_of("kind = \"mesh\"\nscale = 2\nfile = \"" + std::string(name) + "\"", folder / "model.toml");
    EXPECT_EQ(mesh.vertices.size(), 4u) << name;
    ASSERT_EQ(mesh.triangles.size(), 4u) << name;
    // Outward faces: the enclosed volume is +1/6 of the cube of edge 2.
    double volume = 0.0;
    for (const auto& t : mesh.triangles) {
      const Eigen::Vector3f &a = mesh.vertices[t[0]], &b = mesh.vertices[t[1]], &c = mesh.vertices[t[2]];
      volume += (a.x() * (b.y() * c.z() - b.z() * c.y()) + a.y() * (b.z() * c.x() - b.x() * c.z()) +
                 a.z() * (b.x() * c.y() - b.y() * c.x())) /
                6.0;
    }
    EXPECT_NEAR(volume, 8.0 / 6.0, 1e-6) << name;
  }
}

TEST(Geometry, refuses_damaged_meshes_with_the_place_of_the_damage) {
  const Folder folder;
  const auto refusal = [&](const std::string& name, const std::string& content) {
    std::ofstream(folder / name, std::ios::binary) << content;
    return sample::message_of([&] { shape_of("kind = \"mesh\"\nfile = \"" + name + "\"", folder / "model.toml"); });
  };
  const auto says = [](const std::string& text, const std::string& words) {
    EXPECT_NE(text.find(words), std::string::npos) << text;
  };
  says(refusal("a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 4\n"), "line 4: there is no vertex '4', only 1 … 3");
  says(refusal("b.obj", "v 0 0\n"), "line 1: three coordinates are expected");
  says(refusal("c.stl", binary_stl(4).replace(0, 5, "xxxxx").substr(0, 200)), "neither a text STL file nor a binary");
  says(refusal("d.stl", "solid\nfacet\nvertex 0 0 0\nvertex 0 0 1\nendfacet\n"), "line 5: a facet has 2 vertices");
  says(refusal("e.stl", "solid nothing\nendsolid\n"), "it has no triangles");
  says(refusal("f.step", "x"), "STL (.stl) and OBJ (.obj)");
}

TEST(Scene, tells_where_joints_and_shapes_are_in_the_axes_of_their_bodies) {
  const std::string scene =
      scene_json(read(pendulum + "\n[[geometry]]\nbody = \"rod\"\nkind = \"box\"\nsize = [2, 1, 1]"
                                 "\n[[measure]]\nname = \"tip\"\nkind = \"point\"\nbody = \"rod\"\n"
                                 "point = [\"L\", 0, 0]")
                     .model);
  for (const char* part :
       {R"("gravity":[0,0,-9.81])", R"("bodies":[{"name":"rod","kind":"rigid","mass":6,"inertia":[0.1,2,2,0,0,0])",
        R"("shapes":[{"body":0,"kind":"box","position":[0,0,0],"quaternion":[1,0,0,0],"size":[2,1,1]}])",
        R"("a":-1,"b":0,"point_a":[0,0,0],"point_b":[-1,0,0],"axis_a":[0,1,0],"axis_b":[0,1,0])",
        R"("points":[{"name":"tip","body":0,"at":[1,0,0]}])"})
    EXPECT_NE(scene.find(part), std::string::npos) << part << " not in\n" << scene;
}

}  // namespace
}  // namespace trammel::test_model_reader_drawing
