// SPDX-License-Identifier: Apache-2.0
#include "trammel/dae/iterative_effort.h"

#include <algorithm>
#include <random>

namespace trammel {

long count_gmres_iterations(const MotionOperator& newton, double tol, Preconditioner preconditioner) {
  const Pattern& pattern = newton.pattern();
  const int n = pattern.n_cols;
  const std::unique_ptr<LinearSolver<double>> gmres =
      make_gmres<double>({.tol = tol, .restart = n, .max_iterations = 4 * n, .preconditioner = preconditioner});
  std::mt19937 random(1);  // the standard fixes its numbers
  std::vector<double> b(static_cast<std::size_t>(n));
  std::generate(b.begin(), b.end(), [&] { return random() < std::mt19937::max() / 2 ? -1.0 : 1.0; });
  if (!gmres->analyze(pattern).ok() || !gmres->factor(newton.matrix()).ok()) return 0;
  static_cast<void>(gmres->solve(std::span<double>(b)));  // too many iterations are an answer as well
  return gmres->counters().n_iterations;
}

}  // namespace trammel
