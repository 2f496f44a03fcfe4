// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <memory>

#include "trammel/dae/second_order_dae.h"

namespace trammel {

/// Inputs that stay where they are: u̇ = ü = 0.
inline void hold(InputBuffer& inputs) {
  std::fill(inputs.ud.begin(), inputs.ud.end(), 0.0);
  std::fill(inputs.udd.begin(), inputs.udd.end(), 0.0);
}

/// The same equations of a machine that stands: what motions prescribe is held where it is at the given instant. Of
/// equilibria and small motions about them; the velocities of prescribed joint coordinates are no unknowns that could
/// be set to zero.
class AtRest final : public SecondOrderDae {
 public:
  explicit AtRest(const SecondOrderDae& moving) : moving_(moving) {}

  int nv() const override { return moving_.nv(); }
  int nz() const override { return moving_.nz(); }
  int nc() const override { return moving_.nc(); }
  const Layout& layout() const override { return moving_.layout(); }
  std::span<const double> E() const override { return moving_.E(); }
  std::span<const char> holonomic() const override { return moving_.holonomic(); }
  bool has_constant_mass() const override { return moving_.has_constant_mass(); }
  TurningVectors turning() const override { return moving_.turning(); }
  std::unique_ptr<Workspace> make_workspace() const override { return moving_.make_workspace(); }
  void calc_inputs(double t, InputBuffer& inputs) const override {
    moving_.calc_inputs(t, inputs);
    hold(inputs);
  }
  double next_breakpoint(double t) const override { return moving_.next_breakpoint(t); }
  Status residual(const MotionPoint& p, const State& state, Vec motion, Vec internal, Vec constraint,
                  Workspace& workspace) const override {
    return moving_.residual(p, state, motion, internal, constraint, workspace);
  }
  Status linearize(const MotionPoint& p, const State& state, PlaneSet set, MotionPlanes& planes,
                   Workspace& workspace) const override {
    return moving_.linearize(p, state, set, planes, workspace);
  }
  void to_chart(ConstVec q, MotionPlanes& planes, std::vector<double>& G_chart) const override {
    moving_.to_chart(q, planes, G_chart);
  }
  Status velocity_level(const MotionPoint& p, const State& state, Vec phi_dot, Vec bias,
                        Workspace& workspace) const override {
    return moving_.velocity_level(p, state, phi_dot, bias, workspace);
  }
  void calc_q_rate(ConstVec q, ConstVec v, Vec q_rate) const override { moving_.calc_q_rate(q, v, q_rate); }
  void accepted(const MotionPoint& p, Vec q, State& state, Workspace& workspace) const override {
    moving_.accepted(p, q, state, workspace);
  }

 private:
  const SecondOrderDae& moving_;
};

}  // namespace trammel
