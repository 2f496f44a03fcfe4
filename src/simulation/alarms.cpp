#include <fmt/format.h>

#include <cmath>

#include "trammel/simulation/machine_length.h"
#include "trammel/simulation/simulation.h"

// Checks of a run's own numbers.

namespace trammel {

namespace {

// Below this a gain is rounding in a machine that does not move: 1e-9 of lifting it by its length, or of moving it by
// that in the run.
double calc_energy_noise(const Study& study) {
  double mass = 0.0;
  for (const BodySpec& body : study.model.bodies) mass += body.mass;
  const double length = machine_length(study.model), speed = length / study.analysis.span();
  return 1e-9 * mass * (study.model.gravity.norm() * length + speed * speed);
}

}  // namespace

void Simulation::watch_energy(const MotionVariables& x) {
  if (energy_watch_.update(x.t, ledger_)) energy_watch_.mark(find_largest_energy(x));
}

// The contact or force that stores most in the last step: where energy comes from, as a rule. A blow may have come and
// gone between the ends of a fixed step.
std::string Simulation::find_largest_energy(const MotionVariables& x) {
  std::string name;
  double largest = 0.0;
  const auto look = [&](const KinematicState& k) {
    for (std::size_t i = 0; i < full_.forces.size(); ++i) {
      const double stored = full_.forces[i].group ? std::abs(full_.forces[i].group->potential(k)) : 0.0;
      if (stored > largest) largest = stored, name = fmt::format("force '{}'", study_.model.forces[i].name);
    }
    if (full_.contacts == nullptr) return;
    const ContactGroup& group = *full_.contacts;
    for (int i = 0; i < group.n_listed(k.modes); ++i) {
      const ContactGroup::Place p = group.place(k.modes, i);
      const ContactGroup::Report report = group.calc_report(k, p);
      const double stored = 0.5 * report.normal_force * report.depth;
      if (stored > largest)
        largest = stored, name = fmt::format("contact '{}' between '{}' and '{}'", group.laws()[p.law].name,
                                             group.geometry()[p.a].name, group.geometry()[p.b].name);
    }
  };
  look(motion_kinematics(x));
  constexpr int parts = 4;
  for (int i = 0; i < parts && study_.solver.h; ++i) {
    integrator_->interpolate_motion(x.t - *study_.solver.h * (1.0 - static_cast<double>(i) / parts), sample_);
    look(motion_kinematics(sample_));
  }
  return name;
}

// With a fixed step nothing else would tell that the numbers mean nothing.
void Simulation::raise_alarms(Summary& summary) const {
  const bool fixed = study_.solver.h.has_value();
  std::optional<Alarm> energy = energy_watch_.judge(fixed);
  if (energy && energy->value <= calc_energy_noise(study_)) energy.reset();
  if (energy) summary.alarms.push_back(*energy);
  if (summary.alarms.empty() || !summary.failure.empty()) return;
  if (study_.output.alarms == AlarmPolicy::error || (fixed && energy)) {
    summary.failure = summary.alarms.front().to_text();
    summary.stop += fmt::format("; failed by an alarm: {}", summary.alarms.front().name);
  }
}

}  // namespace trammel
