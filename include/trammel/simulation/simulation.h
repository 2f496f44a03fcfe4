#pragma once

#include <array>
#include <functional>
#include <memory>

#include "trammel/dae/acceleration_solver.h"
#include "trammel/dae/equilibrium.h"
#include "trammel/dae/linearization.h"
#include "trammel/formulations/index3.h"
#include "trammel/formulations/scaling.h"
#include "trammel/integrators/events.h"
#include "trammel/integrators/motion_integrator.h"
#include "trammel/mechanics/joint/joint_system.h"
#include "trammel/simulation/energy_watch.h"
#include "trammel/simulation/initial_conditions.h"
#include "trammel/simulation/kink_watch.h"
#include "trammel/simulation/options.h"
#include "trammel/simulation/recorder.h"
#include "trammel/simulation/step_channels.h"
#include "trammel/simulation/summary.h"

namespace trammel {

class RunChecks;
class RunWatch;
class SingularPassage;

/// Told after each step; returning false stops the run (results are kept).
struct Progress {
  double t = 0.0, start = 0.0, end = 0.0, h = 0.0;
  long steps = 0;
};
using ProgressCallback = std::function<bool(const Progress&)>;

/// What `trammel check` finds: the machine assembled, not moved.
struct CheckReport {
  int bodies = 0, nv = 0, nz = 0, rows = 0, rank = 0, degrees_of_freedom = 0;
  std::vector<std::string> redundant;  ///< one line per row that others imply
  InitialReport initial;
  std::vector<std::string> remarks;  ///< inconsistent initial values and what was done about them
  std::string settings;              ///< what takes effect, as in a model file
  std::string failure;               ///< cannot be assembled, no accelerations, …; empty: ready to run
  std::string to_text() const;
};

/// Adds to an assembled machine what a model file cannot say: a user's own elements (docs/recipes/add_a_force.md).
/// Called for every realisation of the model, before anything is computed with it.
using Customize = std::function<void(Assembly&)>;

/// A study made ready to run: owns the const system, one State, one workspace and one integrator memory.
///
/// The constructor assembles the machine, finds consistent initial conditions and redundant rows, and throws InputError
/// for everything that is wrong. `run` integrates; numerical trouble is reported in the Summary, never thrown.
class Simulation {
 public:
  explicit Simulation(const Study& study, Customize customize = {});
  ~Simulation();

  Summary run(RecordSink& sink, const ProgressCallback& progress = {});

  /// What takes effect, defaults included.
  const Settings& settings() const { return study_; }

  /// Records a channel of the user's own with every frame, behind those of the library and under the same rules: it is
  /// in the results file, found by its name, exported and shown in the report (docs/recipes/add_a_channel.md). Before
  /// the run; throws InputError with everything that is wrong with it.
  void add_channel(const FrameChannel& channel) { recorder_->add(channel); }

  // For stepwise use and tests.
  const Assembly& assembly() const { return full_; }
  /// Null in absolute coordinates.
  const JointSystem* joint_system() const { return joint_.get(); }
  const SecondOrderDae& dae() const { return *index3_; }
  MotionIntegrator& integrator() { return *integrator_; }
  State& state() { return state_; }
  const MotionVariables& initial() const { return x_; }
  const std::vector<std::string>& notes() const { return notes_; }
  /// Where contact began and ended in the run so far; slots are those of ContactGroup.
  const std::vector<KinkWatch::Change>& contact_changes() const { return contact_changes_; }
  /// Begins the run at other variables of the same machine, in the charts of `state`: another simulation's newest
  /// point.
  void begin_at(const MotionVariables& x, const State& state);
  RecordSchema make_schema() const;
  /// The frames of all bodies (by Assembly::body_frame) at variables of the integrator, in whatever coordinates.
  std::vector<Frame<double>> calc_frames(const MotionVariables& x, const State& state);

  /// The equilibrium (or steady motion) near the drawn position; initial() and state() are there afterwards.
  EquilibriumReport find_equilibrium(const EquilibriumOptions& options, const Equilibrium::Watch& watch = {});
  /// The machine's small motions about initial(). `outputs` names measures; `by_input` as in linearize_motion.
  struct Linearized {
    Linearization motion;
    Eigen::MatrixXd C, D;               ///< of the measures
    std::vector<std::string> outputs;   ///< their names
    double largest_acceleration = 0.0;  ///< not zero: not a steady motion, a momentary linearization
  };
  Linearized linearize(const Eigen::MatrixXd& by_input);
  /// The modes of smallest |σ| about initial(), for machines that are too large for linearize().
  EigenModes calc_lowest_modes(int n_modes, double& largest_acceleration);
  /// The rows (motion, state, constraint) at initial() of another simulation of the same machine with other parameters.
  Eigen::VectorXd residual_at(const MotionVariables& x, const State& state);
  /// Every coordinate of the bodies, joints or coordinates with these names.
  std::vector<int> find_coordinates(const std::vector<std::string>& names) const;
  std::string explain_equilibrium(const EquilibriumReport& report) const;

 private:
  Assembly make_assembly() const;
  void make_consistent();
  void check_dropped_rows();
  void check_singular_start(const LastingRedundancy& redundancy) const;
  std::optional<Alarm> find_violated_row() const;
  void enter_joint_coordinates();
  void check_joint_costs();
  Status find_first_accelerations();
  const MechanicalSystem& moved_system() const;
  void make_integrator();
  void watch_rank();
  /// The method, or what leads the motion through a singular position at the moment.
  MotionIntegrator& active() const;
  void sum_up_passages(Summary& summary) const;
  LinearSolverKind solver_kind() const { return study_.solver.linear_solver.value_or(LinearSolverKind::automatic); }
  Summary integrate(RecordSink& sink, const ProgressCallback& progress);
  Summary follow_motions(RecordSink& sink, const ProgressCallback& progress);
  Summary balance(RecordSink& sink);
  std::string find_slipping();
  void record(RecordSink& sink, const MotionVariables& x, const State& state);
  void refuse_free_freedoms();
  void note_arms_of_particles();
  void watch_fixed_step(const MotionVariables& x, double h);
  void sum_up_fixed_step(Summary& summary) const;
  void leave_unstable(EquilibriumOptions options, const MotionVariables& drawn, const State& drawn_state,
                      EquilibriumReport& report);
  StepBounds calc_step_bounds(double end);
  struct VelocityJump {
    int row = -1;  ///< of the constraint whose rate jumps most; −1: none does
    double size = 0.0;
  };
  static double side_of_kink(double t);
  VelocityJump find_velocity_jump(const MotionVariables& x);
  void refuse_position_jumps();
  int find_row_of_input(int k, const InputBuffer& inputs);
  Status pass_velocity_jump(const VelocityJump& jump, MotionVariables x, Summary& summary);
  void sum_up_velocity_jumps(Summary& summary) const;
  void update_ledger(const MotionVariables& x, double h);
  // Work: work.cpp.
  bool drives() const;
  bool may_work() const;
  double calc_step_work(const MotionVariables& x, double h, double power, double bend);
  // Frames of a motion: frames.cpp.
  void record_frame(RecordSink& sink, const MotionVariables& x, bool at_step_end);
  void settle_frame(MotionVariables& x, bool at_step_end);
  double calc_work(double t) const;
  /// A point as reports see it: in absolute coordinates, with the multipliers of every row. Valid until the next call.
  struct Shown {
    MotionPoint point;
    const State& state;
  };
  Shown show(const MotionVariables& x, const State& state);
  void write_frame(RecordSink& sink, const Shown& shown, const Ledger& ledger);
  void calc_violation(const Shown& shown, Ledger& ledger);
  double calc_power(const Shown& shown);
  bool solves_for_power() const;
  std::optional<double> solve_for_power(const MotionVariables& x, double t);
  void renew_power(const MotionVariables& x);
  void spread_multipliers(const MotionVariables& x);
  void share_multipliers(const Shown& shown);
  void watch_events();
  // Contacts, stops and other kinks of forces: contact_events.cpp.
  void watch_kinks();
  KinematicState motion_kinematics(const MotionVariables& x);
  void centre_charts(MotionVariables& x);
  bool cut_at_kink(Summary& summary);
  bool has_kink(double t, double h, const KinkWatch::At& at) const;
  bool is_sliver(double t) const;
  bool begin_at_change(const KinkWatch::Change& change);
  Status restart_after_kink();
  std::string find_contact_failure() const;
  std::string describe_contacts();
  void sum_up_contacts(Summary& summary) const;
  // Alarms: alarms.cpp.
  void watch_energy(const MotionVariables& x);
  std::string find_largest_energy(const MotionVariables& x);
  void start_checks();
  void check_step(const MotionVariables& x, bool smooth);
  void check_frame(const MotionVariables& x, const Ledger& of_frame);
  void raise_alarms(Summary& summary);
  EventFinder::Values event_values();
  void record_step(RecordSink& sink, double t, const StepReport& report, Summary& summary);
  void warn_of_split(Summary& summary) const;
  std::string explain(const StepReport& report) const;
  std::string describe_not_finite(const std::string& row) const;  // with the formulas that act there
  Summary begin_summary() const;
  void finish_summary(Summary& summary) const;

  Study study_;
  Customize customize_;
  Assembly full_;                      // every row: for reports
  std::unique_ptr<Assembly> reduced_;  // without dropped rows, if there are any
  std::vector<int> dropped_;
  std::vector<int> left_out_;           // the same in whatever coordinates: rows of full_ that nothing holds but others
  bool starts_singular_ = false;        // rows are dependent at the start that are not so beside it
  std::unique_ptr<JointSystem> joint_;  // what is integrated, in joint coordinates
  std::unique_ptr<Index3> index3_;      // of the rows that are integrated
  std::unique_ptr<MotionScaling> scaling_;
  std::unique_ptr<MotionIntegrator> integrator_;
  std::unique_ptr<SingularPassage> passage_;  // of machines with loops and variable steps
  std::unique_ptr<Workspace> workspace_, full_workspace_, joint_workspace_;
  State state_;
  MotionVariables x_;
  InitialReport initial_report_;
  std::vector<std::string> notes_;
  int rank_ = 0;
  int max_corrections_ = 0;  // that the record of a step has room for

  std::unique_ptr<Recorder> recorder_;
  std::optional<ChannelList<StepSource, StepInstant>> steps_;  // what is recorded of each
  EventFinder events_;
  KinkWatch kink_watch_;
  std::vector<KinkWatch::Change> contact_changes_;
  std::unique_ptr<AccelerationSolver> acceleration_;  // after kinks
  std::unique_ptr<AccelerationSolver> frame_solver_;  // its pivots must not depend on when is recorded
  // The step under way: where it began, where it must end, why, and how often it was taken again.
  MotionVariables x_before_, x_change_;
  State state_before_;
  double kink_limit_ = std::numeric_limits<double>::infinity();
  std::optional<KinkWatch::Change> change_due_, change_;
  int retakes_ = 0;
  Ledger ledger_;             // at the end of the last step
  double ledger_time_ = 0.0;  // its instant
  Eigen::VectorXd newest_a_;  // and its accelerations
  struct {
    double t = 0.0, power = 0.0;
    Ledger ledger;
    Eigen::VectorXd a;
  } before_;                   // the same at its beginning
  bool ends_at_kink_ = false;  // the last step
  int smooth_steps_ = 0;       // since the start, a kink or a change of contact
  std::size_t velocity_jumps_ = 0;
  double kink_ = std::numeric_limits<double>::infinity();  // where the last step ended: shown as it is before it
  std::unique_ptr<RunWatch> run_watch_;
  std::unique_ptr<RunChecks> checks_;
  std::unique_ptr<SingularPassage> rank_look_;         // at σ, with a fixed step
  std::vector<double> violation_limits_;               // of recorded frames, for each row
  double least_violation_limit_ = 0.0;                 // of them
  double unresolved_turn_ = 0.0, unresolved_t_ = 0.0;  // largest |v̇| h² of a rotation with a fixed step, and when
  int unresolved_at_ = -1;                             // of which coordinate
  int fastest_row_ = -1;                               // the row whose velocity was violated most
  double largest_speed_ = 0.0;                         // of such a run
  EnergyWatch energy_watch_;
  double left_out_violation_ = 0.0, kept_violation_ = 0.0;
  int violated_row_ = -1;
  std::array<double, 3> inner_powers_{};  // at Gauss' points of the last step
  bool knows_inner_powers_ = false;
  bool may_work_ = true;  // something brings energy in or takes it out
  double last_power_ = 0.0, largest_drift_ = 0.0, largest_position_ = 0.0, largest_velocity_ = 0.0;
  InputBuffer inputs_;
  MotionVariables sample_, shown_, frame_, settled_;
  State shown_state_;
  Eigen::VectorXd all_lam_, all_phi_, phi_dot_, bias_;
  Eigen::VectorXd shown_lam_;  // of all rows, at the end of the last step
};

/// Assembles without simulating.
CheckReport check(const Study& study);

}  // namespace trammel
