// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "trammel/mechanics/elements/contact_group.h"
#include "trammel/mechanics/slots/slot_frame.h"

namespace trammel {

/// A place where two shapes are near each other, over one step of the energy-decaying scheme.
///
/// Its depth a, normal n (from a into b) and point are functions of two poses. At j the points of both bodies that meet
/// at the start are looked at, at f those that meet at the end; u is how fast a's moves against b's, by the rates of
/// slots, and ω = w_a − w_b.
///
///   (1) κ = (2/h (a_f − a_0) − n_f·u_f − n_0·u_j)/Σ (u² + ℓ²ω²)       sum over j and f; O(h²), 0 for points on planes
///   (2) r = n·u + κ (u² + ℓ²ω²)                         =>  h/2 (r_j + r_f) = a_f − a_0  exactly
///   (3) V(a) = ∫ f(a, 0) da,   ε_j = a_0 − h/6 (r_f − r_j),   S_d (a_f − ε_j) = V(a_f) − V(ε_j),   S* = V′(ε_j)
///   (4) S_f = (4S_d − S*)/6 + D_f,   S_j = (2S_d + S*)/6 + D_j,   D = ½ (f(a, r) − f(a, 0)), at f by a_f, at j by ε_j
///   (5) on b the forces S (n + κu) + ½ μ f u_t/√(u_t² + v_s²) and the couples S κℓ² ω, on a the opposite
///
/// of the normal law f(a, ȧ) ≥ 0 of NormalLaw, which grows with ȧ: D has the sign of r. V is convex. The work of the
/// place is −h Σ (S r + friction·u), so that for every h
///
///   (6) V_f + work done on the bodies = V_0 − [V_0 − V(ε) − V′(ε)(a_0 − ε)] − h Σ D r − h Σ ½ μ f u_t²/√(…) ≤ V_0
///
/// The correction κ is the discrete gradient of Gonzalez, taken along the motion of the bodies against each other, so
/// that common motion feels nothing of it; without ω bodies that roll would have nothing to correct along.
struct SlotContact {
  const ContactGroup* group = nullptr;
  ContactGroup::Place place;
  NormalLaw normal;
  FrictionLaw friction;
  int frame[2] = {0, 0};
  double arm = 1.0;  ///< ℓ [m]
  // at the start of the step
  double depth_0 = 0.0;
  Eigen::Vector3d n_0, point_0[2];  ///< points in the axes of their frames
  std::vector<int> slots;           ///< of its block in the matrix

  /// False: by its law this place is no force of (1)–(6). Bristles (LuGre) store ½σ₀ N z² of a normal force that others
  /// change, which is no potential: pressed together while deflected they give back more than they took. Foundations
  /// are sums over points that come and go. Belts bring work in; moments against turning act at no point of a surface.
  static bool has_potential(const ContactGroup& group, const ContactGroup::Place& place);

  SlotContact(const ContactGroup& in, const ContactGroup::Place& at, std::span<const int> modes);
  void begin(std::span<const SlotFrameStep> steps);
  bool is(const ContactGroup& in, const ContactGroup::Place& at) const;
  double calc_depth(const Frame<double>& a, const Frame<double>& b) const;

  struct Ledger {
    double energy = 0.0, strain_jump = 0.0, dissipated = 0.0;
  };
  using Block = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor, 24, 24>;
  /// Impulses to the slots of the frames; couples, which are no forces on slots, to `couple[2 * side + (at f)]`.
  Ledger add_forces(std::span<SlotFrameStep> steps, double h, Eigen::Vector3d (&couple)[4]) const;
  /// Derivatives of the rows of both frames by their unknowns without the change of levers, which belongs to frames.
  void calc_matrix(std::span<const SlotFrame> frames, std::span<const SlotFrameStep> steps, double h,
                   Block& block) const;
  double calc_potential_start() const;
};

}  // namespace trammel
