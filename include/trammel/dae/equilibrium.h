// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "trammel/dae/plane_matrix.h"
#include "trammel/dae/second_order_dae.h"
#include "trammel/dae/static_units.h"
#include "trammel/linalg/linear_solver.h"

namespace trammel {

struct EquilibriumOptions {
  double length = 1.0;       ///< [m] of the machine, beside which moves are small, see (6); 0: unknown
  double tol = 1e-12;        ///< of corrections, relative to 1 + |q̂|
  int max_iterations = 500;  ///< of all
  /// 0: pseudo-transient continuation, which falls to a stable equilibrium like a very viscous motion. n: Newton while
  /// the load grows in n steps, halved where Newton fails.
  int load_steps = 0;
  /// With load steps: the load is an unknown and the way of the machine grows in steps instead, so that the path passes
  /// points where the load falls (snap-through) or the machine turns back. Ends where the load is whole for the first
  /// time.
  bool arc_length = false;
  /// Without load steps: c of (2) stays above what an unstable stiffness asks for, so that the iteration goes down from
  /// there and not up; a correction into what (2) did not foresee is taken back. Dense, for machines of moderate size
  /// (static_stability.h).
  bool descends = false;
  std::vector<int> steady;  ///< coordinates whose velocity is unknown instead of their position
  /// Groups of states that are parts of what friction can hold, ‖z‖ ≤ 1 in each. Not empty: they follow the pace of the
  /// machine, see (5), and not its way.
  std::vector<std::vector<int>> creeping;
  /// Groups of states that are ways of sliding against friction from where it holds. Not empty: the first step is as
  /// short as such ways, since what friction does depends on the way; and a machine that slides further than
  /// `longest_slide` [m] is given up.
  std::vector<std::vector<int>> sliding;
  double longest_slide = 0.0;
};

struct EquilibriumReport {
  Status status;
  int iterations = 0, load_steps = 0;
  double load = 0.0;         ///< the part of the load that was reached
  double path = 0.0;         ///< how far the machine has moved, ℓ √Σ δq̂² summed [m]
  double unbalanced = 0.0;   ///< largest remaining |motion row| [N, N m]
  int worst_row = -1;        ///< which
  int moving_unknown = -1;   ///< the coordinate with the largest last correction
  double last_change = 0.0;  ///< that correction, relative to 1 + |q̂|
  int unheld = -1;           ///< a coordinate that is pushed and that nothing holds, see (4); −1: none
  double unheld_load = 0.0;  ///< by how much [N, N m]
  bool unheld_only = false;  ///< all else is in balance
  std::string unstable;      ///< the coordinate along which it gives way; empty: none, or not tested (set by callers)
  std::string slipping;      ///< friction that would have to exceed its limit, by name: no equilibrium (set by callers)
};

/// Positions q, states z and multipliers λ at rest (or in steady motion), at the time x.t:
///
///   (1) 0 = Gᵀλ − f(q, v, z, λ),   0 = g,   0 = Φ(q, u)        v = 0, or given with some v_i unknown instead of q_i
///
/// Nonholonomic rows let the machine move from where it was drawn by admissible displacements only: A δq = 0. States
/// that only motion changes, ż = A(q, z) v (bristles of friction, odometers), follow the way of the machine, δz = A δq:
/// bristles stick, and hold like springs. Whether they can hold that much is for the caller to see.
///
/// Without load steps the iteration is pseudo-transient continuation,
///
///   (2) (c M + K + K_λ) δq + Gᵀ δλ + … = −r,   G δq = −Φ,
///
/// implicit Euler steps of M q′ = −r: c falls as long as (2) predicts what happens, and Newton's iteration is left
/// over. A little of c stays where the matrix is singular without it: directions in which nothing changes (a cart on a
/// track) do no harm.
/// With load steps the out-of-balance force r₀ of the start is taken away gradually, r(q) = (1 − s) r₀ with s from 0 to
/// 1: for a structure drawn without stress the growth of its dead loads. With `arc_length` s is unknown and a
/// correction stays in the plane normal to the step's first direction n [E. Riks, J. Appl. Mech. 39 (1972) 1060–1065]:
///
///   (3) K_T δ = −r − δs r₀,   n·δq = 0,   n ∝ K_T⁻¹r₀,   pointing ahead of the last step
///
/// Cyclic directions n (a wheel about its axle, a cart along its track) change nothing, wherever the machine is moved
/// along them: G n = 0, K n = 0. A load nᵀr on one of them (a drive that pushes at rest) is held
/// by nothing, and (1) has no solution. Where no balance was found they are looked for, and left to accelerate, so that
/// the rest finds its balance,
///
///   (4) r ← r − M N (NᵀMN)⁻¹Nᵀr,
///
/// and the load that remains on them is reported.
///
/// What sinks onto tyres moves them sideways, and rubber that stuck where it was drawn would hold a part of it up. With
/// `creeping` groups every iteration is a step of a very slow motion, against which friction acts as a damper does, up
/// to its limit:
///
///   (5) z = min(a, 1/‖w‖) w,   w = A δq/‖A‖ [m],   a = 10 per metre
///
/// Held directions come to rest, where w = 0: friction takes no part in what something else holds. What nothing else
/// holds creeps on by δq = N η, and the friction that is left, z = a A N η/‖A‖, is the smallest one that is in balance
/// (of ∑ D‖z‖², where D is what a group can hold; η is the multiplier) while no limit is met. Ends where (1) holds and
/// z does not change any more.
///
/// All of this is counted in a length and an energy of the machine (`StaticUnits`), so that a truss of micrometres is
/// in balance where one of kilometres is:
///
///   (6) ‖r̂‖ ≤ 10⁻⁹ (1 + the largest force that cancels, in the same units), or what rounding leaves of K̂ q̂
class Equilibrium {
 public:
  Equilibrium(const SecondOrderDae& dae, LinearSolverChoice solver, EquilibriumOptions options);

  /// Called after each load step with what was reached.
  using Watch = std::function<void(const EquilibriumReport&, const MotionVariables&, const State&)>;
  /// From the drawn, assembled machine x; how fast it would start to move sets the first pace.
  EquilibriumReport find(MotionVariables& x, State& state, Workspace& workspace, const Watch& watch = {});

 private:
  Status calc_residual(const MotionVariables& x, const State& state, Workspace& workspace);
  Status find_units(const MotionVariables& x, const State& state, Workspace& workspace);
  Status calc_rows(const MotionVariables& x, const State& state, Workspace& workspace, Vec motion, Vec internal,
                   Vec constraint) const;
  Status calc_planes(const MotionVariables& x, const State& state, Workspace& workspace);
  Status factor(double c);
  Status correct(double c, MotionVariables& x, State& state, Workspace& workspace);
  Status linearize(const MotionVariables& x, const State& state, Workspace& workspace);
  void find_following();
  void find_creep();
  void limit_creep(const MotionVariables& x);
  Status solve_correction(const MotionVariables& x);
  Status find_unheld(const MotionVariables& x, const State& state, Workspace& workspace);
  Eigen::MatrixXd calc_neutral() const;
  Status find_unheld_together(MotionVariables x, State state, Workspace& workspace);
  Status is_cyclic(int coordinate, MotionVariables x, State state, Workspace& workspace, bool& cyclic);
  void release_unheld();
  Status judge_unheld();
  bool note_unheld();
  bool is_settled() const;
  bool slides(const MotionVariables& x);
  double calc_change(const MotionVariables& x) const;
  double limit_turns(Vec delta) const;
  Status relax_or_name(MotionVariables& x, State& state, Workspace& workspace);
  Status relax(MotionVariables& x, State& state, Workspace& workspace);
  Status start_loading(MotionVariables& x, const State& state, Workspace& workspace, const Watch& watch);
  Status load(MotionVariables& x, State& state, Workspace& workspace, const Watch& watch);
  Status follow(MotionVariables& x, State& state, Workspace& workspace, const Watch& watch);
  Status solve_tangent();
  void move(double part, MotionVariables& x, State& state, Workspace& workspace);
  class Relaxation;
  class Balance;
  bool balance(MotionVariables& x, State& state, Workspace& workspace);
  Status too_small() const;

  const SecondOrderDae& dae_;
  EquilibriumOptions options_;
  std::unique_ptr<LinearSolver<double>> solver_;
  std::vector<char> steady_;      // per coordinate
  std::vector<char> follows_;     // per state: ż = A v
  std::vector<double> slow_;      // per state: a of (5) beside A; 1 unless it creeps
  std::vector<double> limit_;     // per creeping group: 1/‖w‖ of the last iteration
  double friction_change_ = 0.0;  // of z in the last iteration, if it creeps
  int slid_ = 0;                  // iterations in a row beyond the longest slide
  InputBuffer inputs_;
  StaticUnits units_;
  MotionPlanes planes_, si_planes_;  // in these units and, if those are others, in SI
  std::optional<PlaneMatrix> matrix_;
  std::uint64_t version_ = 0;
  Eigen::VectorXd r_, r0_, delta_;        // scaled like all that follows
  Eigen::VectorXd tangent_, normal_;      // of (3); normal_ is empty while the load is given
  Eigen::VectorXd way_;                   // Σ δq of the present step
  double missing_ = 0.0;                  // 1 − s
  Status refused_;                        // why Newton's last iteration ended, if not by itself
  double floor_ = 0.0;                    // smallest c
  double floor_factor_ = 1.0;             // of it, where rounding moves what nothing holds
  bool neutral_ = false;                  // without c the matrix is singular beside rounding
  std::vector<int> unheld_;               // coordinates that name the directions N of (4)
  Eigen::MatrixXd unheld_n_, unheld_mn_;  // N and M N (NᵀMN)⁻¹
  Eigen::VectorXd unheld_load_;           // Nᵀr
  double unbalanced_ = 0.0, force_size_ = 0.0;
  double rounding_ = 0.0;      // of a motion row: what is left where stiff forces cancel
  double nonlinearity_ = 0.0;  // of the last correction: what it left over beyond what (2) says, beside ‖r‖
  EquilibriumReport report_;
};

}  // namespace trammel
