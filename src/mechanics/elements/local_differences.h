// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "trammel/mechanics/elements/frame.h"

/// Frames a little away from where they are, for laws whose derivatives nobody wrote down.
namespace trammel::differences {

// Central differences lose δ² to truncation and ε/δ to rounding: δ = ε^{1/3}, on quantities of order one.
inline constexpr double delta = 6e-6;

/// The frame moved by k = 0…2: δp in the world, 3…5: δβ in body axes.
inline Frame<double> moved(const Frame<double>& frame, int k, double step) {
  Frame<double> f = frame;
  if (k < 3)
    f.p[k] += step;
  else
    f.R = frame.R * exp_so3(Vec3<double>(step * Eigen::Vector3d::Unit(k - 3)));
  return f;
}

/// The frame moving faster: k = 0…2: δv, 3…5: δω.
inline Frame<double> with_twist(const Frame<double>& frame, int k, double step) {
  Frame<double> f = frame;
  (k < 3 ? f.v[k] : f.w[k - 3]) += step;
  return f;
}

}  // namespace trammel::differences
