// SPDX-License-Identifier: Apache-2.0
#include "trammel/mechanics/chart_columns.h"

#include "trammel/base/crew.h"
#include "trammel/math/rotations.h"
#include "trammel/mechanics/small_turns.h"

namespace trammel {

namespace {

// The three columns of a chart share their rows, so slot k of one column stands beside slot k of the next two.
void multiply(const Pattern& pattern, int column, const Mat3<double>& J, std::vector<double>& values) {
  const int n = pattern.start[column + 1] - pattern.start[column];
  double *c0 = values.data() + pattern.start[column], *c1 = c0 + n, *c2 = c1 + n;
  for (int k = 0; k < n; ++k) {
    const double x = c0[k], y = c1[k], z = c2[k];
    c0[k] = x * J(0, 0) + y * J(1, 0) + z * J(2, 0);
    c1[k] = x * J(0, 1) + y * J(1, 1) + z * J(2, 1);
    c2[k] = x * J(0, 2) + y * J(1, 2) + z * J(2, 2);
  }
}

}  // namespace

void multiply_chart_columns(std::span<const int> offsets, ConstVec q, MotionPlanes& planes,
                            std::vector<double>& G_chart) {
  G_chart.assign(planes.G.begin(), planes.G.end());
  constexpr long shared_charts = 500;  // some twenty microseconds
  share(static_cast<long>(offsets.size()), shared_charts, [&](long first, long last) {
    for (const int column : offsets.subspan(first, last - first)) {
      const Mat3<double> J = right_jacobian(Vec3<double>(q[column], q[column + 1], q[column + 2]));
      multiply(planes.motion, column, J, planes.K);
      multiply(planes.motion, column, J, planes.K_lam);
      multiply(planes.constraint, column, J, planes.Gv_q);
      multiply(planes.constraint, column, J, G_chart);
      multiply(planes.state_rate, column, J, planes.g_q);
    }
  });
}

void calc_chart_rates(std::span<const int> offsets, ConstVec q, ConstVec v, Vec q_rate) {
  q_rate = v;
  constexpr long shared_charts = 2000;  // some twenty microseconds
  share(static_cast<long>(offsets.size()), shared_charts, [&](long first, long last) {
    for (const int at : offsets.subspan(first, last - first)) {
      const Vec3<double> theta = q.segment<3>(at), omega = v.segment<3>(at);
      q_rate.segment<3>(at) = detail::chart_rate(theta, omega);
    }
  });
}

void calc_chart_velocities(std::span<const int> offsets, ConstVec q, ConstVec q_rate, Vec v) {
  v = q_rate;
  for (const int at : offsets) {
    const Vec3<double> theta = q.segment<3>(at), rate = q_rate.segment<3>(at);
    v.segment<3>(at) = right_jacobian(theta) * rate;
  }
}

void calc_chart_accelerations(std::span<const int> offsets, ConstVec q, ConstVec v, ConstVec a, Vec q_acceleration) {
  q_acceleration = a;
  for (const int at : offsets) {
    const Vec3<double> theta = q.segment<3>(at), omega = v.segment<3>(at), alpha = a.segment<3>(at);
    const Mat3<double> T = inverse_right_jacobian(theta);
    q_acceleration.segment<3>(at) =
        T * alpha + inverse_right_jacobian_derivative(theta, omega) * Vec3<double>(T * omega);
  }
}

}  // namespace trammel
