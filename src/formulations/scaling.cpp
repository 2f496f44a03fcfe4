// SPDX-License-Identifier: Apache-2.0
#include "trammel/formulations/scaling.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "trammel/base/crew.h"

namespace trammel {

namespace {

double mean_diagonal(const Pattern& pattern, const std::vector<double>& values, std::vector<double>& diagonal) {
  if (pattern.n_cols == 0) return 0.0;
  diagonal.assign(static_cast<std::size_t>(pattern.n_cols), 0.0);
  share(pattern.n_cols, 2000, [&](long first, long last) {
    for (int c = static_cast<int>(first); c < last; ++c)
      if (const int slot = pattern.slot(c, c); slot >= 0) diagonal[c] = std::abs(values[slot]);
  });
  return std::accumulate(diagonal.begin(), diagonal.end(), 0.0) / pattern.n_cols;
}

double infinity_norm(const Pattern& pattern, const std::vector<double>& values, std::vector<double>& row_sum) {
  row_sum.assign(static_cast<std::size_t>(pattern.n_rows), 0.0);
  for (std::size_t k = 0; k < values.size(); ++k) row_sum[pattern.index[k]] += std::abs(values[k]);
  return row_sum.empty() ? 0.0 : *std::max_element(row_sum.begin(), row_sum.end());
}

}  // namespace

ScalingFactors NoScaling::calc(double, const MotionCoefficients&, const MotionPlanes&) const {
  ScalingFactors factors;
  factors.penalty = rho_;
  return factors;
}

double PhysicalScaling::calc_reference(const Pattern& pattern, const std::vector<double>& values) const {
  return options_.reference == ScalingReference::mean_diagonal ? mean_diagonal(pattern, values, row_sum_)
                                                               : infinity_norm(pattern, values, row_sum_);
}

PhysicalScaling::References PhysicalScaling::calc_references(const MotionPlanes& planes) const {
  return {options_.m_ave ? *options_.m_ave : calc_reference(planes.motion, planes.M),
          options_.d_ave ? *options_.d_ave : calc_reference(planes.motion, planes.D),
          options_.k_ave ? *options_.k_ave : calc_reference(planes.motion, planes.K)};
}

ScalingFactors PhysicalScaling::calc(double h, const MotionCoefficients&, const MotionPlanes& planes) const {
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

ScalingFactors StepScaling::calc(double h, const MotionCoefficients& c, const MotionPlanes&) const {
  const Options& o = options_;
  ScalingFactors factors;
  factors.penalty = o.rho;
  if (o.kind == ScalingKind::constraints) {
    factors.holonomic = factors.nonholonomic = c.v_end;
    return factors;
  }
  factors.holonomic = 1.0 / h;
  if (!has_reference(o.kind)) return factors;
  factors.m = o.m_ave, factors.d = o.d_ave, factors.k = o.k_ave;
  factors.s = o.m_ave + o.d_ave * h + o.k_ave * h * h;
  if (factors.s <= 0.0) factors.s = 1.0;
  factors.motion = h;
  factors.multiplier = factors.s / (h * h * o.l_ref);
  factors.penalty = o.rho * factors.s / (h * h * o.l_ref * o.l_ref);
  return factors;
}

}  // namespace trammel
