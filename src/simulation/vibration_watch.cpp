// SPDX-License-Identifier: Apache-2.0
#include "trammel/simulation/vibration_watch.h"

#include <algorithm>
#include <cmath>

#include "trammel/simulation/machine_length.h"
#include "trammel/simulation/methods/integrator_descriptor.h"

namespace trammel {

namespace {

// Of the whole analysis: what has died out is known an eighth of it later.
constexpr double windows = 8.0;
// A vibration is free whose frequency is above so many times the rates of all motions.
constexpr double above_drives = 3.0;
// Of the machine's length, or radians: what a motion may move by so that multiples of its rates are small.
constexpr double small_drive = 0.5;
// What turns by less than a radian in a window is no vibration in it.
constexpr double least_phase = 1.0;
// The relative error of the period by (ωh)², of the trapezoidal rule and its relatives.
constexpr double trapezoidal = 1.0 / 12.0;

// What moves on its own, but for motions.
bool knows_no_time(const Machine& machine) {
  const Model& m = machine.study().model;
  const bool by_speed =
      std::any_of(m.motions.begin(), m.motions.end(), [](const MotionSpec& motion) { return motion.velocity.given(); });
  const bool couples =
      std::any_of(m.couplers.begin(), m.couplers.end(), [](const CouplerSpec& c) { return c.value.given(); });
  return !by_speed && !couples && !machine.is_customized() && m.controls.empty() && m.contacts.empty() &&
         m.roads.empty() && m.tracks.empty() && m.wheels.empty() && m.flange_stops.empty() &&
         !machine.full().formulas->reads_time();
}

}  // namespace

VibrationWatch::VibrationWatch(const Machine& machine) : index3_(machine.index3()) {
  const Study& study = machine.study();
  const IntegratorDescription& method = method_of(study.solver);
  if (study.solver.h || !method.traits.lags || !knows_no_time(machine)) return;
  // Without motions energies know how late it is.
  if (!study.model.motions.empty()) dispersion_ = trapezoidal;
  if (method.traits.damps_in_first_order)
    damping_ = 0.5 * std::max(0.0, study.solver.one_step.gamma.value_or(0.6) - 0.5);
  window_ = study.analysis.span() / windows;
  far_ = small_drive * std::min(1.0, machine_length(study.model));
}

void VibrationWatch::note_step(const MotionVariables& x, bool smooth) {
  if (dispersion_ == 0.0 && damping_ == 0.0) return;
  const Eigen::Index n = x.v.size();
  const double h = x.t - t_;
  if (n_steps_++ == 0) {
    for (Eigen::VectorXd* s :
         {&accelerations_, &jerks_, &squares_, &cubes_, &late_, &damped_, &off_, &way_, &least_, &most_})
      s->setZero(n);
    window_from_ = x.t;
    a_.setZero(n);
  } else if (h > 0.0) {
    const double between = 0.5 * (h + h_);
    for (Eigen::Index i = 0; i < n; ++i) {
      const double a = (x.v[i] - v_[i]) / h, change = n_steps_ > 2 ? a - a_[i] : 0.0, square = change * change;
      accelerations_[i] += h * a * a;
      jerks_[i] += square / between;
      squares_[i] += square;
      cubes_[i] += between * square;
      a_[i] = a;
      way_[i] += 0.5 * h * (x.v[i] + v_[i]);
      least_[i] = std::min(least_[i], way_[i]), most_[i] = std::max(most_[i], way_[i]);
    }
    window_is_smooth_ = window_is_smooth_ && smooth;
    h_ = h;
  }
  t_ = x.t;
  v_ = x.v;
  if (dispersion_ > 0.0) note_drives(h, smooth && n_steps_ > 1);
  if (t_ - window_from_ >= window_ * (1.0 - 1e-9)) close_window(t_);
}

// (5). The first input is the time.
void VibrationWatch::note_drives(double h, bool smooth) {
  index3_.calc_inputs(t_, inputs_);
  const std::size_t n = inputs_.u.size();
  if (drives_.size() != n) {
    drives_.resize(n);
    for (std::size_t i = 0; i < n; ++i) drives_[i] = {inputs_.udd[i], 0.0, 0.0, inputs_.u[i], inputs_.u[i]};
  }
  for (std::size_t i = 1; i < n; ++i) {
    Drive& d = drives_[i];
    const double now = inputs_.udd[i], change = now - d.acceleration, mean = 0.5 * (now + d.acceleration);
    if (smooth && h > 0.0) d.accelerations += h * mean * mean, d.jerks += change * change / h;
    d.acceleration = now;
    d.lowest = std::min(d.lowest, inputs_.u[i]), d.highest = std::max(d.highest, inputs_.u[i]);
  }
}

bool VibrationWatch::drives_are_small() const {
  return std::all_of(drives_.begin() + std::min<std::ptrdiff_t>(1, std::ssize(drives_)), drives_.end(),
                     [this](const Drive& d) { return d.highest - d.lowest <= far_; });
}

void VibrationWatch::close_window(double t) {
  const double w = t - window_from_;
  double driven = 0.0;  // ω_u²
  for (std::size_t i = 1; i < drives_.size(); ++i)
    if (drives_[i].accelerations > 0.0) driven = std::max(driven, drives_[i].jerks / drives_[i].accelerations);
  const double least = std::max(above_drives * above_drives * driven, std::pow(least_phase / w, 2));
  for (Eigen::Index i = 0; i < v_.size(); ++i) {
    if (!window_is_smooth_ || !(jerks_[i] > least * accelerations_[i])) {
      late_[i] = damped_[i] = 0.0;
      continue;
    }
    const double omega = std::sqrt(jerks_[i] / accelerations_[i]), largest = std::sqrt(2.0 * accelerations_[i] / w);
    const double late = dispersion_ * w * cubes_[i] / accelerations_[i],
                 damped = damping_ * w * squares_[i] / accelerations_[i];
    late_[i] += 0.5 * late, damped_[i] += 0.5 * damped;  // in the middle of the window, as the mean of a²
    const double off = largest / omega * (late_[i] + damped_[i] / omega);
    if (off > off_[i]) off_[i] = off, off_t_ = t;
    late_[i] += 0.5 * late, damped_[i] += 0.5 * damped;
  }
  for (Eigen::VectorXd* s : {&accelerations_, &jerks_, &squares_, &cubes_}) s->setZero();
  window_is_smooth_ = true;
  window_from_ = t;
}

RunChecks::Unresolved VibrationWatch::find_late(std::span<const Kind> kinds, std::span<const int> charts) const {
  if (off_.size() == 0 || !drives_are_small()) return {};
  Eigen::VectorXd off = off_;
  for (const int c : charts) off.segment<3>(c).setZero();
  RunChecks::Unresolved worst = RunChecks::find_worst(off, most_ - least_, kinds, charts);
  worst.t = off_t_;
  return worst;
}

}  // namespace trammel
