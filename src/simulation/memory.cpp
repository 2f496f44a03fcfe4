// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "trammel/dae/memory_of_motion.h"
#include "trammel/linalg/kernel_in_use.h"
#include "trammel/linalg/predicted_work.h"
#include "trammel/simulation/dynamics.h"

// What each part of a run remembers: base/memory.h.

namespace trammel {

namespace {

// Rounding differs between them.
void require_kernel(const std::string& recorded, DenseKernel kernel) {
  const std::string_view here = kernel_in_use(kernel);
  if (recorded.empty() || recorded == here) return;
  throw InputError(
      fmt::format("the run used the {} products of large dense blocks, and this machine uses the {} ones, which round "
                  "differently: it "
                  "would not go on with the same bits. Go on where it ran; with dense_kernel = \"portable\" in "
                  "[solver] from the start a "
                  "run goes on everywhere",
                  recorded, here));
}

}  // namespace

// ---- what moves ----------------------------------------------------------------------------------------------------

// The method begins at the point of the memory before it gets its own: it then has room for all of it.
void Motion::remember(Memory& memory, const Machine& machine, Viewer& viewer) {
  memory.section("Motion");
  bool exchanged = exchanged_;
  MotionVariables at = method().newest();
  memory.keep(exchanged, at);
  std::vector<double> numbers;
  std::string kernel;
  if (!memory.gives()) kernel = dense_kernel_of(method().linear_solver()), numbers = method().save();
  memory.keep(kernel);
  require_kernel(kernel, machine.solver_choice().dense_kernel);
  State kept = state;
  memory.keep(kept, numbers);
  if (memory.gives()) {
    if (exchanged != exchanged_) static_cast<void>(exchange_method(machine, viewer));
    state = kept;
    static_cast<void>(method().start(at, state));  // what it says is overwritten
    method().restore(numbers);
    state = kept;
  }
  if (passage_) memory.keep(*passage_);
  memory.leave(x, lead_in, made_, other_);
}

void SingularPassage::Passage::remember(Memory& memory) { memory.keep(t, rows); }

void SingularPassage::remember(Memory& memory) {
  memory.section("SingularPassage");
  memory.keep(projection_, rows_, last_, rho_, largest_, interval_, steps_, bridging_, leaving_, paused_, entering_,
              entry_, entry_sigma_, entry_rho_, position_, over_, behind_, bridge_from_, method_h_, usual_h_,
              approaches_, passages_, before_, state_before_);
  bridge_.reset();  // with its pivots and first guesses
  workspace_ = system_.make_workspace();
  memory.leave(options_, index3_, inputs_, n_values_, any_rows_, q_rate_, sample_, taken_over_);
}

void MethodExchange::remember(Memory& memory) {
  memory.section("MethodExchange");
  memory.keep(explicit_, begins_, settled_, explicit_speed_, speed_before_, wait_, next_trial_, trial_, steps_, window_,
              held_, t_window_, cost_);
  memory.leave(costs_, limit_);
}

// ---- what watches --------------------------------------------------------------------------------------------------

void Violations::remember(Memory& memory) {
  memory.section("Violations");
  memory.keep(largest_position_, largest_velocity_, fastest_row_, t_, left_out_violation_, kept_violation_,
              violated_row_);
  memory.leave(full_, left_out_, viewer_, phi_, phi_dot_);
}

void RunLedger::remember(Memory& memory) {
  memory.section("RunLedger");
  bool same_mover = mover_ == &motion_.active();
  memory.keep(ledger_, newest_a_, lam_, before_.ledger, before_.a, smooth_steps_, ends_, n_ends_, known_, parts_,
              may_work_, largest_drift_, uncertainty_, looked_at_, same_mover);
  if (memory.gives()) mover_ = same_mover ? &motion_.active() : nullptr;
  memory.leave(goes_on_, rows_are_idle_, energies_alone_, machine_, study_, full_, viewer_, state_, violations_,
               solver_, sample_, phi_dot_, q_rate_);
}

void EnergyWatch::Mark::remember(Memory& memory) { memory.keep(t, gain, element); }

void EnergyWatch::remember(Memory& memory) {
  memory.section("EnergyWatch");
  memory.keep(least_drift_, least_potential_, start_, work_, brought_, gain_, largest_, marks_, most_drift_, loss_,
              loss_t_, gain_t_, marked_loss_, loss_element_, loses_);
}

void RunChecks::remember(Memory& memory) {
  memory.section("RunChecks");
  memory.keep(violation_, noise_, rank_, last_, change_, peak_, alternations_, n_notes_, largest_peak_, own_t_,
              noise_until_);
  memory.keep(differences_, newest_, way_, least_, most_, errors_, n_steps_, last_t_);
  memory.keep(fastest_, first_t_, early_, most_early_, most_early_t_, share_, least_kinetic_, kinetic_sum_);
  memory.keep(last_top_, top_, has_swings_, rises_, n_tops_, half_period_, bottom_, cubes_, squares_, last_kinetic_,
              late_, latest_, latest_t_, most_kinetic_, swings_t_, work_, exchanged_);
  memory.keep(looks_, n_looks_, interval_, frames_, largest_sigma_);
  memory.leave(name_);
}

void VibrationWatch::remember(Memory& memory) {
  memory.section("VibrationWatch");
  memory.keep(n_steps_, t_, window_from_, window_is_smooth_, h_, v_, a_, accelerations_, jerks_, squares_, cubes_,
              late_, damped_, off_, way_, least_, most_, off_t_, drives_);
  memory.leave(index3_, dispersion_, damping_, window_, far_, inputs_);
}

void RunAlarms::remember(Memory& memory) {
  memory.section("RunAlarms");
  memory.keep(energy_watch_, unknown_work_, checks_, vibrations_);
  if (rank_look_) memory.keep(*rank_look_);
  memory.leave(drift_before_, study_, full_, index3_, viewer_, motion_, violation_limits_, least_violation_limit_,
               sample_);
}

void FixedStepWatch::remember(Memory& memory) {
  memory.section("FixedStepWatch");
  memory.keep(unresolved_turn_, unresolved_t_, unresolved_at_, largest_speed_);
  memory.leave(options_, full_, index3_, checks_);
}

void EventWatch::remember(Memory& memory) {
  memory.section("EventWatch");
  memory.keep(events_);
  memory.leave(model_, recorder_, viewer_, motion_, within_step_, sample_);
}

void KinkWatch::remember(Memory& memory) {
  memory.section("KinkWatch");
  memory.keep(side_, pair_, switch_side_, least_, together_, may_locate_, locates_contacts_, contact_changed_);
  first_known_ = false;
  memory.leave(brackets_, group_, switching_, n_switches_, turns_count_, t_, frames_, places_, listed_, values_,
               scratch_, candidates_, modes_);
}

void ContactCrowd::remember(Memory& memory) {
  memory.section("ContactCrowd");
  memory.keep(crowd_, steps_, changed_, since_change_, changed_at_, first_, since_, lasted_, times_);
}

void KinkEvents::remember(Memory& memory) {
  memory.section("KinkEvents");
  memory.keep(watch_, contact_changes_, retaken_, x_before_, x_change_, state_before_, limit_, change_due_, change_,
              retakes_, status_, crowd_);
  memory.leave(machine_, options_, full_, viewer_, motion_, solver_, active_, sample_, quiet_kinks_);
}

void SampledControls::remember(Memory& memory) {
  memory.section("SampledControls");
  memory.keep(start_, due_);
  memory.leave(machine_, viewer_, motion_, recorder_, solver_);
}

void VelocityJumps::remember(Memory& memory) {
  memory.section("VelocityJumps");
  memory.keep(n_);
  memory.leave(machine_, full_, viewer_, motion_, solver_);
}

void BeamWatch::Watched::remember(Memory& memory) {
  memory.keep(phi);
  memory.leave(element, name);
}

void BeamWatch::remember(Memory& memory) {
  memory.section("BeamWatch");
  memory.keep(elements_);
  memory.leave(group_);
}

void RunWatch::Measure::remember(Memory& memory) {
  memory.keep(frames, first);
  memory.leave(name, column);
}

void RunWatch::Watched::remember(Memory& memory) {
  memory.keep(phi, passed, t, jump);
  memory.leave(name, frame, params);
}

void RunWatch::remember(Memory& memory) {
  memory.section("RunWatch");
  memory.keep(measures_, bushings_);
}

// ---- what records --------------------------------------------------------------------------------------------------

void OutputInstants::remember(Memory& memory) {
  memory.section("OutputInstants");
  memory.keep(next_, t_method_, n_steps_, stopped_at_);
  memory.leave(idle_, start_, end_, interval_, same_, every_step_, one_per_step_, frames_, progress_, newest_);
}

void StepRepeater::remember(Memory& memory) {
  memory.section("StepRepeater");
  memory.keep(due_, scale_);
  memory.leave(recorded_, steps_, free_attempts_, expects_change_, step_, trouble_);
}

// Methods count their splits themselves, since they began.
void StepRecord::remember(Memory& memory) {
  memory.section("StepRecord");
  const MotionIntegrator::SplitReport split = motion_.method().split();
  long choices = choices_before_ + split.choices, changes = changes_before_ + split.changes;
  memory.keep(choices, changes);
  choices_before_ = choices - split.choices, changes_before_ = changes - split.changes;
  memory.leave(phase_, options_, channels_);
}

void Alarm::remember(Memory& memory) { memory.keep(name, t, element, value, limit, text); }

void Summary::remember(Memory& memory) {
  memory.section("Summary");
  memory.keep(completed, stop, failure, integrator, formulation, linear_solver, dense_kernel, predicted_numbers,
              predicted_operations, choice, frames, t, statics);
  memory.keep(steps, rejected_error, rejected_newton, iterations, linearizations, factorizations, rejected_contact,
              rejections, remedies, function_calls, corrector_calls, updates, pattern_updates, groups, handed_over);
  memory.keep(h_min, h_max, wall_time, energy_start, energy_drift, work, method_energy, position_drift, velocity_drift);
  memory.keep(scaling_m, scaling_d, scaling_k, scaling_s, scaling_rho, condition, condition_max, split_condition,
              split_condition_max, split_choices, split_changes);
  memory.keep(nv, nc, nz, degrees_of_freedom, events, notes, alarms, phases, method_changes);
  memory.leave(threads);
}

void Rig::remember(Memory& memory) {
  motion.remember(memory, machine, viewer);
  memory.keep(run_watch, steps);
  memory.leave(recorder);
}

void Dynamics::remember(Memory& memory) {
  memory.section("Dynamics");
  describe_method();
  memory.keep(rig_, violations_, ledger_, alarms_, fixed_step_, output_, events_, beams_, kinks_, jumps_, samples_,
              rejected_);
  if (exchange_) memory.keep(*exchange_);
  remember_jacobians(memory);
  memory.keep(failures_passed_, exchanges_, t_, failed_at_, kink_, taken_again_, is_rough_, stopped_by_event_,
              next_checkpoint_, matrices_before_, summary_, repeat_);
  memory.leave(course_, from_, instant_, change_, machine_, study_, viewer_, motion_, sink_, progress_,
               contact_changes_, after_kinks_, of_frames_, writer_, frames_, bounds_, start_, end_, part_,
               leaves_to_next_, pause_, slack_, live_, examined_, hits_, memory_, hands_over_, moved_);
}

// Methods count since they began.
void Dynamics::remember_jacobians(Memory& memory) {
  const MotionIntegrator::JacobianReport now = motion_.method().jacobians();
  MotionIntegrator::JacobianReport& before = jacobians_before_;
  for (const auto count :
       {&MotionIntegrator::JacobianReport::function_calls, &MotionIntegrator::JacobianReport::corrector_calls,
        &MotionIntegrator::JacobianReport::jacobians, &MotionIntegrator::JacobianReport::updates,
        &MotionIntegrator::JacobianReport::pattern_updates, &MotionIntegrator::JacobianReport::input_derivatives,
        &MotionIntegrator::JacobianReport::handed_over}) {
    long all = before.*count + now.*count;
    memory.keep(all);
    before.*count = all - now.*count;
  }
}

}  // namespace trammel
