// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "trammel/mechanics/joint/joint_tree.h"

// How what elements see changes with joint coordinates.
//
// A freedom j is a field of velocity: σ everywhere, ν(x) = ν_j + σ × (x − o_j). When j moves by δ, everything outside
// it moves on by the field, and twists and accelerations change by brackets with it, because what carries j does not
// move along (w₋, v₋(x), α₋, a₋(x): the carrier's motion at x). For a frame at p with twist (w, v) and rates (α, v̇):
//
//   (1) by q:  δp = ν(p), δR = σ̂ R;   δw = σ × (w − w₋),   δv = σ × (v − v₋) + w₋ × ν
//              δα = σ × (α − α₋) + χ × (w − w₋),            χ = w₋ × σ, κ = w₋ × ν + v₋ × σ
//              δA = σ × (A − A₋) + ν × (α − α₋) + χ × (v − v₋) + κ × (w − w₋),   A = v̇ − w × v (spatial)
//              δv̇ = δA + α × ν + δw × v + w × δv
//   (2) by v:  δw = σ, δv = ν;   δα = σ × (w − 2 w₋) + χ₊,   δv̇ = 2 σ × (v − v₋) + 2 w₋ × ν + χ₊ × (p − o_j)
//              χ₊ = ω × σ for the freedoms of a chart, which turn with the joint's own velocity ω; else 0
//   (3) by v̇:  δα = σ, δv̇ = ν
//
// in the world; components in body axes, as elements have them, lose σ × of themselves.
//
// The way σ along a track is a freedom that changes with itself: seen from the ground S′ = κ′ Z and S″ = [S, S′] + κ″ Z
// with Z a turn about z through the point C of the track. Besides (1)–(3), with V_r = V − ṡ S what σ carries:
//
//   (4) by q:  δ(w, v) = ṡκ′ Z,   δA = (s̈κ′ + ṡ²κ″) Z + ṡκ′ [Z, V_r]
//   (5) by v:  δA = 2ṡκ′ Z

namespace trammel::detail {

using V3 = Vec3<double>;

/// How a frame's pose, twist and rates change with one coordinate, as elements see it: world and body components.
struct Change {
  Vec6<double> pose, twist, rate;  // (δp, δβ), (δv, δω body), (δv̇, δω̇ body)
};

struct FrameView {
  const Frame<double>& frame;
  V3 w, alpha, a;  // world
};

inline V3 field(const JointTree::Freedom& s, const V3& d) { return s.nu + cross(s.sigma, d); }

// (1); d leads from the freedom's point to the frame. Rates are needed for K only.
inline void calc_position_change(const JointTree::Freedom& s, const V3& d, const FrameView& f, bool with_rates,
                                 Change& c) {
  const Mat3<double>& R = f.frame.R;
  const V3 nu = field(s, d), v_before = s.v_before + cross(s.w_before, d);
  const V3 u = f.frame.v - v_before, spin = f.w - s.w_before;
  const V3 dv = cross(s.sigma, u) + cross(s.w_before, nu), chi = cross(s.w_before, s.sigma);
  c.pose << nu, rotate_back(R, s.sigma);
  c.twist << dv, rotate_back(R, chi);  // σ × (w − w₋) − σ × w
  if (!with_rates) return;
  const V3 a_before = s.a_before + cross(s.alpha_before, d) + cross(s.w_before, cross(s.w_before, d));
  const V3 A = f.a - cross(f.w, f.frame.v), A_before = a_before - cross(s.w_before, v_before);
  const V3 kappa = cross(s.w_before, nu) + cross(v_before, s.sigma), d_alpha = f.alpha - s.alpha_before;
  const V3 dA = cross(s.sigma, V3(A - A_before)) + cross(nu, d_alpha) + cross(chi, u) + cross(kappa, spin);
  const V3 dw = cross(s.sigma, spin);
  const V3 da = dA + cross(f.alpha, nu) + cross(dw, f.frame.v) + cross(f.w, dv);
  const V3 dalpha = cross(s.sigma, V3(-s.alpha_before)) + cross(chi, spin);  // less σ × α
  c.rate << da, rotate_back(R, dalpha);
}

// (2)
inline void calc_velocity_change(const JointTree::Freedom& s, const V3& chi, const V3& d, const FrameView& f,
                                 Change& c) {
  const Mat3<double>& R = f.frame.R;
  const V3 nu = field(s, d), v_before = s.v_before + cross(s.w_before, d);
  c.twist << nu, rotate_back(R, s.sigma);
  const V3 da = 2.0 * (cross(s.sigma, V3(f.frame.v - v_before)) + cross(s.w_before, nu)) + cross(chi, d);
  c.rate << da, rotate_back(R, V3(cross(s.sigma, V3(f.w - 2.0 * s.w_before)) + chi));
}

// (4)
inline void add_travel_change(const JointTree::Freedom& s, const JointTree::Travel& travel, const V3& d,
                              const FrameView& f, bool with_rates, Change& c) {
  const Mat3<double>& R = f.frame.R;
  const V3 z = V3::UnitZ(), turn = cross(z, V3(f.frame.p - travel.C));
  const double change = travel.s_dot * travel.dkappa;
  const V3 dw = change * z, dv = change * turn;
  c.twist.head<3>() += dv;
  c.twist.tail<3>() += rotate_back(R, dw);
  if (!with_rates) return;
  const double grows = travel.s_ddot * travel.dkappa + travel.s_dot * travel.s_dot * travel.ddkappa;
  const V3 w_r = f.w - travel.s_dot * s.sigma, v_r = f.frame.v - travel.s_dot * field(s, d);
  const V3 dalpha = grows * z + change * cross(z, w_r);
  const V3 dA = grows * turn + change * (cross(z, v_r) + cross(turn, w_r));
  c.rate.head<3>() += dA + cross(dw, f.frame.v) + cross(f.w, dv);
  c.rate.tail<3>() += rotate_back(R, dalpha);
}

// (5)
inline void add_travel_rate_change(const JointTree::Travel& travel, const FrameView& f, Change& c) {
  const V3 z = V3::UnitZ(), change = 2.0 * travel.s_dot * travel.dkappa * z;
  c.rate.head<3>() += cross(change, V3(f.frame.p - travel.C));
  c.rate.tail<3>() += rotate_back(f.frame.R, change);
}

/// χ₊ of (2) for coordinate j of a link.
inline V3 chart_turn(const JointTree& tree, int link, int j, const JointTree::Memory& memory) {
  const JointTree::Freedom& s = memory.freedom[j];
  const bool in_chart = tree.link(link).chart >= 0 && j >= tree.link(link).offset + tree.link(link).nv - 3;
  if (!in_chart) return V3::Zero();
  return cross(V3(memory.motion[link].w - s.w_before), s.sigma);
}

}  // namespace trammel::detail
