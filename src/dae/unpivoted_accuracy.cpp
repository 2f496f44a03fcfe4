// SPDX-License-Identifier: Apache-2.0
#include "trammel/dae/unpivoted_accuracy.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "trammel/linalg/skyline_ldlt.h"

namespace trammel {

UnpivotedAccuracy measure_unpivoted_accuracy(const MotionOperator& newton) {
  const Pattern& pattern = newton.pattern();
  const std::size_t n = static_cast<std::size_t>(pattern.n_cols);
  std::vector<double> exact(n), b(n);
  std::vector<long double> sum(n, 0.0L);
  for (std::size_t i = 0; i < n; ++i) exact[i] = 1.0 / (1.7 + static_cast<double>(i));  // no short binary fractions
  for (std::size_t j = 0; j < n; ++j)
    for (int k = pattern.start[j]; k < pattern.start[j + 1]; ++k)
      sum[pattern.index[k]] += static_cast<long double>(newton.matrix()[k]) * static_cast<long double>(exact[j]);
  std::transform(sum.begin(), sum.end(), b.begin(), [](long double x) { return static_cast<double>(x); });

  const std::unique_ptr<LinearSolver<double>> solver =
      make_skyline_ldlt<double>({.pivot_tol = 0.0, .refine_above = 1.0, .max_refinements = 0});
  if (!solver->analyze(pattern, newton.make_hint()).ok() || !solver->factor(newton.matrix()).ok() ||
      !solver->solve(std::span<double>(b)).ok())
    return {std::numeric_limits<double>::quiet_NaN(), 0.0};
  double error = 0.0;
  for (std::size_t i = 0; i < n; ++i) error = std::max(error, std::abs(b[i] - exact[i]));
  return {error / exact[0], solver->smallest_pivot().value};
}

}  // namespace trammel
