// SPDX-License-Identifier: Apache-2.0
#include "trammel/linalg/tall_lu.h"

#include <colamd.h>

#include <algorithm>
#include <cmath>

#include "trammel/base/error.h"

namespace trammel {

namespace {

// Below this the order of the columns is left as it is: fill does not matter, and pivots are those of the textbook.
constexpr int small_size = 24;
// A competing pivot below this part of the column's largest entry is not good enough to stop looking.
constexpr double good_pivot = 0.1;
constexpr int power_steps = 6;

}  // namespace

void TallLu::analyze(const Pattern& A, std::vector<int> columns, std::vector<char> excluded) {
  n_ = A.n_rows;
  columns_ = std::move(columns);
  excluded_ = std::move(excluded);
  excluded_.resize(static_cast<std::size_t>(n_), 0);
  start_ = A.start;
  index_ = A.index;
  values_.assign(index_.size(), 0.0);
  ready_ = false;
  small_ = m() <= small_size;
  find_order(A);
  const std::size_t m = columns_.size(), n = static_cast<std::size_t>(n_);
  pivot_row_.reserve(m), order_.reserve(m);
  diagonal_.assign(m, 0.0);
  step_of_row_.assign(n, -1);
  mark_.assign(n, -1);
  path_.resize(n);
  next_.resize(n);
  topological_.reserve(m);
  touched_.reserve(n);
  work_.setZero(n_);
  power_.setZero(n_);
  y_.setZero(static_cast<Eigen::Index>(m));
  power_x_.setZero(A.n_cols);
}

void TallLu::find_order(const Pattern& A) {
  first_order_ = columns_;
  if (!small_) {
    std::vector<int> p{0}, rows;
    for (const int column : columns_) {
      rows.insert(rows.end(), A.index.begin() + A.start[column], A.index.begin() + A.start[column + 1]);
      p.push_back(static_cast<int>(rows.size()));
    }
    rows.resize(colamd_recommended(static_cast<int>(rows.size()), n_, m()));
    int stats[COLAMD_STATS];
    if (!colamd(n_, m(), static_cast<int>(rows.size()), rows.data(), p.data(), nullptr, stats))
      throw Error("COLAMD refused the pattern");
    for (int k = 0; k < m(); ++k) first_order_[k] = columns_[p[k]];
  }
  last_use_.assign(static_cast<std::size_t>(n_), -1);
  for (int k = 0; k < m(); ++k)
    for (int e = start_[first_order_[k]]; e < start_[first_order_[k] + 1]; ++e) last_use_[index_[e]] = k;
}

// Depth-first search through the columns of L from the rows of a column of A: `topological_` receives the earlier steps
// that change it, in an order in which they may be applied, `touched_` the rows not yet chosen that may be non-zero.
void TallLu::reach(int step, int column, std::span<const int> L_start, std::span<const int> L_row) {
  topological_.clear();
  touched_.clear();
  const auto first_child = [&](int row) { return step_of_row_[row] >= 0 ? L_start[step_of_row_[row]] : 0; };
  for (int k = start_[column]; k < start_[column + 1]; ++k) {
    if (mark_[index_[k]] == step) continue;
    int depth = 0;
    path_[0] = index_[k];
    mark_[index_[k]] = step;
    next_[0] = first_child(index_[k]);
    while (depth >= 0) {
      const int at = step_of_row_[path_[depth]];
      if (at < 0) {
        touched_.push_back(path_[depth--]);
        continue;
      }
      int child = -1;
      while (child < 0 && next_[depth] < L_start[at + 1]) {
        const int row = L_row[next_[depth]++];
        if (mark_[row] != step) child = row;
      }
      if (child >= 0) {
        mark_[child] = step;
        path_[++depth] = child;
        next_[depth] = first_child(child);
      } else {
        topological_.push_back(at);
        --depth;
      }
    }
  }
  std::reverse(topological_.begin(), topological_.end());
}

// The column in `work_`; returns its largest entry.
double TallLu::scatter(int column) {
  double largest = 0.0;
  for (int k = start_[column]; k < start_[column + 1]; ++k) {
    work_[index_[k]] = values_[k];
    largest = std::max(largest, std::abs(values_[k]));
  }
  return largest;
}

Status TallLu::factor(std::span<const double> values) {
  values_.assign(values.begin(), values.end());
  ready_ = false;
  Status status = choose();
  if (status.ok()) status = choose_delayed();
  if (!status.ok()) return status;
  make_factors();
  return refactor(values);
}

Status TallLu::choose() {
  order_.clear(), pivot_row_.clear(), delayed_.clear();
  choice_L_start_.assign(1, 0), choice_L_row_.clear(), choice_L_.clear();
  choice_U_start_.assign(1, 0), choice_U_step_.clear(), choice_U_.clear();
  choice_diagonal_.clear();
  std::fill(step_of_row_.begin(), step_of_row_.end(), -1);
  std::fill(mark_.begin(), mark_.end(), -1);
  work_.setZero();
  for (int place = 0; place < m(); ++place) {
    const int column = first_order_[place], step = static_cast<int>(order_.size());
    reach(place, column, choice_L_start_, choice_L_row_);
    const double largest = scatter(column);
    for (const int earlier : topological_) {
      const double u = work_[pivot_row_[earlier]];
      choice_U_step_.push_back(earlier);
      choice_U_.push_back(u);
      for (int k = choice_L_start_[earlier]; k < choice_L_start_[earlier + 1]; ++k)
        work_[choice_L_row_[k]] -= u * choice_L_[k];
    }
    int pivot = -1;
    std::sort(touched_.begin(), touched_.end());  // of equal candidates the first row
    for (const int row : touched_)
      if (!excluded_[row] && (pivot < 0 || std::abs(work_[row]) > std::abs(work_[pivot]))) pivot = row;
    const double size = pivot < 0 ? 0.0 : std::abs(work_[pivot]);
    const bool chosen = size > (small_ ? vanished : good_pivot) * largest;
    if (chosen) {
      order_.push_back(column);
      pivot_row_.push_back(pivot);
      step_of_row_[pivot] = step;
      choice_diagonal_.push_back(work_[pivot]);
      for (const int row : touched_)
        if (row != pivot && (small_ || last_use_[row] > place)) {
          choice_L_row_.push_back(row);
          choice_L_.push_back(work_[row] / work_[pivot]);
        }
      choice_L_start_.push_back(static_cast<int>(choice_L_.size()));
      choice_U_start_.push_back(static_cast<int>(choice_U_.size()));
    } else {
      delayed_.push_back(column);
      choice_U_.resize(choice_U_start_.back());
      choice_U_step_.resize(choice_U_start_.back());
    }
    for (const int earlier : topological_) work_[pivot_row_[earlier]] = 0.0;
    for (const int row : touched_) work_[row] = 0.0;
    if (!chosen && small_) return Status::recoverable(Cause::singular_matrix, column);
  }
  return Status::success();
}

// Columns that waited: what is left of them in the rows not chosen, a − A_X A_Y⁻¹ a_Y, by dense elimination.
Status TallLu::choose_delayed() {
  if (delayed_.empty()) return Status::success();
  const int first = static_cast<int>(order_.size()), late = static_cast<int>(delayed_.size());
  late_.setZero(n_, late);
  for (int j = 0; j < late; ++j) {
    reach(m() + j, delayed_[j], choice_L_start_, choice_L_row_);
    scatter(delayed_[j]);
    for (int step = 0; step < first; ++step) y_[step] = 0.0;
    for (const int earlier : topological_) {
      const double u = work_[pivot_row_[earlier]];
      y_[earlier] = u;
      for (int k = choice_L_start_[earlier]; k < choice_L_start_[earlier + 1]; ++k)
        work_[choice_L_row_[k]] -= u * choice_L_[k];
    }
    work_.setZero();
    for (int step = first - 1; step >= 0; --step) {  // x of the chosen columns
      if (y_[step] == 0.0) continue;
      y_[step] /= choice_diagonal_[step];
      for (int k = choice_U_start_[step]; k < choice_U_start_[step + 1]; ++k)
        y_[choice_U_step_[k]] -= y_[step] * choice_U_[k];
    }
    double* rest = late_.col(j).data();
    for (int k = start_[delayed_[j]]; k < start_[delayed_[j] + 1]; ++k) rest[index_[k]] += values_[k];
    for (int step = 0; step < first; ++step)
      for (int k = start_[order_[step]]; k < start_[order_[step] + 1]; ++k) rest[index_[k]] -= values_[k] * y_[step];
  }
  for (int j = 0; j < late; ++j) {
    double largest = 0.0;
    for (int k = start_[delayed_[j]]; k < start_[delayed_[j] + 1]; ++k)
      largest = std::max(largest, std::abs(values_[k]));
    int pivot = -1;
    for (int i = 0; i < n_; ++i)
      if (step_of_row_[i] < 0 && !excluded_[i] && (pivot < 0 || std::abs(late_(i, j)) > std::abs(late_(pivot, j))))
        pivot = i;
    if (pivot < 0 || !(std::abs(late_(pivot, j)) > vanished * largest))
      return Status::recoverable(Cause::singular_matrix, delayed_[j]);
    step_of_row_[pivot] = first + j;
    pivot_row_.push_back(pivot);
    order_.push_back(delayed_[j]);
    for (int k = j + 1; k < late; ++k) {
      const double factor = late_(pivot, k) / late_(pivot, j);
      if (factor != 0.0) late_.col(k) -= factor * late_.col(j);
    }
  }
  return Status::success();
}

// The patterns of L and U of A_Y, with pivots known.
void TallLu::make_factors() {
  chosen_ = step_of_row_;
  std::fill(step_of_row_.begin(), step_of_row_.end(), -1);
  std::fill(mark_.begin(), mark_.end(), -1);
  L_start_.assign(1, 0), L_row_.clear();
  U_start_.assign(1, 0), U_step_.clear();
  for (int step = 0; step < m(); ++step) {
    reach(step, order_[step], L_start_, L_row_);
    U_step_.insert(U_step_.end(), topological_.begin(), topological_.end());
    U_start_.push_back(static_cast<int>(U_step_.size()));
    for (const int row : touched_)
      if (row != pivot_row_[step] && chosen_[row] >= 0) L_row_.push_back(row);
    L_start_.push_back(static_cast<int>(L_row_.size()));
    step_of_row_[pivot_row_[step]] = step;
  }
  X_start_.assign(1, 0), X_row_.clear(), X_slot_.clear();
  for (const int column : order_) {
    for (int k = start_[column]; k < start_[column + 1]; ++k) {
      if (is_pivot(index_[k])) continue;
      X_row_.push_back(index_[k]);
      X_slot_.push_back(k);
    }
    X_start_.push_back(static_cast<int>(X_row_.size()));
  }
  X_.assign(X_row_.size(), 0.0);
  L_.assign(L_row_.size(), 0.0);
  U_.assign(U_step_.size(), 0.0);
  ready_ = true;
}

Status TallLu::refactor(std::span<const double> values) {
  if (!ready_) return factor(values);
  std::copy(values.begin(), values.end(), values_.begin());
  for (std::size_t k = 0; k < X_.size(); ++k) X_[k] = values[X_slot_[k]];
  growth_ = 0.0;
  for (int step = 0; step < m(); ++step) {
    const int column = order_[step];
    const double largest = scatter(column);
    for (int k = U_start_[step]; k < U_start_[step + 1]; ++k) {
      const double u = work_[pivot_row_[U_step_[k]]];
      U_[k] = u;
      for (int l = L_start_[U_step_[k]]; l < L_start_[U_step_[k] + 1]; ++l) work_[L_row_[l]] -= u * L_[l];
    }
    const double d = work_[pivot_row_[step]];
    diagonal_[step] = d;
    for (int k = L_start_[step]; k < L_start_[step + 1]; ++k) {
      L_[k] = work_[L_row_[k]] / d;
      work_[L_row_[k]] = 0.0;
      growth_ = std::max(growth_, std::abs(L_[k]));
    }
    work_[pivot_row_[step]] = 0.0;
    for (int k = U_start_[step]; k < U_start_[step + 1]; ++k) work_[pivot_row_[U_step_[k]]] = 0.0;
    for (int k = start_[column]; k < start_[column + 1]; ++k) work_[index_[k]] = 0.0;
    if (!(std::abs(d) > vanished * largest)) {
      ready_ = false;
      return Status::recoverable(Cause::singular_matrix, column);
    }
  }
  return Status::success();
}

void TallLu::solve(const Eigen::Ref<const Eigen::VectorXd>& r, Eigen::Ref<Eigen::VectorXd> x) const {
  for (const int row : pivot_row_) work_[row] = r[row];
  for (int step = 0; step < m(); ++step) {
    const double y = work_[pivot_row_[step]];
    work_[pivot_row_[step]] = 0.0;
    y_[step] = y;
    for (int k = L_start_[step]; k < L_start_[step + 1]; ++k) work_[L_row_[k]] -= y * L_[k];
  }
  for (int step = m() - 1; step >= 0; --step) {
    const double value = y_[step] / diagonal_[step];
    x[order_[step]] = value;
    for (int k = U_start_[step]; k < U_start_[step + 1]; ++k) y_[U_step_[k]] -= value * U_[k];
  }
}

void TallLu::subtract(const Eigen::Ref<const Eigen::VectorXd>& x, Eigen::Ref<Eigen::VectorXd> r) const {
  for (int step = 0; step < m(); ++step) {
    const double value = x[order_[step]];
    for (int k = X_start_[step]; k < X_start_[step + 1]; ++k) r[X_row_[k]] -= X_[k] * value;
  }
  for (const int row : pivot_row_) r[row] = 0.0;
}

// Power method on B Bᵀ, B = A_X A_Y⁻¹: Bᵀw = A_Y⁻ᵀ A_Xᵀ w, back with the transposed factors.
double TallLu::estimate_ratio_norm() {
  if (m() == 0 || m() == n_) return 0.0;
  double norm = 0.0;
  for (int i = 0; i < n_; ++i) power_[i] = is_pivot(i) ? 0.0 : 1.0 + 0.3 * std::sin(1.0 + i);
  for (int repeat = 0; repeat < power_steps; ++repeat) {
    const double length = power_.norm();
    if (length == 0.0) break;
    power_ /= length;
    for (int step = 0; step < m(); ++step) {  // Uᵀ y = A_Xᵀ w
      double sum = 0.0;
      for (int k = X_start_[step]; k < X_start_[step + 1]; ++k) sum += X_[k] * power_[X_row_[k]];
      for (int k = U_start_[step]; k < U_start_[step + 1]; ++k) sum -= U_[k] * y_[U_step_[k]];
      y_[step] = sum / diagonal_[step];
    }
    for (int step = m() - 1; step >= 0; --step)  // L₁ᵀ
      for (int k = L_start_[step]; k < L_start_[step + 1]; ++k) y_[step] -= L_[k] * y_[step_of_row_[L_row_[k]]];
    norm = y_.norm();
    for (int step = 0; step < m(); ++step) power_[pivot_row_[step]] = y_[step];
    solve(power_, power_x_);
    for (int i = 0; i < n_; ++i) power_[i] = 0.0;
    power_x_ = -power_x_;
    subtract(power_x_, power_);
  }
  return norm;
}

}  // namespace trammel
