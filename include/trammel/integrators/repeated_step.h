// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace trammel {

/// A step of another run that is taken again: its size, and whatever a method would choose by looking at numbers. Two
/// runs that repeat the same steps differ by a smooth function of what their models differ in: nothing is accepted,
/// rejected or stopped by a test.
struct RepeatedStep {
  double h = 0.0;             ///< [s]
  double t = 0.0;             ///< where it ends [s]
  int order = 0;              ///< of the formula, where it varies
  int iterations = 0;         ///< of Newton, in the attempt that was accepted
  int linearizations = 0;     ///< > 0: the iteration begins with new planes
  int factorizations = 0;     ///< > 0: and with new factors
  int stages = 0;             ///< of explicit methods that choose how many; 0: as many as the order has
  bool moves_charts = false;  ///< before it, of methods that choose when

  /// Newton did not converge with a matrix that was kept: there was a new one in every iteration.
  bool renews_matrix() const { return iterations > 1 && linearizations >= iterations; }
};

}  // namespace trammel
