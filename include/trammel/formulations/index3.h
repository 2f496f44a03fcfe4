// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "trammel/dae/second_order_dae.h"
#include "trammel/mechanics/mechanical_system.h"

namespace trammel {

/// The index-3 form: the equations as they are, with holonomic rows on positions and nonholonomic ones on velocities.
///
///   M v̇ + Gᵀλ = f,   E ż = g,   Φ(q, u) = 0,   A v + a = 0                      [bauchau2009 (1)], [bottasso2007 (1)]
///
/// No drift: positions satisfy Φ at solver tolerance at every accepted step. Well conditioned at any step size only
/// when scaled (PhysicalScaling); use a damped one-step method or BDF on it.
class Index3 final : public SecondOrderDae {
 public:
  explicit Index3(const MechanicalSystem& system);

  const MechanicalSystem& system() const { return system_; }
  int nv() const override { return system_.nv(); }
  int nz() const override { return system_.nz(); }
  int nc() const override { return system_.nc(); }
  const Layout& layout() const override { return layout_; }
  std::span<const double> E() const override { return system_.E(); }
  std::span<const char> holonomic() const override { return system_.holonomic(); }
  bool has_constant_mass() const override { return system_.has_constant_mass(); }
  TurningVectors turning() const override { return system_.turning(); }
  std::unique_ptr<Workspace> make_workspace() const override { return system_.make_workspace(); }
  void calc_inputs(double t, InputBuffer& inputs) const override { system_.calc_inputs(t, inputs); }
  double next_breakpoint(double t) const override { return system_.next_breakpoint(t); }
  Status residual(const MotionPoint& p, const State& state, Vec motion, Vec internal, Vec constraint,
                  Workspace& workspace) const override {
    return system_.residual(p, state, motion, internal, constraint, workspace);
  }
  Status linearize(const MotionPoint& p, const State& state, PlaneSet set, MotionPlanes& planes,
                   Workspace& workspace) const override {
    return system_.linearize(p, state, set, planes, workspace);
  }
  void to_chart(ConstVec q, MotionPlanes& planes, std::vector<double>& G_chart) const override {
    system_.to_chart(q, planes, G_chart);
  }
  Status velocity_level(const MotionPoint& p, const State& state, Vec phi_dot, Vec bias,
                        Workspace& workspace) const override {
    return system_.velocity_level(p, state, phi_dot, bias, workspace);
  }
  void calc_q_rate(ConstVec q, ConstVec v, Vec q_rate) const override { system_.calc_q_rate(q, v, q_rate); }
  /// One-step methods move every chart at every step.
  void accepted(const MotionPoint& p, Vec q, State& state, Workspace& workspace) const override {
    system_.accepted(p, 0.0, q, state, workspace);
  }

 private:
  const MechanicalSystem& system_;
  Layout layout_;
};

}  // namespace trammel
