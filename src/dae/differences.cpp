#include "trammel/dae/differences.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace trammel {

void make_column_groups(const Pattern& pattern, std::vector<int>& group_start, std::vector<int>& columns) {
  const int n = pattern.n_cols;
  std::vector<int> order(n);
  std::iota(order.begin(), order.end(), 0);
  const auto entries = [&](int j) { return pattern.start[j + 1] - pattern.start[j]; };
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return entries(a) > entries(b); });

  group_start.assign(1, 0);
  columns.clear();
  std::vector<int> taken_by(pattern.n_rows, -1);  // the group that last used a row
  std::vector<char> done(n, 0);
  for (int group = 0; static_cast<int>(columns.size()) < n; ++group) {
    for (const int j : order) {
      if (done[j]) continue;
      const auto first = pattern.index.begin() + pattern.start[j], last = pattern.index.begin() + pattern.start[j + 1];
      if (std::any_of(first, last, [&](int row) { return taken_by[row] == group; })) continue;
      std::for_each(first, last, [&](int row) { taken_by[row] = group; });
      columns.push_back(j);
      done[j] = 1;
    }
    group_start.push_back(static_cast<int>(columns.size()));
  }
}

namespace {

// Fills one plane: moves the columns of a group together and reads each one off its own rows.
Status difference_plane(const DaeSystem& system, const Point& at, const State& state, Planes& planes, bool of_rates,
                        Workspace& workspace) {
  Planes::Differences& d = planes.differences;
  const Pattern& pattern = planes.pattern;
  std::vector<double>& plane = of_rates ? planes.F_yp() : planes.F_y();
  const std::span<const Kind> kinds = system.layout().kinds();
  Eigen::VectorXd& moved = of_rates ? d.yp : d.y;
  const double scale = of_rates && planes.h > 0.0 ? 1.0 / planes.h : 1.0;
  for (std::size_t g = 0; g + 1 < d.group_start.size(); ++g) {
    const std::span<const int> group(d.group.data() + d.group_start[g], d.group.data() + d.group_start[g + 1]);
    bool any = false;
    for (const int j : group) {
      if (of_rates && is_algebraic(kinds[j])) continue;
      const double before = moved[j];
      moved[j] += d.step[j] * scale;
      any = any || moved[j] != before;
    }
    if (!any) continue;
    const Status status = system.residual(at, state, d.F, workspace);
    if (!status.ok()) return status;
    const Eigen::VectorXd& base = of_rates ? planes.yp : planes.y;
    for (const int j : group) {
      const double step = moved[j] - base[j];
      moved[j] = base[j];
      if (step == 0.0) continue;
      for (int k = pattern.start[j]; k < pattern.start[j + 1]; ++k)
        plane[k] = (d.F[pattern.index[k]] - d.F0[pattern.index[k]]) / step;
    }
  }
  return Status::success();
}

}  // namespace

Status difference_planes(const DaeSystem& system, const Point& p, const State& state, Planes& planes,
                         Workspace& workspace) {
  Planes::Differences& d = planes.differences;
  if (d.version != planes.pattern.version) {
    make_column_groups(planes.pattern, d.group_start, d.group);
    d.version = planes.pattern.version;
    d.F.resize(p.y.size());
    d.F0.resize(p.y.size());
    d.step.resize(p.y.size());
  }
  planes.set_zero();
  planes.y = d.y = p.y;
  planes.yp = d.yp = p.yp;
  const double root = std::sqrt(std::numeric_limits<double>::epsilon());
  for (Eigen::Index j = 0; j < p.y.size(); ++j) {
    const double typical = planes.typical.size() ? planes.typical[j] : root;
    const double motion = planes.h * p.yp[j];
    const double size = std::max({std::abs(p.y[j]), std::abs(motion), typical});
    d.step[j] = root * (motion < 0.0 ? -size : size);
  }
  const Point at{p.t, p.in, d.y, d.yp};
  Status status = system.residual(at, state, d.F0, workspace);
  if (status.ok()) status = difference_plane(system, at, state, planes, false, workspace);
  if (status.ok()) status = difference_plane(system, at, state, planes, true, workspace);
  return status;
}

}  // namespace trammel
