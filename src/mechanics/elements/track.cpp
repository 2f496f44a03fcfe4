// SPDX-License-Identifier: Apache-2.0
#include "trammel/mechanics/elements/track.h"

#include <algorithm>
#include <numbers>

namespace trammel {

namespace {

constexpr double spacing = 1.0 / 16.0;  // [m] of nodes
constexpr double pi = std::numbers::pi;
const double peak = 8.0 / (3.0 * std::sqrt(3.0));  // 1/max of sin(2πu) sin²(πu)

// Gauss' rule with six points on (−1, 1): ± abscissas.
constexpr double gauss_abscissa[3] = {0.2386191860831969, 0.6612093864662645, 0.9324695142031521};
constexpr double gauss_weight[3] = {0.4679139345726910, 0.3607615730481386, 0.1713244923791704};

}  // namespace

Track::Track(double from, double to, std::vector<Ramp> ramps, std::vector<SCurve> curves)
    : from_(from), to_(to), ramps_(std::move(ramps)), curves_(std::move(curves)) {
  const int n = std::max(1, static_cast<int>(std::ceil((to_ - from_) / spacing)));
  cell_ = (to_ - from_) / n;
  nodes_.resize(static_cast<std::size_t>(n) + 1);
  double x = 0.0, y = 0.0;
  for (int i = 0; i <= n; ++i) {
    const double s = from_ + cell_ * i;
    Point point{};
    calc_curvature(s, point);
    nodes_[static_cast<std::size_t>(i)] = {x, y, std::cos(point.heading), std::sin(point.heading), point.kappa};
    for (int k = 0; k < 6; ++k) {
      const double at = (k % 2 == 0 ? 1.0 : -1.0) * gauss_abscissa[k / 2];
      const double angle = heading(s + 0.5 * cell_ * (1.0 + at));
      x += 0.5 * cell_ * gauss_weight[k / 2] * std::cos(angle);
      y += 0.5 * cell_ * gauss_weight[k / 2] * std::sin(angle);
    }
  }
  double x0 = 0.0, y0 = 0.0;
  calc_position(0.0, x0, y0);
  for (Node& node : nodes_) node.x -= x0, node.y -= y0;
}

double Track::heading(double s) const {
  Point point{};
  calc_curvature(s, point);
  return point.heading;
}

void Track::calc_curvature(double s, Point& p) const {
  p.heading = p.kappa = p.dkappa = p.ddkappa = 0.0;
  for (const Ramp& r : ramps_) {
    const double x = s - r.start;
    if (x <= 0.0) continue;
    const double l = r.length, u = std::min(x / l, 1.0), u3 = u * u * u;
    p.heading += r.change * (l * u3 * u * (2.5 - 3.0 * u + u * u) + std::max(x - l, 0.0));
    p.kappa += r.change * u3 * (10.0 - 15.0 * u + 6.0 * u * u);
    p.dkappa += r.change / l * 30.0 * u * u * (1.0 - u) * (1.0 - u);
    p.ddkappa += r.change / (l * l) * 60.0 * u * (1.0 - u) * (1.0 - 2.0 * u);
  }
  for (const SCurve& c : curves_) {
    const double u = (s - c.start) / c.length;
    if (u <= 0.0 || u >= 1.0) continue;  // its heading returns to zero
    const double k = c.curvature * peak, a = 2.0 * pi * u, b = 4.0 * pi * u, L = c.length;
    p.heading += k * L * ((1.0 - std::cos(a)) / (4.0 * pi) - (1.0 - std::cos(b)) / (16.0 * pi));
    p.kappa += k * (0.5 * std::sin(a) - 0.25 * std::sin(b));
    p.dkappa += k * pi / L * (std::cos(a) - std::cos(b));
    p.ddkappa += k * pi * pi / (L * L) * (4.0 * std::sin(b) - 2.0 * std::sin(a));
  }
}

// The polynomial of degree five with C, C′ and C″ of both nodes.
void Track::calc_position(double s, double& x, double& y) const {
  const double inside = std::clamp(s, from_, to_);
  const double place = (inside - from_) / cell_;
  const std::size_t i = std::min(static_cast<std::size_t>(place), nodes_.size() - 2);
  const Node &a = nodes_[i], &b = nodes_[i + 1];
  const double u = place - static_cast<double>(i), w = 1.0 - u, h = cell_;
  // Basis of Hermite's interpolation; that of b is that of a seen from the other side.
  const double a0 = w * w * w * (1.0 + 3.0 * u + 6.0 * u * u), b0 = 1.0 - a0;
  const double a1 = h * w * w * w * u * (1.0 + 3.0 * u), b1 = -h * u * u * u * w * (1.0 + 3.0 * w);
  const double a2 = 0.5 * h * h * w * w * w * u * u, b2 = 0.5 * h * h * u * u * u * w * w;
  x = a0 * a.x + b0 * b.x + a1 * a.cosine + b1 * b.cosine - a2 * a.kappa * a.sine - b2 * b.kappa * b.sine;
  y = a0 * a.y + b0 * b.y + a1 * a.sine + b1 * b.sine + a2 * a.kappa * a.cosine + b2 * b.kappa * b.cosine;
  if (inside == s) return;
  const Node& end = s < from_ ? a : b;
  x += (s - inside) * end.cosine;
  y += (s - inside) * end.sine;
}

Track::Point Track::at(double s) const {
  Point p;
  p.s = s;
  calc_curvature(s < from_ ? from_ : s > to_ ? to_ : s, p);
  if (s < from_ || s > to_) p.kappa = p.dkappa = p.ddkappa = 0.0;
  calc_position(s, p.x, p.y);
  p.cosine = std::cos(p.heading), p.sine = std::sin(p.heading);
  return p;
}

// Newton on (p − C(s))·x_T(s) = 0, whose derivative is −(1 − κ y). From the node with the same x on, which is near for
// headings below 1.2 rad.
Track::Point Track::foot(double x, double y) const {
  double s;
  if (x <= nodes_.front().x || x >= nodes_.back().x) {
    const bool before = x <= nodes_.front().x;
    s = before ? from_ - (nodes_.front().x - x) : to_ + (x - nodes_.back().x);
  } else {
    const auto after = std::upper_bound(nodes_.begin(), nodes_.end(), x,
                                        [](double value, const Node& node) { return value < node.x; });
    s = from_ + cell_ * (static_cast<double>(after - nodes_.begin()) - 0.5);
  }
  Point p = at(s);
  for (int k = 0; k < 20; ++k) {
    const double dx = x - p.x, dy = y - p.y;
    const double along = dx * p.cosine + dy * p.sine, across = dy * p.cosine - dx * p.sine;
    const double step = along / (1.0 - p.kappa * across);
    p = at(p.s + step);
    if (std::abs(step) <= 1e-9) break;  // converges quadratically: the next step would be rounding
  }
  return p;
}

}  // namespace trammel
