// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace trammel {

/// Which constraints stand beside the equations of motion, and as what multipliers enter.
struct ConstraintForm {
  enum class Level {
    positions,      ///< Φ = 0
    velocities,     ///< Φ̇ = 0
    accelerations,  ///< Φ̈ + 2αΦ̇ + β²Φ = 0
  };
  Level level = Level::positions;
  bool stabilized = false;  ///< and Φ̇ = 0 with multipliers μ of its own, q̇ = T(v − Gᵀμ)
  bool rates = false;       ///< the unknowns are ψ, χ with λ = ψ′, μ = χ′

  static const ConstraintForm index3;             ///< [bottasso2007 (1)]
  static const ConstraintForm stabilized_index2;  ///< Gear, Gupta, Leimkuhler [hastiff (1.10)]
  static const ConstraintForm stabilized_index1;  ///< Hiller, Anantharaman [hastiff (2.2)]
  static const ConstraintForm index2;             ///< drifts in position
  static const ConstraintForm index1;             ///< Baumgarte; α = β = 0: drifts in position and velocity

  /// Φ = 0 alone: velocities hold Φ̇ = 0 to the error of a step only.
  constexpr bool positions_alone() const { return level == Level::positions && !stabilized; }
  friend bool operator==(const ConstraintForm&, const ConstraintForm&) = default;
};

inline constexpr ConstraintForm ConstraintForm::index3{};
inline constexpr ConstraintForm ConstraintForm::stabilized_index2{.stabilized = true};
inline constexpr ConstraintForm ConstraintForm::stabilized_index1{.stabilized = true, .rates = true};
inline constexpr ConstraintForm ConstraintForm::index2{.level = Level::velocities};
inline constexpr ConstraintForm ConstraintForm::index1{.level = Level::accelerations};

/// Which unknowns a test looks at. Internal states with a rate belong to every set.
enum class TestSet {
  by_form,                ///< error: q and v (index 3: q); corrector: everything
  positions,              ///< q
  states,                 ///< q, v
  all,                    ///< multipliers too
  independent_positions,  ///< Xᵀq of a coordinate split
  independent,            ///< Xᵀq, Xᵀv
};

/// How Newton's iteration treats the multipliers of the stabilized index-2 equations; see CoordinateSplitForm.
enum class SplitIteration {
  ggl,       ///< they are unknowns and are tested
  ggl_star,  ///< they are predicted from the split and left out of the corrector test
  cs,        ///< the split equations, derivatives of P included
  cm,        ///< the split equations with P as a constant of the matrix
};

/// Where iteration cm takes its projection P.
enum class CmMode {
  frozen_step,      ///< at the prediction of each step: consistent, and G is factored once per step
  matrix_only,      ///< at the current iterate
  frozen_jacobian,  ///< where the matrix was made: *not* consistent, for tables of a paper
};

/// What stands for a whole matrix in s.
enum class ScalingReference {
  mean_diagonal,  ///< Σ|a_ii|/n
  infinity_norm,  ///< max_i Σ_j |a_ij|
};

/// Factors of rows and unknowns of the iteration matrix; see FirstOrderScaling, PhysicalScaling and StepScaling.
enum class ScalingKind {
  none,                 ///< the equations as they are
  physical,             ///< s = m_r + d_r h + k_r h² [bauchau2009 (6)]
  left,                 ///< constraints × 1/h [bottasso2007 (16)]
  left_right,           ///< motion × h, constraints × 1/h, λ × s/h² [bottasso2007 (23)(24)(28)]
  left_right_velocity,  ///< the same and v × h⁻¹ [bottasso2007 (23)(29)]
  constraints,          ///< constraints × 1/(hβ) [hastiff (1.16), (2.2)]
};

/// Whether multipliers are counted in s/(h² ℓ), s = m_r + d_r h + k_r h².
constexpr bool has_reference(ScalingKind kind) {
  return kind == ScalingKind::physical || kind == ScalingKind::left_right || kind == ScalingKind::left_right_velocity;
}

}  // namespace trammel
