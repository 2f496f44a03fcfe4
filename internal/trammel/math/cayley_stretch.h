#pragma once

#include <cmath>
#include <numbers>

namespace trammel {

/// cay w turns by 2 atan(|w|/2), not by |w|. With
///
///   (1) κ(θ) = 2 tan(θ/2)/θ  for θ ≤ π/2,   κθ = 2 + 2 (θ − π/2)  beyond,   1 ≤ κ < 2
///
/// cay κΘ is the rotation by θ = |Θ| itself up to a quarter of a turn. tan has its pole at half a turn; along the
/// straight line, with the slope that tan has there, the map goes on and turns by less than θ, never by half a turn.
constexpr double longest_cayley_turn = std::numbers::pi / 2.0;  // [rad]

/// κ by θ², of a double or a dual number.
template <class S>
S calc_cayley_stretch(const S& square) {
  using std::sqrt, std::tan;
  // Of (θ/2)², below which the next term of the series is rounding.
  constexpr double series_limit = 0.01;
  const S u = 0.25 * square;
  if (u < series_limit) {
    const S c = 62.0 / 2835 + u * (1382.0 / 155925 + u * (21844.0 / 6081075));
    return 1.0 + u * (1.0 / 3 + u * (2.0 / 15 + u * (17.0 / 315 + u * c)));
  }
  const S angle = sqrt(square);
  if (angle < longest_cayley_turn) return 2.0 * tan(0.5 * angle) / angle;
  return 2.0 * (1.0 + angle - longest_cayley_turn) / angle;
}

/// The angle by which cay κΘ turns, Θ about a fixed axis.
inline double calc_cayley_turn(double turn) {
  if (std::abs(turn) <= longest_cayley_turn) return turn;
  return 2.0 * std::atan(0.5 * turn * calc_cayley_stretch(turn * turn));
}

}  // namespace trammel
