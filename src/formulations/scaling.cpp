#include "trammel/formulations/scaling.h"

#include <cmath>

namespace trammel {

namespace {

double mean_diagonal(const Pattern& pattern, const std::vector<double>& values) {
  if (pattern.n_cols == 0) return 0.0;
  double sum = 0.0;
  for (int c = 0; c < pattern.n_cols; ++c)
    if (const int slot = pattern.slot(c, c); slot >= 0) sum += std::abs(values[slot]);
  return sum / pattern.n_cols;
}

}  // namespace

ScalingFactors NoScaling::calc(double, const MotionPlanes&) const {
  ScalingFactors factors;
  factors.penalty = rho_;
  return factors;
}

PhysicalScaling::References PhysicalScaling::calc_references(const MotionPlanes& planes) const {
  return {options_.m_ave ? *options_.m_ave : mean_diagonal(planes.motion, planes.M),
          options_.d_ave ? *options_.d_ave : mean_diagonal(planes.motion, planes.D),
          options_.k_ave ? *options_.k_ave : mean_diagonal(planes.motion, planes.K)};
}

ScalingFactors PhysicalScaling::calc(double h, const MotionPlanes& planes) const {
  const References r = calc_references(planes);
  const double l = options_.l_ref;
  ScalingFactors factors;
  factors.s = r.m + r.d * h + r.k * h * h;
  factors.m = r.m, factors.d = r.d, factors.k = r.k;
  if (factors.s <= 0.0) factors.s = 1.0;  // a system without mass, damping and stiffness has no reference
  factors.motion = h * h;
  factors.holonomic = factors.s / l;
  factors.nonholonomic = factors.s * h / l;
  factors.multiplier = factors.s / (h * h * l);
  factors.penalty = options_.rho * factors.s / (h * h * l * l);
  return factors;
}

}  // namespace trammel
