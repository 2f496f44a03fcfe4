// SPDX-License-Identifier: Apache-2.0
#include "trammel/simulation/sampled_controls.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace trammel {

SampledControls::SampledControls(const Machine& machine, Viewer& viewer, Motion& motion, Recorder& recorder,
                                 AccelerationSolver& solver, double start)
    : machine_(machine),
      viewer_(viewer),
      motion_(motion),
      recorder_(recorder),
      solver_(solver),
      start_(start),
      due_(machine.full().sampled.size(), 0) {
  const double t = motion.x.t;
  for (std::size_t i = 0; i < due_.size(); ++i)
    due_[i] = std::max(0L, std::lround(std::ceil((t - side_of_kink(t) - start_) / machine.full().sampled[i].period)));
}

double SampledControls::instant_of(std::size_t control) const {
  return start_ + static_cast<double>(due_[control]) * machine_.full().sampled[control].period;
}

bool SampledControls::is_due(double t, std::size_t control) const { return t >= instant_of(control) - side_of_kink(t); }

bool SampledControls::is_due(double t) const { return t >= next() - side_of_kink(t); }

double SampledControls::next() const {
  double t = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < due_.size(); ++i) t = std::min(t, instant_of(i));
  return t;
}

Status SampledControls::sample(MotionVariables& x) {
  const Assembly& full = machine_.full();
  if (recorder_.finds_values())  // accelerations and forces with the values that are held
    if (const Status status = solver_.solve(x, motion_.state, viewer_.workspace()); !status.ok()) return status;
  const Shown shown = viewer_.show(x, motion_.state);
  const KinematicState k = recorder_.look(shown.point, shown.state);
  Eigen::VectorXd z = x.z;
  for (std::size_t i = 0; i < due_.size(); ++i) {
    if (!is_due(x.t, i)) continue;
    const Assembly::Sampled& control = full.sampled[i];
    for (std::size_t s = 0; s < control.states.size(); ++s)
      z[control.states[s]] = full.formulas->evaluate(control.programs[s], k);
    while (is_due(x.t, i)) ++due_[i];
  }
  x.z = z;
  if (!x.z.allFinite()) return Status::recoverable(Cause::not_finite);
  return solver_.solve(x, motion_.state, viewer_.workspace());
}

Status SampledControls::sample_and_restart(MotionVariables x) {
  if (const Status status = sample(x); !status.ok()) return status;
  viewer_.centre_charts(x, motion_.state);
  return motion_.active().restart(x, motion_.state);
}

}  // namespace trammel
