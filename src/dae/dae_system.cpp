// SPDX-License-Identifier: Apache-2.0
#include "trammel/dae/dae_system.h"

#include <fmt/format.h>

#include "trammel/base/error.h"
#include "trammel/dae/differences.h"

namespace trammel {

void Planes::add(int plane, int row, int column, double value) {
  const int slot = pattern.slot(row, column);
  if (slot < 0) throw Error(fmt::format("entry ({}, {}) is not part of the pattern of the planes", row, column));
  values[plane][slot] += value;
}

void DaeSystem::calc_inputs(double t, InputBuffer& inputs) const {
  if (inputs.u.size() != 1) inputs.resize(1);
  inputs.u[0] = t;
  inputs.ud[0] = 1.0;
}

double DaeSystem::next_breakpoint(double) const { return std::numeric_limits<double>::infinity(); }

Pattern DaeSystem::make_pattern(const State&) const {
  const int n = layout().n();
  Pattern dense{n, n, {}, {}, 1};
  for (int j = 0; j <= n; ++j) dense.start.push_back(j * n);
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i) dense.index.push_back(i);
  return dense;
}

Status DaeSystem::linearize(const Point& p, const State& state, Planes& planes, Workspace& workspace) const {
  return difference_planes(*this, p, state, planes, workspace);
}

bool DaeSystem::update_pattern(const State& state, Planes& planes) const {
  const bool first = planes.values.empty();
  if (!first && planes.state_version == state.version) return false;
  planes.state_version = state.version;
  Pattern pattern = make_pattern(state);
  if (!first && pattern.same_entries(planes.pattern)) return false;
  pattern.version = planes.pattern.version + 1;
  planes.pattern = std::move(pattern);
  planes.roles = plane_roles();
  planes.values.assign(planes.roles.size(), std::vector<double>(planes.pattern.index.size(), 0.0));
  return true;
}

void DaeSystem::tested(Purpose purpose, std::span<double> mask, const Workspace&) const {
  const std::span<const Kind> kinds = layout().kinds();
  for (std::size_t i = 0; i < mask.size(); ++i) {
    const bool integrated = kinds[i] == Kind::position || kinds[i] == Kind::rotation || kinds[i] == Kind::velocity ||
                            kinds[i] == Kind::internal;
    mask[i] = purpose == Purpose::corrector || integrated ? 1.0 : 0.0;
  }
}

Layout numbered_layout(std::vector<Kind> kinds) {
  return Layout(
      std::move(kinds), [](int i) { return fmt::format("y[{}]", i); }, [](int i) { return fmt::format("row {}", i); });
}

}  // namespace trammel
