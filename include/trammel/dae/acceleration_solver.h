// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>
#include <memory>
#include <optional>

#include "trammel/dae/second_order_dae.h"
#include "trammel/linalg/linear_solver.h"

namespace trammel {

/// Consistent accelerations and multipliers at given positions and velocities: the index-1 system
///
///   | M   f_z   Gᵀ + f_λ |  | v̇ |     | f     |
///   | 0   E, g_z  g_λ    |  | · |  =  | g     |        unknown of a state row: ż if E = 1, z itself if algebraic
///   | G   0     0        |  | λ |     | −bias |
///
/// (1), solved by Newton (one iteration unless forces depend on λ). M may be singular where G makes up for it;
/// instead of a solver that does not exchange rows `auto` is taken, because such an M has no pivots on its diagonal.
///
/// The same factors project a point onto the constraints, with the least change in the kinetic metric:
///
///   (2)  q ← q ∘ δ,  M δ + Gᵀμ = 0,  G δ = −Φ             (3)  v ← v + δ,  M δ + Gᵀμ = 0,  G δ = −Φ̇
class AccelerationSolver {
 public:
  AccelerationSolver(const SecondOrderDae& dae, LinearSolverChoice solver);

  /// Overwrites x.a, x.zp, x.lam and algebraic x.z; the values on entry are the first guess.
  Status solve(MotionVariables& x, const State& state, Workspace& workspace);

  /// Forces τ on the coordinates beside those of the system, f + τ, from now on; empty: none.
  void set_load(const Eigen::VectorXd& tau) { load_ = tau; }

  /// Violations beyond which positions and velocities are projected (infinite: never), and how far the equations of
  /// motion may move an acceleration.
  struct SettleLimits {
    double position = std::numeric_limits<double>::infinity(), velocity = position, acceleration = position;
  };
  /// What an instant of a motion shows: (2) and (3) where the limits ask for it, and then (1), for x.a, x.zp and x.lam
  /// of this instant alone. Where (1) would move v̇ by more than the limit, beside what G v̇ + bias = 0 asks for, forces
  /// are so stiff that the errors of q and v make another v̇ of them: v̇, ż and λ on entry are kept then, and moved by
  ///
  ///   (4)  M δv̇ + Gᵀδλ = 0,   G (v̇ + δv̇) + bias = 0.
  ///
  /// Inputs are those at `t_inputs`: x.t, or a side of a kink at it. One factorization, two if positions moved
  /// noticeably. Not ok: x is not to be used.
  Status settle(MotionVariables& x, double t_inputs, const SettleLimits& limits, const State& state,
                Workspace& workspace);

  /// vᵀ(M v̇ + Gᵀλ − f) [W]: what x leaves over of (1), as a force that works. Inputs are those at `t_inputs`. None: f
  /// is no number there.
  std::optional<double> calc_power_left(const MotionVariables& x, double t_inputs, const State& state,
                                        Workspace& workspace);

  const LinearSolver<double>& linear_solver() const { return *solver_; }
  /// Pattern and pivots: what follows depends on nothing before.
  void forget() { version_ = no_version; }

 private:
  static constexpr auto no_version = std::numeric_limits<std::uint64_t>::max();
  bool note_inertia();
  void rebuild();
  Status setup(const MotionVariables& x, const State& state, Workspace& workspace);
  Status calc_rows(const MotionVariables& x, const State& state, Workspace& workspace, bool knows_bias = false);
  Status correct(MotionVariables& x);
  bool is_rounding(const MotionVariables& x) const;
  bool is_small(const MotionVariables& x) const;
  struct Projected {
    double way = 0.0;      // largest correction
    bool settled = false;  // the rows (Φ, or Φ̇ and bias) were computed last where x is now
  };
  class Iteration;
  Status project(bool velocities, double limit, MotionVariables& x, const State& state, Workspace& workspace,
                 Projected& projected);

  const SecondOrderDae& dae_;
  std::unique_ptr<LinearSolver<double>> solver_;
  InputBuffer inputs_;
  MotionPlanes planes_;
  std::uint64_t version_ = 0;
  Pattern pattern_;
  std::vector<double> values_;
  double unit_ = 1.0;              // of forces in the matrix at hand
  std::vector<char> has_inertia_;  // entries of planes_.motion that belong to M
  std::vector<int> M_, G_, Gt_, reaction_, state_force_, state_state_, state_lam_, E_;
  Eigen::VectorXd r_, bias_, phi_dot_, delta_, q_rate_, own_, load_;
  MotionVariables kept_;
};

}  // namespace trammel
