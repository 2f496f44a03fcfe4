// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "trammel/dae/equilibrium.h"
#include "trammel/integrators/motion_integrator.h"
#include "trammel/mechanics/joint/joint_system.h"
#include "trammel/simulation/checked_study.h"
#include "trammel/simulation/customize.h"
#include "trammel/simulation/frame_channels.h"
#include "trammel/simulation/initial_conditions.h"
#include "trammel/simulation/kink_watch.h"
#include "trammel/simulation/linearized_machine.h"
#include "trammel/simulation/options.h"
#include "trammel/simulation/progress.h"
#include "trammel/simulation/record.h"
#include "trammel/simulation/summary.h"

namespace trammel {

/// What `trammel check` finds: the machine assembled, not moved.
struct CheckReport {
  int bodies = 0, nv = 0, nz = 0, rows = 0, rank = 0, degrees_of_freedom = 0;
  std::vector<std::string> redundant;  ///< one line per row that others imply
  InitialReport initial;
  std::vector<std::string> remarks;  ///< inconsistent initial values and what was done about them
  std::string choice;                ///< why this method, where the program chooses it
  std::string settings;              ///< what takes effect, as in a model file
  std::string failure;               ///< cannot be assembled, no accelerations, …; empty: ready to run
  std::string to_text() const;
};

/// A study made ready to run: a machine, where it is, and what moves it.
///
/// The constructor assembles the machine, finds consistent initial conditions and redundant rows, and throws InputError
/// for everything that is wrong. `run` integrates; numerical trouble is reported in the Summary, never thrown.
class Simulation {
 public:
  explicit Simulation(CheckedStudy study, Customize customize = {});
  ~Simulation();

  Summary run(RecordSink& sink, const ProgressCallback& progress = {});
  /// Goes on where another run of the same study, by the same version of the library, gave this memory to
  /// RecordSink::checkpoint(): what follows are the bits that would have followed there. The sink is told to begin;
  /// rows of the time before are not given to it. Dynamics alone. Throws Error if the memory is that of something else.
  Summary resume(RecordSink& sink, std::span<const std::byte> memory, const ProgressCallback& progress = {});

  /// What takes effect, defaults included.
  const Settings& settings() const;

  /// Records a channel of the user's own with every frame, behind those of the library and under the same rules: it is
  /// in the results file, found by its name, exported and shown in the report (docs/recipes/add_a_channel.md). Before
  /// the run; throws InputError with everything that is wrong with it.
  void add_channel(const FrameChannel& channel);

  // For stepwise use and tests.
  const Assembly& assembly() const;
  /// Null in absolute coordinates.
  const JointSystem* joint_system() const;
  const SecondOrderDae& dae() const;
  MotionIntegrator& integrator();
  State& state();
  const MotionVariables& initial() const;
  const std::vector<std::string>& notes() const;
  /// Why this method, where the program chose it: "tree of 6 freedoms, not stiff: explicit pair in joint coordinates".
  const std::string& choice() const;
  /// Where contact began and ended in the run so far; slots are those of ContactGroup.
  const std::vector<KinkWatch::Change>& contact_changes() const;
  /// Begins the run at other variables of the same machine, in the charts of `state`: another simulation's newest
  /// point.
  void begin_at(const MotionVariables& x, const State& state);
  RecordSchema make_schema() const;
  /// The frames of all bodies (by Assembly::body_frame) at variables of the integrator, in whatever coordinates.
  std::vector<Frame<double>> calc_frames(const MotionVariables& x, const State& state);

  /// The equilibrium (or steady motion) near the drawn position; initial() and state() are there afterwards.
  EquilibriumReport find_equilibrium(const EquilibriumOptions& options, const Equilibrium::Watch& watch = {});
  /// The machine's small motions about initial(). `outputs` names measures; `by_input` as in linearize_motion.
  using Linearized = LinearizedMachine;
  Linearized linearize(const Eigen::MatrixXd& by_input);
  /// The modes of smallest |σ| about initial(), for machines that are too large for linearize().
  EigenModes calc_lowest_modes(int n_modes, double& largest_acceleration);
  /// The rows (motion, state, constraint) at initial() of another simulation of the same machine with other parameters.
  Eigen::VectorXd residual_at(const MotionVariables& x, const State& state);
  /// Every coordinate of the bodies, joints or coordinates with these names.
  std::vector<int> find_coordinates(const std::vector<std::string>& names) const;
  std::string explain_equilibrium(const EquilibriumReport& report) const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

/// Assembles without simulating.
CheckReport check(const CheckedStudy& study);

}  // namespace trammel
