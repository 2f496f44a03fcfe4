// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "trammel/math/step_bounds.h"
#include "trammel/simulation/beam_watch.h"
#include "trammel/simulation/event_watch.h"
#include "trammel/simulation/fixed_step_watch.h"
#include "trammel/simulation/frames.h"
#include "trammel/simulation/kink_events.h"
#include "trammel/simulation/method_exchange.h"
#include "trammel/simulation/output_instants.h"
#include "trammel/simulation/rejected_steps.h"
#include "trammel/simulation/rig.h"
#include "trammel/simulation/run_part.h"
#include "trammel/simulation/sampled_controls.h"
#include "trammel/simulation/step_repeater.h"
#include "trammel/simulation/velocity_jumps.h"

namespace trammel {

class Memory;

/// Integrates the motion of a machine from its initial variables to the end, to an event that stops it, or to a
/// failure. Whoever watches the run has a class of its own; the loop is
///
///   advance → judge → ledger → events → output → doubts → kinks → exchange of methods.
class Dynamics {
 public:
  /// `contact_changes`: where contact began and ended in the run so far.
  Dynamics(Rig& rig, RecordSink& sink, const ProgressCallback& progress,
           std::vector<KinkWatch::Change>& contact_changes, const RunPart& part = {});

  /// Once, until it ends or has taken a checkpoint. None: a checkpoint, and another goes on with memory().
  std::optional<Summary> run();
  /// The same, from where another run of the same study left this memory. Its rows so far are not given to the sink
  /// again. Throws Error if the memory is that of something else.
  std::optional<Summary> resume(std::span<const std::byte> memory);
  /// Of the checkpoint that was taken last.
  std::vector<std::byte>& memory() { return memory_; }
  void remember(Memory& memory);

  /// Whether the part that was run ended where the next one begins, and where that is.
  bool leaves_to_next() const { return leaves_to_next_; }
  RunPartEnd calc_end() const;

  // ---- driven from outside, in place of run() (dynamics_live.cpp): nothing is recorded but what is asked for
  void begin_live();
  /// Behind begin_live(): goes on from where another one left this memory.
  void take_up_live(std::span<const std::byte> memory);
  /// To t, to an event that stops, or to a failure.
  bool go_to(double t);
  /// Inputs are others from here on: the method goes on behind the change.
  bool meet_inputs();
  /// Writes a frame of where the machine is.
  void record_now() { frames_.record(motion_.active().newest(), true); }
  double t() const { return t_; }
  bool is_stopped() const { return stopped_by_event_; }
  const Summary& summary() const { return summary_; }
  /// Of the steps since the last call.
  std::vector<EventHit> take_hits();

 private:
  enum class Verdict { accepted, again, failed };

  std::optional<Summary> go_on();
  void take_up(std::span<const std::byte> memory);
  bool start();
  void take_checkpoint_if_due();
  bool is_checkpoint_due(long every) const;
  void remember_jacobians(Memory& memory);
  void examine_inputs(const MotionVariables& x, double until);
  bool advance_to(double t);
  double end_of_fixed_step() const;
  bool take_step();
  StepReport advance();
  void count(const StepReport& report);
  Verdict judge(const StepReport& report);
  void keep_ledger(const StepReport& report);
  void find_events();
  bool record(const StepReport& report);
  bool is_plausible(const StepReport& report);
  bool pass_kinks();
  bool pass_velocity_jump();
  bool pass_sample();
  bool exchange_method(const StepReport& report);
  bool exchange_failed_method();
  bool prepare_step(double from, double instant);
  bool judge_course(double reached, KinkEvents::Cut cut);
  bool repeat_exchange();
  void sum_up();
  void sum_up_exchanges();
  void sum_up_method();
  void describe_method();

  bool fail(std::string failure, const std::string& why);
  bool fail(std::string failure, Cause cause) { return fail(std::move(failure), std::string(describe(cause))); }
  std::string find_turned_element(const MotionVariables& x);

  Rig& rig_;
  const Machine& machine_;
  const Study& study_;
  Viewer& viewer_;
  Motion& motion_;
  RecordSink& sink_;
  const ProgressCallback& progress_;
  std::vector<KinkWatch::Change>& contact_changes_;
  AccelerationSolver after_kinks_, of_frames_;
  Violations violations_;
  RunLedger ledger_;
  RunAlarms alarms_;
  FixedStepWatch fixed_step_;
  FrameWriter writer_;
  MotionFrames frames_;
  OutputInstants output_;
  EventWatch events_;
  BeamWatch beams_;
  KinkEvents kinks_;
  VelocityJumps jumps_;
  RejectedSteps rejected_;
  SampledControls samples_;
  StepBounds bounds_;                                 // of steps, by what inputs do ahead
  std::optional<MethodExchange> exchange_;            // of a run that chose its method
  int failures_passed_ = 0;                           // exchanges because a method could not go on
  std::vector<double> exchanges_;                     // when [s]
  StepRepeater repeat_;                               // of the steps of another run
  StepCourse course_;                                 // of the step under way
  double from_ = 0.0, instant_ = 0.0, change_ = 0.0;  // where it began, and must end at the latest, by whom

  RunPart part_;
  double start_, end_, t_;  // of the part of the run, and where it is
  double pause_ = 0.0;      // where it is asked for
  double slack_ = 0.0;      // what is nearer than this is there
  bool live_ = false;
  double examined_ = 0.0;       // until when inputs are known
  std::vector<EventHit> hits_;  // of a live run
  double failed_at_;            // where a method gave way to the other because it could not go on [s]
  double kink_ = 0.0;           // of the inputs, at or behind the end of the step
  bool taken_again_ = false;
  bool is_rough_ = false;  // the last step ended at a kink or at a change of contact
  bool stopped_by_event_ = false;
  long next_checkpoint_;                                 // the step behind which it is due; −1: never
  long matrices_before_ = 0;                             // linearizations before the last one
  std::vector<std::byte> memory_;                        // of the last one
  bool hands_over_ = false;                              // behind it
  MotionIntegrator::JacobianReport jacobians_before_{};  // of parts of the run that went before this method began
  bool leaves_to_next_ = false;
  bool moved_ = true;  // since it was made; false: it has taken up a memory and nothing else
  Summary summary_;
};

}  // namespace trammel
