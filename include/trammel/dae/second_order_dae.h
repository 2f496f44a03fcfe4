// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "trammel/dae/turning_axes.h"
#include "trammel/dae/types.h"
#include "trammel/linalg/pattern.h"

namespace trammel {

/// A point of the motion: everything the equations of a second-order system are functions of.
struct MotionPoint {
  double t;
  Inputs in;
  Eigen::Ref<const Eigen::VectorXd> q, v, a;  ///< positions, velocities, accelerations v̇ (nq = nv)
  Eigen::Ref<const Eigen::VectorXd> z, zp;    ///< internal states and their rates
  Eigen::Ref<const Eigen::VectorXd> lam;      ///< multipliers, physical units
};

/// Storage for a MotionPoint: all variables of the motion at one instant. `a` is v̇ of the equations; methods keep their
/// own extra variables.
struct MotionVariables {
  double t = 0.0;
  Eigen::VectorXd q, v, a, z, zp, lam;

  void resize(int nv, int nz, int nc) {
    for (Eigen::VectorXd* x : {&q, &v, &a}) x->setZero(nv);
    for (Eigen::VectorXd* x : {&z, &zp}) x->setZero(nz);
    lam.setZero(nc);
  }
  MotionPoint point(const Inputs& in) const { return {t, in, q, v, a, z, zp, lam}; }
};

/// Which planes a caller needs; linearize computes no others.
enum class PlaneSet : unsigned {
  none = 0,
  M = 1,           ///< ∂(M v̇ − f)/∂v̇: mass, and what forces that depend on reactions of tree joints add to it
  D = 2,           ///< −∂f/∂v
  K = 4,           ///< ∂(M a − f)/∂q
  K_lam = 8,       ///< ∂(Gᵀλ)/∂q
  G = 16,          ///< constraint rows acting on v
  Gv_q = 32,       ///< ∂(G v + Φ_u u̇)/∂q: Φ̇_q of holonomic rows, (A v + a)_q of nonholonomic ones
  f_lam = 64,      ///< −∂f/∂λ
  internal = 128,  ///< everything about z: f_z, g_q, g_v, g_z, g_lam
  all = 255,
  mass = 256,  ///< with M: the mass matrix alone
};
constexpr PlaneSet operator|(PlaneSet a, PlaneSet b) {
  return static_cast<PlaneSet>(static_cast<unsigned>(a) | static_cast<unsigned>(b));
}
constexpr bool contains(PlaneSet set, PlaneSet plane) {
  return (static_cast<unsigned>(set) & static_cast<unsigned>(plane)) != 0;
}

/// Where the derivatives of a second-order system may be non-zero.
struct MotionPatterns {
  Pattern motion;             ///< nv × nv: M, D, K, K_lam
  Pattern constraint;         ///< nc × nv: G, Gv_q
  Pattern reaction;           ///< nv × nc: f_lam
  Pattern state_force;        ///< nv × nz: f_z
  Pattern state_rate;         ///< nz × nv: g_q, g_v
  Pattern state_state;        ///< nz × nz: g_z
  Pattern state_lam;          ///< nz × nc: g_lam
  std::uint64_t version = 0;  ///< of all patterns; moves when any of them grows
  Pattern curvature{};        ///< nv × nv, part of motion: where K_lam may be non-zero; no columns: everywhere in it
};

/// The derivatives of a second-order system, kept apart so that every integrator, partitioned update, scaling,
/// statics and eigen analysis gathers what it needs. Position derivatives are with respect to *increments*
/// (δp in the world, δβ in body axes): independent of charts. `to_chart` turns them into ∂/∂q.
struct MotionPlanes : MotionPatterns {
  std::vector<double> M, D, K, K_lam;
  std::vector<double> G, Gv_q;
  std::vector<double> f_lam, f_z;            ///< −∂f/∂λ, −∂f/∂z
  std::vector<double> g_q, g_v, g_z, g_lam;  ///< derivatives of E ż − g by q, v, z, λ (that is, with the minus sign)
  bool linear_in_rates = true;  ///< M v̇ − f is linear in v̇; false: forces depend on reactions of tree joints

  /// Takes over patterns of another version, with zeros as values.
  void adopt(const MotionPatterns& patterns);
};

/// A mechanical system as one-step methods, statics and eigen analysis see it:
///
///   q̇ = T(q) v,   r_motion = M v̇ + Gᵀλ − f,   r_state = E ż − g,   r_constraint = Φ(q,u) or A v + a.
///
/// F never contains the step size, a scaling or λ̂: those are row and column factors applied by the operator.
class SecondOrderDae {
 public:
  virtual ~SecondOrderDae() = default;
  virtual int nv() const = 0;
  virtual int nz() const = 0;
  virtual int nc() const = 0;
  /// Unknowns (q, z, λ) and rows (motion, state, constraint), in this order.
  virtual const Layout& layout() const = 0;
  /// 1 for rows E ż − g with ż, 0 for algebraic ones.
  virtual std::span<const double> E() const = 0;
  /// true: a row Φ(q, u) = 0 on positions, false: A v + a = 0 on velocities.
  virtual std::span<const char> holonomic() const = 0;

  virtual bool has_constant_mass() const { return false; }  ///< M is the same everywhere
  virtual TurningVectors turning() const { return {}; }     ///< what of its numbers turns with its bodies

  virtual std::unique_ptr<Workspace> make_workspace() const = 0;
  virtual void calc_inputs(double t, InputBuffer& inputs) const = 0;
  virtual double next_breakpoint(double t) const = 0;

  virtual Status residual(const MotionPoint& p, const State& state, Vec motion, Vec internal, Vec constraint,
                          Workspace& workspace) const = 0;
  /// Patterns are (re)built in `planes` when state.version moved.
  virtual Status linearize(const MotionPoint& p, const State& state, PlaneSet set, MotionPlanes& planes,
                           Workspace& workspace) const = 0;
  /// Multiplies the position columns of K, K_lam, G, Gv_q and g_q by ∂increment/∂q = J_r(θ). `G_chart` receives G's
  /// converted copy: G itself acts on velocities and stays.
  virtual void to_chart(ConstVec q, MotionPlanes& planes, std::vector<double>& G_chart) const = 0;
  /// G v + Φ_u u̇ (or A v + a) and the part of its time derivative that does not contain v̇.
  virtual Status velocity_level(const MotionPoint& p, const State& state, Vec phi_dot, Vec bias,
                                Workspace& workspace) const = 0;
  /// q̇ = T(q) v.
  virtual void calc_q_rate(ConstVec q, ConstVec v, Vec q_rate) const = 0;
  /// Called once per accepted step: moves charts to the current rotations (q changes accordingly), branches, modes.
  virtual void accepted(const MotionPoint& p, Vec q, State& state, Workspace& workspace) const = 0;
};

}  // namespace trammel
