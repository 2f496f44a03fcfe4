// SPDX-License-Identifier: Apache-2.0
#include "trammel/math/chart.h"

#include "trammel/math/orientation.h"

namespace trammel {

Mat3<double> rotation(const Chart& chart, const Vec3<double>& theta) { return chart.R_ref * exp_so3(theta); }

Vec3<double> coordinates(const Chart& chart, const Mat3<double>& R, const Vec3<double>& guess) {
  const Mat3<double> relative = chart.R_ref.transpose() * R;
  return log_near(relative, guess);
}

Chart recentre(const Chart& chart, const Vec3<double>& theta_newest) {
  return Chart{nearest_rotation(rotation(chart, theta_newest))};
}

void map_points(const Chart& from, const Chart& to, std::span<Vec3<double>> points) {
  if (points.empty()) return;
  const Mat3<double> A = to.R_ref.transpose() * from.R_ref;
  Vec3<double> previous = points[0];
  points[0] = log_so3(Mat3<double>(A * exp_so3(previous)));
  for (std::size_t i = 1; i < points.size(); ++i) {
    const Vec3<double> old = points[i];
    const Vec3<double> guess = points[i - 1] + old - previous;
    points[i] = log_near(Mat3<double>(A * exp_so3(old)), guess);
    previous = old;
  }
}

Vec3<double> map_rate(const Vec3<double>& theta_from, const Vec3<double>& theta_to, const Vec3<double>& rate_from) {
  return inverse_right_jacobian(theta_to) * (right_jacobian(theta_from) * rate_from);
}

}  // namespace trammel
