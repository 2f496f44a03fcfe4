// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "trammel/dae/second_order_dae.h"

namespace trammel {

/// The motion near a point, in independent states:
///
///   (1) ẋ = A x + B u,   x = (s, w, ζ):   δq = Q x,  δv = V x,  δz = Z x + Z_u u,  δλ = L x + L_u u
///
/// s and w are independent coordinates of δq and δv, chosen by pivoting the constraint rows (their names are those of
/// the machine's own coordinates), ζ the differential states. δq of rotations is the turn in body axes seen from a body
/// that follows the reference motion: δβ̇ = δω − ω × δβ.
struct Linearization {
  Eigen::MatrixXd A, B;
  Eigen::MatrixXd Q, V, Z, L, Z_u, L_u;
  std::vector<std::string> states;        ///< names of x
  int n_positions = 0, n_velocities = 0;  ///< sizes of s and w
};

/// Eigenvalues by growing |σ|; pairs stand together, the one with positive imaginary part first.
struct EigenModes {
  Eigen::VectorXcd values;
  Eigen::MatrixXcd shapes;  ///< δq, largest entry 1; zero for modes in which nothing moves
  int zeros = 0;            ///< how many are zero beside the others: rigid-body motions and neutral positions

  /// Orders values and shapes, scales shapes, counts values up to `zero`.
  void arrange(double zero);
  double frequency(int i) const;  ///< undamped, |σ|/2π [Hz]
  double damping(int i) const;    ///< −Re σ/|σ|; 0 for zeros
};

/// A linearization by exact derivatives. `chart_offsets`: where the three coordinates of each chart start. With the
/// derivatives of all constraint rows the equations
///
///   M δv̇ + D δv + (K + K_λ) δq + (Gᵀ + f_λ) δλ + f_z δz = −r_u u,   E δż + g_q δq + g_v δv + g_z δz + g_λ δλ = −g_u u,
///   G δq = 0 (holonomic),   G δv + (G v)_q δq = 0,   δq̇ = δv + Ω δq
///
/// determine δv̇, δż (or algebraic δz) and δλ for each admissible (δq, δv, δz). `by_input` holds (r_u, g_u), one column
/// per input; inputs do not move constraints. Dense: for some hundred unknowns.
Status linearize_motion(const SecondOrderDae& dae, const MotionVariables& x, const State& state,
                        std::span<const int> chart_offsets, const Eigen::MatrixXd& by_input, Workspace& workspace,
                        Linearization& result);

/// All modes of (1).
EigenModes calc_modes(const Linearization& linearization);

/// The `n_modes` pairs or single values of smallest |σ| besides zeros, for large machines: shift-invert Arnoldi
/// iteration on the sparse pencil of the equations above, index 3 as they are, x = (δq, δv, δz, δλ):
///
///   (2) σ E x = A x,   E = diag(1, M, E_z, 0):   (σ₀E − A)⁻¹E x = ν x,   σ = σ₀ − 1/ν
///
/// Constraints make E singular: their infinite eigenvalues are ν = 0, the last to be found. σ₀ is 0 where A is regular;
/// with rigid-body motions it is put below the first frequency, which is found on the way.
Status calc_lowest_modes(const SecondOrderDae& dae, const MotionVariables& x, const State& state,
                         std::span<const int> chart_offsets, int n_modes, Workspace& workspace, EigenModes& modes);

}  // namespace trammel
