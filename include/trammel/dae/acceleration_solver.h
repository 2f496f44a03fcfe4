#pragma once

#include <memory>

#include "trammel/dae/second_order_dae.h"
#include "trammel/linalg/linear_solver.h"

namespace trammel {

/// Consistent accelerations and multipliers at given positions and velocities: the index-1 system
///
///   | M   f_z   Gᵀ + f_λ |  | v̇ |     | f     |
///   | 0   E, g_z  g_λ    |  | · |  =  | g     |        unknown of a state row: ż if E = 1, z itself if algebraic
///   | G   0     0        |  | λ |     | −bias |
///
/// solved by Newton (one iteration unless forces depend on λ). M may be singular where G makes up for it;
/// instead of a solver that does not exchange rows `auto` is taken, because such an M has no pivots on its diagonal.
class AccelerationSolver {
 public:
  AccelerationSolver(const SecondOrderDae& dae, LinearSolverKind solver);

  /// Overwrites x.a, x.zp, x.lam and algebraic x.z; the values on entry are the first guess.
  Status solve(MotionVariables& x, const State& state, Workspace& workspace);

  const LinearSolver<double>& linear_solver() const { return *solver_; }

 private:
  bool note_inertia();
  void rebuild();

  const SecondOrderDae& dae_;
  std::unique_ptr<LinearSolver<double>> solver_;
  InputBuffer inputs_;
  MotionPlanes planes_;
  std::uint64_t version_ = 0;
  Pattern pattern_;
  std::vector<double> values_;
  std::vector<char> has_inertia_;  // entries of planes_.motion that belong to M
  std::vector<int> M_, G_, Gt_, reaction_, state_force_, state_state_, state_lam_, E_;
  Eigen::VectorXd r_, bias_, phi_dot_;
};

}  // namespace trammel
