// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <utility>

#include "trammel/simulation/machine_length.h"
#include "trammel/simulation/methods/integrator_descriptor.h"
#include "trammel/simulation/run_ledger.h"
#include "trammel/simulation/runge_kutta_motion.h"

namespace trammel {

namespace {

// What a fourth end of a step adds to the work of three, beside kinetic energy and work so far: of rtol, and at most. A
// run of tight tolerances takes many steps, and what they err by adds up.
constexpr double straight_of_rtol = 1e-2, straight_power = 1e-7;

// (3) Tolerances that a right run may be off by, and the drift beside kinetic energy and work from which on it is asked
// what they make of the power.
constexpr double right_in_tolerances = 10.0, doubtful_drift = 2e-4;
// It takes three evaluations of all powers: of large machines some steps stand for those between them.
constexpr Eigen::Index many_velocities = 300;
constexpr int steps_between_looks = 8;

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
      sample_(motion.x),
      rows_are_idle_(has_idle_rows()) {
  known_.reserve(most_known);
}

void RunLedger::update(const MotionVariables& x, double h, std::span<const double> kinks) {
  before_.ledger = ledger_;
  before_.a.swap(newest_a_);
  newest_a_ = x.a;
  MechanicalSystem::Energy energy;
  if (rows_are_idle_) energy = viewer_.calc_energy_of_forces(x, state_);
  if (!rows_are_idle_ || !energies_alone_ || !machine_.left_out().empty()) {
    const Shown shown = viewer_.show(x, state_);
    if (!rows_are_idle_) energy = viewer_.calc_energy(shown);
    violations_.update(shown, ledger_);
    violations_.note_left_out(x.t);
    lam_ = viewer_.lam();
    if (!rows_are_idle_ && !drives()) energy.power += lam_.dot(violations_.phi_dot());
  }
  ledger_.kinetic = energy.kinetic;
  ledger_.potential = energy.potential;
  double power = energy.power;
  const double t_inputs = viewer_.time_of_inputs(x.t);
  if (solves_for_power()) power = solve_for_power(x, t_inputs).value_or(power);
  if (h > 0.0 && leaves_remainders())
    power += solver_.calc_power_left(x, t_inputs, state_, viewer_.workspace()).value_or(0.0);
  note_end(x.t, power);
  if (h == 0.0) {
    if (!goes_on_) ledger_.start = energy.kinetic + energy.potential;
    before_.a = x.a;
    looked_at_ = x.t;
    q_rate_.setZero(x.v.size());
    may_work_ = may_work();
  } else {
    const bool bent = may_work_ && cut_step(x.t - h, x.t, kinks);
    ledger_.work += bent ? calc_work_of_parts(x) : calc_step_work(x, h);
    if (bent) n_ends_ = 1;
    ++smooth_steps_;
    const double size = std::abs(ledger_.kinetic) + std::abs(ledger_.work);
    const bool looks = x.v.size() <= many_velocities || smooth_steps_ % steps_between_looks == 0;
    if (looks && may_work_ && !study_.solver.h && std::abs(ledger_.drift()) > doubtful_drift * size)
      look_at_tolerance(x);
  }
  largest_drift_ = std::max(largest_drift_, std::abs(ledger_.drift()));
}

// Ends of another method's steps, which may be much longer, are of no use.
void RunLedger::note_end(double t, double power) {
  const MotionIntegrator* mover = &motion_.active();
  if (std::exchange(mover_, mover) != mover) n_ends_ = std::min(n_ends_, 1);
  std::copy_backward(ends_.begin(), ends_.end() - 1, ends_.end());
  ends_[0] = {t, power};
  n_ends_ = std::min(n_ends_ + 1, static_cast<int>(ends_.size()));
}

// (3) since it was looked at last.
void RunLedger::look_at_tolerance(const MotionVariables& x) {
  const SolverOptions& o = study_.solver;
  const double rtol = right_in_tolerances * o.rtol.value_or(0.0), atol = right_in_tolerances * o.atol.value_or(0.0);
  machine_.moved().calc_q_rate(x.q, x.v, q_rate_);
  const double speed = size_of(x.v), rate = size_of(q_rate_);
  if (speed > 0.0 && rate > 0.0) {
    sample_ = x;
    const double power = calc_power(sample_);
    sample_.v = (1.0 + rtol + atol / speed) * x.v;
    const double of_velocity = calc_power(sample_) - power;
    sample_ = x;
    sample_.q += (atol + rtol * machine_length(study_.model)) / rate * q_rate_;
    const double of_position = calc_power(sample_) - power;
    uncertainty_ += (x.t - looked_at_) * std::max(std::abs(of_velocity), std::abs(of_position));
  }
  looked_at_ = x.t;
}

void RunLedger::note_impulse(double energy, const MotionVariables& x) {
  ledger_.work += energy;
  ends_[0].power = calc_power(x);
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

// Inputs alone drive rows; velocities that a method leaves across idle ones are nobody's work.
bool RunLedger::has_idle_rows() const {
  const Model& m = study_.model;
  const bool couples =
      std::any_of(m.couplers.begin(), m.couplers.end(), [](const CouplerSpec& c) { return c.value.given(); });
  return !drives() && !couples && !full_.system->reads_multipliers();
}

double RunLedger::calc_power(const MotionVariables& x) {
  if (rows_are_idle_) return viewer_.calc_energy_of_forces(x, state_).power;
  const Shown shown = viewer_.show(x, state_);
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

// Work is summed at the ends of steps, where Newton stops at its tolerance.
bool RunLedger::leaves_remainders() const {
  if (!may_work_ || study_.solver.h || method_of(study_.solver).traits.power != PowerAt::within) return false;
  // The explicit pair has found its accelerations from the forces: nothing is left.
  return motion_.active().power_rule().points.empty() &&
         dynamic_cast<const RungeKuttaMotion*>(&motion_.active()) == nullptr;
}

// The power just behind a kink, where the next step begins: forces and reactions may have jumped there.
void RunLedger::renew_power(const MotionVariables& x) {
  if (!may_work_ || study_.solver.h) return;
  ends_[0].power = solve_for_power(x, x.t + side_of_kink(x.t)).value_or(ends_[0].power);
}

void RunLedger::begin_behind(const MotionVariables& x) {
  if (!may_work_) return;
  ledger_.work += (x.t - ends_[0].t) * ends_[0].power;
  ends_[0].t = x.t;
  n_ends_ = 1;
  renew_power(x);
}

std::optional<double> RunLedger::solve_for_power(const MotionVariables& x, double t) {
  sample_ = x;
  sample_.t = t;
  if (rows_are_idle_) return calc_power(sample_);
  if (!solver_.solve(sample_, state_, viewer_.workspace()).ok()) return std::nullopt;
  return calc_power(sample_);
}

// (2) through the last n ends.
double RunLedger::calc_work_of_ends(int n, double h) {
  const double from = ends_[1].t;
  known_.clear();
  for (int i = 0; i < n; ++i) known_.push_back({(ends_[i].t - from) / h, ends_[i].power});
  return h * integrate(known_, 1.0);
}

// Whether there are several parts.
bool RunLedger::cut_step(double from, double to, std::span<const double> kinks) {
  parts_.clear();
  known_.clear();
  for (double start = from; start < to;) {
    double end = to;
    for (const double kink : kinks)
      if (kink > start && kink < end) end = kink;
    if (start == from && end == to) return false;
    parts_.push_back({.from = start, .to = end});
    start = end;
  }
  return true;
}

double RunLedger::calc_work_of_parts(const MotionVariables& x) {
  const PowerRule gauss = PowerRule::gauss();
  const bool of_middle = method_of(study_.solver).traits.power == PowerAt::middle;
  double work = 0.0;
  for (Part& part : parts_) {
    part.work_before = work;
    for (std::size_t i = 0; i < part.known.size(); ++i) {
      look_within(part.from + gauss.points[i] * (part.to - part.from));
      if (of_middle) sample_.a = x.a, sample_.lam = x.lam;
      part.known[i] = {gauss.points[i], calc_power(sample_)};
    }
    work += (part.to - part.from) * integrate(part.known, 1.0);
  }
  return work;
}

// The point of the last step at which forces balance momentum, as far as calc_power asks for it.
void RunLedger::look_within(double t) {
  if (rows_are_idle_)
    motion_.active().interpolate_balanced_motion(t, sample_);
  else
    motion_.active().interpolate_balance(t, sample_);
}

// Over the step that ends at x.
double RunLedger::calc_step_work(const MotionVariables& x, double h) {
  known_.clear();
  if (!may_work_) return 0.0;
  const double trapezoid = 0.5 * h * (ends_[1].power + ends_[0].power);
  // Nothing is known within the step.
  if (study_.analysis.kind != AnalysisKind::dynamics || solves_for_power())
    return calc_work_of_ends(std::min(3, n_ends_), h);
  const MotionIntegrator& method = motion_.active();
  if (method_of(study_.solver).traits.power == PowerAt::middle) {
    method.interpolate(x.t - 0.5 * h, sample_);
    sample_.a = x.a, sample_.lam = x.lam;
    return h * calc_power(sample_);
  }
  if (method_of(study_.solver).traits.power == PowerAt::ends) return trapezoid;
  // Where P bends evenly, ends of steps tell enough.
  if (n_ends_ > 3) {
    const double size = std::abs(ledger_.kinetic) + std::abs(ledger_.work),
                 limit = std::min(straight_of_rtol * study_.solver.rtol.value_or(0.0), straight_power) * size,
                 cubic = calc_work_of_ends(4, h);
    if (std::abs(cubic - calc_work_of_ends(3, h)) <= limit) return cubic;
  }
  const PowerRule rule = method.power_rule();
  if (rule.points.empty()) return calc_work_of_ends(std::min(rule.ends, n_ends_), h);
  known_.clear();
  known_.push_back({0.0, ends_[1].power});
  double sum = 0.0;
  for (std::size_t i = 0; i < rule.points.size(); ++i) {
    double power = ends_[0].power;
    if (rule.points[i] < 1.0) {
      look_within(x.t - h * (1.0 - rule.points[i]));
      power = calc_power(sample_);
      known_.push_back({rule.points[i], power});
    }
    sum += rule.weights[i] * power;
  }
  known_.push_back({1.0, ends_[0].power});
  return h * sum;
}

// ∫₀^θ of the polynomial through all powers that are known: Gauss' three points are exact for six of them.
double RunLedger::integrate(std::span<const Known> known, double theta) {
  const PowerRule gauss = PowerRule::gauss();
  double sum = 0.0;
  for (std::size_t i = 0; i < gauss.points.size(); ++i) {
    double value = 0.0;
    for (const Known& at : known) {
      double basis = at.power;
      for (const Known& other : known)
        if (&other != &at) basis *= (theta * gauss.points[i] - other.part) / (at.part - other.part);
      value += basis;
    }
    sum += gauss.weights[i] * value;
  }
  return theta * sum;
}

// Work until t within the last step: of that polynomial, or of a cubic, with the right integral.
double RunLedger::calc_work(double t) const {
  const double from = ends_[1].t, h = ends_[0].t - from, theta = h > 0.0 ? std::clamp((t - from) / h, 0.0, 1.0) : 1.0;
  const double rest = 1.0 - theta, change = ledger_.work - before_.ledger.work;
  const double share = theta * theta * (3.0 - 2.0 * theta);
  for (auto part = parts_.rbegin(); part != parts_.rend(); ++part)
    if (const double length = part->to - part->from; t >= part->from)
      return before_.ledger.work + part->work_before +
             length * integrate(part->known, std::min(1.0, (t - part->from) / length));
  if (known_.empty())
    return before_.ledger.work + share * change + h * theta * rest * (rest * ends_[1].power - theta * ends_[0].power);
  return before_.ledger.work + h * integrate(known_, theta) + share * (change - h * integrate(known_, 1.0));
}

}  // namespace trammel
