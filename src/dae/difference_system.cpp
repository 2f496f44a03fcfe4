// SPDX-License-Identifier: Apache-2.0
#include "trammel/dae/difference_system.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "trammel/dae/differences.h"

namespace trammel {

struct DifferenceSystem::Scratch final : Workspace {
  std::unique_ptr<Workspace> system;
  DifferenceCounters counters;
  Pattern omega;                        // the estimated pattern; no columns: not yet known
  std::vector<int> group_start, group;  // columns by group, for the pattern of `version`
  std::uint64_t version = 0;
  bool is_grouped = false;  // the groups are those of a pattern, else columns by themselves
  Eigen::VectorXd y, yp, F0, F, step, direction;
};

namespace {

// What a column contributes to a row when its unknown moves by its tolerance, relative to the largest contribution:
// below this Newton converges as fast without the entry, and rounding makes such entries everywhere.
constexpr double noticeable = 1e-9;
// Entries of a multiplier are judged by its own largest: however small it is now, its reaction may be the one that a
// row is held by, and without its entries the matrix is singular.
constexpr double noticeable_direction = 1e-6;

bool is_multiplier(Kind kind) { return kind == Kind::multiplier || kind == Kind::multiplier_rate; }

}  // namespace

DifferenceSystem::DifferenceSystem(const DaeSystem& system, const DifferenceOptions& options)
    : system_(system), options_(options), derived_(system.derived_columns()) {
  if (derived_.empty()) derived_.assign(static_cast<std::size_t>(system.layout().n()), 0);
}

const DifferenceCounters& DifferenceSystem::counters(const Workspace& workspace) const {
  return static_cast<const Scratch&>(workspace).counters;
}

std::vector<std::vector<int>> DifferenceSystem::groups(const Workspace& workspace) const {
  const Scratch& s = static_cast<const Scratch&>(workspace);
  Scratch of_estimate;  // the last Jacobian may have been the full one that an estimate needs
  const bool was_full = options_.grouped && !s.is_grouped && s.omega.n_cols > 0;
  if (was_full) find_groups(s.omega, of_estimate);
  const Scratch& from = was_full ? of_estimate : s;
  std::vector<std::vector<int>> all;
  for (std::size_t g = 0; g + 1 < from.group_start.size(); ++g) {
    std::vector<int> group;
    for (int k = from.group_start[g]; k < from.group_start[g + 1]; ++k)
      if (!derived_[from.group[k]]) group.push_back(from.group[k]);
    if (!group.empty()) all.push_back(std::move(group));
  }
  return all;
}

std::unique_ptr<Workspace> DifferenceSystem::make_workspace() const {
  auto scratch = std::make_unique<Scratch>();
  scratch->system = system_.make_workspace();
  const int n = layout().n();
  for (auto* x : {&scratch->y, &scratch->yp, &scratch->F0, &scratch->F, &scratch->step, &scratch->direction})
    x->setZero(n);
  return scratch;
}

// An estimated pattern may grow: the planes keep room for everything, and the matrix takes what is not zero.
Pattern DifferenceSystem::make_pattern(const State& state) const {
  return options_.estimated ? DaeSystem::make_pattern(state) : system_.make_pattern(state);
}

// Columns that are not differenced share no row with any other.
void DifferenceSystem::find_groups(const Pattern& pattern, Scratch& s) const {
  PatternBuilder differenced(pattern.n_rows, pattern.n_cols);
  for (int j = 0; j < pattern.n_cols; ++j)
    for (int k = pattern.start[j]; k < pattern.start[j + 1] && !derived_[j]; ++k) differenced.add(pattern.index[k], j);
  make_column_groups(differenced.build(), s.group_start, s.group);
  s.is_grouped = true;
  s.version = pattern.version;
}

void DifferenceSystem::leave_ungrouped(Scratch& s) const {
  s.group_start.resize(static_cast<std::size_t>(layout().n()) + 1);
  s.group.resize(static_cast<std::size_t>(layout().n()));
  std::iota(s.group_start.begin(), s.group_start.end(), 0);
  std::iota(s.group.begin(), s.group.end(), 0);
  s.is_grouped = false;
}

Status DifferenceSystem::linearize(const Point& p, const State& state, Planes& planes, Workspace& workspace) const {
  Scratch& s = static_cast<Scratch&>(workspace);
  ++s.counters.jacobians;
  planes.set_zero();
  if (planes.anew) s.omega = {};
  const bool estimates = options_.grouped && options_.estimated && (s.omega.n_cols == 0 || planes.suspect);
  if (!options_.grouped || estimates) {
    leave_ungrouped(s);
  } else {
    const Pattern& pattern = options_.estimated ? s.omega : planes.pattern;
    if (!s.is_grouped || s.version != pattern.version) find_groups(pattern, s);
    s.counters.groups = static_cast<int>(s.group_start.size()) - 1;
  }
  const std::span<const Kind> kinds = layout().kinds();
  double largest[2] = {0.0, 0.0};  // of multipliers, and of their rates or integrals
  for (Eigen::Index r = 0; r < p.y.size(); ++r)
    if (is_multiplier(kinds[r]))
      largest[kinds[r] == Kind::multiplier_rate] =
          std::max(largest[kinds[r] == Kind::multiplier_rate], std::abs(p.y[r]));
  for (Eigen::Index r = 0; r < p.y.size(); ++r)
    s.step[r] = is_multiplier(kinds[r]) ? calc_multiplier_increment(largest[kinds[r] == Kind::multiplier_rate])
                                        : calc_increment(p.y[r]);
  ++s.counters.evaluations;
  Status status = system_.residual(p, state, s.F0, *s.system);
  if (status.ok()) status = difference(p, state, false, planes, s);
  if (status.ok())
    status =
        has_exact_rates() ? system_.update_rates(p, state, planes, *s.system) : difference(p, state, true, planes, s);
  if (!status.ok()) return status;
  if (estimates) enlarge_estimate(planes, s);
  system_.derive_columns(planes);
  return status;
}

// Ω := Ω ∪ Σ(J)
void DifferenceSystem::enlarge_estimate(Planes& planes, Scratch& s) const {
  const Pattern& all = planes.pattern;
  const auto contribution = [&](int k, int j) {
    return std::abs(planes.F_y()[k]) * (planes.typical.size() > 0 ? planes.typical[j] : 1.0);
  };
  std::vector<double> largest(static_cast<std::size_t>(all.n_rows), 0.0);
  for (int j = 0; j < all.n_cols; ++j)
    for (int k = all.start[j]; k < all.start[j + 1]; ++k)
      largest[all.index[k]] = std::max(largest[all.index[k]], contribution(k, j));
  // A row that gives an unknown by the others has no second one of its kind: what turning its axes leaves there is
  // rounding.
  const std::vector<int> own_rows = system_.own_rows();
  std::vector<char> is_own_row(static_cast<std::size_t>(all.n_rows), 0);
  for (const int row : own_rows)
    if (row >= 0) is_own_row[row] = 1;
  const auto is_rounding = [&](int row, int j) { return is_own_row[row] && own_rows[j] >= 0 && own_rows[j] != row; };
  PatternBuilder builder(all.n_rows, all.n_cols);
  builder.add_diagonal();
  for (int j = 0; j < all.n_cols; ++j) {
    double own = std::numeric_limits<double>::infinity();
    if (is_multiplier(layout().kinds()[j])) {
      own = 0.0;
      for (int k = all.start[j]; k < all.start[j + 1]; ++k) own = std::max(own, std::abs(planes.F_y()[k]));
    }
    for (int k = all.start[j]; k < all.start[j + 1]; ++k) {
      if (is_rounding(all.index[k], j)) {
        planes.F_y()[k] = planes.F_yp()[k] = 0.0;
        continue;
      }
      if (contribution(k, j) > noticeable * largest[all.index[k]] ||
          std::abs(planes.F_y()[k]) > noticeable_direction * own || (!has_exact_rates() && planes.F_yp()[k] != 0.0))
        builder.add(all.index[k], j);
    }
  }
  const Pattern found = builder.build(1);
  if (s.omega.n_cols == 0) {
    s.omega = found;
  } else {
    const std::uint64_t before = s.omega.version;
    s.omega = make_union(s.omega, found);
    s.counters.pattern_updates += s.omega.version != before;
  }
  // What is outside Ω is left out here as well, so that this Jacobian and the grouped ones differ by the motion alone.
  for (int j = 0; j < all.n_cols; ++j)
    for (int k = all.start[j], o = s.omega.start[j]; k < all.start[j + 1]; ++k) {
      while (o < s.omega.start[j + 1] && s.omega.index[o] < all.index[k]) ++o;
      if (o == s.omega.start[j + 1] || s.omega.index[o] != all.index[k]) planes.F_y()[k] = 0.0;
    }
}

// Moves the columns of a group together, in matrix columns, and reads each one off its own rows.
Status DifferenceSystem::difference(const Point& p, const State& state, bool of_rates, Planes& planes,
                                    Scratch& s) const {
  const std::span<const Kind> kinds = layout().kinds();
  const Pattern& rows = s.is_grouped && options_.estimated ? s.omega : planes.pattern;
  std::vector<double>& plane = of_rates ? planes.F_yp() : planes.F_y();
  const double scale = of_rates && planes.h > 0.0 ? 1.0 / planes.h : 1.0;
  const auto is_moved = [&](int j) { return of_rates ? !is_algebraic(kinds[j]) : !derived_[j]; };
  for (std::size_t g = 0; g + 1 < s.group_start.size(); ++g) {
    const std::span<const int> group(s.group.data() + s.group_start[g], s.group.data() + s.group_start[g + 1]);
    s.direction.setZero();
    bool any = false;
    for (const int j : group) {
      if (!is_moved(j)) continue;
      s.direction[j] = scale * s.step[j];
      any = true;
    }
    if (!any) continue;
    system_.from_matrix_columns(p, state, s.direction, *s.system);
    s.y = p.y, s.yp = p.yp;
    (of_rates ? s.yp : s.y) += s.direction;
    ++s.counters.evaluations;
    const Status status = system_.residual({p.t, p.in, s.y, s.yp}, state, s.F, *s.system);
    if (!status.ok()) return status;
    s.F -= s.F0;
    system_.to_matrix_rows(p, state, s.F, *s.system);
    for (const int j : group) {
      if (!is_moved(j)) continue;
      for (int k = rows.start[j]; k < rows.start[j + 1]; ++k) {
        const int slot = &rows == &planes.pattern ? k : planes.pattern.slot(rows.index[k], j);
        plane[slot] = s.F[rows.index[k]] / (scale * s.step[j]);
      }
    }
  }
  return Status::success();
}

// ---- handed on -----------------------------------------------------------------------------------------------------

Status DifferenceSystem::residual(const Point& p, const State& state, Vec F, Workspace& workspace) const {
  return system_.residual(p, state, F, *static_cast<Scratch&>(workspace).system);
}
Status DifferenceSystem::update_rates(const Point& p, const State& state, Planes& planes, Workspace& workspace) const {
  return system_.update_rates(p, state, planes, *static_cast<Scratch&>(workspace).system);
}
void DifferenceSystem::accepted(const Point& p, State& state, Workspace& workspace) const {
  system_.accepted(p, state, *static_cast<Scratch&>(workspace).system);
}
void DifferenceSystem::to_matrix_rows(const Point& p, const State& state, Vec F, Workspace& workspace) const {
  system_.to_matrix_rows(p, state, F, *static_cast<Scratch&>(workspace).system);
}
void DifferenceSystem::from_matrix_columns(const Point& p, const State& state, Vec delta, Workspace& workspace) const {
  system_.from_matrix_columns(p, state, delta, *static_cast<Scratch&>(workspace).system);
}
void DifferenceSystem::select_stage(int stage, Workspace& workspace) const {
  system_.select_stage(stage, *static_cast<Scratch&>(workspace).system);
}
bool DifferenceSystem::matrix_outdated(const Point& p, const State& state, const Workspace& workspace) const {
  return system_.matrix_outdated(p, state, *static_cast<const Scratch&>(workspace).system);
}
bool DifferenceSystem::predicted(double t, const State& state, Vec y, ConstVec yp, Workspace& workspace) const {
  return system_.predicted(t, state, y, yp, *static_cast<Scratch&>(workspace).system);
}
bool DifferenceSystem::corrected(Vec y, Workspace& workspace) const {
  return system_.corrected(y, *static_cast<Scratch&>(workspace).system);
}
void DifferenceSystem::tested(Purpose purpose, std::span<double> mask, const Workspace& workspace) const {
  system_.tested(purpose, mask, *static_cast<const Scratch&>(workspace).system);
}
Status DifferenceSystem::make_consistent(double t, State& state, Vec y, Vec yp, Workspace& workspace) const {
  return system_.make_consistent(t, state, y, yp, *static_cast<Scratch&>(workspace).system);
}
Status DifferenceSystem::calc_gap(const Point& from, const Point& to, double t, const Inputs& in, const State& state,
                                  double& gap, Workspace& workspace) const {
  return system_.calc_gap(from, to, t, in, state, gap, *static_cast<Scratch&>(workspace).system);
}
void DifferenceSystem::rebase(Eigen::Ref<Eigen::MatrixXd> points, State& state, Workspace& workspace) const {
  system_.rebase(points, state, *static_cast<Scratch&>(workspace).system);
}

}  // namespace trammel
