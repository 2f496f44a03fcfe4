// SPDX-License-Identifier: Apache-2.0
#include "trammel/dae/difference_motion.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "trammel/dae/differences.h"

namespace trammel {

/// The columns of one kind of variable in all rows (motion, states, constraints).
struct DifferenceMotion::Columns {
  Pattern given;                              // where they may be non-zero
  Pattern omega;                              // the estimate of it; no columns: not yet known
  std::vector<int> group_start, group;        // of the last linearization
  std::vector<double> found;                  // values on `given`, while an estimate is made
  bool is_grouped = false, is_known = false;  // `group` belongs to a pattern; and to the one at hand
};

struct DifferenceMotion::Scratch final : Workspace {
  std::unique_ptr<Workspace> system;
  DifferenceCounters counters;
  MotionPlanes exact;  // M, and the patterns of the system
  std::uint64_t version = 0;
  MotionPatterns everywhere;  // patterns without zeros, for estimates
  Columns columns[n_variables];
  MotionVariables at, moved;
  Inputs in;
  Eigen::VectorXd r0, r, direction;
  double t_last = -std::numeric_limits<double>::infinity();
  bool estimates = false;  // all columns by themselves, this time
};

namespace {

Pattern make_full(int n_rows, int n_cols) {
  PatternBuilder builder(n_rows, n_cols);
  for (int c = 0; c < n_cols; ++c)
    for (int r = 0; r < n_rows; ++r) builder.add(r, c);
  return builder.build();
}

}  // namespace

const DifferenceCounters& DifferenceMotion::counters(const Workspace& workspace) const {
  return static_cast<const Scratch&>(workspace).counters;
}

std::unique_ptr<Workspace> DifferenceMotion::make_workspace() const {
  auto s = std::make_unique<Scratch>();
  s->system = dae_.make_workspace();
  const int n = nv() + nz() + nc();
  for (auto* x : {&s->r0, &s->r}) x->setZero(n);
  for (MotionVariables* x : {&s->at, &s->moved}) x->resize(nv(), nz(), nc());
  if (options_.grouped && options_.estimated)
    s->everywhere = {make_full(nv(), nv()), make_full(nc(), nv()), make_full(nv(), nc()), make_full(nv(), nz()),
                     make_full(nz(), nv()), make_full(nz(), nz()), make_full(nz(), nc()), 1};
  return s;
}

void DifferenceMotion::rebuild(const MotionPlanes& planes, Scratch& s) const {
  s.version = planes.version;
  const int n = nv() + nz() + nc();
  PatternBuilder q(n, nv()), z(n, nz()), lam(n, nc());
  q.add(planes.motion), q.add(planes.state_rate, nv(), 0), q.add(planes.constraint, nv() + nz(), 0);
  z.add(planes.state_force), z.add(planes.state_state, nv(), 0);
  lam.add(planes.reaction), lam.add(make_transposed(planes.constraint).pattern), lam.add(planes.state_lam, nv(), 0);
  for (Columns& columns : s.columns) columns = {};
  s.columns[of_q].given = s.columns[of_v].given = q.build();
  s.columns[of_z].given = z.build();
  s.columns[of_lam].given = lam.build();
}

void DifferenceMotion::group(Columns& columns, bool alone, Scratch& s) const {
  if (columns.is_known && columns.is_grouped != alone) return;
  columns.is_known = true, columns.is_grouped = !alone;
  if (!alone) {
    make_column_groups(options_.estimated ? columns.omega : columns.given, columns.group_start, columns.group);
    s.counters.groups = std::max(s.counters.groups, static_cast<int>(columns.group_start.size()) - 1);
    return;
  }
  columns.group.resize(static_cast<std::size_t>(columns.given.n_cols));
  columns.group_start.resize(columns.group.size() + 1);
  std::iota(columns.group.begin(), columns.group.end(), 0);
  std::iota(columns.group_start.begin(), columns.group_start.end(), 0);
}

Status DifferenceMotion::linearize(const MotionPoint& p, const State& state, PlaneSet set, MotionPlanes& planes,
                                   Workspace& workspace) const {
  Scratch& s = static_cast<Scratch&>(workspace);
  const bool estimated = options_.grouped && options_.estimated;
  const PlaneSet inertia = contains(set, PlaneSet::mass) ? PlaneSet::M | PlaneSet::mass : PlaneSet::M;
  const PlaneSet known = contains(set, PlaneSet::M) ? inertia : PlaneSet::none;
  if (Status status = dae_.linearize(p, state, known, s.exact, *s.system); !status.ok()) return status;
  if (const MotionPatterns& patterns = estimated ? s.everywhere : static_cast<const MotionPatterns&>(s.exact);
      planes.version != patterns.version || planes.M.size() != static_cast<std::size_t>(patterns.motion.nnz()))
    planes.adopt(patterns);
  planes.linear_in_rates = s.exact.linear_in_rates;
  if (s.version != planes.version) rebuild(planes, s);
  std::fill(planes.M.begin(), planes.M.end(), 0.0);
  for (int c = 0; c < nv() && contains(set, PlaneSet::M); ++c)
    for (int k = s.exact.motion.start[c]; k < s.exact.motion.start[c + 1]; ++k)
      planes.M[planes.motion.slot(s.exact.motion.index[k], c)] = s.exact.M[k];

  if (set == known) return Status::success();
  ++s.counters.jacobians, ++s.counters.evaluations;
  s.at = {p.t, p.q, p.v, p.a, p.z, p.zp, p.lam};
  s.in = p.in;
  s.estimates = estimated && (s.columns[of_q].omega.n_cols == 0 || p.t <= s.t_last);
  s.t_last = p.t;
  Status status = residual(p, state, s.r0.head(nv()), s.r0.segment(nv(), nz()), s.r0.tail(nc()), workspace);
  for (auto* plane : {&planes.D, &planes.K, &planes.K_lam, &planes.G, &planes.Gv_q, &planes.f_lam, &planes.f_z,
                      &planes.g_q, &planes.g_v, &planes.g_z, &planes.g_lam})
    std::fill(plane->begin(), plane->end(), 0.0);
  const auto needs = [&](PlaneSet any) { return (static_cast<unsigned>(set) & static_cast<unsigned>(any)) != 0; };
  const bool wanted[n_variables] = {
      needs(PlaneSet::K | PlaneSet::K_lam | PlaneSet::G | PlaneSet::Gv_q | PlaneSet::internal | PlaneSet::f_lam),
      needs(PlaneSet::D | PlaneSet::G | PlaneSet::internal), needs(PlaneSet::internal),
      needs(PlaneSet::f_lam | PlaneSet::internal)};
  for (const Variable variable : {of_q, of_v, of_z, of_lam})  // λ after G
    if (status.ok() && wanted[variable]) status = difference(variable, state, planes, s);
  return status;
}

Status DifferenceMotion::difference(Variable variable, const State& state, MotionPlanes& planes, Scratch& s) const {
  Columns& columns = s.columns[variable];
  const bool alone = !options_.grouped || s.estimates || (options_.estimated && columns.omega.n_cols == 0);
  group(columns, alone, s);
  const bool estimates = alone && options_.grouped;
  if (estimates) columns.found.assign(columns.given.index.size(), 0.0);
  const Eigen::VectorXd* const from[n_variables] = {&s.at.q, &s.at.v, &s.at.z, &s.at.lam};
  const Eigen::VectorXd& x = *from[variable];
  const double largest = x.size() > 0 ? x.lpNorm<Eigen::Infinity>() : 0.0;
  const Pattern& rows = columns.is_grouped && options_.estimated ? columns.omega : columns.given;
  for (std::size_t g = 0; g + 1 < columns.group_start.size(); ++g) {
    s.direction.setZero(x.size());
    for (int k = columns.group_start[g]; k < columns.group_start[g + 1]; ++k)
      s.direction[columns.group[k]] =
          variable == of_lam ? calc_multiplier_increment(largest) : calc_increment(x[columns.group[k]]);
    s.moved = s.at;
    switch (variable) {
      case of_q:
        dae_.calc_q_rate(s.at.q, s.direction, s.moved.q);  // T(q) δ
        s.moved.q += s.at.q;
        break;
      case of_v:
        s.moved.v += s.direction;
        break;
      case of_z:
        s.moved.z += s.direction;
        break;
      default:
        s.moved.lam += s.direction;
        break;
    }
    ++s.counters.evaluations;
    const Status status =
        dae_.residual(s.moved.point(s.in), state, s.r.head(nv()), s.r.segment(nv(), nz()), s.r.tail(nc()), *s.system);
    if (!status.ok()) return status;
    s.r -= s.r0;
    for (int k = columns.group_start[g]; k < columns.group_start[g + 1]; ++k) {
      const int c = columns.group[k];
      for (int e = rows.start[c]; e < rows.start[c + 1]; ++e) {
        const double value = s.r[rows.index[e]] / s.direction[c];
        if (estimates) columns.found[e] = value;
        store(variable, rows.index[e], c, value, planes);
      }
    }
  }
  if (estimates) enlarge_estimate(columns, s);
  return Status::success();
}

void DifferenceMotion::store(Variable variable, int row, int column, double value, MotionPlanes& planes) const {
  const auto set = [&](const Pattern& pattern, std::vector<double>& plane, int r) {
    if (const int slot = pattern.slot(r, column); slot >= 0) plane[slot] = value;
  };
  if (row < nv()) {
    if (variable == of_q) set(planes.motion, planes.K, row);
    if (variable == of_v) set(planes.motion, planes.D, row);
    if (variable == of_z) set(planes.state_force, planes.f_z, row);
    if (variable != of_lam) return;
    const int slot = planes.reaction.slot(row, column), of_G = planes.constraint.slot(column, row);
    if (slot >= 0) planes.f_lam[slot] = value - (of_G >= 0 ? planes.G[of_G] : 0.0);
  } else if (row < nv() + nz()) {
    if (variable == of_q) set(planes.state_rate, planes.g_q, row - nv());
    if (variable == of_v) set(planes.state_rate, planes.g_v, row - nv());
    if (variable == of_z) set(planes.state_state, planes.g_z, row - nv());
    if (variable == of_lam) set(planes.state_lam, planes.g_lam, row - nv());
  } else {
    const int r = row - nv() - nz();
    const bool holonomic = dae_.holonomic()[r];
    if (variable == of_q) set(planes.constraint, holonomic ? planes.G : planes.Gv_q, r);
    if (variable == of_v && !holonomic) set(planes.constraint, planes.G, r);
  }
}

// Ω := Ω ∪ Σ(J)
void DifferenceMotion::enlarge_estimate(Columns& columns, Scratch& s) const {
  const Pattern found = find_noticeable(columns.given, columns.found);
  if (columns.omega.n_cols == 0) {
    columns.omega = found;
  } else {
    const std::uint64_t before = columns.omega.version;
    columns.omega = make_union(columns.omega, found);
    s.counters.pattern_updates += columns.omega.version != before;
  }
  columns.is_known = false;
}

// ---- handed on -----------------------------------------------------------------------------------------------------

Status DifferenceMotion::residual(const MotionPoint& p, const State& state, Vec motion, Vec internal, Vec constraint,
                                  Workspace& workspace) const {
  return dae_.residual(p, state, motion, internal, constraint, *static_cast<Scratch&>(workspace).system);
}
Status DifferenceMotion::velocity_level(const MotionPoint& p, const State& state, Vec phi_dot, Vec bias,
                                        Workspace& workspace) const {
  return dae_.velocity_level(p, state, phi_dot, bias, *static_cast<Scratch&>(workspace).system);
}
void DifferenceMotion::accepted(const MotionPoint& p, Vec q, State& state, Workspace& workspace) const {
  dae_.accepted(p, q, state, *static_cast<Scratch&>(workspace).system);
}

}  // namespace trammel
