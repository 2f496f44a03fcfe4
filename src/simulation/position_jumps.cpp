// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "trammel/simulation/machine_checks.h"
#include "trammel/simulation/viewer.h"

namespace trammel {

namespace {

/// Jumps below this part of the positions are rounding of u.
constexpr double smallest_position_jump = 1e-9;

// Instants that are looked at before the run; a law that has more of them is its own kind of noise.
constexpr int most_breakpoints = 10000;

// The constraint on positions that input k belongs to; −1: none.
int find_row_of_input(int k, const InputBuffer& inputs, const Assembly& full, MotionVariables x, const State& state) {
  const Index3 absolute(*full.system);
  const std::unique_ptr<Workspace> workspace = absolute.make_workspace();
  x.lam.setZero(absolute.nc());
  Eigen::VectorXd motion(absolute.nv()), internal(absolute.nz()), phi[2];
  InputBuffer changed = inputs;
  for (const int side : {0, 1}) {
    phi[side].resize(absolute.nc());
    changed.u[static_cast<std::size_t>(k)] += side;
    if (!absolute.residual(x.point(changed.view()), state, motion, internal, phi[side], *workspace).ok()) return -1;
  }
  Eigen::Index row = 0;
  if (absolute.nc() == 0 || !((phi[1] - phi[0]).cwiseAbs().maxCoeff(&row) > 0.5)) return -1;
  return static_cast<int>(row);
}

}  // namespace

void refuse_position_jumps(const Study& study, const Assembly& full, const MotionVariables& x, const State& state) {
  if (study.analysis.kind != AnalysisKind::dynamics && study.analysis.kind != AnalysisKind::inverse_dynamics) return;
  const AbsoluteSystem& system = *full.system;
  InputBuffer before, after;
  std::vector<Issue> issues;
  std::vector<int> told;
  double t = *study.analysis.start;
  for (int i = 0; i < most_breakpoints; ++i) {
    t = system.next_breakpoint(t);
    if (!(t < *study.analysis.end)) break;
    system.calc_inputs(t - side_of_kink(t), before);
    system.calc_inputs(t + side_of_kink(t), after);
    for (std::size_t k = 0; k < before.u.size(); ++k) {
      const double jump = after.u[k] - before.u[k];
      if (!(std::abs(jump) > smallest_position_jump * (1.0 + std::abs(before.u[k])))) continue;
      const int row = find_row_of_input(static_cast<int>(k), before, full, x, state);
      if (row >= 0 && !system.holonomic()[row]) continue;  // of a speed: an impulse
      if (row < 0 || std::find(told.begin(), told.end(), row) != told.end()) continue;
      told.push_back(row);
      issues.push_back({"", fmt::format("{}: its value jumps by {:.4g} at t = {:.6g} s, and nothing can be at another "
                                        "place at once; let it go there in a short time, for example by a ramp or "
                                        "step of some milliseconds",
                                        system.describe_row(row), jump, t)});
    }
  }
  if (!issues.empty()) throw InputError(std::move(issues));
}

}  // namespace trammel
