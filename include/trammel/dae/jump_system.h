// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "trammel/dae/second_order_dae.h"

namespace trammel {

/// The balance of energy of one step that begins with a jump of the velocities:
///
///   (1)  E_f = E_0 − ½|v_j − v_0|²_M − ½|ε_j − e_0|²_C − dissipated + supplied
struct JumpLedger {
  double energy_before = 0.0, energy = 0.0;  ///< E_0, E_f [J]
  double kinetic_jump = 0.0;                 ///< ½|v_j − v_0|²_M ≥ 0
  double strain_jump = 0.0;  ///< ½|ε_j − e_0|²_C ≥ 0, and what convexity leaves of other potentials
  double dissipated = 0.0;   ///< by dampers, ≥ 0
  double supplied = 0.0;     ///< by motions and by forces without a potential

  /// What (1) leaves: rounding and the remainder of Newton's iteration.
  double defect() const { return energy - energy_before + kinetic_jump + strain_jump + dissipated - supplied; }
};

/// A machine over one step of a time-discontinuous method: velocities jump at the beginning of the step, 0 → j, and run
/// from j to the end f. The unknowns of a step are
///
///   y = (v_j, v_f, z_j, z_f, hΛ_j, hΛ_f)
///
/// with two multipliers for each constraint and two stresses for each elastic strain, all times h: the matrix then does
/// not depend on h but by O(h). Systems are const; what belongs to a step is in the workspace:
///
///   begin(from)            the start of the step: strains, directors, inputs at t_0
///   resize(h, curvature)   its length; curvature 1 is the scheme of second order, 0 the fallback of first order
///   residual, linearize    at unknowns y
///   finish                 the end of the step, and what its energy did
///
/// `memory` is what a continuation needs besides q and z: velocities as the scheme has them (their components across
/// the constraints are of the size h²; what is shown to users has none), and the last multipliers as a first guess.
class JumpSystem {
 public:
  virtual ~JumpSystem() = default;
  virtual int nv() const = 0;
  virtual int nz() const = 0;
  virtual int n_multipliers() const = 0;  ///< constraints, then stresses
  int n() const { return 2 * (nv() + nz() + n_multipliers()); }
  virtual int n_memory() const = 0;
  /// Of y and of the rows (motion j and f, states j and f, constraints: positions and rates).
  virtual const Layout& layout() const = 0;

  virtual std::unique_ptr<Workspace> make_workspace() const = 0;
  /// The memory of a machine that begins to move with velocities from.v and reactions from.lam.
  virtual void calc_memory(const MotionVariables& from, const State& state, Vec memory, Workspace& workspace) const = 0;

  virtual Status begin(const MotionVariables& from, ConstVec memory, const State& state,
                       Workspace& workspace) const = 0;
  /// `t_inputs` is where functions of time are read for the end of the step: t + h, or a little before a kink there.
  virtual void resize(double h, double curvature, double t_inputs, Workspace& workspace) const = 0;
  virtual void guess(Vec y, const Workspace& workspace) const = 0;
  virtual const Pattern& pattern(const Workspace& workspace) const = 0;  ///< valid after begin
  virtual Status residual(ConstVec y, Vec r, Workspace& workspace) const = 0;
  virtual Status linearize(ConstVec y, std::span<double> values, Workspace& workspace) const = 0;
  /// Whether something acts at the end of the step y that was not there when it was solved (shapes that came from far).
  /// It is part of the equations from then on: they are to be solved once more.
  virtual bool misses(ConstVec, Workspace&) const { return false; }
  /// What time alone bends of the forces within the step, as rows of the residual that has it already: with the forces
  /// of both ends alone velocities would miss it. false: nothing.
  virtual bool calc_bow(Vec, const Workspace&) const { return false; }
  /// From the last residual, which must have been taken at y: to.q, to.z, the multipliers λ of the step's middle in
  /// to.lam, the rate v̇ of its middle in to.a, and to.v = v_f.
  virtual void finish(ConstVec y, MotionVariables& to, Vec memory, JumpLedger& ledger, Workspace& workspace) const = 0;
};

}  // namespace trammel
