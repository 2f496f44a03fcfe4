// SPDX-License-Identifier: Apache-2.0
#include "ticks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace trammel {

namespace {

// As many decimals as the step needs; powers of ten outside 1e-4 … 1e5.
std::string label(double value, double step, double largest) {
  if (std::abs(value) < 1e-9 * step) return "0";
  if (largest >= 1e5 || largest < 1e-3) {
    const int digits = std::max(
        0, static_cast<int>(std::floor(std::log10(std::abs(value)) + 1e-9) - std::floor(std::log10(step) + 1e-9)));
    return fmt::format("{:.{}e}", value, digits);
  }
  const int decimals = std::max(0, -static_cast<int>(std::floor(std::log10(step) + 1e-9)));
  return fmt::format("{:.{}f}", value, decimals);
}

}  // namespace

std::vector<Tick> linear_ticks(double from, double to, int wanted) {
  const double raw = (to - from) / std::max(1, wanted);
  const double power = std::pow(10.0, std::floor(std::log10(raw)));
  double step = 10.0 * power;
  for (const double factor : {1.0, 2.0, 5.0})
    if (factor * power >= 0.75 * raw) {
      step = factor * power;
      break;
    }
  const double largest = std::max(std::abs(from), std::abs(to));
  std::vector<Tick> ticks;
  const double first = std::ceil(from / step - 1e-9), last = std::floor(to / step + 1e-9);
  for (double k = first; k <= last && ticks.size() < 100; k += 1.0)
    ticks.push_back({k * step, label(k * step, step, largest)});
  return ticks;
}

std::vector<Tick> log_ticks(double from, double to, int wanted) {
  const int first = static_cast<int>(std::floor(std::log10(from) + 1e-9));
  const int last = static_cast<int>(std::ceil(std::log10(to) - 1e-9));
  if (std::log10(to / from) < 1.0) {
    std::vector<Tick> ticks = linear_ticks(from, to, std::max(2, wanted / 2));
    std::erase_if(ticks, [](const Tick& tick) { return tick.at <= 0.0; });
    if (ticks.size() >= 2) return ticks;
  }
  const int stride = std::max(1, (last - first + wanted - 1) / std::max(1, wanted));
  const auto inside = [&](double at) { return at >= from * (1 - 1e-9) && at <= to * (1 + 1e-9); };
  std::vector<Tick> ticks;
  for (int power = first; power <= last; ++power) {
    const double decade = std::pow(10.0, power);
    const bool labelled = (power % stride + stride) % stride == 0;
    if (inside(decade))
      ticks.push_back({decade, labelled ? "10" : "", labelled ? std::to_string(power) : "", labelled});
    if (stride == 1)
      for (int k = 2; k < 10; ++k)
        if (inside(k * decade)) ticks.push_back({k * decade, "", "", false});
  }
  return ticks;
}

}  // namespace trammel
