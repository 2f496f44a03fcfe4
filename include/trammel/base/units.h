// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace trammel {

/// What a quantity is made of: powers of metre, kilogram, second, radian and byte. Angles are counted although SI calls
/// them numbers, so that 50 Hz is not taken for 50 rad/s. Powers are kept in halves: N/m^1.5 exists.
struct Dimension {
  static constexpr int n = 5;
  static constexpr int angle = 3;  ///< place of the radian
  std::array<signed char, n> halves{};

  /// The power of a quantity; nothing if it is no multiple of one half, or too large.
  std::optional<Dimension> power(double exponent) const;
  Dimension without_angle() const;
  bool is_number() const { return *this == Dimension{}; }
  friend Dimension operator*(const Dimension& a, const Dimension& b);
  friend Dimension operator/(const Dimension& a, const Dimension& b);
  friend bool operator==(const Dimension&, const Dimension&) = default;
};

/// "kg m²/s²"; "1" for a number.
std::string to_string(const Dimension& dimension);

/// x [unit] = x · up / down in SI. Two factors, because 1/1000 is no double: 120 mm are 120/1000 m, rounded once.
struct Unit {
  double up = 1.0, down = 1.0;
  Dimension dimension;

  double to_si(double x) const { return x * up / down; }
};

/// One word: "mm", "kN", "rpm", "deg", with a power if it has one ("m²", "mm^2", "s^-1"). Nothing if it is none.
std::optional<Unit> find_unit(std::string_view word);

/// Words with blanks, "·" or "*" (products) and "/" (of the next word) between them: "kN/mm", "N m s/rad", "1/s".
/// Nothing if a word is no unit.
std::optional<Unit> parse_unit(std::string_view text);

/// What the unit of a key's description allows, "N/m, N m/rad": one or several. Empty: the key says no unit.
std::vector<Unit> allowed_units(std::string_view text);

/// Every word that is a unit, for messages.
const std::vector<std::string>& unit_words();

}  // namespace trammel
