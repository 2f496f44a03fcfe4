// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "trammel/base/error.h"
#include "trammel/formulations/kinds.h"
#include "trammel/integrators/bdf_options.h"
#include "trammel/integrators/error_goal.h"
#include "trammel/linalg/linear_solver_kind.h"
#include "trammel/mechanics/model.h"
#include "trammel/simulation/methods.h"
#include "trammel/simulation/record.h"
#include "trammel/simulation/recorded_steps.h"
#include "trammel/simulation/starting_point.h"

namespace trammel {

/// What a run is asked to do, as a user states it. Every value is optional: absent means that the program chooses, and
/// `resolve` (option.h) says what it chose. Keys, units, ranges, defaults and meanings are described in
/// src/simulation/option_tables.cpp, once for model files, checks, records, Python and documentation.

enum class AnalysisKind {
  dynamics,          ///< motion from initial conditions
  kinematics,        ///< a fully driven mechanism: positions, velocities, accelerations from Φ alone
  inverse_dynamics,  ///< kinematics, and the forces and torques that the motions need
  statics,           ///< the equilibrium near the drawn position, or a steady motion
};

/// Six numbers per body with joints as rows, or the freedoms of the joints of a spanning tree.
enum class CoordinateSet { automatic, absolute, joint };

/// How redundant constraint rows are treated. `error` names them and refuses.
enum class RedundancyPolicy { error, drop, minimum_norm };

/// What becomes of a run whose numbers are doubtful (Alarm): it says so, or it counts as failed.
enum class AlarmPolicy { warn, error };

/// Settings of bdf under one name; `preset_settings` (option.h) says which.
enum class Preset { dassl, gstiff_i3, gstiff_si2, hastiff };

/// Unknowns of BDF's linear systems: (q, v, λ), or (q, λ) with v eliminated [bottasso2007 section 4].
enum class BdfFields { three, two };

/// Rules by which BDF steers order, step and matrix: those of BdfOptions, or DASSL's exactly.
enum class StepRules { standard, dassl };

enum class JacobianSource {
  exact,
  dense_differences,   ///< one residual per column [arnold2004 (16)]
  sparse_differences,  ///< one residual per group of columns [arnold2004 (20)]
};

enum class JacobianSparsity {
  given,      ///< by the model
  estimated,  ///< from one full difference matrix, enlarged when Newton is slow
};

enum class Formalism {
  residual,       ///< M v̇ − f
  explicit_form,  ///< v̇ − φ, joint coordinates [arnold2004 (10)]
};

using ToleranceRule = Tolerances::Rule;

inline constexpr double default_start = 0.0, default_end = 1.0;  // [s]

/// Where dynamics begins.
enum class StartFrom {
  drawn,        ///< as drawn, with the velocities given
  equilibrium,  ///< at rest, where statics ends
};

struct AnalysisOptions {
  std::optional<AnalysisKind> kind;
  std::optional<StartFrom> start_from;  ///< dynamics
  std::optional<double> start, end;     ///< [s]
  std::optional<int> load_steps;        ///< statics
  std::optional<int> time_steps;        ///< statics: equilibria at so many later times, up to `end`
  std::optional<bool> arc_length;       ///< statics
  /// statics: joints and coordinates (by name) whose velocity is unknown instead of their position
  std::optional<std::vector<std::string>> steady;
  Source source;

  double span() const { return end.value_or(default_end) - start.value_or(default_start); }  ///< [s]
};

/// The scaling of rows and unknowns; absent references are computed from the model and shown in the Summary.
struct ScalingOptions {
  std::optional<ScalingKind> kind;
  std::optional<double> m_ave, d_ave, k_ave;  ///< m_r [kg], d_r [N s/m], k_r [N/m]
  std::optional<ScalingReference> reference;  ///< what m_r, d_r, k_r are of M, D, K
  std::optional<double> l_ref;                ///< reference length [m]
  std::optional<double> rho;                  ///< augmented-Lagrangian weight ρ ≥ 0
  Source source;
};

/// Parameters of generalized-α and its members, and Newton's test of the second-order methods.
struct OneStepSettings {
  std::optional<double> rho_inf;  ///< generalized_alpha: spectral radius at infinity
  std::optional<double> alpha;    ///< hht: β, γ follow from it
  std::optional<double> gamma;    ///< newmark: β = (γ + ½)²/4
  std::optional<NewtonTest> newton_test;
};

struct RadauSettings {
  std::optional<int> stages;      ///< order 2 stages − 1
  std::optional<ErrorGoal> goal;  ///< what the tolerances are held by
};

/// Settings of the BDF method; see docs/integrators/bdf.md.
struct BdfSettings {
  std::optional<Preset> preset;
  std::optional<int> max_order;
  std::optional<double> newton_constant;
  std::optional<BdfUnknown> unknown;
  std::optional<Corrector> corrector;
  std::optional<StepRules> step_rules;
  std::optional<bool> stability_detection;
  std::optional<BdfFields> fields;
  std::optional<NewtonStart> newton_start;
  std::optional<std::string> jacobian_pattern;  ///< "TFFF": the matrix is made anew before iterations 1, 5, 9, …
  std::optional<Formalism> formalism;
};

/// Where the derivatives of an implicit method come from, and how long they serve; see docs/integrators/bdf.md.
struct JacobianSettings {
  std::optional<JacobianSource> source;
  std::optional<JacobianSparsity> sparsity;
  std::optional<JacobianUpdate> update;
};

/// Settings of the stabilized index-2 form and of its coordinate split; see docs/formulations/coordinate_split.md.
struct SplitSettings {
  std::optional<SplitIteration> iteration;
  std::optional<CmMode> cm_mode;
  std::optional<std::vector<std::string>> independent;  ///< coordinates that must be independent ones: "bob.x"
  std::optional<TestSet> error_set, corrector_set;      ///< which unknowns the error test and Newton's test look at
  std::optional<std::vector<std::string>> untested;     ///< coordinates that no test looks at
};

/// Absolute tolerances by kind of unknown, in their units; absent: atol.
struct KindTolerances {
  std::optional<double> position_tol, rotation_tol, velocity_tol, multiplier_tol, internal_tol;
};

struct SolverOptions {
  std::optional<Integrator> integrator;
  std::optional<Formulation> formulation;
  std::optional<CoordinateSet> coordinates;
  std::optional<LinearSolverKind> linear_solver;
  std::optional<DenseKernel> dense_kernel;
  std::optional<KrylovMethod> krylov;                  ///< of linear_solver = "petsc"
  std::optional<KrylovPreconditioner> preconditioner;  ///< of it
  std::optional<double> h;                             ///< fixed step [s]; absent: error-controlled
  std::optional<double> h0;                            ///< first step of an error-controlled run [s]
  std::optional<double> hmin, hmax;                    ///< [s]
  std::optional<double> rtol, atol;                    ///< of the local error
  std::optional<ToleranceRule> tolerance_rule;
  KindTolerances tolerances;
  std::optional<double> newton_tol;   ///< of Newton's iteration with a fixed step, and of equilibria
  std::optional<int> max_iterations;  ///< of Newton, before a step is rejected
  std::optional<NewtonStop> newton_stop;
  OneStepSettings one_step;
  RadauSettings radau;
  BdfSettings bdf;
  JacobianSettings jacobian;
  SplitSettings split;
  ScalingOptions scaling;
  std::optional<double> baumgarte_alpha, baumgarte_beta;  ///< index1: Φ̈ + 2αΦ̇ + β²Φ = 0 [1/s]
  std::optional<RedundancyPolicy> redundant;
  std::optional<bool> strict;              ///< refuse inconsistent initial conditions instead of correcting them
  std::optional<bool> record_condition;    ///< condition number of the iteration matrix per step
  std::optional<bool> record_corrections;  ///< sizes of every Newton correction
  Source source;

  LinearSolverChoice linear_choice() const {
    LinearSolverChoice choice(linear_solver.value_or(LinearSolverKind::automatic),
                              dense_kernel.value_or(DenseKernel::automatic));
    choice.krylov = krylov.value_or(choice.krylov);
    choice.preconditioner = preconditioner.value_or(choice.preconditioner);
    return choice;
  }
};

struct OutputOptions {
  std::optional<double> interval;                    ///< [s] between recorded frames
  std::optional<bool> every_step;                    ///< record at the integrator's own steps instead
  std::optional<std::vector<std::string>> channels;  ///< names and patterns of what is kept: "rod.*"; absent: all
  std::optional<std::string> file;
  std::optional<bool> flush_every_frame;
  std::optional<int> checkpoint_steps;  ///< between places from which the run can be resumed; 0: none
  std::optional<double> max_size;       ///< [B] of the results, as estimated before the run; more is refused
  std::optional<AlarmPolicy> alarms;
  Source source;
};

/// A value of any option; std::monostate: absent.
using OptionValue = std::variant<std::monostate, bool, int, double, std::string, std::vector<std::string>>;

/// A stretch of a run with settings of its own, [[phase]]; behind the last one that ends before the run does those of
/// [solver] hold.
struct Phase {
  std::string name;
  std::optional<double> until;                    ///< when it ends [s]; absent, without an event: with the analysis
  std::string event;                              ///< it ends where this one happens first; empty: by time
  SolverOptions solver;                           ///< what is given here replaces what [solver] says
  std::map<std::string, OptionValue> extensions;  ///< the same of options that were added
  Source source;

  bool ends_before_run() const { return until || !event.empty(); }
};

/// Everything that can be set beside the machine itself.
struct Settings {
  AnalysisOptions analysis;
  SolverOptions solver;
  OutputOptions output;
  std::vector<Phase> phases;                      ///< of dynamics, one after the other; none: the whole run is one
  std::map<std::string, OptionValue> extensions;  ///< "solver.my_key": of options that were added (ExtraOption)
};

/// Everything a model file says.
struct Study : Settings {
  Model model;
  std::string text;                 ///< the model file as it was read, for the results
  std::vector<RecordedFile> files;  ///< and what else was read: parts, tables, meshes
  /// Where the machine begins, at analysis.start; none: as drawn.
  std::optional<StartingPoint> start = {};
  /// The steps of another run that this one repeats; none: the method chooses.
  std::shared_ptr<const RecordedSteps> steps = {};
};

/// Everything wrong with the settings: values out of range, keys that would have no effect, pairs that exclude each
/// other.
std::vector<Issue> issues(const Study& study);

}  // namespace trammel
