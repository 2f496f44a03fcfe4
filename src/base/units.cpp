// SPDX-License-Identifier: Apache-2.0
#include "trammel/base/units.h"

#include <charconv>
#include <cmath>
#include <numbers>
#include <unordered_map>

namespace trammel {

namespace {

struct NamedUnit {
  std::string_view name;
  Unit unit;
};

namespace of_unit {

constexpr Dimension make_dimension(int length, int mass, int time, int angle = 0, int byte = 0) {
  const auto half = [](int power) { return static_cast<signed char>(2 * power); };
  return {{half(length), half(mass), half(time), half(angle), half(byte)}};
}

constexpr Dimension length = make_dimension(1, 0, 0), mass = make_dimension(0, 1, 0), time = make_dimension(0, 0, 1),
                    angle = make_dimension(0, 0, 0, 1), angular_speed = make_dimension(0, 0, -1, 1),
                    frequency = make_dimension(0, 0, -1), speed = make_dimension(1, 0, -1),
                    force = make_dimension(1, 1, -2), work = make_dimension(2, 1, -2), power = make_dimension(2, 1, -3),
                    pressure = make_dimension(-1, 1, -2), byte = make_dimension(0, 0, 0, 0, 1), number{};

}  // namespace of_unit

// Inches, pounds and their like by definition: 1 in = 25.4 mm, 1 lb = 0.45359237 kg, 1 lbf = 1 lb · 9.80665 m/s².
constexpr double pound_force = 0.45359237 * 9.80665;
constexpr NamedUnit named_units[] = {
    {"m", {1, 1, of_unit::length}},
    {"km", {1e3, 1, of_unit::length}},
    {"dm", {1, 10, of_unit::length}},
    {"cm", {1, 100, of_unit::length}},
    {"mm", {1, 1e3, of_unit::length}},
    {"µm", {1, 1e6, of_unit::length}},
    {"um", {1, 1e6, of_unit::length}},
    {"nm", {1, 1e9, of_unit::length}},
    {"in", {25.4, 1e3, of_unit::length}},
    {"ft", {304.8, 1e3, of_unit::length}},
    {"kg", {1, 1, of_unit::mass}},
    {"g", {1, 1e3, of_unit::mass}},
    {"mg", {1, 1e6, of_unit::mass}},
    {"tonne", {1e3, 1, of_unit::mass}},
    {"lb", {0.45359237, 1, of_unit::mass}},
    {"s", {1, 1, of_unit::time}},
    {"ms", {1, 1e3, of_unit::time}},
    {"µs", {1, 1e6, of_unit::time}},
    {"us", {1, 1e6, of_unit::time}},
    {"ns", {1, 1e9, of_unit::time}},
    {"min", {60, 1, of_unit::time}},
    {"h", {3600, 1, of_unit::time}},
    {"rad", {1, 1, of_unit::angle}},
    {"mrad", {1, 1e3, of_unit::angle}},
    {"deg", {std::numbers::pi, 180, of_unit::angle}},
    {"°", {std::numbers::pi, 180, of_unit::angle}},
    {"rev", {2 * std::numbers::pi, 1, of_unit::angle}},
    {"rpm", {std::numbers::pi, 30, of_unit::angular_speed}},
    {"Hz", {1, 1, of_unit::frequency}},
    {"kHz", {1e3, 1, of_unit::frequency}},
    {"mph", {0.44704, 1, of_unit::speed}},
    {"N", {1, 1, of_unit::force}},
    {"mN", {1, 1e3, of_unit::force}},
    {"kN", {1e3, 1, of_unit::force}},
    {"MN", {1e6, 1, of_unit::force}},
    {"lbf", {pound_force, 1, of_unit::force}},
    {"Nm", {1, 1, of_unit::work}},
    {"kNm", {1e3, 1, of_unit::work}},
    {"Nmm", {1, 1e3, of_unit::work}},
    {"J", {1, 1, of_unit::work}},
    {"mJ", {1, 1e3, of_unit::work}},
    {"kJ", {1e3, 1, of_unit::work}},
    {"W", {1, 1, of_unit::power}},
    {"mW", {1, 1e3, of_unit::power}},
    {"kW", {1e3, 1, of_unit::power}},
    {"MW", {1e6, 1, of_unit::power}},
    {"Pa", {1, 1, of_unit::pressure}},
    {"hPa", {1e2, 1, of_unit::pressure}},
    {"kPa", {1e3, 1, of_unit::pressure}},
    {"MPa", {1e6, 1, of_unit::pressure}},
    {"GPa", {1e9, 1, of_unit::pressure}},
    {"mbar", {1e2, 1, of_unit::pressure}},
    {"bar", {1e5, 1, of_unit::pressure}},
    {"psi", {pound_force * 1e6, 25.4 * 25.4, of_unit::pressure}},
    {"B", {1, 1, of_unit::byte}},
    {"kB", {1e3, 1, of_unit::byte}},
    {"MB", {1e6, 1, of_unit::byte}},
    {"GB", {1e9, 1, of_unit::byte}},
    {"TB", {1e12, 1, of_unit::byte}},
    {"1", {1, 1, of_unit::number}},
};

// The power at the end of a word, "m²", "m^1.5", "s^-1", which is cut off; nothing if it cannot be read.
std::optional<double> cut_power(std::string_view& word) {
  static constexpr std::pair<std::string_view, double> raised[] = {{"²", 2.0}, {"³", 3.0}, {"⁴", 4.0}};
  for (const auto& [sign, value] : raised)
    if (word.ends_with(sign)) {
      word.remove_suffix(sign.size());
      return value;
    }
  const std::size_t caret = word.find('^');
  if (caret == std::string_view::npos) return 1.0;
  const std::string_view digits = word.substr(caret + 1);
  double value = 0.0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc{} || end != digits.data() + digits.size()) return std::nullopt;
  word = word.substr(0, caret);
  return value;
}

}  // namespace

std::optional<Dimension> Dimension::power(double exponent) const {
  Dimension result;
  for (std::size_t i = 0; i < n; ++i) {
    const double value = halves[i] * exponent;
    if (value != std::round(value) || std::abs(value) > 100.0) return std::nullopt;
    result.halves[i] = static_cast<signed char>(value);
  }
  return result;
}

Dimension Dimension::without_angle() const {
  Dimension result = *this;
  result.halves[angle] = 0;
  return result;
}

Dimension operator*(const Dimension& a, const Dimension& b) {
  Dimension result;
  for (std::size_t i = 0; i < Dimension::n; ++i) result.halves[i] = static_cast<signed char>(a.halves[i] + b.halves[i]);
  return result;
}

Dimension operator/(const Dimension& a, const Dimension& b) {
  Dimension result;
  for (std::size_t i = 0; i < Dimension::n; ++i) result.halves[i] = static_cast<signed char>(a.halves[i] - b.halves[i]);
  return result;
}

std::string to_string(const Dimension& dimension) {
  // Names of what is met often; else powers of the base units.
  static constexpr std::string_view common[] = {"m",   "kg",      "s",   "rad", "B",     "N",     "N m",
                                                "N/m", "N m/rad", "m/s", "Hz",  "rad/s", "Pa",    "m/s²",
                                                "W",   "kg m²",   "m²",  "m³",  "kg/m³", "N s/m", "N m s/rad"};
  for (const std::string_view text : common)
    if (parse_unit(text)->dimension == dimension) return std::string(text);
  static constexpr std::string_view base[] = {"m", "kg", "s", "rad", "B"};
  std::string text;
  for (std::size_t i = 0; i < Dimension::n; ++i) {
    const int halves = dimension.halves[i];
    if (halves == 0) continue;
    if (!text.empty()) text += ' ';
    text += base[i];
    if (halves == 2) continue;
    text += '^' + (halves % 2 == 0 ? std::to_string(halves / 2) : std::to_string(halves) + "/2");
  }
  return text.empty() ? "1" : text;
}

std::optional<Unit> find_unit(std::string_view word) {
  static const std::unordered_map<std::string_view, Unit> index = [] {
    std::unordered_map<std::string_view, Unit> map;
    for (const NamedUnit& entry : named_units) map.emplace(entry.name, entry.unit);
    return map;
  }();
  const std::optional<double> exponent = cut_power(word);
  const auto it = index.find(word);
  if (!exponent || it == index.end()) return std::nullopt;
  if (*exponent == 1.0) return it->second;
  const std::optional<Dimension> dimension = it->second.dimension.power(*exponent);
  if (!dimension) return std::nullopt;
  const double up = std::pow(it->second.up, std::abs(*exponent)), down = std::pow(it->second.down, std::abs(*exponent));
  return *exponent > 0.0 ? Unit{up, down, *dimension} : Unit{down, up, *dimension};
}

std::optional<Unit> parse_unit(std::string_view text) {
  static constexpr std::string_view dot = "·";
  Unit result;
  bool divide = false, any = false;
  while (!text.empty()) {
    if (text.starts_with(dot)) {
      text.remove_prefix(dot.size());
      continue;
    }
    if (text[0] == ' ' || text[0] == '*') {
      text.remove_prefix(1);
      continue;
    }
    if (text[0] == '/') {
      if (divide || !any) return std::nullopt;
      divide = true;
      text.remove_prefix(1);
      continue;
    }
    std::size_t end = std::min(text.find_first_of(" */"), text.size());
    end = std::min(end, text.find(dot));
    const std::optional<Unit> unit = find_unit(text.substr(0, end));
    if (!unit) return std::nullopt;
    result.up *= divide ? unit->down : unit->up;
    result.down *= divide ? unit->up : unit->down;
    result.dimension = divide ? result.dimension / unit->dimension : result.dimension * unit->dimension;
    divide = false;
    any = true;
    text.remove_prefix(end);
  }
  if (!any || divide) return std::nullopt;
  return result;
}

std::vector<Unit> allowed_units(std::string_view text) {
  std::vector<Unit> units;
  while (!text.empty()) {
    const std::size_t comma = text.find(',');
    if (const std::optional<Unit> unit = parse_unit(text.substr(0, comma))) units.push_back(*unit);
    if (comma == std::string_view::npos) break;
    text.remove_prefix(comma + 1);
  }
  return units;
}

const std::vector<std::string>& unit_words() {
  static const std::vector<std::string> words = [] {
    std::vector<std::string> list;
    for (const NamedUnit& entry : named_units)
      if (entry.name != "1") list.emplace_back(entry.name);
    return list;
  }();
  return words;
}

}  // namespace trammel
