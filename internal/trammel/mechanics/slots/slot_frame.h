// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "trammel/dae/types.h"
#include "trammel/mechanics/elements/frame.h"

namespace trammel {

/// A frame as the energy-decaying scheme sees it: four *slots*, the origin x and the directors d₁, d₂, d₃ (columns of
/// R), twelve numbers z in which springs, joints and beams are quadratic. Its unknowns stay its own velocities u:
/// v = S_x u (world), Ω = S_w u (body axes).
struct SlotFrame {
  using Map = Eigen::Matrix<double, 3, Eigen::Dynamic, Eigen::ColMajor, 3, 6>;
  int offset = 0, nv = 0;  ///< its place among the velocities
  bool turns = false;      ///< S_w ≠ 0
  Map S_x, S_w;
  double mass = 0.0;
  Eigen::Matrix3d inertia = Eigen::Matrix3d::Zero();  ///< about the centre of mass, body axes
};

/// The rotation of a frame over a step, its directors and the levers of the forces on them. With
///
///   (1) Θ = h/2 (Ω_j + Ω_f),   R_f = R_0 cay Θ,   R_m = R_0 cay(Θ/(1 + √(1 + |Θ|²/4)))      half the rotation
///   (2) δ = R_m (Ω_j − Ω_f),  b = R_m Θ/h,   s + c s × δ = b,   c = h/4
///   (3) w_j = s + δ/2,  w_f = s − δ/2                                                      spatial rates
///   (4) d_m = (d_0 + d_f)/2,  p_f = d_m + h/2 w_j × d_m,  p_j = d_m − h/2 w_f × d_m          levers
///   (5) d′_f = w_f × p_f,  d′_j = w_j × p_j      =>   d_f = d_0 + h/2 (d′_j + d′_f)  exactly
///   (6) L̇: dL = R_f J Ω_f − R_0 J Ω_0,   D = R_m J (Ω_j − Ω_0) + h/2 dL × s
///
/// moments T_f = Σ p_f × f_f, T_j = Σ p_j × f_j of forces f on the directors have the power w_f·T_f = Σ f·d′_f, and
///
///   (7) dL − D + 2h T_f = 0,   dL + D + 2h T_j = 0
///
/// changes the kinetic energy by −½|Ω_j − Ω_0|²_J beside the work. Without moments dL = 0 and Ω_j = Ω_0: energy and
/// angular momentum are conserved. cay w = I + (ŵ + ŵ²/2)/(1 + |w|²/4): half a turn is never reached.
/// `curvature` multiplies every h/2 of (2), (4), (6) that bends a lever: 1, or 0 for the fallback of first order.
template <class S>
struct SpinStep {
  Mat3<S> R_f;
  Vec3<S> w_j, w_f;
  Mat3<S> rate_j, rate_f;    ///< columns d′_i
  Mat3<S> lever_j, lever_f;  ///< columns p_i
  Vec3<S> dL, D;
};

template <class S>
SpinStep<S> calc_spin(const Eigen::Matrix3d& R_0, const Eigen::Matrix3d& J, const Eigen::Vector3d& Omega_0,
                      const Vec3<S>& Omega_j, const Vec3<S>& Omega_f, double h, double curvature);

/// A frame within the step: its slots and their rates at j and f, and how they follow the unknowns (u_j, u_f).
struct SlotFrameStep {
  using Slots = Eigen::Matrix<double, 12, 1>;  ///< (x, d₁, d₂, d₃)
  using Columns = Eigen::Matrix<double, 12, Eigen::Dynamic, Eigen::ColMajor, 12, 12>;
  using Rows = Eigen::Matrix<double, Eigen::Dynamic, 12, Eigen::ColMajor, 6, 12>;
  using Block = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor, 6, 12>;

  Frame<double> start;   ///< with the velocities of the scheme
  SlotFrame::Map S_row;  ///< R_0 S_w: the axes in which moments are balanced, world
  Slots z_0;

  Frame<double> at_j, at_f;  ///< at j: the old position with v_j, Ω_j
  Eigen::Vector3d w_j, w_f;  ///< spatial rates
  Eigen::Vector3d dL, D;
  Slots rate_j, rate_f;
  Columns rate_j_u, rate_f_u;    ///< ∂rate/∂(u_j, u_f)
  Columns lever_j_u, lever_f_u;  ///< ∂p/∂(u_j, u_f), rows 0…2 unused
  Block dL_u, D_u;               ///< S_rowᵀ ∂(dL, D)/∂(u_j, u_f)
  Eigen::Matrix<double, 3, Eigen::Dynamic, Eigen::ColMajor, 3, 12> w_j_u, w_f_u;  ///< ∂w/∂(u_j, u_f)
  Rows on_j, on_f;         ///< slot forces to the frame's own rows, by the levers
  Slots force_j, force_f;  ///< h × the forces of all elements on the slots

  void begin(const SlotFrame& frame, const Frame<double>& at);
  /// Everything at the velocities u_j, u_f; derivatives only if wanted.
  void update(const SlotFrame& frame, const double* u_j, const double* u_f, double h, double curvature,
              bool derivatives);
};

}  // namespace trammel
