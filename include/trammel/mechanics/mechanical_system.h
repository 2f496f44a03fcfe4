// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "trammel/dae/second_order_dae.h"
#include "trammel/dae/turning_axes.h"
#include "trammel/mechanics/elements/frame.h"

namespace trammel {

/// The equations of a machine in some set of coordinates (absolute or joint): the only thing formulations see.
///
///   q̇ = T(q) v,   M v̇ + Gᵀλ = f(q, v, z, λ, u),   E ż = g,   0 = Φ(q, u),   0 = A(q, u) v + a(q, u)
///
/// Const: State and Workspace are arguments, so that threads can share one system. nq = nv: rotations are three chart
/// coordinates. Rows are holonomic or not (`holonomic()[row]`), in the order of the model's joints.
class MechanicalSystem {
 public:
  virtual ~MechanicalSystem() = default;
  virtual int nv() const = 0;
  virtual int nz() const = 0;
  virtual int nc() const = 0;
  virtual std::span<const double> E() const = 0;
  virtual std::span<const char> holonomic() const = 0;
  virtual std::span<const Kind> kinds_q() const = 0;
  virtual std::string describe_coordinate(int i) const = 0;  ///< "body 'rod', rotation 1 [rad]"
  virtual std::string describe_motion_row(int i) const = 0;  ///< "body 'rod', force along y [N]"
  virtual std::string describe_state(int i) const = 0;
  virtual std::string describe_constraint(int row) const = 0;  ///< "joint 'elbow', row 2 [m]"

  virtual std::unique_ptr<Workspace> make_workspace() const = 0;
  virtual void calc_inputs(double t, InputBuffer& inputs) const = 0;
  virtual double next_breakpoint(double t) const = 0;

  /// The residual formalism: motion = M a + Gᵀλ − f, internal = E ż − g.
  virtual Status residual(const MotionPoint& p, const State& state, Vec motion, Vec internal, Vec phi,
                          Workspace& workspace) const = 0;
  /// The same with the velocity level: phi_dot as below, and kinematic = Gᵀμ of holonomic rows (mu has one entry per
  /// row).
  virtual Status stabilized_residual(const MotionPoint& p, ConstVec mu, const State& state, Vec motion, Vec internal,
                                     Vec phi, Vec phi_dot, Vec kinematic, Workspace& workspace) const = 0;
  /// phi: Φ or A v + a; phi_dot: Φ̇ or A v + a; bias: the time derivative of phi_dot without G v̇.
  virtual Status velocity_level(const MotionPoint& p, const State& state, Vec phi_dot, Vec bias,
                                Workspace& workspace) const = 0;
  /// product = G w for any w, without forming G.
  virtual void calc_G_times(const MotionPoint& p, const State& state, ConstVec w, Vec product,
                            Workspace& workspace) const = 0;
  virtual Status linearize(const MotionPoint& p, const State& state, PlaneSet set, MotionPlanes& planes,
                           Workspace& workspace) const = 0;
  /// M is the same at every point: it need not be made anew with a new step size.
  virtual bool has_constant_mass() const { return false; }
  virtual void to_chart(ConstVec q, MotionPlanes& planes, std::vector<double>& G_chart) const = 0;
  /// Where the three coordinates of each chart start in q; State::charts has the same order.
  virtual std::span<const int> chart_offsets() const = 0;
  /// What an iteration matrix must be turned by to stay young while bodies rotate.
  virtual TurningVectors turning() const = 0;
  virtual void calc_q_rate(ConstVec q, ConstVec v, Vec q_rate) const = 0;
  /// Moves charts whose |θ| exceeds the threshold to the current rotation, counts turns, updates modes.
  virtual void accepted(const MotionPoint& p, double chart_threshold, Vec q, State& state,
                        Workspace& workspace) const = 0;

  /// Energies [J] and the power of everything that is not the gradient of a potential [W].
  struct Energy {
    double kinetic = 0.0, potential = 0.0, power = 0.0;
  };
  virtual Energy calc_energy(const MotionPoint& p, const State& state, Workspace& workspace) const = 0;
};

}  // namespace trammel
