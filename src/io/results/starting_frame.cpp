// SPDX-License-Identifier: Apache-2.0
#include "trammel/io/starting_frame.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "trammel/io/results_reader.h"

namespace trammel {

namespace {

// Of the recorded span: an instant beside the first or last frame that is rounding.
constexpr double rounding_of_span = 1e-9;

// Calls give(name, numbers) with one row of a table, item by item; a table that is not there has no items.
template <class Give>
void read_items(const ResultsReader& reader, const std::string& path, std::int64_t row, const Give& give) {
  const TablePlace place = reader.schema().find_table(path);
  if (!place || place.width == 0) return;
  const RecordGroup& group = reader.schema().frames[static_cast<std::size_t>(place.group)];
  std::vector<double> numbers(static_cast<std::size_t>(place.width));
  reader.read_rows(false, place.group, row, 1, numbers);
  for (std::size_t i = 0; i < group.names.size(); ++i)
    give(group.names[i], numbers.data() + i * static_cast<std::size_t>(group.n_components()));
}

Eigen::Vector3d vector_of(const double* x) { return {x[0], x[1], x[2]}; }

}  // namespace

StartingPoint read_starting_point(const std::filesystem::path& results, double t) {
  const ResultsReader reader(results);
  const std::vector<double>& times = reader.times();
  const double margin = times.empty() ? 0.0 : rounding_of_span * (times.back() - times.front());
  if (times.empty() || t < times.front() - margin || t > times.back() + margin)
    throw InputError(fmt::format("'{}' has no frame at t = {:.6g} s{}", results.string(), t,
                                 times.empty()
                                     ? ": it has none at all"
                                     : fmt::format(": it goes from {:.6g} to {:.6g} s", times.front(), times.back())));
  const auto nearest = std::min_element(times.begin(), times.end(),
                                        [&](double a, double b) { return std::abs(a - t) < std::abs(b - t); });
  const std::int64_t row = nearest - times.begin();
  StartingPoint point;
  point.t = *nearest;
  // A body is there if all of it is.
  std::map<std::string, StartingPoint::Body> bodies;
  std::map<std::string, int> parts;
  const auto of_bodies = [&](const char* quantity, const auto& take) {
    read_items(reader, std::string("/frames/") + quantity, row,
               [&](const std::string& name, const double* x) { take(bodies[name], x), ++parts[name]; });
  };
  of_bodies("position", [](StartingPoint::Body& body, const double* x) { body.position = vector_of(x); });
  of_bodies("orientation", [](StartingPoint::Body& body, const double* x) {
    body.orientation = Eigen::Quaterniond(x[0], x[1], x[2], x[3]);
  });
  of_bodies("velocity", [](StartingPoint::Body& body, const double* x) { body.velocity = vector_of(x); });
  of_bodies("angular_velocity",
            [](StartingPoint::Body& body, const double* x) { body.angular_velocity = vector_of(x); });
  for (const auto& [name, body] : bodies)
    if (parts[name] == 4) point.bodies[name] = body;
  read_items(reader, "/frames/coordinate", row, [&](const std::string& name, const double* x) {
    point.coordinates[name] = {x[0], x[1]};
  });
  read_items(reader, "/frames/angle", row,
             [&](const std::string& name, const double* x) { point.angles[name].value = *x; });
  read_items(reader, "/frames/angle_rate", row,
             [&](const std::string& name, const double* x) { point.angles[name].rate = *x; });
  read_items(reader, "/frames/state", row, [&](const std::string& name, const double* x) { point.states[name] = *x; });
  return point;
}

}  // namespace trammel
