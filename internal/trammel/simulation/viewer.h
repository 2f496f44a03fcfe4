// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <limits>
#include <memory>
#include <vector>

#include "trammel/dae/acceleration_solver.h"
#include "trammel/simulation/machine.h"

namespace trammel {

/// How far from a kink its sides are looked at, as integrators do.
inline double side_of_kink(double t) { return 8.0 * std::numeric_limits<double>::epsilon() * (1.0 + std::abs(t)); }

/// A point as reports see it: in absolute coordinates, with the multipliers of every row. Valid until the viewer that
/// made it shows another.
struct Shown {
  MotionPoint point;
  const State& state;
};

/// Looks at points of a machine's motion, in whatever coordinates. Owns the memory that this takes: one for each who
/// looks at the same time.
class Viewer {
 public:
  explicit Viewer(const Machine& machine);
  /// Forgets all that it has seen.
  void renew();

  Shown show(const MotionVariables& x, const State& state);
  /// The multipliers of the point that was shown last, all rows; 0 for those that were dropped.
  const Eigen::VectorXd& lam() const { return all_lam_; }
  /// Those of the point that was shown last are not known: NaN, and whatever is computed of them says so.
  void hide_multipliers() { all_lam_.setConstant(std::numeric_limits<double>::quiet_NaN()); }
  /// Those of redundant rows with the smallest norm, if the settings ask for it.
  void share_multipliers(const Shown& shown);

  KinematicState update_kinematics(const Shown& shown);
  MechanicalSystem::Energy calc_energy(const Shown& shown);
  /// The frames at a point in the charts of `state`, with the modes of the contacts; no accelerations, no multipliers.
  KinematicState update_kinematics(const MotionVariables& x, const State& state);
  /// Energies, and the power of forces alone, of a machine whose forces do not read multipliers: accelerations and
  /// multipliers of x do not matter, and it is not shown.
  MechanicalSystem::Energy calc_energy_of_forces(const MotionVariables& x, const State& state);
  /// Of all bodies, by Assembly::body_frame.
  std::vector<Frame<double>> calc_frames(const MotionVariables& x, const State& state);
  /// Moves charts to the rotations of x and lists what is near, so that x stays what it is when a method starts from
  /// it.
  void centre_charts(MotionVariables& x, State& state);

  /// Accelerations, rates and multipliers that belong to q, v and z of x: by the recursion where nothing closes a loop,
  /// else with `solver`, which is one of Machine::index3().
  Status calc_accelerations(AccelerationSolver& solver, MotionVariables& x, const State& state);

  /// Where a step ends at a kink of the inputs they are those before it.
  void set_kink(double t) { kink_ = t; }
  void forget_kink() { kink_ = std::numeric_limits<double>::infinity(); }
  double time_of_inputs(double t) const { return t == kink_ ? t - side_of_kink(t) : t; }

  /// The machine stands: what its motions prescribe is held where it is (AtRest). Of equilibria.
  void hold_motions(bool held) { held_ = held; }
  bool holds_motions() const { return held_; }

  Workspace& workspace() { return *workspace_; }            ///< of Machine::index3()
  Workspace& full_workspace() { return *full_workspace_; }  ///< of Machine::full()

 private:
  void calc_inputs(double t);
  void spread_multipliers(const MotionVariables& x);
  KinematicState look_at(const MotionVariables& x, double t_inputs, const State& state);

  const Machine& machine_;
  const Assembly& full_;
  std::unique_ptr<Workspace> workspace_, full_workspace_, joint_workspace_;
  double kink_ = std::numeric_limits<double>::infinity();
  bool held_ = false;
  InputBuffer inputs_;
  MotionVariables shown_;
  State shown_state_;
  Eigen::VectorXd all_lam_;
};

}  // namespace trammel
