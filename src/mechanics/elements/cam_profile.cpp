// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "trammel/mechanics/elements/contact_shape.h"

namespace trammel {

std::shared_ptr<const CamProfile> CamProfile::make(const std::vector<Eigen::Vector2d>& points) {
  std::vector<Eigen::Vector2d> p = points;
  double area = 0.0;
  for (std::size_t i = 0; i < p.size(); ++i) {
    const Eigen::Vector2d& next = p[(i + 1) % p.size()];
    area += p[i].x() * next.y() - p[i].y() * next.x();
  }
  if (area < 0.0) std::reverse(p.begin(), p.end());
  p.push_back(p.front());
  std::vector<double> s(p.size(), 0.0), x(p.size()), y(p.size());
  double reach = 0.0;
  for (std::size_t i = 0; i < p.size(); ++i) {
    if (i > 0) s[i] = s[i - 1] + (p[i] - p[i - 1]).norm();
    x[i] = p[i].x(), y[i] = p[i].y();
  }
  const SplineOptions periodic{SplineEnds::periodic, Extrapolation::linear};
  CamProfile profile{CubicSpline(s, x, periodic), CubicSpline(s, y, periodic), s.back(), 0.0};
  const int n = 16 * static_cast<int>(p.size());
  for (int k = 0; k < n; ++k) {
    const double at = profile.period * k / n;
    reach = std::max(reach, std::hypot(profile.x.evaluate(at), profile.y.evaluate(at)));
  }
  profile.reach = 1.01 * reach;  // between samples
  return std::make_shared<const CamProfile>(std::move(profile));
}

}  // namespace trammel
