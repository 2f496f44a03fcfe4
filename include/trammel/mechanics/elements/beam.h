// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <span>
#include <string_view>
#include <vector>

#include "trammel/mechanics/elements/group.h"

namespace trammel {

/// A geometrically exact beam element (Reissner, Simo) on 2, 3 or 4 frames: an energy of their positions, nothing else.
///
/// A node a of the element is a section fixed in its frame: point s, axes Q (e₁ along the beam). In the world
///
///   (1)  x_a = p_a + R_a s_a,   Λ_a = R_a Q_a
///
/// Rotations are interpolated relative to a rotation Λ_r of the element itself (Crisfield and Jelenić), so that a rigid
/// motion of all nodes moves the interpolated sections rigidly and strains do not see it:
///
///   (2)  Λ_r = Λ_I exp(φ̂/2),  φ = log(Λ_IᵀΛ_J)       I, J: the two nodes (or the one) in the middle of the element
///   (3)  Ψ_a = log(Λ_rᵀΛ_a),  y_a = Λ_rᵀ(x_a − x_I)
///   (4)  Ψ(ξ) = Σ N_a Ψ_a,    y′ = Σ N_a′ y_a          ′: by the arc length of the drawn beam
///   (5)  Γ = exp(−Ψ̂) y′       stretch and shear;   Γ = (1, 0, 0) unstrained
///        κ = J_r(Ψ) Ψ′         twist and curvature [1/m]
///   (6)  U = Σ_g w_g (½ eᵀC e + n₀ᵀe),  e = (Γ, κ) − (Γ, κ)_drawn
///
/// over one Gauss point less than there are nodes. This under-integration is what keeps slender elements from locking,
/// and it loses no order: energies converge with 2, 4, 6 for 2, 3, 4 nodes. Nodes stand at the Gauss–Lobatto points
/// of the element; masses are integrated there (they are masses of the nodes, see beam.h of the model).
///
/// Stiffness-proportional damping adds τ C ė to the resultants n = C e + n₀. A relative rotation between the ends of
/// one element must stay below π: beyond, (3) is another branch of the logarithm. The resultants are then not a number,
/// and the step is tried again with a smaller h.
struct BeamElement {
  static constexpr int max_nodes = 4, max_points = 3;

  using Vector6 = Eigen::Matrix<double, 6, 1>;
  using Matrix6 = Eigen::Matrix<double, 6, 6>;

  int nodes = 2;                                ///< 2, 3 or 4
  int frame[max_nodes] = {0, 0, 0, 0};          ///< 0 is the ground
  Eigen::Vector3d s[max_nodes];                 ///< (1) [m]
  Eigen::Matrix3d Q[max_nodes];                 ///< (1)
  bool offset = false;                          ///< false: every s = 0 and Q = I
  Matrix6 C = Matrix6::Zero();                  ///< [N, N m, N m²]
  Vector6 n0 = Vector6::Zero();                 ///< pre-stress [N, N m]
  double damping = 0.0;                         ///< τ [s]
  double weight[max_points] = {0.0, 0.0, 0.0};  ///< w_g [m]: Gauss weight · drawn length per ξ
  double dN[max_points][max_nodes];             ///< N_a′ [1/m]
  Vector6 drawn[max_points];                    ///< (Γ, κ) of the drawn element

  int points() const { return nodes - 1; }
  /// Fixes weights, shape functions and drawn strains from the drawn sections: positions and axes in the world.
  void draw(std::span<const Eigen::Vector3d> x, std::span<const Eigen::Matrix3d> axes);
};

/// Gauss–Lobatto points of an element, ξ from −1 to 1, and their weights (sum 2): where its nodes stand.
std::span<const double> lobatto_points(int nodes);
std::span<const double> lobatto_weights(int nodes);
/// ξ of the integration points of the strain energy, and N_a there.
std::span<const double> gauss_points(int points);
double shape_function(int nodes, int a, double xi);
double shape_slope(int nodes, int a, double xi);

/// Strains e, resultants n = C e + n₀ + τ C ė in section axes (force 1–3 [N], moment 4–6 [N m]) at one Gauss point.
struct SectionState {
  BeamElement::Vector6 strain, resultant;
};

/// The kernels, for double and Dual<6>: (6) and the wrenches −∂U/∂(p, β) less those of the damping.
template <class S>
S beam_energy(const BeamElement& b, const Frame<S>* f);
template <class S>
void beam_force(const BeamElement& b, const Frame<S>* f, Wrench<S>* w);
/// −∂(wrench of node i)/∂(δp, δβ of node j) into K[i·nodes + j], written out by hand; without damping.
void beam_stiffness(const BeamElement& b, const Frame<double>* f, Block6* K);
void calc_sections(const BeamElement& b, const Frame<double>* f, SectionState* sections);

/// All beam elements of a model.
class BeamGroup final : public ElementGroup {
 public:
  void add(const BeamElement& element) {
    first_slot_.push_back(elements_.empty() ? 0 : first_slot_.back() + elements_.back().nodes * elements_.back().nodes);
    elements_.push_back(element);
  }
  const BeamElement& element(int e) const { return elements_[static_cast<std::size_t>(e)]; }

  std::string_view kind() const override { return "beam"; }
  int size() const override { return static_cast<int>(elements_.size()); }
  bool divisible() const override { return true; }
  void visit_frames(int e, const std::function<void(int)>& visit) const override {
    for (int a = 0; a < element(e).nodes; ++a) visit(element(e).frame[a]);
  }
  void connect(std::span<const int> modes, Connectivity& connectivity, std::vector<int>& slots) const override;
  void add_forces(const KinematicState&, std::span<Wrench<double>>, std::span<double>) const override;
  void add_planes(const KinematicState&, PlaneSet, std::span<const int> slots, FramePlanes&) const override;
  double potential(const KinematicState&) const override;
  double power(const KinematicState&) const override;
  Cause find_cause(const KinematicState&) const override;

  /// Of one element: its stored energy [J], and what its sections feel at points() integration points.
  double energy(int e, const KinematicState&) const;
  void sections(int e, const KinematicState&, SectionState* sections) const;
  /// Λ_IᵀΛ_J of (2): how far the two nodes in its middle are turned against each other.
  Eigen::Matrix3d middle_turn(int e, const KinematicState&) const;

 private:
  void take_frames(const BeamElement& b, const KinematicState& k, Frame<double>* local) const;

  std::vector<BeamElement> elements_;
  std::vector<int> first_slot_;  // of each
};

}  // namespace trammel
