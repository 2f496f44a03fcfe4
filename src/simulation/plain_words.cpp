#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "trammel/simulation/simulation.h"

// What a run says of models and settings that are allowed and rarely meant.

namespace trammel {

namespace {

constexpr double shortest_arm = 1e-6;  // [m] relative to 1 + where the particle is: drawings are rounded

/// Velocities that violate their constraints by this part of themselves do not belong to the machine.
constexpr double foreign_velocity = 0.1;

}  // namespace

// A particle does not turn: what holds it beside its place holds it by an arm that keeps its direction, and moments
// about the particle lead nowhere.
void Simulation::note_arms_of_particles() {
  for (std::size_t i = 0; i < full_.joints.size(); ++i) {
    const Assembly::Joint& joint = full_.joints[i];
    for (const bool first : {true, false}) {
      const FrameMap& map = full_.system->frame_map(first ? joint.frame_a : joint.frame_b);
      const double arm = (first ? joint.s_a : joint.s_b).norm();
      if ((first ? joint.frame_a : joint.frame_b) == 0 || map.kind != FrameMap::Kind::particle) continue;
      const double place = full_.drawn.q.segment<3>(map.offset).norm();
      if (arm <= shortest_arm * (1.0 + place)) continue;
      notes_.push_back(fmt::format(
          "joint '{}' holds particle '{}' {:.4g} m beside its place: a particle does not turn, so that this is an arm "
          "that keeps its direction, and no moment about the particle balances it; draw the joint's point where the "
          "particle is, or make it a rigid body",
          study_.model.joints[i].name, map.name, arm));
    }
  }
}

// Rotations that change their speed by half a turn per step within a step are not resolved by it.
void Simulation::watch_fixed_step(const MotionVariables& x, double h) {
  if (x.v.size() > 0) largest_speed_ = std::max(largest_speed_, x.v.lpNorm<Eigen::Infinity>());
  const std::span<const Kind> kinds = index3_->layout().kinds();
  for (Eigen::Index i = 0; i < x.a.size(); ++i) {
    if (kinds[i] != Kind::rotation) continue;
    const double turn = std::abs(x.a[i]) * h * h;
    if (turn > unresolved_turn_) unresolved_turn_ = turn, unresolved_t_ = x.t;
  }
}

void Simulation::sum_up_fixed_step(Summary& summary) const {
  if (!study_.solver.h) return;
  if (unresolved_turn_ > std::numbers::pi)
    summary.notes.push_back(
        fmt::format("the fixed step h = {:.4g} s is far too long: at t = {:.6g} s the acceleration turns something by "
                    "{:.3g} rad within one step; leave out 'h', or make it much smaller",
                    *study_.solver.h, unresolved_t_, unresolved_turn_));
  else if (largest_velocity_ > foreign_velocity * (1e-3 + largest_speed_))
    summary.notes.push_back(fmt::format(
        "the fixed step h = {:.4g} s is far too long: velocities violate the constraints by {:.3g}, and are "
        "{:.3g} themselves; leave out 'h', or make it much smaller",
        *study_.solver.h, largest_velocity_, largest_speed_));
}

}  // namespace trammel
