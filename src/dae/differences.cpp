// SPDX-License-Identifier: Apache-2.0
#include "trammel/dae/differences.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace trammel {

namespace {

/// The columns that share a row with each column.
class Neighbours {
 public:
  explicit Neighbours(const Pattern& pattern) : pattern_(pattern), rows_(make_transposed(pattern).pattern) {}
  template <class Visit>
  void of(int column, std::vector<int>& seen, int mark, Visit&& visit) const {
    seen[column] = mark;
    for (int k = pattern_.start[column]; k < pattern_.start[column + 1]; ++k) {
      const int row = pattern_.index[k];
      for (int m = rows_.start[row]; m < rows_.start[row + 1]; ++m) {
        const int other = rows_.index[m];
        if (seen[other] == mark) continue;
        seen[other] = mark;
        visit(other);
      }
    }
  }

 private:
  const Pattern& pattern_;
  Pattern rows_;
};

// Smallest last: from the columns that are left, one with the fewest neighbours among them goes to the end.
std::vector<int> order_smallest_last(const Pattern& pattern) {
  const int n = pattern.n_cols;
  const Neighbours neighbours(pattern);
  std::vector<int> seen(n, -1), degree(n, 0), order(n);
  for (int j = 0; j < n; ++j) neighbours.of(j, seen, j, [&](int) { ++degree[j]; });
  std::vector<std::vector<int>> by_degree(n + 1);  // entries with another degree by now are passed over
  for (int j = n - 1; j >= 0; --j) by_degree[degree[j]].push_back(j);
  std::vector<char> left(n, 1);
  std::fill(seen.begin(), seen.end(), -1);
  for (int place = n - 1, smallest = 0; place >= 0; --place) {
    int column = -1;
    while (column < 0) {
      std::vector<int>& candidates = by_degree[smallest];
      if (candidates.empty()) {
        ++smallest;
        continue;
      }
      if (left[candidates.back()] && degree[candidates.back()] == smallest) column = candidates.back();
      candidates.pop_back();
    }
    order[place] = column;
    left[column] = 0;
    neighbours.of(column, seen, place, [&](int other) {
      if (!left[other]) return;
      by_degree[--degree[other]].push_back(other);
      smallest = std::min(smallest, degree[other]);
    });
  }
  return order;
}

std::vector<int> order_largest_first(const Pattern& pattern) {
  std::vector<int> order(pattern.n_cols);
  std::iota(order.begin(), order.end(), 0);
  const auto entries = [&](int j) { return pattern.start[j + 1] - pattern.start[j]; };
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return entries(a) > entries(b); });
  return order;
}

// Each column in turn joins the first group in which its rows are free. Returns the number of groups.
int color_greedily(const Pattern& pattern, const std::vector<int>& order, std::vector<int>& group) {
  const Neighbours neighbours(pattern);
  std::vector<int> seen(pattern.n_cols, -1), taken(pattern.n_cols + 1, -1);
  group.assign(pattern.n_cols, -1);
  int n_groups = 0;
  for (const int j : order) {
    neighbours.of(j, seen, j, [&](int other) {
      if (group[other] >= 0) taken[group[other]] = j;
    });
    int g = 0;
    while (taken[g] == j) ++g;
    group[j] = g;
    n_groups = std::max(n_groups, g + 1);
  }
  return n_groups;
}

}  // namespace

void make_column_groups(const Pattern& pattern, std::vector<int>& group_start, std::vector<int>& columns) {
  std::vector<int> group(pattern.n_cols), other, row_length(pattern.n_rows, 0);
  for (const int row : pattern.index) ++row_length[row];
  const bool has_full_row = std::find(row_length.begin(), row_length.end(), pattern.n_cols) != row_length.end();
  std::iota(group.begin(), group.end(), 0);
  int n_groups = pattern.n_cols;  // a full row leaves nothing to be shared
  if (!has_full_row) n_groups = color_greedily(pattern, order_smallest_last(pattern), group);
  if (const int n = has_full_row ? n_groups : color_greedily(pattern, order_largest_first(pattern), other);
      n < n_groups)
    n_groups = n, group.swap(other);
  group_start.assign(n_groups + 1, 0);
  for (const int g : group) ++group_start[g + 1];
  std::partial_sum(group_start.begin(), group_start.end(), group_start.begin());
  columns.resize(pattern.n_cols);
  std::vector<int> next(group_start.begin(), group_start.end() - 1);
  for (int j = 0; j < pattern.n_cols; ++j) columns[next[group[j]]++] = j;
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

double calc_increment(double x) {
  const double root = std::sqrt(std::numeric_limits<double>::epsilon());
  return std::max(std::abs(x), std::sqrt(root)) * root;
}

double calc_multiplier_increment(double largest) {
  return std::max(largest, 1.0) * std::sqrt(std::numeric_limits<double>::epsilon());
}

Pattern find_noticeable(const Pattern& all, std::span<const double> values) {
  constexpr double noticeable_entry = 1e-9;
  std::vector<double> largest(static_cast<std::size_t>(all.n_rows), 0.0);
  for (std::size_t k = 0; k < all.index.size(); ++k)
    largest[all.index[k]] = std::max(largest[all.index[k]], std::abs(values[k]));
  PatternBuilder builder(all.n_rows, all.n_cols);
  for (int c = 0; c < all.n_cols; ++c)
    for (int k = all.start[c]; k < all.start[c + 1]; ++k)
      if (std::abs(values[k]) > noticeable_entry * largest[all.index[k]]) builder.add(all.index[k], c);
  return builder.build(1);
}

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
