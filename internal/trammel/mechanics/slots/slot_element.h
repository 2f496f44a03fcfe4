// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "trammel/mechanics/slots/slot_frame.h"

namespace trammel {

/// A joint, spring or section of a beam as quadratic functions of slots.
///
///   vectors     P_k = Σ weight · slot              points, arms, directors, their derivatives along a beam
///   quadratics  q = Σ c P_k·P_l + Σ ℓ·P_k + const
///   measures    q itself; a length √q; an angle atan2(q₂, q₁); √(1 − q²); components of a rotation vector
///   functions   e = Σ factor · measure + const     strains, or constraints e = 0
///
/// In a step (h, curvature κ = 1) with rates P′_j, P′_f of the vectors:
///
///   (1) P(ζ_f) = P_m + κh/2 P′_j,  P(ζ_j) = P_m − κh/2 P′_f,  P_m = P_0 + h/4 (P′_j + P′_f)
///   (2) r_f = B(ζ_f) P′_f,  r_j = B(ζ_j) P′_j,  B = ∂q/∂P        =>  h/2 (r_j + r_f) = q_f − q_0  exactly
///   (3) measures m(q): discrete partials s with Σ s dq = dm and any symmetric m_kl ≈ ∂²m/∂q_k∂q_l of the middle,
///       w_f = s + κh/2 m_kl r_j,  w_j = s − κh/2 m_kl r_f,  rates Σ w_f r_f, Σ w_j r_j: again exact
///   (4) forces S_f w_f B(ζ_f)ᵀ and S_j w_j B(ζ_j)ᵀ on the vectors, hence on the slots
///
/// so that h (S_f r_f + S_j r_j) is the work of the step, and what it is, the law alone decides:
///
///   constraint  S = Λ with e(z_f) = u(t_f) and r_f − r_j = u̇_f − u̇_0
///   rate        the same for a prescribed rate ė = u(t)
///   elastic     S = Λ + damper + preload/2, the stresses σ_f = 4Λ_f − 2Λ_j = K e_f and σ_j = 4Λ_j − 2Λ_f = K ε_j,
///               ε_j = e_0 − h/6 (r_f − r_j); damper C(r_j + 2r_f)/6 at f, C(2r_j + r_f)/6 at j
///   stop        S_f = (4S_d − S*)/6, S_j = (2S_d + S*)/6 of a convex V: S_d (e_f − ε_j) = V(e_f) − V(ε_j), S* =
///   V′(ε_j)
///
/// Stresses as unknowns: Newton's iteration does not see the stiffness (5 iterations instead of 37 on a beam).
struct SlotElement {
  struct Product {
    int k, l;
    double factor;
  };
  struct Linear {
    int k;
    Eigen::Vector3d direction;
  };
  struct Quadratic {
    std::vector<Product> products;
    std::vector<Linear> linear;
    double constant = 0.0;
  };
  struct Measure {
    enum class Type { quadratic, length, angle, disc, rotation };
    Type type = Type::quadratic;
    int function = 0;
    double factor = 1.0;
    /// angle: (X, Y) of atan2(Y, X); rotation: vee(R) and (tr R − 1)/2 of a rotation matrix
    int q[4] = {0, 0, 0, 0};
    int component = 0;  ///< rotation
    double zero = 0.0;  ///< of an angle
    int branch = -1;    ///< of an angle: counts its turns
  };
  enum class Law { constraint, rate, elastic, stop };
  /// A stop: V = ½ k δ² + ⅓ k₂ δ³ of δ = ⟨e − upper⟩ and of δ = ⟨lower − e⟩, and damping that never pulls, ramped in
  /// over `depth`.
  struct Stop {
    double stiffness = 0.0, damping = 0.0, lower = 0.0, upper = 0.0, depth = 0.0;
    double quadratic = 0.0;  ///< k₂ ≥ 0
  };

  std::vector<int> frames;
  std::vector<double> weights;  ///< n_vectors × (4 slots of each frame)
  std::vector<Quadratic> quadratics;
  std::vector<Measure> measures;
  std::vector<double> constant;  ///< of each function
  Law law = Law::constraint;
  std::vector<int> multiplier;  ///< of each function: its number among all multipliers; −1: left out (a dropped row)
  std::vector<int> input;       ///< of each function: the u that it follows, −1: none
  Eigen::MatrixXd K, C;         ///< elastic: stiffness and damping, n_functions square; K may be semi-definite
  Eigen::VectorXd preload;      ///< elastic
  Stop stop;

  static constexpr int max_vectors = 12, max_quadratics = 8, max_functions = 6, max_columns = 72;

  int n_frames() const { return static_cast<int>(frames.size()); }
  int n_vectors() const { return static_cast<int>(weights.size()) / (4 * n_frames()); }
  int n_functions() const { return static_cast<int>(constant.size()); }
  bool has_unknowns() const { return law != Law::stop; }

  // ---- building --------------------------------------------------------------------------------------------------
  /// The local number of a frame; added if it is not there. All frames must be there before the first vector.
  int local(int frame);
  int add_vector();
  double& weight(int vector, int frame, int slot) { return weights[(vector * n_frames() + frame) * 4 + slot]; }
  /// A point s fixed in a local frame, or a direction (without the origin), added to a vector with a factor.
  void add_point(int vector, int frame, const Eigen::Vector3d& s, double factor);
  void add_direction(int vector, int frame, const Eigen::Vector3d& n, double factor = 1.0);
  int add_product(int k, int l, double factor);             ///< a new quadratic c P_k·P_l
  int add_linear(int k, const Eigen::Vector3d& direction);  ///< a new quadratic ℓ·P_k
  int add_function(double constant_value, int multiplier_number, int input_number = -1);
  void add_measure(int function, Measure::Type type, int q0, int q1 = 0, double factor = 1.0);
};
using MeasureType = SlotElement::Measure::Type;

/// A mass on a vector: kinetic energy ½ m |Σ weight · ż|² (a point mass off the frame's origin, a section of a beam).
struct SlotMass {
  SlotElement shape;  ///< its frames and its only vector
  double mass = 0.0;
  bool falls = true;  ///< the vector is a point: its weight acts on it
};

}  // namespace trammel
