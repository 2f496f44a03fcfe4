// SPDX-License-Identifier: Apache-2.0
#include "trammel/dae/difference_jump.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "trammel/dae/differences.h"

namespace trammel {

struct DifferenceJump::Scratch final : Workspace {
  std::unique_ptr<Workspace> jump;
  DifferenceCounters counters;
  Pattern full, omega;                  // of an estimate: room for everything, and what was seen
  std::vector<int> group_start, group;  // of columns that are moved together
  std::uint64_t version = 0;            // of the pattern that is grouped; 0: none
  Eigen::VectorXd moved, r0, r, increment;
  double h = 0.0, place = 0.0;
  bool is_first = true;  // matrix of this step
};

const DifferenceCounters& DifferenceJump::counters(const Workspace& workspace) const {
  return static_cast<const Scratch&>(workspace).counters;
}

std::unique_ptr<Workspace> DifferenceJump::make_workspace() const {
  auto s = std::make_unique<Scratch>();
  s->jump = jump_.make_workspace();
  for (auto* x : {&s->moved, &s->r0, &s->r, &s->increment}) x->setZero(n());
  if (options_.grouped && options_.estimated) {
    PatternBuilder builder(n(), n());
    for (int c = 0; c < n(); ++c)
      for (int r = 0; r < n(); ++r) builder.add(r, c);
    s->full = builder.build(1);
  }
  return s;
}

const Pattern& DifferenceJump::pattern(const Workspace& workspace) const {
  const Scratch& s = static_cast<const Scratch&>(workspace);
  return options_.grouped && options_.estimated ? s.full : jump_.pattern(*s.jump);
}

// (2)
void DifferenceJump::choose_increments(ConstVec y, Scratch& s) const {
  constexpr double rounding_unit = std::numeric_limits<double>::epsilon();
  constexpr double three_digits = 1e3;  // beside the rounding of positions
  const double root = std::sqrt(rounding_unit), least = std::sqrt(root);
  const int n_motion = 2 * nv(), n_impulses = 2 * n_multipliers();
  const double fastest = n_motion > 0 ? y.head(n_motion).cwiseAbs().maxCoeff() : 0.0;
  const double rounded = three_digits * rounding_unit * (1.0 + s.place) / s.h;
  for (int i = 0; i < n_motion; ++i) s.increment[i] = std::max(root * std::max(fastest, least), rounded);
  for (int i = n_motion; i < n() - n_impulses; ++i) s.increment[i] = calc_increment(y[i]);
  const double impulse = n_impulses > 0 ? y.tail(n_impulses).cwiseAbs().maxCoeff() : 0.0;
  s.increment.tail(n_impulses).setConstant(calc_multiplier_increment(impulse));
}

Status DifferenceJump::linearize(ConstVec y, std::span<double> values, Workspace& workspace) const {
  Scratch& s = static_cast<Scratch&>(workspace);
  const bool estimated = options_.grouped && options_.estimated;
  const Pattern& all = pattern(workspace);
  const bool estimates = estimated && (s.omega.n_cols == 0 || !s.is_first);
  s.is_first = false;
  const bool alone = !options_.grouped || estimates;
  const Pattern& rows = estimated && !alone ? s.omega : all;
  if (alone) {
    s.group.resize(static_cast<std::size_t>(n()));
    s.group_start.resize(s.group.size() + 1);
    std::iota(s.group.begin(), s.group.end(), 0);
    std::iota(s.group_start.begin(), s.group_start.end(), 0);
    s.version = 0;
  } else if (s.version != rows.version) {
    make_column_groups(rows, s.group_start, s.group);
    s.version = rows.version;
    s.counters.groups = static_cast<int>(s.group_start.size()) - 1;
  }
  ++s.counters.jacobians, ++s.counters.evaluations;
  if (const Status status = jump_.residual(y, s.r0, *s.jump); !status.ok()) return status;
  choose_increments(y, s);
  std::fill(values.begin(), values.end(), 0.0);
  for (std::size_t g = 0; g + 1 < s.group_start.size(); ++g) {
    s.moved = y;
    for (int k = s.group_start[g]; k < s.group_start[g + 1]; ++k) s.moved[s.group[k]] += s.increment[s.group[k]];
    ++s.counters.evaluations;
    if (const Status status = jump_.residual(s.moved, s.r, *s.jump); !status.ok()) return status;
    s.r -= s.r0;
    for (int k = s.group_start[g]; k < s.group_start[g + 1]; ++k) {
      const int c = s.group[k];
      const double step = s.moved[c] - y[c];
      for (int e = rows.start[c]; e < rows.start[c + 1]; ++e)
        values[&rows == &all ? e : all.slot(rows.index[e], c)] = s.r[rows.index[e]] / step;
    }
  }
  if (estimates) enlarge_estimate(values, s);
  return Status::success();
}

// Ω := Ω ∪ Σ(J)
void DifferenceJump::enlarge_estimate(std::span<const double> values, Scratch& s) const {
  const Pattern found = find_noticeable(s.full, values);
  if (s.omega.n_cols == 0) {
    s.omega = found;
    return;
  }
  const std::uint64_t before = s.omega.version;
  s.omega = make_union(s.omega, found);
  s.counters.pattern_updates += s.omega.version != before;
}

// ---- handed on -----------------------------------------------------------------------------------------------------

void DifferenceJump::calc_memory(const MotionVariables& from, const State& state, Vec memory,
                                 Workspace& workspace) const {
  jump_.calc_memory(from, state, memory, *static_cast<Scratch&>(workspace).jump);
}
Status DifferenceJump::begin(const MotionVariables& from, ConstVec memory, const State& state,
                             Workspace& workspace) const {
  Scratch& s = static_cast<Scratch&>(workspace);
  s.is_first = true;
  s.place = from.q.size() > 0 ? from.q.lpNorm<Eigen::Infinity>() : 0.0;
  return jump_.begin(from, memory, state, *s.jump);
}
void DifferenceJump::resize(double h, double curvature, double t_inputs, Workspace& workspace) const {
  Scratch& s = static_cast<Scratch&>(workspace);
  s.h = h;
  jump_.resize(h, curvature, t_inputs, *s.jump);
}
void DifferenceJump::guess(Vec y, const Workspace& workspace) const {
  jump_.guess(y, *static_cast<const Scratch&>(workspace).jump);
}
Status DifferenceJump::residual(ConstVec y, Vec r, Workspace& workspace) const {
  return jump_.residual(y, r, *static_cast<Scratch&>(workspace).jump);
}
bool DifferenceJump::misses(ConstVec y, Workspace& workspace) const {
  return jump_.misses(y, *static_cast<Scratch&>(workspace).jump);
}

bool DifferenceJump::calc_bow(Vec r, const Workspace& workspace) const {
  return jump_.calc_bow(r, *static_cast<const Scratch&>(workspace).jump);
}
void DifferenceJump::finish(ConstVec y, MotionVariables& to, Vec memory, JumpLedger& ledger,
                            Workspace& workspace) const {
  jump_.finish(y, to, memory, ledger, *static_cast<Scratch&>(workspace).jump);
}

}  // namespace trammel
