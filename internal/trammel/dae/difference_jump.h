// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "trammel/dae/difference_system.h"
#include "trammel/dae/jump_system.h"

namespace trammel {

/// A step of a time-discontinuous method with its matrix taken by differences of its residual: DifferenceSystem for
/// JumpSystem.
///
///   (1) ∂r/∂y_j ≈ (r(y + δ_j e_j) − r(y))/δ_j;   columns that share no row are moved together     [arnold2004 (16),
///   (20)]
///
/// The rows of constraints are 2/h e(z_f): positions are rounded to ε |q|, which is ε |q|/h there, so that (17) is not
/// enough for small steps.
///
///   (2) δ_j = √ε max(|v_j|, |v|_∞, ε^¼), but at least 10³ ε (1 + |q|_∞)/h       of velocities: three digits at least
///       δ_j = √ε max(|z_j|, ε^¼)                                               of states
///       δ_j = √ε max(|hΛ|_∞, 1)                                                of impulses, in which r is linear
///
/// The matrix of an *estimated* pattern has room for every entry; grouped are the columns of what was seen to be there.
/// It is enlarged when a matrix is asked for a second time in one step.
class DifferenceJump final : public JumpSystem {
 public:
  DifferenceJump(std::unique_ptr<const JumpSystem> jump, const DifferenceOptions& options)
      : own_jump_(std::move(jump)), jump_(*own_jump_), options_(options) {}

  const DifferenceCounters& counters(const Workspace& workspace) const;
  std::unique_ptr<Workspace> make_workspace() const override;
  const Pattern& pattern(const Workspace& workspace) const override;
  Status linearize(ConstVec y, std::span<double> values, Workspace& workspace) const override;

  // ---- handed on ----
  int nv() const override { return jump_.nv(); }
  int nz() const override { return jump_.nz(); }
  int n_multipliers() const override { return jump_.n_multipliers(); }
  int n_memory() const override { return jump_.n_memory(); }
  const Layout& layout() const override { return jump_.layout(); }
  void calc_memory(const MotionVariables& from, const State& state, Vec memory, Workspace& workspace) const override;
  Status begin(const MotionVariables& from, ConstVec memory, const State& state, Workspace& workspace) const override;
  void resize(double h, double curvature, double t_inputs, Workspace& workspace) const override;
  void guess(Vec y, const Workspace& workspace) const override;
  Status residual(ConstVec y, Vec r, Workspace& workspace) const override;
  bool misses(ConstVec y, Workspace& workspace) const override;
  bool calc_bow(Vec r, const Workspace& workspace) const override;
  void finish(ConstVec y, MotionVariables& to, Vec memory, JumpLedger& ledger, Workspace& workspace) const override;

 private:
  struct Scratch;
  void choose_increments(ConstVec y, Scratch& s) const;
  void enlarge_estimate(std::span<const double> values, Scratch& s) const;

  std::unique_ptr<const JumpSystem> own_jump_;
  const JumpSystem& jump_;
  DifferenceOptions options_;
};

}  // namespace trammel
