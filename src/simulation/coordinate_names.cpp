// SPDX-License-Identifier: Apache-2.0
#include "trammel/simulation/coordinate_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "trammel/base/error.h"
#include "trammel/base/text.h"
#include "trammel/mechanics/absolute/absolute_system.h"

namespace trammel {

namespace {

std::string in_plane_word(const Eigen::Vector3d& direction, int number) {
  static constexpr const char* axes[] = {"x", "y", "z"};
  for (int k = 0; k < 3; ++k)
    if ((direction - Eigen::Vector3d::Unit(k)).norm() < 1e-12 || (direction + Eigen::Vector3d::Unit(k)).norm() < 1e-12)
      return axes[k];
  return fmt::format("u{}", number);
}

// "joint 'crank', angle [rad]" -> "crank.angle", "coordinate 'phi'" -> "phi".
std::string name_of(const std::string& description) {
  static const std::map<std::string, std::string> words{{"position x", "x"},           {"position y", "y"},
                                                        {"position z", "z"},           {"rotation about x", "rx"},
                                                        {"rotation about y", "ry"},    {"rotation about z", "rz"},
                                                        {"in-plane position 1", "u1"}, {"in-plane position 2", "u2"},
                                                        {"first angle", "angle1"},     {"second angle", "angle2"}};
  const std::size_t open = description.find('\''), close = description.rfind('\''), unit = description.rfind(" [");
  if (open == std::string::npos || close <= open) return description;
  const std::string owner = description.substr(open + 1, close - open - 1);
  if (description.size() <= close + 3) return owner;
  const std::string freedom = description.substr(close + 3, unit == std::string::npos ? unit : unit - close - 3);
  const auto known = words.find(freedom);
  return owner + "." + (known == words.end() ? freedom : known->second);
}

std::vector<std::string> absolute_names(const AbsoluteSystem& system) {
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

}  // namespace

std::vector<std::string> coordinate_names(const MechanicalSystem& system) {
  if (const auto* absolute = dynamic_cast<const AbsoluteSystem*>(&system)) return absolute_names(*absolute);
  std::vector<std::string> names;
  for (int i = 0; i < system.nv(); ++i) names.push_back(name_of(system.describe_coordinate(i)));
  return names;
}

std::vector<int> find_coordinates(const MechanicalSystem& system, const std::vector<std::string>& names,
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
                                            ".z, .rx, .ry, .rz, .angle (planar), JOINT.angle, .displacement (joint "
                                            "coordinates), or by the name of a [[coordinate]]",
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
