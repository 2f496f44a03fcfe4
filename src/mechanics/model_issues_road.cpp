// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <utility>

#include "trammel/mechanics/model_checks.h"

namespace trammel::detail {

namespace {

constexpr double most_samples = 4e6;  // of a random profile

void check_table(ModelChecks& checks, const RoadSpec& road) {
  const std::size_t n_y = std::max<std::size_t>(1, road.y.size());
  if (road.x.size() < 2)
    return checks.report("road", road, "x", fmt::format("'x' has {} numbers and needs two at least", road.x.size()));
  if (road.z.size() != road.x.size() * n_y)
    return checks.report("road", road, "z",
                         fmt::format("'z' has {} numbers but needs {}: one for each x{}", road.z.size(),
                                     road.x.size() * n_y, road.y.empty() ? "" : " and y"));
  for (const auto& [key, values] : {std::pair{"x", &road.x}, std::pair{"y", &road.y}})
    for (std::size_t i = 1; i < values->size(); ++i)
      if (!((*values)[i] > (*values)[i - 1]))
        return checks.report("road", road, key,
                             fmt::format("'{}' must increase, but {} follows {}", key, (*values)[i], (*values)[i - 1]));
  for (const double z : road.z)
    if (!std::isfinite(z)) return checks.report("road", road, "z", "'z' is not finite");
}

}  // namespace

void check_roads(ModelChecks& checks) {
  for (const RoadSpec& road : checks.model.roads) {
    check_body_reference(checks, "road", road, "body", road.body);
    const auto positive = [&](const char* key, double value) {
      if (std::isfinite(value) && value > 0.0) return true;
      checks.report("road", road, key, fmt::format("'{}' is {} but must be > 0", key, value));
      return false;
    };
    switch (road.kind) {
      case RoadKind::plane:
        break;
      case RoadKind::table:
        check_table(checks, road);
        break;
      case RoadKind::bump:
        positive("length", road.length);
        break;
      case RoadKind::sweep:
        positive("length", road.length);
        positive("first_wavelength", road.first_wavelength);
        positive("last_wavelength", road.last_wavelength);
        break;
      case RoadKind::random:
        positive("roughness", road.roughness);
        if (!positive("length", road.length) || !positive("last_wavelength", road.last_wavelength)) break;
        if (!(road.first_wavelength > road.last_wavelength) || road.first_wavelength > road.length)
          checks.report(
              "road", road, "first_wavelength",
              fmt::format("'first_wavelength' is {} m; it must be longer than 'last_wavelength' = {} m and not "
                          "longer than 'length' = {} m",
                          road.first_wavelength, road.last_wavelength, road.length));
        else if (8.0 * road.length / road.last_wavelength > most_samples)
          checks.report("road", road, "length",
                        fmt::format("a profile of {} m with waves of {} m has more than {:.0f} points", road.length,
                                    road.last_wavelength, most_samples));
        break;
    }
  }
}

}  // namespace trammel::detail
