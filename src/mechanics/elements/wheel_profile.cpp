// SPDX-License-Identifier: Apache-2.0
#include "trammel/mechanics/elements/wheel_profile.h"

#include <algorithm>
#include <numbers>

namespace trammel {

namespace {

// Value and slope of Σ cᵢ Sⁱ.
template <std::size_t N>
double polynomial(const double (&c)[N], double S, double& slope) {
  double value = 0.0;
  slope = 0.0;
  for (std::size_t i = N; i-- > 0;) {
    slope = slope * S + value;
    value = value * S + c[i];
  }
  return value;
}

constexpr double table_step = 1e-4;  // [m]

}  // namespace

double WheelProfileTable::wheel(double S, double& slope) {
  if (S >= 32.15796) {
    slope = -0.066666667;
    return 1.364323640 + slope * S;
  }
  if (S >= -26.0) {
    static constexpr double c[] = {0.0,
                                   -3.358537058e-2,
                                   1.565681624e-3,
                                   -2.810427944e-5,
                                   5.844240864e-8,
                                   -1.562379023e-8,
                                   5.309217349e-15,
                                   -5.957839843e-12,
                                   2.646656573e-13};
    return polynomial(c, S, slope);
  }
  if (S >= -35.0) {
    static constexpr double c[] = {-4.320221063e3,  -1.038384026e3,  -1.065501873e2,  -6.051367875,
                                   -2.054332446e-1, -4.169739389e-3, -4.687195829e-5, -2.252755540e-7};
    return polynomial(c, S, slope);
  }
  if (S >= -38.426669071) {
    const double d = S + 26.210665, root = std::sqrt(13.0 * 13.0 - d * d);
    slope = d / root;
    return 16.446 - root;
  }
  slope = -2.747477419;
  return -93.576667419 + slope * S;
}

const WheelProfileTable& WheelProfileTable::instance() {
  static const WheelProfileTable table;
  return table;
}

WheelProfileTable::WheelProfileTable() {
  for (int k = 0; k <= 324; ++k) {  // S from −41 to 40 mm
    const double S = -41.0 + spacing * k;
    double slope = 0.0;
    const double F = wheel(S, slope);
    nodes_.push_back({middle + 1e-3 * S, 1e-3 * F, slope});
  }
  // Arcs from the field side (x < 0) to the gauge side, each up to its end x, in the rail's own axes; then all inclined
  // towards the centre by 1:40.
  struct Own {
    double end, x, z, radius;
  };
  constexpr double x1 = 0.010235, x2 = 0.02605;
  const Own own[] = {{-x2, -0.02303655, -0.01495299, 0.013},
                     {-x1, -0.00750567, -0.08012807, 0.080},
                     {x1, 0.0, -0.3, 0.300},
                     {x2, 0.00750567, -0.08012807, 0.080},
                     {1.0, 0.02303655, -0.01495299, 0.013}};
  const double angle = std::atan(1.0 / 40.0), c = std::cos(angle), s = std::sin(angle);
  const double top = 0.3 - 0.3 * c;  // of the arc of 300 mm, before it is taken as zero
  for (const Own& o : own) {
    double end = 1.0;
    if (o.end < 1.0) {
      const double z = o.z + std::sqrt(o.radius * o.radius - (o.end - o.x) * (o.end - o.x));
      end = o.end * c + z * s;
    }
    arcs_.push_back({end, o.x * c + o.z * s, -o.x * s + o.z * c - top, o.radius});
  }
  const double steep = 75.0 * std::numbers::pi / 180.0;
  for (int side = 0; side < 2; ++side) {
    const Arc& arc = side == 0 ? arcs_.front() : arcs_.back();
    const double sign = side == 0 ? -1.0 : 1.0;
    tangent_[side] = {arc.w + sign * arc.radius * std::sin(steep), arc.h + arc.radius * std::cos(steep),
                      -sign * std::tan(steep)};
  }
  table_start_ = -0.06;
  for (int k = 0; k <= 1200; ++k) {
    double slope = 0.0;
    table_.push_back(rail(table_start_ + table_step * k, slope));
  }
}

double WheelProfileTable::quick_rail(double w) const {
  const double place = (w - table_start_) / table_step;
  const double last = static_cast<double>(table_.size() - 2);
  const std::size_t k = static_cast<std::size_t>(std::clamp(place, 0.0, last));
  return table_[k] + (place - static_cast<double>(k)) * (table_[k + 1] - table_[k]);
}

}  // namespace trammel
