#pragma once

#include <array>

#include "trammel/dae/acceleration_solver.h"
#include "trammel/dae/equilibrium.h"
#include "trammel/integrators/events.h"
#include "trammel/simulation/energy_watch.h"
#include "trammel/simulation/kink_watch.h"
#include "trammel/simulation/linearized_machine.h"
#include "trammel/simulation/motion.h"
#include "trammel/simulation/progress.h"
#include "trammel/simulation/recorder.h"
#include "trammel/simulation/step_channels.h"

namespace trammel {

class RunChecks;
class RunWatch;

/// Every analysis of a machine, and what watches it.
class Runner {
 public:
  Runner(const Machine& machine, Viewer& viewer, Motion& motion);
  ~Runner();

  EquilibriumReport find_equilibrium(const EquilibriumOptions& options, const Equilibrium::Watch& watch = {});
  LinearizedMachine linearize(const Eigen::MatrixXd& by_input);
  EigenModes calc_lowest_modes(int n_modes, double& largest_acceleration);
  Eigen::VectorXd residual_at(const MotionVariables& x, const State& state);
  std::string explain_equilibrium(const EquilibriumReport& report) const;
  std::optional<Alarm> find_violated_row() const;
  /// The method, or what leads the motion through a singular position at the moment.
  MotionIntegrator& active() const { return motion_.active(); }
  LinearSolverKind solver_kind() const { return machine_.solver_kind(); }
  Summary integrate(RecordSink& sink, const ProgressCallback& progress);
  Summary follow_motions(RecordSink& sink, const ProgressCallback& progress);
  Summary balance(RecordSink& sink);
  std::string find_slipping();
  void record(RecordSink& sink, const MotionVariables& x, const State& state);
  void watch_fixed_step(const MotionVariables& x, double h);
  void sum_up_fixed_step(Summary& summary) const;
  void leave_unstable(EquilibriumOptions options, const MotionVariables& drawn, const State& drawn_state,
                      EquilibriumReport& report);
  StepBounds calc_step_bounds(double end);
  struct VelocityJump {
    int row = -1;  ///< of the constraint whose rate jumps most; −1: none does
    double size = 0.0;
  };
  VelocityJump find_velocity_jump(const MotionVariables& x);
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
  Shown show(const MotionVariables& x, const State& state) { return viewer_.show(x, state); }
  void write_frame(RecordSink& sink, const Shown& shown, const Ledger& ledger);
  void calc_violation(const Shown& shown, Ledger& ledger);
  double calc_power(const Shown& shown);
  bool solves_for_power() const;
  std::optional<double> solve_for_power(const MotionVariables& x, double t);
  void renew_power(const MotionVariables& x);
  void watch_events();
  // Contacts, stops and other kinks of forces: contact_events.cpp.
  void watch_kinks();
  KinematicState motion_kinematics(const MotionVariables& x) { return viewer_.update_kinematics(x, state_); }
  void centre_charts(MotionVariables& x) { viewer_.centre_charts(x, state_); }
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
  Summary begin_summary() const;
  void finish_summary(Summary& summary) const;

  const Machine& machine_;
  Viewer& viewer_;
  Motion& motion_;
  const Study& study_;
  const Assembly& full_;
  const JointSystem* joint_;
  const Index3* index3_;
  MotionVariables& x_;
  State& state_;
  MotionIntegrator* integrator_;
  Workspace *workspace_, *full_workspace_;
  const std::vector<int>& left_out_;

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
  MotionVariables sample_, frame_, settled_;
  Eigen::VectorXd all_phi_, phi_dot_;
  Eigen::VectorXd shown_lam_;  // of all rows, at the end of the last step
};

}  // namespace trammel
