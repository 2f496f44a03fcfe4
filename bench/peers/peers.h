// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <vector>

#include "run.h"
#include "support/ivp_problems.h"

// Problems that are given as equations.

namespace trammel::peers {

/// Andrews' squeezing mechanism, stabilized index 2, with a Jacobian by one sweep of 14 dual numbers.
class AndrewsDae : public testing::MechanismDae<testing::Andrews> {
 public:
  AndrewsDae() : MechanismDae(testing::Form::stabilized_index2) {}
  Status linearize(const Point& p, const State& state, Planes& planes, Workspace& workspace) const override;
};

/// IDA on any system: dense matrix, algebraic unknowns suppressed in the error test and out of Newton's norm, order
/// ≤ 5.
struct IdaProblem {
  const DaeSystem& system;
  const Eigen::VectorXd &y0, &yp0;
  double t_end, tol, velocity_scale = 1.0;  ///< atol of velocities = tol · velocity_scale
  double h0 = 0.0;                          ///< 0: chosen by IDA
};
struct IdaStep {
  double h;
  int order;
};
Run run_ida(const IdaProblem& problem, Eigen::VectorXd& y, int n_recorded = 0, std::vector<IdaStep>* steps = nullptr);

}  // namespace trammel::peers
