#pragma once

namespace trammel {

/// Which constraints stand beside the equations of motion, and as what multipliers enter.
enum class ConstraintForm {
  index3,             ///< Φ = 0                                                   [bottasso2007 (1)]
  stabilized_index2,  ///< Φ = 0 and Φ̇ = 0, q̇ = T(v − Gᵀμ)  (Gear, Gupta, Leimkuhler)     [hastiff (1.10)]
  stabilized_index1,  ///< the same with λ = ψ′, μ = χ′  (Hiller, Anantharaman)            [hastiff (2.2)]
  index2,             ///< Φ̇ = 0: drifts in position
  index1,             ///< Φ̈ + 2αΦ̇ + β²Φ = 0 (Baumgarte; α = β = 0: drifts in position and velocity)
};

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

/// Factors of rows and unknowns of the iteration matrix; see FirstOrderScaling and PhysicalScaling.
enum class ScalingKind {
  none,                 ///< the equations as they are
  physical,             ///< s = m_r + d_r h + k_r h² [bauchau2009 (6)]
  left,                 ///< constraints × 1/h [bottasso2007 (16)]
  left_right,           ///< motion × h, constraints × 1/h, λ × h⁻² [bottasso2007 (23)(24)]
  left_right_velocity,  ///< the same and v × h⁻¹ [bottasso2007 (23)(29)]
  constraints,          ///< constraints × 1/(hβ) [hastiff (1.16), (2.2)]
};

}  // namespace trammel
