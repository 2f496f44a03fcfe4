// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace trammel {

/// A road by its height z over x and y, in the axes of the body that it belongs to as drawn (the ground: the world).
enum class RoadKind {
  plane,   ///< slopes alone
  table,   ///< heights `z` at `x`, or at the grid of `x` and `y`: spline along x, cubics across
  bump,    ///< one raised cosine along x
  sweep,   ///< waves along x whose length changes
  random,  ///< a profile of an ISO 8608 class
};

struct RoadShape {
  RoadKind kind = RoadKind::plane;
  double slope = 0.0, bank = 0.0;              ///< added to every kind: rise along x, along y [m/m]
  std::vector<double> x = {}, y = {}, z = {};  ///< table; z row by row: all y of the first x first
  double start = 0.0, length = 0.0;            ///< bump, sweep: where it begins [m], how long it is; random: its period
  double height = 0.0;                         ///< bump [m]
  double amplitude = 0.0;                      ///< sweep [m]
  double first_wavelength = 0.0, last_wavelength = 0.0;  ///< sweep [m]; random: longest, shortest
  double roughness = 0.0;                                ///< random: G_d(n₀) [m³] at n₀ = 0.1 cycles per metre
  double waviness = 2.0;                                 ///< random: G_d(n) = G_d(n₀) (n/n₀)^−w
  std::uint64_t seed = 0;                                ///< random
};

}  // namespace trammel
