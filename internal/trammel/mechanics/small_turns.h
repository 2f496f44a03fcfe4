// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "trammel/math/rotations.h"

/// exp θ̂ and T(θ) ω of rotations.h where charts are re-centred at every step and angles are a few hundredths: shorter
/// series.
namespace trammel::detail {

inline constexpr double small_turn = 1e-3;  // s = θ² below which what is left out is < 1e-17

inline Mat3<double> turn_by(const Vec3<double>& theta) {
  const double s = theta.squaredNorm();
  if (!(s < small_turn)) return exp_so3(theta);
  const double a = 1.0 - s * (1.0 / 6 - s * (1.0 / 120 - s * (1.0 / 5040 - s * (1.0 / 362880))));
  const double b = 0.5 - s * (1.0 / 24 - s * (1.0 / 720 - s * (1.0 / 40320 - s * (1.0 / 3628800))));
  const double x = theta.x(), y = theta.y(), z = theta.z();
  const double xy = b * x * y, xz = b * x * z, yz = b * y * z, ax = a * x, ay = a * y, az = a * z;
  Mat3<double> R;
  R << 1.0 - b * (y * y + z * z), xy - az, xz + ay, xy + az, 1.0 - b * (x * x + z * z), yz - ax, xz - ay, yz + ax,
      1.0 - b * (x * x + y * y);
  return R;
}

/// θ̇ = ω + ½ θ × ω + e θ × (θ × ω).
inline Vec3<double> chart_rate(const Vec3<double>& theta, const Vec3<double>& omega) {
  const double s = theta.squaredNorm();
  if (!(s < small_turn)) return inverse_right_jacobian(theta) * omega;
  const double e = 1.0 / 12 + s * (1.0 / 720 + s * (1.0 / 30240 + s * (1.0 / 1209600 + s * (1.0 / 47900160))));
  const Vec3<double> once = theta.cross(omega);
  return omega + 0.5 * once + e * theta.cross(once);
}

}  // namespace trammel::detail
