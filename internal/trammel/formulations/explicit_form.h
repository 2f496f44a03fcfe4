// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "trammel/dae/acceleration_solver.h"
#include "trammel/dae/ode_system.h"
#include "trammel/dae/projection.h"
#include "trammel/formulations/index3.h"

namespace trammel {

class AbsoluteSystem;
class JointSystem;

/// The equations of a machine solved for the highest derivatives, for explicit methods:
///
///   y = (q, v, z),   q̇ = T(q) v,   v̇ = φ(q, v, z, u),   ż = g
///
/// In joint coordinates without loops φ comes from the articulated bodies in O(N) [arnold2004 (10)], in absolute ones
/// without any row body by body. With rows (loops, or joints in absolute coordinates) accelerations and multipliers
/// come from the index-1 system, and accepted points are projected onto positions and velocities that fulfil the rows,
/// in the metric of the mass matrix's diagonal.
///
/// **Through singular positions** (a flat parallelogram: rows become dependent there, two motions cross). On its own
/// branch the motion is smooth, but φ is not: off the branch by e, at a distance s from the position, accelerations err
/// by e/s and velocities that violate a row by ε move across it with ε/s. With `Stages::projected` every stage is
/// brought to the branch first, as far as rounding allows: f(P(y)) is smooth along and beside the branch, so that
/// explicit methods keep their order across the position as long as e ≪ s in every stage. At the position itself, where
/// no matrix can be solved, accelerations are the mean of those a little before and behind along the motion.
class ExplicitForm final : public OdeSystem {
 public:
  enum class Stages { as_they_are, projected };
  explicit ExplicitForm(const MechanicalSystem& system, Stages stages = Stages::as_they_are);

  /// true: accelerations by recursion or body by body, without any matrix.
  bool is_recursive() const { return tree_ != nullptr || bodies_ != nullptr; }
  void pack(const MotionVariables& x, Vec y) const;
  /// All variables of the motion at y: accelerations, rates and multipliers are computed.
  Status unpack(double t, ConstVec y, const State& state, MotionVariables& x, Workspace& workspace) const;

  // ---- OdeSystem -------------------------------------------------------------------------------------------------
  const Layout& layout() const override { return layout_; }
  std::unique_ptr<Workspace> make_workspace() const override;
  Status rates(double t, ConstVec y, const State& state, Vec yp, Workspace& workspace) const override;
  Status project(double t, Vec y, const State& state, bool& moved, Workspace& workspace) const override;
  void accepted(double t, Vec y, Vec yp, State& state, Workspace& workspace) const override;
  /// Of many bodies that no joint connects: the velocities by the speed that half of them exceed, √(v² + ρ²ω²) with the
  /// radii of gyration ρ.
  void calc_sizes(ConstVec y, Vec sizes) const override;

 private:
  struct Scratch;
  Status fulfil_rows(MotionVariables& x, const State& state, bool& moved, Scratch& s) const;
  Status accelerate(MotionVariables& x, const State& state, Scratch& s) const;
  Status accelerate_on_branch(MotionVariables& x, const State& state, Scratch& s) const;
  Status accelerate_directly(const MotionPoint& p, const State& state, Vec a, Vec zp, Scratch& s) const;
  const MechanicalSystem& system_;
  Stages stages_;
  const JointSystem* tree_ = nullptr;       // system_, if its explicit formalism can be used
  const AbsoluteSystem* bodies_ = nullptr;  // system_, if no row connects its bodies
  Index3 index3_;
  int nv_, nz_, nc_;
  Layout layout_;
};

}  // namespace trammel
