// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>

#include "trammel/simulation/methods/integrator_descriptor.h"
#include "trammel/simulation/run_ledger.h"

namespace trammel {

namespace {

const std::array<double, 3> power_points{0.5 - 0.5 * std::sqrt(0.6), 0.5, 0.5 + 0.5 * std::sqrt(0.6)};
constexpr std::array<double, 3> power_weights{5.0 / 18.0, 8.0 / 18.0, 5.0 / 18.0};

// What the bend of P adds to the trapezoidal rule in a step, beside kinetic energy and work so far.
constexpr double straight_power = 1e-7;

}  // namespace

RunLedger::RunLedger(const Machine& machine, Viewer& viewer, const Motion& motion, Violations& violations,
                     AccelerationSolver& solver)
    : machine_(machine),
      study_(machine.study()),
      full_(machine.full()),
      viewer_(viewer),
      motion_(motion),
      state_(motion.state),
      violations_(violations),
      solver_(solver),
      sample_(motion.x) {}

void RunLedger::update(const MotionVariables& x, double h) {
  const Shown shown = viewer_.show(x, state_);
  const MechanicalSystem::Energy energy = viewer_.calc_energy(shown);
  const double h_before = ledger_time_ - before_.t, power_before = before_.power;
  before_.t = ledger_time_, before_.power = last_power_, before_.ledger = ledger_;
  before_.a.swap(newest_a_);
  ledger_time_ = x.t;
  newest_a_ = x.a;
  ledger_.kinetic = energy.kinetic;
  ledger_.potential = energy.potential;
  violations_.update(shown, ledger_);
  violations_.note_left_out(x.t);
  lam_ = viewer_.lam();
  double power = energy.power;
  if (!drives()) power += viewer_.lam().dot(violations_.phi_dot());
  if (solves_for_power()) power = solve_for_power(x, viewer_.time_of_inputs(x.t)).value_or(power);
  const double bend = h > 0.0 && h_before > 0.0
                          ? ((power - last_power_) / h - (last_power_ - power_before) / h_before) / (h + h_before)
                          : 0.0;
  if (h == 0.0) {
    ledger_.start = energy.kinetic + energy.potential;
    before_.a = x.a;
    may_work_ = may_work();
  } else {
    ledger_.work += calc_step_work(x, h, power, bend);
    ++smooth_steps_;
  }
  last_power_ = power;
  largest_drift_ = std::max(largest_drift_, std::abs(ledger_.drift()));
}

void RunLedger::note_impulse(double energy, const MotionVariables& x) {
  ledger_.work += energy;
  last_power_ = viewer_.calc_energy(viewer_.show(x, state_)).power;
}

void RunLedger::note_load(double load, const MechanicalSystem::Energy& energy) {
  ledger_.load = load;
  ledger_.kinetic = energy.kinetic, ledger_.potential = energy.potential;
}

void RunLedger::sum_up(Summary& summary) const {
  summary.energy_start = ledger_.start;
  summary.energy_drift = largest_drift_;
  summary.work = ledger_.work;
  summary.method_energy = ledger_.drift();
}

bool RunLedger::drives() const { return !study_.model.motions.empty() || !study_.model.tracks.empty(); }

// Joints and gravity alone neither bring energy in nor take it out.
bool RunLedger::may_work() const {
  const Model& m = study_.model;
  return drives() || machine_.is_customized() || !m.forces.empty() || !m.controls.empty() || !m.contacts.empty() ||
         !m.beams.empty() || !m.wheels.empty() || !m.flange_stops.empty();
}

double RunLedger::calc_power(const Shown& shown) {
  double power = viewer_.calc_energy(shown).power;
  if (drives()) return power;
  phi_dot_.resize(full_.system->n_rows());
  full_.system->calc_rates(shown.point, shown.state, phi_dot_, viewer_.full_workspace());
  return power + viewer_.lam().dot(phi_dot_);
}

bool RunLedger::solves_for_power() const {
  return !study_.solver.h && study_.analysis.kind == AnalysisKind::dynamics &&
         method_of(study_.solver).traits.power == PowerAt::middle && drives();
}

// The power just behind a kink, where the next step begins: forces and reactions may have jumped there.
void RunLedger::renew_power(const MotionVariables& x) {
  if (!may_work_ || study_.solver.h) return;
  last_power_ = solve_for_power(x, x.t + side_of_kink(x.t)).value_or(last_power_);
}

std::optional<double> RunLedger::solve_for_power(const MotionVariables& x, double t) {
  sample_ = x;
  sample_.t = t;
  if (!solver_.solve(sample_, state_, viewer_.workspace()).ok()) return std::nullopt;
  return calc_power(viewer_.show(sample_, state_));
}

// Over the step that ends at x; `power` there, `bend` = P″/2 from the last three ends.
double RunLedger::calc_step_work(const MotionVariables& x, double h, double power, double bend) {
  knows_inner_powers_ = false;
  if (!may_work_) return 0.0;
  const double trapezoid = 0.5 * h * (last_power_ + power);
  // Nothing is known within the step: −h³/12 P″.
  if (study_.analysis.kind != AnalysisKind::dynamics || solves_for_power())
    return trapezoid - (smooth_steps_ > 0 ? h * h * h / 6.0 * bend : 0.0);
  if (method_of(study_.solver).traits.power == PowerAt::middle) {
    motion_.active().interpolate(x.t - 0.5 * h, sample_);
    sample_.a = x.a, sample_.lam = x.lam;
    return h * calc_power(viewer_.show(sample_, state_));
  }
  if (method_of(study_.solver).traits.power == PowerAt::ends) return trapezoid;
  // Where P is nearly straight, three ends of steps tell enough.
  const double correction = -h * h * h / 6.0 * bend;
  const double size = std::abs(ledger_.kinetic) + std::abs(ledger_.work);
  if (smooth_steps_ > 0 && std::abs(correction) <= straight_power * size) return trapezoid + correction;
  double sum = 0.0;
  for (std::size_t i = 0; i < power_points.size(); ++i) {
    motion_.active().interpolate(x.t - h * (1.0 - power_points[i]), sample_);
    inner_powers_[i] = calc_power(viewer_.show(sample_, state_));
    sum += power_weights[i] * inner_powers_[i];
  }
  knows_inner_powers_ = true;
  return h * sum;
}

// Work until t within the last step: the integral of the polynomial through all powers that are known of it, at its
// ends and at Gauss' points, or of a cubic with the right integral.
double RunLedger::calc_work(double t) const {
  const double h = ledger_time_ - before_.t, theta = h > 0.0 ? std::clamp((t - before_.t) / h, 0.0, 1.0) : 1.0;
  const double rest = 1.0 - theta, change = ledger_.work - before_.ledger.work;
  if (!knows_inner_powers_)
    return before_.ledger.work + theta * theta * (3.0 - 2.0 * theta) * change +
           h * theta * rest * (rest * before_.power - theta * last_power_);
  const std::array<double, 5> at{0.0, power_points[0], power_points[1], power_points[2], 1.0};
  const std::array<double, 5> power{before_.power, inner_powers_[0], inner_powers_[1], inner_powers_[2], last_power_};
  const auto integral = [&](double until) {  // Gauss' points are exact for it
    double sum = 0.0;
    for (std::size_t i = 0; i < power_points.size(); ++i) {
      double value = 0.0;
      for (std::size_t j = 0; j < at.size(); ++j) {
        double basis = power[j];
        for (std::size_t k = 0; k < at.size(); ++k)
          if (k != j) basis *= (until * power_points[i] - at[k]) / (at[j] - at[k]);
        value += basis;
      }
      sum += power_weights[i] * value;
    }
    return h * until * sum;
  };
  return before_.ledger.work + integral(theta) + theta * theta * (3.0 - 2.0 * theta) * (change - integral(1.0));
}

}  // namespace trammel
