// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <vector>

// The heap that is given to both: n³ balls that fall into a box without a lid.

namespace trammel::heap {

constexpr double radius = 0.05, density = 1000.0, friction = 0.3, restitution = 0.5, gravity = 9.81;
constexpr double near_wall = -0.06, end = 1.0;  // walls at x, y = −0.06 m and 2.3 r n; [s]
constexpr double window = 0.1;                  // [s] at the end, over which the load of the floor is averaged

inline double far_wall(int n) { return 2.3 * radius * n; }
inline double mass() { return density * 4.0 / 3.0 * M_PI * radius * radius * radius; }

/// Centres, three numbers each.
inline std::vector<double> centres(int n) {
  std::vector<double> at;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      for (int k = 0; k < n; ++k)
        at.insert(at.end(), {2.2 * radius * i + 0.01 * radius * std::sin(7 * k + j),
                             2.2 * radius * j + 0.01 * radius * std::cos(5 * k + i), radius * 1.2 + 2.2 * radius * k});
  return at;
}

struct Result {
  double seconds = 0.0;  ///< of the processor, without setting up
  long steps = 0;
  double mean_height = 0.0, top = 0.0;  ///< of the centres, and of the highest ball's top, at the end [m]
  double load = 0.0;                    ///< of the floor [N], mean of the window
  double overlap = 0.0;                 ///< the deepest of two balls at the end [m]
  double energy_rise = 0.0;             ///< largest between two of 500 instants, beside the energy at the start
};

/// Height, top and overlap of these centres.
inline void look(const std::vector<double>& at, Result& result) {
  const std::size_t n = at.size() / 3;
  result.mean_height = result.top = result.overlap = 0.0;
  for (std::size_t i = 0; i < n; ++i) {
    result.mean_height += at[3 * i + 2] / static_cast<double>(n);
    result.top = std::fmax(result.top, at[3 * i + 2] + radius);
    for (std::size_t j = 0; j < i; ++j) {
      const double x = at[3 * i] - at[3 * j], y = at[3 * i + 1] - at[3 * j + 1], z = at[3 * i + 2] - at[3 * j + 2];
      result.overlap = std::fmax(result.overlap, 2.0 * radius - std::sqrt(x * x + y * y + z * z));
    }
  }
}

double cpu_time();
Result run_bullet(int n, double h);

}  // namespace trammel::heap
