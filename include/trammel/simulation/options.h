#pragma once

#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "trammel/base/error.h"
#include "trammel/mechanics/model.h"

namespace trammel {

enum class AnalysisKind {
  dynamics,          ///< motion from initial conditions
  kinematics,        ///< a fully driven mechanism: positions, velocities, accelerations from Φ alone
  inverse_dynamics,  ///< kinematics, and the forces and torques that the motions need
  statics,           ///< the equilibrium near the drawn position, or a steady motion
};

struct AnalysisOptions {
  AnalysisKind kind = AnalysisKind::dynamics;
  double start = 0.0;       ///< [s]
  double end = 1.0;         ///< [s] > start
  int load_steps = 0;       ///< statics: 0 relaxes to a stable equilibrium; n: Newton while the load grows in n steps
  bool arc_length = false;  ///< statics with load steps: the path is followed where the load falls and rises again
  /// statics: joints and coordinates (by name) whose velocity is unknown instead of their position
  std::vector<std::string> steady;
  Source source;
};

/// How redundant constraint rows are treated. `error` names them and refuses.
enum class RedundancyPolicy { error, drop, minimum_norm };

enum class ScalingKind {
  none,                 ///< the equations as they are
  physical,             ///< s = m_r + d_r h + k_r h² [bauchau2009 (6)]
  left,                 ///< bdf: constraints × 1/h [bottasso2007 (16)]
  left_right,           ///< bdf: motion × h, constraints × 1/h, λ × h⁻² [bottasso2007 (23)(24)]
  left_right_velocity,  ///< bdf: the same and v × h⁻¹ [bottasso2007 (23)(29)]
  constraints,          ///< bdf: constraints × 1/(hβ) [hastiff (1.16), (2.2)]
};

/// The scaling of rows and unknowns; absent values are computed from the model and shown in the Summary.
struct ScalingOptions {
  ScalingKind kind = ScalingKind::physical;
  std::optional<double> m_ave, d_ave, k_ave;  ///< m_r [kg], d_r [N s/m], k_r [N/m]
  std::string reference = "mean_diagonal";    ///< mean_diagonal | infinity_norm: what m_r, d_r, k_r are of M, D, K
  double l_ref = 1.0;                         ///< reference length [m]
  std::optional<double> rho;                  ///< augmented-Lagrangian weight ρ ≥ 0; absent: augmented_weight()
};

/// Settings of the BDF method; see docs/integrators/bdf.md.
struct BdfSettings {
  /// "" | dassl (its constants exactly) | gstiff_i3 | gstiff_si2 | hastiff: sets everything that is not given.
  std::string preset;
  std::optional<int> max_order;           ///< 1 … 6
  std::optional<double> newton_constant;  ///< > 0
  std::string unknown;                    ///< "" | y | yp: what the corrector solves for
  std::string corrector;                  ///< "" | classical | modified
  std::optional<bool> stability_detection;
  std::string fields =
      "three";  ///< three: (q, v, λ) | two: v eliminated from the linear system [bottasso2007 section 4]
  /// tolerance | saturation: until corrections stop decreasing | none: max_iterations in every step. The last two need
  /// a fixed step.
  std::string newton_stop = "tolerance";
  std::string newton_start = "prediction";  ///< prediction | previous: the values of the last step
  /// "": the matrix is kept as long as it serves | "TFFF": made anew before iterations 1, 5, 9, …; "T": before every
  /// one
  std::string jacobian_pattern;
  /// full: new planes with every large change of the step | partitioned: the planes at hand with the new step
  /// [arnold2004 (23)] | extended: and with the new inputs [arnold2004 (26)]
  std::string jacobian_update = "full";
  /// exact | dense_differences: one residual per column | sparse_differences: one per group of columns
  /// [arnold2004 (16), (20)]
  std::string jacobian = "exact";
  std::string jacobian_sparsity = "given";  ///< sparse_differences: given by the model | estimated from one full matrix
  std::string formalism = "residual";  ///< residual: M v̇ − f | explicit: v̇ − φ, joint coordinates [arnold2004 (10)]
  /// Absolute tolerances by kind, in their units; absent: atol.
  std::optional<double> position_tol, rotation_tol, velocity_tol, multiplier_tol, internal_tol;
};

/// Settings of the stabilized index-2 form and of its coordinate split; see docs/formulations/coordinate_split.md.
struct SplitSettings {
  /// stabilized_index2: ggl | ggl_star; coordinate_split: cs | cm; "": ggl or cm
  std::string iteration;
  std::string cm_mode = "frozen_step";   ///< frozen_step | matrix_only | frozen_jacobian
  std::vector<std::string> independent;  ///< coordinates that must be independent ones: "bob.x"
  /// Which unknowns the error test and Newton's test look at: "" (by formulation) | positions | states | all |
  /// independent_positions | independent
  std::string error_set, corrector_set;
  std::vector<std::string> untested;  ///< coordinates that no test looks at
};

struct SolverOptions {
  std::string integrator = "generalized_alpha";  ///< generalized_alpha | hht | newmark | midpoint | radau | bdf
  /// index3 | stabilized_index2 | stabilized_index1 | index2 | index1 | coordinate_split; "": index3 for second-order
  /// methods, stabilized_index2 for radau and bdf (or what the preset of bdf says).
  std::string formulation;
  std::string coordinates = "absolute";
  std::optional<double> h;   ///< fixed step [s]; absent: error-controlled
  std::optional<double> h0;  ///< first step of an error-controlled run
  double hmin = 0.0;         ///< floor of the step [s]; 0: 1e-14 of the time span
  double hmax = std::numeric_limits<double>::infinity();
  double rtol = 1e-5;                  ///< relative tolerance of the local error
  double atol = 1e-7;                  ///< absolute tolerance, for metres and radians alike
  double rho_inf = 0.8;                ///< generalized_alpha: spectral radius at infinity, 0 ≤ ρ∞ < 1
  double alpha = -0.1;                 ///< hht: −1/3 ≤ α ≤ 0 with β, γ from it
  double gamma = 0.6;                  ///< newmark: γ ≥ ½, β = (γ + ½)²/4
  int stages = 3;                      ///< radau: 1, 2 or 3, order 2 stages − 1
  double newton_tol = 1e-12;           ///< tolerance of Newton's iteration (fixed step), relative to 1 + |x|
  std::string newton_test = "motion";  ///< motion | all: which unknowns Newton waits for (second-order methods)
  int max_iterations = 10;             ///< Newton iterations before a step is rejected
  std::string linear_solver = "auto";  ///< auto | dense | sparse_lu | skyline_ldlt | sparse_ldlt | gmres
  ScalingOptions scaling;
  BdfSettings bdf;
  SplitSettings split;
  double baumgarte_alpha = 0.0, baumgarte_beta = 0.0;  ///< index1: Φ̈ + 2αΦ̇ + β²Φ = 0 [1/s]
  RedundancyPolicy redundant = RedundancyPolicy::error;
  bool strict = false;  ///< refuse inconsistent initial conditions instead of correcting them
  bool record_condition =
      false;  ///< condition number of the iteration matrix per step, and how rounding may move unknowns
  bool record_corrections = false;  ///< sizes of every Newton correction (bdf and second-order methods)
  Source source;
  Source scaling_source;
};

struct OutputOptions {
  std::optional<double> interval;  ///< [s] between recorded frames; default (end − start)/500
  bool every_step = false;         ///< record at the integrator's own steps instead
  std::string file;                ///< default: the model file's name with .h5
  bool flush_every_frame = false;
  Source source;
};

/// The formulation that will be used.
std::string formulation_of(const SolverOptions& options);
/// The iteration that will be used: ggl, ggl_star, cs or cm.
std::string iteration_of(const SolverOptions& options);
/// The weight ρ that will be used: what is given, else 1 for physically scaled second-order systems (one-step methods,
/// the two fields of bdf on index3) and 0 where there is no augmented term.
double augmented_weight(const SolverOptions& options);

/// Everything a model file says.
struct Study {
  Model model;
  AnalysisOptions analysis;
  SolverOptions solver;
  OutputOptions output;
  std::string text;  ///< the model file as it was read, for the results
};

/// Everything wrong with the options (ranges, names, pairs that exclude each other).
std::vector<Issue> issues(const Study& study);

}  // namespace trammel
