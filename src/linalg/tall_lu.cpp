#include "trammel/linalg/tall_lu.h"

#include <colamd.h>

#include <algorithm>
#include <cmath>

#include "trammel/base/error.h"

namespace trammel {

namespace {

// Below this the order of the columns is left as it is: fill does not matter, and pivots are those of the textbook.
constexpr int small = 24;
constexpr int power_steps = 6;

}  // namespace

void TallLu::analyze(const Pattern& A, std::vector<int> columns, std::vector<char> excluded) {
  n_ = A.n_rows;
  columns_ = std::move(columns);
  excluded_ = std::move(excluded);
  excluded_.resize(static_cast<std::size_t>(n_), 0);
  start_ = A.start;
  index_ = A.index;
  ready_ = false;
  find_order(A);
  const std::size_t m = columns_.size();
  pivot_row_.assign(m, -1);
  diagonal_.assign(m, 0.0);
  step_of_row_.assign(static_cast<std::size_t>(n_), -1);
  mark_.assign(static_cast<std::size_t>(n_), -1);
  path_.resize(static_cast<std::size_t>(n_));
  next_.resize(static_cast<std::size_t>(n_));
  topological_.reserve(m);
  touched_.reserve(static_cast<std::size_t>(n_));
  work_.setZero(n_);
  power_.setZero(n_);
  y_.setZero(static_cast<Eigen::Index>(m));
}

void TallLu::find_order(const Pattern& A) {
  order_ = columns_;
  if (m() <= small) return;
  std::vector<int> p{0}, rows;
  for (const int column : columns_) {
    rows.insert(rows.end(), A.index.begin() + A.start[column], A.index.begin() + A.start[column + 1]);
    p.push_back(static_cast<int>(rows.size()));
  }
  rows.resize(colamd_recommended(static_cast<int>(rows.size()), n_, m()));
  int stats[COLAMD_STATS];
  if (!colamd(n_, m(), static_cast<int>(rows.size()), rows.data(), p.data(), nullptr, stats))
    throw Error("COLAMD refused the pattern");
  for (int k = 0; k < m(); ++k) order_[k] = columns_[p[k]];
}

// Depth-first search through the columns of L from the rows of A's column: earlier steps that change it, in topological
// order at the end of `topological_` reversed, and the rows without pivot that may be non-zero.
int TallLu::reach(int step) {
  topological_.clear();
  touched_.clear();
  const int column = order_[step];
  for (int k = start_[column]; k < start_[column + 1]; ++k) {
    if (mark_[index_[k]] == step) continue;
    int depth = 0;
    path_[0] = index_[k];
    mark_[index_[k]] = step;
    next_[0] = step_of_row_[index_[k]] >= 0 ? L_start_[step_of_row_[index_[k]]] : 0;
    while (depth >= 0) {
      const int row = path_[depth], at = step_of_row_[row];
      if (at < 0) {
        touched_.push_back(row);
        --depth;
        continue;
      }
      bool descends = false;
      while (next_[depth] < L_start_[at + 1]) {
        const int child = L_row_[next_[depth]++];
        if (mark_[child] == step) continue;
        mark_[child] = step;
        ++depth;
        path_[depth] = child;
        next_[depth] = step_of_row_[child] >= 0 ? L_start_[step_of_row_[child]] : 0;
        descends = true;
        break;
      }
      if (descends) continue;
      topological_.push_back(at);
      --depth;
    }
  }
  std::reverse(topological_.begin(), topological_.end());
  return static_cast<int>(topological_.size());
}

Status TallLu::factor(std::span<const double> values) {
  ready_ = false;
  growth_ = 0.0;
  L_start_.assign(1, 0), U_start_.assign(1, 0);
  L_row_.clear(), L_.clear(), U_step_.clear(), U_.clear();
  std::fill(step_of_row_.begin(), step_of_row_.end(), -1);
  std::fill(mark_.begin(), mark_.end(), -1);
  work_.setZero();
  for (int step = 0; step < m(); ++step) {
    const int column = order_[step];
    reach(step);
    double largest = 0.0;
    for (int k = start_[column]; k < start_[column + 1]; ++k) {
      work_[index_[k]] = values[k];
      largest = std::max(largest, std::abs(values[k]));
    }
    for (const int earlier : topological_) {
      const double u = work_[pivot_row_[earlier]];
      work_[pivot_row_[earlier]] = 0.0;
      U_step_.push_back(earlier);
      U_.push_back(u);
      for (int k = L_start_[earlier]; k < L_start_[earlier + 1]; ++k) work_[L_row_[k]] -= u * L_[k];
    }
    U_start_.push_back(static_cast<int>(U_.size()));
    int pivot = -1;
    std::sort(touched_.begin(), touched_.end());  // of equal candidates the first coordinate
    for (const int row : touched_)
      if (!excluded_[row] && (pivot < 0 || std::abs(work_[row]) > std::abs(work_[pivot]))) pivot = row;
    if (pivot < 0 || !(std::abs(work_[pivot]) > vanished * largest)) {
      for (const int row : touched_) work_[row] = 0.0;
      return Status::recoverable(Cause::singular_matrix, column);
    }
    const double d = work_[pivot];
    diagonal_[step] = d;
    pivot_row_[step] = pivot;
    step_of_row_[pivot] = step;
    for (const int row : touched_) {
      if (row != pivot) {
        L_row_.push_back(row);
        L_.push_back(work_[row] / d);
        growth_ = std::max(growth_, std::abs(L_.back()));
      }
      work_[row] = 0.0;
    }
    L_start_.push_back(static_cast<int>(L_.size()));
  }
  ready_ = true;
  return Status::success();
}

Status TallLu::refactor(std::span<const double> values) {
  if (!ready_) return factor(values);
  growth_ = 0.0;
  for (int step = 0; step < m(); ++step) {
    const int column = order_[step];
    double largest = 0.0;
    for (int k = start_[column]; k < start_[column + 1]; ++k) {
      work_[index_[k]] = values[k];
      largest = std::max(largest, std::abs(values[k]));
    }
    for (int k = U_start_[step]; k < U_start_[step + 1]; ++k) {
      const int earlier = U_step_[k];
      const double u = work_[pivot_row_[earlier]];
      work_[pivot_row_[earlier]] = 0.0;
      U_[k] = u;
      for (int l = L_start_[earlier]; l < L_start_[earlier + 1]; ++l) work_[L_row_[l]] -= u * L_[l];
    }
    const double d = work_[pivot_row_[step]];
    work_[pivot_row_[step]] = 0.0;
    diagonal_[step] = d;
    for (int k = L_start_[step]; k < L_start_[step + 1]; ++k) {
      L_[k] = work_[L_row_[k]] / d;
      work_[L_row_[k]] = 0.0;
      growth_ = std::max(growth_, std::abs(L_[k]));
    }
    if (!(std::abs(d) > vanished * largest)) {
      work_.setZero();
      ready_ = false;
      return Status::recoverable(Cause::singular_matrix, column);
    }
  }
  return Status::success();
}

void TallLu::sweep(Eigen::Ref<Eigen::VectorXd> r) const {
  for (int step = 0; step < m(); ++step) {
    const double y = r[pivot_row_[step]];
    if (y == 0.0) continue;
    for (int k = L_start_[step]; k < L_start_[step + 1]; ++k) r[L_row_[k]] -= y * L_[k];
  }
}

void TallLu::solve_swept(const Eigen::Ref<const Eigen::VectorXd>& swept, Eigen::Ref<Eigen::VectorXd> x) const {
  for (int step = 0; step < m(); ++step) y_[step] = swept[pivot_row_[step]];
  for (int step = m() - 1; step >= 0; --step) {
    const double value = y_[step] / diagonal_[step];
    x[order_[step]] = value;
    for (int k = U_start_[step]; k < U_start_[step + 1]; ++k) y_[U_step_[k]] -= value * U_[k];
  }
}

void TallLu::add_swept_product(const Eigen::Ref<const Eigen::VectorXd>& x, Eigen::Ref<Eigen::VectorXd> swept) const {
  for (int step = 0; step < m(); ++step) {
    const double value = x[order_[step]];
    swept[pivot_row_[step]] += value * diagonal_[step];
    for (int k = U_start_[step]; k < U_start_[step + 1]; ++k) swept[pivot_row_[U_step_[k]]] += value * U_[k];
  }
}

// Power method on B Bᵀ, B = L₂L₁⁻¹: Bᵀw = L₁⁻ᵀ L₂ᵀ w by the sweep transposed, B by the sweep itself.
double TallLu::estimate_ratio_norm() {
  if (m() == 0 || m() == n_) return 0.0;
  double norm = 0.0;
  for (int i = 0; i < n_; ++i) power_[i] = is_pivot(i) ? 0.0 : 1.0 + 0.3 * std::sin(1.0 + i);
  for (int repeat = 0; repeat < power_steps; ++repeat) {
    const double length = power_.norm();
    if (length == 0.0) break;
    power_ /= length;
    for (int step = m() - 1; step >= 0; --step) {
      double sum = 0.0;
      for (int k = L_start_[step]; k < L_start_[step + 1]; ++k) {
        const bool lower = step_of_row_[L_row_[k]] >= 0;
        sum += (lower ? -1.0 : 1.0) * L_[k] * power_[L_row_[k]];
      }
      power_[pivot_row_[step]] = sum;
    }
    double square = 0.0;
    for (int i = 0; i < n_; ++i) {
      if (is_pivot(i))
        square += power_[i] * power_[i];
      else
        power_[i] = 0.0;
    }
    norm = std::sqrt(square);
    sweep(power_);
    for (int i = 0; i < n_; ++i) power_[i] = is_pivot(i) ? 0.0 : -power_[i];
  }
  return norm;
}

}  // namespace trammel
