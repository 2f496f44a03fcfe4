#pragma once

#include <memory>
#include <vector>

#include "trammel/dae/second_order_dae.h"
#include "trammel/linalg/linear_solver.h"

namespace trammel {

/// The smallest change that satisfies linearised constraints:
///
///   minimise ½ δᵀ W δ  subject to  G δ + r = 0:     | W  Gᵀ |  | δ |     | 0  |
///                                                   | G  −ε |  | μ |  =  | −r |
///
/// W is the diagonal of the mass matrix (heavy bodies move less; metres and radians weigh as in the kinetic energy),
/// multiplied for firm coordinates. ε, small against G W⁻¹ Gᵀ, lets redundant rows pass: repeated corrections converge
/// all the same.
class Projection {
 public:
  Projection(const SecondOrderDae& dae, LinearSolverKind solver, std::vector<char> firm);

  /// Linearises G at the point.
  Status setup(const MotionPoint& p, const State& state, Workspace& workspace);
  /// δ of (1) for the residual r.
  Status solve(ConstVec r, Vec delta);

  const MotionPlanes& planes() const { return planes_; }

 private:
  const SecondOrderDae& dae_;
  std::vector<char> firm_;
  std::unique_ptr<LinearSolver<double>> solver_;
  MotionPlanes planes_;
  std::uint64_t version_ = 0;
  Pattern pattern_;
  std::vector<double> values_, W_;
  Eigen::VectorXd x_;
};

}  // namespace trammel
