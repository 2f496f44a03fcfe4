// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "trammel/base/text.h"
#include "trammel/io/source_file.h"
#include "urdf_tree.h"

/// Where a mesh is. Nothing outside the folder of the URDF file and the stated folders is looked at, by whatever way it
/// is written: "..", links of the file system, absolute names.
namespace trammel::detail {

namespace {

namespace fs = std::filesystem;

fs::path resolved(const fs::path& path) {
  std::error_code trouble;
  const fs::path at = fs::absolute(path.empty() ? fs::path(".") : path, trouble);  // what is not there stays relative
  const fs::path found = fs::weakly_canonical(at, trouble);
  return trouble ? at.lexically_normal() : found;
}

// As read_source() knows files: links of the file system are not followed.
fs::path whole(const fs::path& path) {
  std::error_code ignored;
  return fs::absolute(path.empty() ? fs::path(".") : path, ignored).lexically_normal();
}

bool is_below(const fs::path& path, const fs::path& folder) {
  const fs::path at = resolved(path), base = resolved(folder);
  const auto [end, rest] = std::mismatch(base.begin(), base.end(), at.begin(), at.end());
  return end == base.end() || (end->empty() && std::next(end) == base.end());
}

bool is_below_any(const fs::path& path, const fs::path& folder, const std::vector<fs::path>& packages) {
  return is_below(path, folder) ||
         std::any_of(packages.begin(), packages.end(), [&](const fs::path& other) { return is_below(path, other); });
}

// package://NAME/rest: NAME below a stated folder, or a stated folder (or that of the file) that is called NAME.
std::vector<fs::path> places_of_package(const std::string& rest, const fs::path& folder,
                                        const std::vector<fs::path>& packages) {
  const std::size_t slash = rest.find('/');
  const std::string name = rest.substr(0, slash), inside = slash == rest.npos ? "" : rest.substr(slash + 1);
  std::vector<fs::path> places;
  for (const fs::path& base : packages) {
    places.push_back(base / name / inside);
    if (resolved(base).filename() == name) places.push_back(base / inside);
  }
  places.push_back(folder / name / inside);
  if (resolved(folder).filename() == name) places.push_back(folder / inside);
  return places;
}

}  // namespace

UrdfMesh find_urdf_mesh(const std::string& written, const fs::path& folder, const std::vector<fs::path>& packages,
                        const fs::path& relative_to) {
  UrdfMesh mesh;
  std::vector<fs::path> places;
  const std::size_t scheme = written.find("://");
  if (scheme == written.npos) {
    places.push_back(folder / written);
  } else if (written.starts_with("package://") || written.starts_with("model://")) {
    places = places_of_package(written.substr(scheme + 3), folder, packages);
  } else if (written.starts_with("file://")) {
    places.push_back(folder / written.substr(scheme + 3));
  } else {
    mesh.refused = fmt::format("the mesh '{}' is not a file here; nothing is fetched from elsewhere", written);
    return mesh;
  }
  std::string ending = fs::path(written).extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(), [](unsigned char c) { return std::tolower(c); });
  bool outside = false;
  for (const fs::path& place : places) {
    if (!is_below_any(place, folder, packages)) {
      outside = true;
    } else if (source_exists(place)) {
      if (ending != ".stl" && ending != ".obj")
        mesh.left_out =
            fmt::format("the mesh '{}' is not drawn: STL and OBJ files are read, not '{}'", written, ending);
      else
        mesh.file = whole(place).lexically_relative(whole(relative_to)).generic_string();
      return mesh;
    }
  }
  if (outside)
    mesh.refused = fmt::format(
        "the mesh '{}' lies outside of the folder of this file and of the stated folders; name "
        "its folder in 'packages' if it is meant",
        written);
  else
    mesh.refused = fmt::format("there is no mesh '{}'; looked for {}", written, [&] {
      std::vector<std::string> names;
      for (const fs::path& place : places) names.push_back(place.lexically_normal().generic_string());
      return join_quoted(names);
    }());
  return mesh;
}

}  // namespace trammel::detail
