#include <algorithm>
#include <cmath>

#include "trammel/simulation/run_checks.h"
#include "trammel/simulation/runner.h"

// What a recorded instant of a motion shows: its own accelerations, reactions, energies and violations.

namespace trammel {

namespace {

// An interpolated frame may violate the constraints by this many times as much as the ends of its step, or by this part
// of the tolerance: beyond it is projected.
constexpr double violation_growth = 2.0, unnoticed_part = 1e-2;
// A frame's own accelerations may differ from the method's by a part of their change in the step and of their size.
// Measured parts of the change: where forces are resolved 0.02 with bdf and radau, 0.2 with one-step methods of order
// 2, mostly below 1 with the midpoint rule, whose accelerations belong to the middle of the step and alternate; in
// beams, where an error of 1e-7 m is another force, 5 to 300.
double acceleration_share(const SolverOptions& o) {
  if (o.integrator == Integrator::midpoint) return 4.0;
  const bool high_order = o.integrator == Integrator::bdf || o.integrator == Integrator::radau;
  return high_order && o.formulation != Formulation::index3 ? 0.05 : 0.25;
}
// Accelerations of the midpoint rule and of the energy-decaying scheme belong to the middles of steps: at an extremum,
// where their change tells nothing, they err by (ωh)²/8 to (ωh)²/2 of their size, some 1e-3 at tight tolerances
// already.
double noticed_acceleration(const SolverOptions& o) {
  return o.integrator == Integrator::midpoint || o.integrator == Integrator::energy_decaying ? 1e-2 : 1e-4;
}

}  // namespace

// Multipliers and accelerations are in no error test, and between the ends of a step they are interpolated with less
// than the order of positions and velocities: those of a frame follow from its own positions, velocities and states by
//
//   M v̇ + Gᵀλ = f,   G v̇ + bias = 0,
//
// and are as right as these, unless forces are too stiff for them: then the method's own are moved onto the second row.
// Velocities of forms that impose Φ alone are moved onto Φ̇ = 0. With a fixed step everything stays the method's, whose
// study that is.
void Runner::settle_frame(MotionVariables& x, bool at_step_end) {
  if (study_.solver.h) return checks_->note_own_reactions(x.t);
  const double t = viewer_.time_of_inputs(x.t);  // inputs as the step to a kink saw them
  const auto size = [](const auto& a) { return a.size() > 0 ? a.template lpNorm<Eigen::Infinity>() : 0.0; };
  const double share = acceleration_share(study_.solver);
  const double known = share * size(newest_a_ - before_.a) + noticed_acceleration(study_.solver) * size(x.a);
  settled_ = x;
  if (joint_ && joint_->nc() == 0 && joint_->explicit_refusal().empty()) {
    joint_->calc_inputs(t, inputs_);
    const Status status =
        joint_->accelerate(settled_.point(inputs_.view()), state_, settled_.a, settled_.zp, *workspace_);
    if (status.ok() && size(settled_.a - x.a) <= known)
      std::swap(x, settled_);
    else
      checks_->note_own_reactions(x.t);
    return;
  }
  if (!frame_solver_) frame_solver_ = std::make_unique<AccelerationSolver>(*index3_, solver_kind());
  const double unnoticed = unnoticed_part * study_.solver.atol.value_or(0.0);
  AccelerationSolver::SettleLimits limits;
  limits.acceleration = known;
  if (!at_step_end) {
    limits.position = std::max(violation_growth * std::max(ledger_.position, before_.ledger.position), unnoticed);
    limits.velocity = std::max(violation_growth * std::max(ledger_.velocity, before_.ledger.velocity), unnoticed);
  }
  if (study_.solver.formulation == Formulation::index3) limits.velocity = unnoticed;
  const Status status = frame_solver_->settle(settled_, t, limits, state_, *workspace_);
  if (status.ok())
    std::swap(x, settled_);
  else
    checks_->note_own_reactions(x.t);
}

// Largest violations of all rows at a point.
void Runner::calc_violation(const Shown& shown, Ledger& ledger) {
  const int n_rows = full_.system->n_rows();
  all_phi_.resize(n_rows), phi_dot_.resize(n_rows);
  full_.system->all_constraints(shown.point, shown.state, {all_phi_.data(), static_cast<std::size_t>(n_rows)},
                                *full_workspace_);
  full_.system->calc_rates(shown.point, shown.state, phi_dot_, *full_workspace_);
  ledger.position = ledger.velocity = 0.0;
  for (int row = 0; row < n_rows; ++row) {
    if (full_.system->holonomic()[row]) ledger.position = std::max(ledger.position, std::abs(all_phi_[row]));
    if (std::abs(phi_dot_[row]) <= ledger.velocity) continue;
    ledger.velocity = std::abs(phi_dot_[row]);
    if (ledger.velocity > largest_velocity_) fastest_row_ = row;
  }
  largest_position_ = std::max(largest_position_, ledger.position);
  largest_velocity_ = std::max(largest_velocity_, ledger.velocity);
}

void Runner::record_frame(RecordSink& sink, const MotionVariables& x, bool at_step_end) {
  frame_ = x;
  settle_frame(frame_, at_step_end);
  const Shown shown = show(frame_, state_);
  Ledger of_frame = ledger_;
  if (!at_step_end) of_frame.work = calc_work(x.t);
  calc_violation(shown, of_frame);
  check_frame(frame_, of_frame);
  write_frame(sink, shown, of_frame);
}

}  // namespace trammel
