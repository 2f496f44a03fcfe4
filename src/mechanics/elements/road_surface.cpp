// SPDX-License-Identifier: Apache-2.0
#include "trammel/mechanics/elements/road_surface.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "trammel/math/taylor.h"

namespace trammel {

namespace {

constexpr double tau = 2.0 * std::numbers::pi;
constexpr double n_0 = 0.1;  // [1/m], reference of ISO 8608

// The same numbers on every machine: splitmix64 of G. Steele, D. Lea, C. Flood (OOPSLA 2014).
double next_uniform(std::uint64_t& state) {
  state += 0x9e3779b97f4a7c15ULL;
  std::uint64_t x = state;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  x ^= x >> 31;
  return static_cast<double>(x >> 11) * 0x1.0p-53;
}

CubicSpline periodic_profile(const RoadShape& shape) {
  const int n = static_cast<int>(std::ceil(shape.length / shape.last_wavelength)) * samples_per_wave;
  std::vector<double> x(static_cast<std::size_t>(n) + 1), z = calc_random_profile(shape, n);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = shape.length * static_cast<double>(i) / n;
  z.push_back(z.front());
  return CubicSpline(x, z, {SplineEnds::periodic, Extrapolation::linear});
}

}  // namespace

double roughness_of_class(char letter) { return 16e-6 * std::pow(4.0, letter - 'A'); }

std::vector<double> calc_random_profile(const RoadShape& shape, int n) {
  std::vector<double> z(static_cast<std::size_t>(n), 0.0);
  std::uint64_t state = shape.seed;
  const double dn = 1.0 / shape.length;
  const int first = std::max(1, static_cast<int>(std::ceil(shape.length / shape.first_wavelength - 1e-9)));
  const int last = static_cast<int>(std::floor(shape.length / shape.last_wavelength + 1e-9));
  for (int k = first; k <= last; ++k) {
    const double size = std::sqrt(2.0 * shape.roughness * std::pow(k * dn / n_0, -shape.waviness) * dn);
    const double phase = tau * next_uniform(state);
    // cos(φ + j δ) by turning a pair of numbers, anew every 64 samples so that rounding does not add up.
    const double step = tau * k / n, c = std::cos(step), s = std::sin(step);
    double a = 0.0, b = 0.0;
    for (int j = 0; j < n; ++j) {
      if (j % 64 == 0) {
        const double turns = std::fmod(static_cast<double>(k) * j, n) / n;
        a = size * std::cos(phase + tau * turns), b = size * std::sin(phase + tau * turns);
      }
      z[static_cast<std::size_t>(j)] += a;
      const double next = a * c - b * s;
      b = a * s + b * c;
      a = next;
    }
  }
  return z;
}

RoadSurface::RoadSurface(const RoadShape& shape) : shape_(shape) {
  if (shape.kind == RoadKind::random) lines_.push_back(periodic_profile(shape));
  if (shape.kind != RoadKind::table) return;
  const std::size_t n_y = std::max<std::size_t>(1, shape.y.size());
  std::vector<double> z(shape.x.size());
  for (std::size_t j = 0; j < n_y; ++j) {
    for (std::size_t i = 0; i < z.size(); ++i) z[i] = shape.z[i * n_y + j];
    lines_.emplace_back(shape.x, z, SplineOptions{SplineEnds::not_a_knot, Extrapolation::constant});
  }
}

RoadSurface::Along RoadSurface::along(double x) const {
  const double u = x - shape_.start;
  switch (shape_.kind) {
    case RoadKind::random: {
      const Taylor2<double> z = lines_.front().evaluate(Taylor2<double>::time(x));
      return {z.v, z.d, z.dd};
    }
    case RoadKind::bump: {
      if (u <= 0.0 || u >= shape_.length) return {};
      const double k = tau / shape_.length, half = 0.5 * shape_.height;
      return {half * (1.0 - std::cos(k * u)), half * k * std::sin(k * u), half * k * k * std::cos(k * u)};
    }
    case RoadKind::sweep: {
      if (u <= 0.0) return {};
      const double k_1 = tau / shape_.first_wavelength, k_2 = tau / shape_.last_wavelength;
      const double v = std::min(u, shape_.length), dk = (k_2 - k_1) / shape_.length;
      const double phase = v * (k_1 + 0.5 * dk * v), k = k_1 + dk * v, a = shape_.amplitude;
      if (u >= shape_.length) return {a * (1.0 - std::cos(phase)), 0.0, 0.0};
      return {a * (1.0 - std::cos(phase)), a * k * std::sin(phase),
              a * (dk * std::sin(phase) + k * k * std::cos(phase))};
    }
    case RoadKind::plane:
    case RoadKind::table:
      break;
  }
  return {};
}

// Catmull and Rom's cubics across the lines beside y; the first and the last line go on.
RoadSurface::Sample RoadSurface::on_grid(double x, double y) const {
  const auto line = [&](std::size_t j) { return lines_[j].evaluate(Taylor2<double>::time(x)); };
  const std::vector<double>& ys = shape_.y;
  if (ys.size() < 2 || y <= ys.front() || y >= ys.back()) {
    const Taylor2<double> z = line(ys.size() < 2 || y <= ys.front() ? 0 : ys.size() - 1);
    return {z.v, z.d, 0.0, z.dd, 0.0, 0.0};
  }
  const std::size_t j = static_cast<std::size_t>(std::upper_bound(ys.begin(), ys.end(), y) - ys.begin()) - 1;
  const double h = ys[j + 1] - ys[j], u = (y - ys[j]) / h;
  const Taylor2<double> z_0 = line(j), z_1 = line(j + 1);
  const auto slope = [&](std::size_t k) {  // per h
    const std::size_t low = k == 0 ? 0 : k - 1, high = std::min(k + 1, ys.size() - 1);
    return (line(high) - line(low)) * (h / (ys[high] - ys[low]));
  };
  const bool first = j == 0, last = j + 2 == ys.size();
  const Taylor2<double> m_0 = first ? Taylor2<double>(0.0) : slope(j), m_1 = last ? Taylor2<double>(0.0) : slope(j + 1);
  const auto mix = [&](double a, double b, double c, double d) { return z_0 * a + m_0 * b + z_1 * c + m_1 * d; };
  const double u2 = u * u, u3 = u2 * u;
  const Taylor2<double> z = mix(2 * u3 - 3 * u2 + 1, u3 - 2 * u2 + u, 3 * u2 - 2 * u3, u3 - u2);
  const Taylor2<double> z_y = mix(6 * u2 - 6 * u, 3 * u2 - 4 * u + 1, 6 * u - 6 * u2, 3 * u2 - 2 * u) / h;
  const Taylor2<double> z_yy = mix(12 * u - 6, 6 * u - 4, 6 - 12 * u, 6 * u - 2) / (h * h);
  return {z.v, z.d, z_y.v, z.dd, z_y.d, z_yy.v};
}

RoadSurface::Sample RoadSurface::at(double x, double y) const {
  Sample s{0.0, 0.0, 0.0, 0.0, 0.0, 0.0};
  if (shape_.kind == RoadKind::table) {
    s = on_grid(x, y);
  } else {
    const Along a = along(x);
    s.z = a.z, s.x = a.x, s.xx = a.xx;
  }
  s.z += shape_.slope * x + shape_.bank * y;
  s.x += shape_.slope, s.y += shape_.bank;
  return s;
}

}  // namespace trammel
