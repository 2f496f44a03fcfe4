// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "trammel/dae/difference_system.h"
#include "trammel/dae/second_order_dae.h"

namespace trammel {

/// A second-order system with its planes taken by differences of its residual, whatever derivatives it offers itself:
/// DifferenceSystem for the one-step methods.
///
///   (1) ∂r/∂x_j ≈ (r(x + δ_j e_j) − r(x))/δ_j,   δ_j = max(|x_j|, ε^¼) √ε                        [arnold2004 (16),
///   (17)] (2) columns of one kind that share no row are moved together (20)
///
/// of q (moved along T(q) e_j: increments), v, z and λ. K holds ∂(Gᵀλ)/∂q as well. G are the rows of constraints, and
/// −∂f/∂λ is what the columns of λ have beside Gᵀ. M is exact, as F_y′ there. An *estimated* pattern is enlarged when a
/// linearization is asked for that is not later than the last: Newton was slow although that was recent.
class DifferenceMotion final : public SecondOrderDae {
 public:
  /// The system must outlive this one.
  DifferenceMotion(const SecondOrderDae& dae, const DifferenceOptions& options) : dae_(dae), options_(options) {}

  const DifferenceCounters& counters(const Workspace& workspace) const;

  std::unique_ptr<Workspace> make_workspace() const override;
  Status linearize(const MotionPoint& p, const State& state, PlaneSet set, MotionPlanes& planes,
                   Workspace& workspace) const override;

  // ---- handed on ----
  int nv() const override { return dae_.nv(); }
  int nz() const override { return dae_.nz(); }
  int nc() const override { return dae_.nc(); }
  const Layout& layout() const override { return dae_.layout(); }
  std::span<const double> E() const override { return dae_.E(); }
  std::span<const char> holonomic() const override { return dae_.holonomic(); }
  bool has_constant_mass() const override { return dae_.has_constant_mass(); }
  TurningVectors turning() const override { return dae_.turning(); }
  void calc_inputs(double t, InputBuffer& inputs) const override { dae_.calc_inputs(t, inputs); }
  double next_breakpoint(double t) const override { return dae_.next_breakpoint(t); }
  Status residual(const MotionPoint& p, const State& state, Vec motion, Vec internal, Vec constraint,
                  Workspace& workspace) const override;
  void to_chart(ConstVec q, MotionPlanes& planes, std::vector<double>& G_chart) const override {
    dae_.to_chart(q, planes, G_chart);
  }
  Status velocity_level(const MotionPoint& p, const State& state, Vec phi_dot, Vec bias,
                        Workspace& workspace) const override;
  void calc_q_rate(ConstVec q, ConstVec v, Vec q_rate) const override { dae_.calc_q_rate(q, v, q_rate); }
  void accepted(const MotionPoint& p, Vec q, State& state, Workspace& workspace) const override;

 private:
  enum Variable { of_q, of_v, of_z, of_lam, n_variables };
  struct Columns;
  struct Scratch;
  void rebuild(const MotionPlanes& planes, Scratch& s) const;
  void group(Columns& columns, bool alone, Scratch& s) const;
  Status difference(Variable variable, const State& state, MotionPlanes& planes, Scratch& s) const;
  void store(Variable variable, int row, int column, double value, MotionPlanes& planes) const;
  void enlarge_estimate(Columns& columns, Scratch& s) const;

  const SecondOrderDae& dae_;
  DifferenceOptions options_;
};

}  // namespace trammel
