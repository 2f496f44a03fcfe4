// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "plane_assembly.h"
#include "trammel/mechanics/absolute/absolute_system.h"

// What depends on time alone is examined before a run.

namespace trammel {

void AbsoluteSystem::add_time_parts(const Expression& formula, int time) {
  for (TimePart& part : TimePart::find(formula, time))
    if (!part.is_gradual()) time_parts_.push_back(std::move(part));
}

StepBounds AbsoluteSystem::calc_step_bounds(const MotionPoint& p, double t_end, const State& state,
                                            Workspace& workspace) const {
  StepBounds bounds;
  for (const TimeFunction& input : inputs_) input.find_surprises(p.t, t_end, bounds);
  for (const TimePart& part : time_parts_) find_surprises(part, p.t, t_end, bounds);

  const KinematicState at_start = update_kinematics(p, state, workspace);
  InputBuffer inputs;
  std::vector<Wrench<double>> wrench(static_cast<std::size_t>(n_frames()));
  std::vector<double> rates(E_.size(), 0.0);
  for (const std::unique_ptr<ElementGroup>& group : groups_) {
    if (!group->has_own_clock()) continue;
    // One number for all forces of the group: weights without a pattern, so that no two of them cancel.
    const auto sum_of_forces = [&](double t) {
      KinematicState k = at_start;
      calc_inputs(t, inputs);
      k.in = inputs.view();
      for (Wrench<double>& w : wrench) w = {Eigen::Vector3d::Zero(), Eigen::Vector3d::Zero()};
      group->add_forces(k, wrench, rates);
      double sum = 0.0, weight = 0.0;
      for (const Wrench<double>& w : wrench)
        for (int i = 0; i < 3; ++i) {
          weight = std::fmod(weight + 0.6180339887498949, 1.0);
          sum += (0.5 + weight) * w.force[i];
          weight = std::fmod(weight + 0.6180339887498949, 1.0);
          sum += (0.5 + weight) * w.moment[i];
        }
      return sum;
    };
    find_surprises(sum_of_forces, breakpoints_, p.t, t_end, {}, 0, bounds);
  }
  bounds.finish();
  return bounds;
}

}  // namespace trammel
