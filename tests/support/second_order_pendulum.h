// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <memory>
#include <vector>

#include "trammel/dae/second_order_dae.h"

namespace trammel::testing {

/// The plain pendulum of the acceptance values for [bauchau2009]: m = l = 1, g = 9.81, Φ = q·q − 1 and not half of it,
/// from θ = 1 with θ̇ = 0.5. Written as a user would write a system against SecondOrderDae.
class SecondOrderPendulum final : public SecondOrderDae {
 public:
  static constexpr double g = 9.81, theta = 1.0, omega = 0.5;

  SecondOrderPendulum()
      : layout_(
            {Kind::position, Kind::position, Kind::multiplier}, [](int i) { return names()[i]; },
            [](int i) { return names()[i] + " row"; }) {}

  /// Consistent values at the start: Φ̈ = 2 v·v + 2 q·a = 0 gives λ.
  static MotionVariables start() {
    MotionVariables x;
    x.resize(2, 0, 1);
    x.q << std::sin(theta), -std::cos(theta);
    x.v << omega * std::cos(theta), omega * std::sin(theta);
    x.lam[0] = 0.5 * (x.v.squaredNorm() - g * x.q[1]);
    x.a = -2.0 * x.lam[0] * x.q;
    x.a[1] -= g;
    return x;
  }

  int nv() const override { return 2; }
  int nz() const override { return 0; }
  int nc() const override { return 1; }
  const Layout& layout() const override { return layout_; }
  std::span<const double> E() const override { return {}; }
  std::span<const char> holonomic() const override { return holonomic_; }
  std::unique_ptr<Workspace> make_workspace() const override { return std::make_unique<Workspace>(); }
  void calc_inputs(double t, InputBuffer& inputs) const override {
    if (inputs.u.empty()) inputs.resize(1);
    inputs.u[0] = t, inputs.ud[0] = 1.0;
  }
  double next_breakpoint(double) const override { return std::numeric_limits<double>::infinity(); }

  Status residual(const MotionPoint& p, const State&, Vec motion, Vec, Vec constraint, Workspace&) const override {
    motion = p.a + 2.0 * p.lam[0] * p.q;
    motion[1] += g;
    constraint[0] = p.q.squaredNorm() - 1.0;
    return Status::success();
  }
  Status linearize(const MotionPoint& p, const State&, PlaneSet, MotionPlanes& m, Workspace&) const override {
    if (m.version == 0) {
      PatternBuilder motion(2, 2), constraint(1, 2), reaction(2, 1);
      motion.add_diagonal();
      for (int c = 0; c < 2; ++c) constraint.add(0, c);
      m.motion = motion.build(), m.constraint = constraint.build(), m.reaction = reaction.build();
      m.state_force = PatternBuilder(2, 0).build(), m.state_rate = PatternBuilder(0, 2).build();
      m.state_state = PatternBuilder(0, 0).build(), m.state_lam = PatternBuilder(0, 1).build();
      m.version = 1;
    }
    m.M = {1.0, 1.0}, m.D = m.K = {0.0, 0.0};
    m.K_lam = {2.0 * p.lam[0], 2.0 * p.lam[0]};
    m.G = {2.0 * p.q[0], 2.0 * p.q[1]};
    m.Gv_q = {2.0 * p.v[0], 2.0 * p.v[1]};
    return Status::success();
  }
  void to_chart(ConstVec, MotionPlanes& planes, std::vector<double>& G_chart) const override { G_chart = planes.G; }
  Status velocity_level(const MotionPoint& p, const State&, Vec phi_dot, Vec bias, Workspace&) const override {
    phi_dot[0] = 2.0 * p.q.dot(p.v);
    bias[0] = 2.0 * p.v.squaredNorm();
    return Status::success();
  }
  void calc_q_rate(ConstVec, ConstVec v, Vec q_rate) const override { q_rate = v; }
  void accepted(const MotionPoint& p, Vec q, State&, Workspace&) const override { q = p.q; }

 private:
  static const std::vector<std::string>& names() {
    static const std::vector<std::string> all{"x", "y", "rod"};
    return all;
  }
  Layout layout_;
  std::vector<char> holonomic_{1};
};

}  // namespace trammel::testing
