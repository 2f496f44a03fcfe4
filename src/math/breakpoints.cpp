// SPDX-License-Identifier: Apache-2.0
#include "trammel/math/breakpoints.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace trammel {

void BreakpointSet::add(double instant) {
  if (!std::isfinite(instant)) return;
  const auto place = std::lower_bound(instants_.begin(), instants_.end(), instant);
  if (place == instants_.end() || *place != instant) instants_.insert(place, instant);
}

void BreakpointSet::add_progression(double first, double period) {
  if (std::isfinite(first) && std::isfinite(period) && period != 0.0)
    progressions_.push_back({first, std::abs(period)});
}

void BreakpointSet::add(const BreakpointSet& other) {
  for (const double instant : other.instants_) add(instant);
  progressions_.insert(progressions_.end(), other.progressions_.begin(), other.progressions_.end());
}

double BreakpointSet::next(double t) const {
  const auto after = std::upper_bound(instants_.begin(), instants_.end(), t);
  double result = after == instants_.end() ? std::numeric_limits<double>::infinity() : *after;
  for (const auto& [first, period] : progressions_) {
    // Rounding may put ⌊(t − first)/period⌋ one too high or too low; the first of the neighbours after t is right.
    const double k = std::floor((t - first) / period);
    for (const double step : {-1.0, 0.0, 1.0, 2.0}) {
      const double candidate = first + (k + step) * period;
      if (candidate > t) {
        result = std::min(result, candidate);
        break;
      }
    }
  }
  return result;
}

}  // namespace trammel
