#include "trammel/simulation/coordinate_names.h"

#include <fmt/format.h>

#include <algorithm>

#include "trammel/base/error.h"
#include "trammel/base/text.h"

namespace trammel {

namespace {

std::string in_plane_word(const Eigen::Vector3d& direction, int number) {
  static constexpr const char* axes[] = {"x", "y", "z"};
  for (int k = 0; k < 3; ++k)
    if ((direction - Eigen::Vector3d::Unit(k)).norm() < 1e-12 || (direction + Eigen::Vector3d::Unit(k)).norm() < 1e-12)
      return axes[k];
  return fmt::format("u{}", number);
}

}  // namespace

std::vector<std::string> coordinate_names(const AbsoluteSystem& system) {
  std::vector<std::string> names(static_cast<std::size_t>(system.nv()));
  for (int f = 0; f < system.n_frames(); ++f) {
    const FrameMap& frame = system.frame_map(f);
    const auto set = [&](int k, const std::string& word) {
      names[static_cast<std::size_t>(frame.offset + k)] = word.empty() ? frame.name : frame.name + "." + word;
    };
    switch (frame.kind) {
      case FrameMap::Kind::ground:
        break;
      case FrameMap::Kind::rigid:
        set(3, "rx"), set(4, "ry"), set(5, "rz");
        [[fallthrough]];
      case FrameMap::Kind::particle:
        set(0, "x"), set(1, "y"), set(2, "z");
        break;
      case FrameMap::Kind::planar:
        set(0, in_plane_word(frame.S.block<3, 1>(0, 0), 1));
        set(1, in_plane_word(frame.S.block<3, 1>(0, 1), 2));
        set(2, "angle");
        break;
      case FrameMap::Kind::scalar:
        set(0, "");
        break;
    }
  }
  return names;
}

std::vector<int> find_coordinates(const AbsoluteSystem& system, const std::vector<std::string>& names,
                                  const std::string& option) {
  std::vector<int> found;
  if (names.empty()) return found;
  const std::vector<std::string> all = coordinate_names(system);
  std::vector<Issue> issues;
  for (const std::string& name : names) {
    const auto at = std::find(all.begin(), all.end(), name);
    const int index = static_cast<int>(at - all.begin());
    if (at == all.end()) {
      const std::string near = did_you_mean(name, all);
      issues.push_back({option, fmt::format("'{}' is no coordinate of the machine{} Coordinates are called BODY.x, .y, "
                                            ".z, .rx, .ry, .rz, .angle (planar), or by the name of a [[coordinate]]",
                                            name, near.empty() ? "." : near)});
    } else if (std::find(found.begin(), found.end(), index) != found.end()) {
      issues.push_back({option, fmt::format("'{}' is named twice", name)});
    } else {
      found.push_back(index);
    }
  }
  if (!issues.empty()) throw InputError(std::move(issues));
  return found;
}

}  // namespace trammel
