// SPDX-License-Identifier: Apache-2.0
#include "mesh_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <sstream>
#include <unordered_map>

#include "trammel/base/error.h"
#include "trammel/io/source_file.h"

namespace trammel {

namespace {

constexpr std::size_t stl_head = 84, stl_triangle = 50;  // bytes of a binary STL file: title and count, one triangle

using Corner = std::array<float, 3>;
struct HashCorner {
  std::size_t operator()(const Corner& corner) const {
    std::uint32_t words[3];
    std::memcpy(words, corner.data(), sizeof words);
    std::uint64_t key = 0;
    for (const std::uint32_t word : words) key = (key ^ word) * 0x9e3779b97f4a7c15ull, key ^= key >> 29;
    return static_cast<std::size_t>(key);
  }
};

class MeshBuilder {
 public:
  explicit MeshBuilder(const std::filesystem::path& path) : path_(path) { mesh_.kind = GeometryKind::mesh; }

  [[noreturn]] void refuse(const std::string& reason) const {
    throw IoError(fmt::format("cannot read the mesh '{}': {}", path_.string(), reason));
  }

  /// Where it stands in the file: a number of `what`.
  int vertex(const Eigen::Vector3f& at, std::string_view what, std::size_t number) {
    if (!at.allFinite()) refuse(fmt::format("{} {}: a coordinate is not a finite number", what, number));
    const Corner corner{at.x() + 0.0f, at.y() + 0.0f, at.z() + 0.0f};  // −0 is 0
    const auto [it, is_new] = index_.try_emplace(corner, static_cast<int>(mesh_.vertices.size()));
    if (is_new) mesh_.vertices.push_back(at);
    return it->second;
  }
  void expect(std::size_t n_triangles) {
    mesh_.triangles.reserve(n_triangles);
    mesh_.vertices.reserve(n_triangles / 2 + 3);
    index_.reserve(n_triangles / 2 + 3);
  }

  void triangle(int a, int b, int c) {
    if (a != b && b != c && c != a) mesh_.triangles.push_back({a, b, c});
  }

  Shape take() {
    if (mesh_.triangles.empty()) refuse("it has no triangles");
    return std::move(mesh_);
  }

 private:
  const std::filesystem::path& path_;
  Shape mesh_;
  std::unordered_map<Corner, int, HashCorner> index_;
};

std::string at_line(int line) { return fmt::format("line {}", line); }

Eigen::Vector3f read_vertex(std::istringstream& words, const MeshBuilder& mesh, int line) {
  Eigen::Vector3f at;
  for (int i = 0; i < 3; ++i)
    if (!(words >> at[i])) mesh.refuse(at_line(line) + ": three coordinates are expected");
  return at;
}

void read_binary_stl(const std::string& bytes, std::uint32_t count, MeshBuilder& mesh) {
  mesh.expect(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    float corner[9];
    std::memcpy(corner, bytes.data() + stl_head + i * stl_triangle + 12, sizeof corner);
    int v[3];
    for (int k = 0; k < 3; ++k)
      v[k] = mesh.vertex({corner[3 * k], corner[3 * k + 1], corner[3 * k + 2]}, "triangle", i + std::size_t{1});
    mesh.triangle(v[0], v[1], v[2]);
  }
}

void read_text_stl(const std::string& text, MeshBuilder& mesh) {
  std::istringstream lines(text);
  std::string line, word;
  std::vector<int> corners;
  for (int number = 1; std::getline(lines, line); ++number) {
    std::istringstream words(line);
    if (!(words >> word)) continue;
    if (word == "vertex")
      corners.push_back(mesh.vertex(read_vertex(words, mesh, number), "line", static_cast<std::size_t>(number)));
    if (word != "endfacet") continue;
    if (corners.size() != 3) mesh.refuse(fmt::format("{}: a facet has {} vertices", at_line(number), corners.size()));
    mesh.triangle(corners[0], corners[1], corners[2]);
    corners.clear();
  }
}

void read_stl(const std::string& bytes, MeshBuilder& mesh) {
  std::uint32_t count = 0;
  if (bytes.size() >= stl_head) std::memcpy(&count, bytes.data() + stl_head - sizeof count, sizeof count);
  // The size is what tells the two apart: titles of binary files, too, begin with "solid".
  if (bytes.size() >= stl_head && bytes.size() == stl_head + stl_triangle * std::size_t{count})
    return read_binary_stl(bytes, count, mesh);
  if (bytes.rfind("solid", 0) != 0)
    mesh.refuse(fmt::format("it is neither a text STL file nor a binary one ({} triangles announced, {} bytes)", count,
                            bytes.size()));
  read_text_stl(bytes, mesh);
}

void read_obj(const std::string& text, MeshBuilder& mesh) {
  std::istringstream lines(text);
  std::string line, word;
  std::vector<int> vertices;
  for (int number = 1; std::getline(lines, line); ++number) {
    std::istringstream words(line);
    if (!(words >> word)) continue;
    if (word == "v")
      vertices.push_back(mesh.vertex(read_vertex(words, mesh, number), "line", static_cast<std::size_t>(number)));
    if (word != "f") continue;
    std::vector<int> corners;
    const int n = static_cast<int>(vertices.size());
    for (std::string corner; words >> corner;) {  // "7", "7/1", "7//3"; −1 is the vertex before
      int i = 0;
      const auto parsed = std::from_chars(corner.data(), corner.data() + corner.size(), i);
      if (i < 0) i += n + 1;
      if (parsed.ec != std::errc() || i < 1 || i > n)
        mesh.refuse(fmt::format("{}: there is no vertex '{}', only 1 … {}", at_line(number), corner, n));
      corners.push_back(vertices[static_cast<std::size_t>(i - 1)]);
    }
    if (corners.size() < 3) mesh.refuse(at_line(number) + ": a face needs at least three vertices");
    for (std::size_t k = 2; k < corners.size(); ++k) mesh.triangle(corners[0], corners[k - 1], corners[k]);
  }
}

}  // namespace

Shape read_mesh(const std::filesystem::path& path) {
  MeshBuilder mesh(path);
  std::string bytes;
  if (const std::string trouble = read_source(path, bytes); !trouble.empty()) mesh.refuse(trouble);
  std::string ending = path.extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(), [](unsigned char c) { return std::tolower(c); });
  if (ending == ".stl")
    read_stl(bytes, mesh);
  else if (ending == ".obj")
    read_obj(bytes, mesh);
  else
    mesh.refuse(fmt::format("its ending is '{}'; STL (.stl) and OBJ (.obj) files are read", ending));
  return mesh.take();
}

}  // namespace trammel
