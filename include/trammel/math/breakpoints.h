// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

namespace trammel {

/// Instants at which a function of time is not smooth: single ones, and progressions that repeat for ever.
/// An integrator ends a step at each, so that no step sees a kink inside.
class BreakpointSet {
 public:
  void add(double instant);
  /// first + k·period, all integers k; period ≠ 0.
  void add_progression(double first, double period);
  void add(const BreakpointSet& other);

  /// The first instant after t (strictly), +∞ when there is none.
  double next(double t) const;

  bool empty() const { return instants_.empty() && progressions_.empty(); }
  /// The single instants, ascending and without repetition.
  const std::vector<double>& instants() const { return instants_; }

 private:
  struct Progression {
    double first, period;
  };
  std::vector<double> instants_;
  std::vector<Progression> progressions_;
};

}  // namespace trammel
