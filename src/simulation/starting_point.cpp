// SPDX-License-Identifier: Apache-2.0
#include "trammel/simulation/starting_point.h"

#include <fmt/format.h>

#include <sstream>
#include <vector>

#include "trammel/base/error.h"

namespace trammel {

// "body<tab>rod<tab>0.1 0.2 …", a line each, with as many digits as it takes to read the same bits.
std::string StartingPoint::to_text() const {
  std::string text = fmt::format("time\t\t{}\n", t);
  const auto put = [&](const char* kind, const std::string& name, const auto&... numbers) {
    text += fmt::format("{}\t{}\t", kind, name);
    ((text += fmt::format("{} ", numbers)), ...);
    text.back() = '\n';
  };
  for (const auto& [name, b] : bodies)
    put("body", name, b.position[0], b.position[1], b.position[2], b.orientation.w(), b.orientation.x(),
        b.orientation.y(), b.orientation.z(), b.velocity[0], b.velocity[1], b.velocity[2], b.angular_velocity[0],
        b.angular_velocity[1], b.angular_velocity[2]);
  for (const auto& [name, x] : coordinates) put("coordinate", name, x.value, x.rate);
  for (const auto& [name, x] : angles) put("angle", name, x.value, x.rate);
  for (const auto& [name, x] : states) put("state", name, x);
  return text;
}

StartingPoint StartingPoint::from_text(const std::string& text) {
  StartingPoint point;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t first = line.find('\t'), second = line.find('\t', first + 1);
    if (first == line.npos || second == line.npos) throw Error("the beginning of a run is not written as one");
    const std::string kind = line.substr(0, first), name = line.substr(first + 1, second - first - 1);
    std::istringstream words(line.substr(second + 1));
    std::vector<double> x;
    for (std::string word; words >> word;) x.push_back(std::stod(word));
    x.resize(13, 0.0);
    if (kind == "time") point.t = x[0];
    if (kind == "body")
      point.bodies[name] = {
          {x[0], x[1], x[2]}, Eigen::Quaterniond(x[3], x[4], x[5], x[6]), {x[7], x[8], x[9]}, {x[10], x[11], x[12]}};
    if (kind == "coordinate") point.coordinates[name] = {x[0], x[1]};
    if (kind == "angle") point.angles[name] = {x[0], x[1]};
    if (kind == "state") point.states[name] = x[0];
  }
  return point;
}

}  // namespace trammel
