// SPDX-License-Identifier: Apache-2.0
#include "trammel/simulation/motion.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "trammel/dae/acceleration_solver.h"
#include "trammel/simulation/option.h"

namespace trammel {

namespace {

// Whether joints close loops: in a tree of joints no row ever depends on others.
bool has_loops(const Assembly& assembly) {
  std::vector<int> group;
  const auto find = [&](int frame) {
    if (frame >= static_cast<int>(group.size())) {
      const std::size_t from = group.size();
      group.resize(static_cast<std::size_t>(frame) + 1);
      std::iota(group.begin() + static_cast<std::ptrdiff_t>(from), group.end(), static_cast<int>(from));
    }
    while (group[frame] != frame) frame = group[frame];
    return frame;
  };
  for (const Assembly::Joint& joint : assembly.joints) {
    const int a = find(joint.frame_a), b = find(joint.frame_b);
    if (a == b) return true;
    group[std::max(a, b)] = std::min(a, b);
  }
  return false;
}

MadeMethod make_method(const Machine& machine, Viewer& viewer, const SolverOptions& o) {
  const Study& study = machine.study();
  StepRange steps{.solver = o, .span = study.analysis.span()};
  steps.hmin = o.hmin.value_or(0.0) > 0.0 ? *o.hmin : smallest_step(study.analysis);
  steps.hmax = std::min(o.hmax.value_or(steps.span), steps.span);
  return method_of(o).make(machine, viewer, steps);
}

}  // namespace

bool passes_singular_positions(const Machine& machine) {
  return !machine.study().solver.h || machine.starts_singular();
}

std::unique_ptr<SingularPassage> make_rank_watch(const Machine& machine) {
  const Study& study = machine.study();
  const SolverOptions& o = study.solver;
  if (study.analysis.kind != AnalysisKind::dynamics || machine.index3().nc() == 0 || !has_loops(machine.full()))
    return nullptr;
  SingularPassage::Options options;
  options.fixed_h = o.h;
  if (o.rtol) options.tolerances.rtol = *o.rtol;
  if (o.atol) options.tolerances.atol = *o.atol;
  return std::make_unique<SingularPassage>(machine.moved(), options);
}

Motion::Motion(const Machine& machine, Viewer& viewer)
    : x(machine.initial()),
      state(machine.initial_state()),
      made_(make_method(machine, viewer, machine.study().solver)) {
  if (passes_singular_positions(machine)) passage_ = make_rank_watch(machine);
  // Where constraints lose rank at the start the method need not begin: the passage does.
  const bool passes_start = machine.starts_singular() && passage_;
  if (const Status status = made_.method->start(x, state); !status.ok() && !passes_start)
    throw InputError(fmt::format("No motion begins at t = {:.6g} s: {}.", x.t, describe(status.cause)));
  if (passes_start) passage_->begin_at_position(x, state);
}

Status Motion::start_at(const MotionVariables& at, const State& at_state, Viewer& viewer) {
  x = at;
  state = at_state;
  viewer.centre_charts(x, state);
  if (passage_) passage_->forget();
  return made_.method->start(x, state);
}

void Motion::begin_at(const MotionVariables& at, const State& at_state, Viewer& viewer) {
  if (const Status status = start_at(at, at_state, viewer); !status.ok())
    throw InputError(fmt::format("No motion begins at t = {:.6g} s: {}.", x.t, describe(status.cause)));
}

// Methods leave violations and accelerations of their own behind: velocities of a fixed step on Φ = 0, means over
// steps.
Status Motion::go_on_at(const MotionVariables& at, const State& at_state, const Machine& machine, Viewer& viewer) {
  constexpr double unnoticed = 1e-9;  // violations of this size are rounding
  MotionVariables settled = at;
  State settled_state = at_state;
  viewer.centre_charts(settled, settled_state);
  AccelerationSolver solver(machine.index3(), machine.solver_choice());
  const AccelerationSolver::SettleLimits limits{.position = unnoticed, .velocity = unnoticed};
  const Status status = solver.settle(settled, settled.t, limits, settled_state, viewer.workspace());
  // Near a singular position there is nothing to settle on: the method, or the passage, meets it as it is.
  return status.ok() ? start_at(settled, settled_state, viewer) : start_at(at, at_state, viewer);
}

Status Motion::exchange_method(const Machine& machine, Viewer& viewer) {
  if (!other_.method) other_ = make_method(machine, viewer, *machine.other_method());
  if (passage_) passage_->forget();
  MotionVariables at = made_.method->newest();
  viewer.centre_charts(at, state);
  other_.max_corrections = made_.max_corrections;  // of the record
  std::swap(made_, other_);
  exchanged_ = !exchanged_;
  return made_.method->restart(at, state);
}

// Seen from the change, δ = t − t_c < 0: q = q_c + δ v_c + δ²/2 v̇₋, the series that led there.
void Motion::interpolate(double t, MotionVariables& at) const {
  if (!lead_in || t >= lead_in->t) {
    active().interpolate(t, at);
    return;
  }
  const double dt = t - lead_in->t;
  at = *lead_in;
  at.t = t;
  at.q += dt * at.v + 0.5 * dt * dt * at.a;
  at.v += dt * at.a;
  at.z += dt * at.zp;
}

void Motion::sum_up_passages(std::vector<std::string>& notes) const {
  if (!passage_ || passage_->passages().empty()) return;
  const std::vector<SingularPassage::Passage>& all = passage_->passages();
  constexpr std::size_t shown = 5;
  std::string times;
  for (std::size_t i = 0; i < std::min(shown, all.size()); ++i)
    times += fmt::format("{}{:.6g}", i ? ", " : "", all[i].t);
  if (all.size() > shown) times += fmt::format(" … {:.6g}", all.back().t);
  notes.push_back(
      fmt::format("passed {} singular position{}, t = {} s: the rows of {} lose rank there and other motions branch "
                  "off; the machine "
                  "was led through on its own, with the velocity it had. Reactions grow without bound near such a "
                  "position unless loads happen to balance",
                  all.size(), all.size() > 1 ? "s" : "", times, all.front().rows));
}

}  // namespace trammel
