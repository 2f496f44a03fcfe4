// SPDX-License-Identifier: Apache-2.0
#include "trammel/linalg/pattern.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "trammel/base/error.h"

namespace trammel {

int Pattern::slot(int row, int col) const {
  const auto first = index.begin() + start[static_cast<std::size_t>(col)];
  const auto last = index.begin() + start[static_cast<std::size_t>(col) + 1];
  const auto found = std::lower_bound(first, last, row);
  return found != last && *found == row ? static_cast<int>(found - index.begin()) : -1;
}

void Pattern::slots(std::span<const int> rows, std::span<const int> cols, std::span<int> out) const {
  for (std::size_t j = 0; j < cols.size(); ++j)
    for (std::size_t i = 0; i < rows.size(); ++i)
      out[i * cols.size() + j] = rows[i] < 0 || cols[j] < 0 ? -1 : slot(rows[i], cols[j]);
}

bool Pattern::same_entries(const Pattern& other) const {
  return n_rows == other.n_rows && n_cols == other.n_cols && start == other.start && index == other.index;
}

PatternBuilder::PatternBuilder(int n_rows, int n_cols) : n_rows_(n_rows), n_cols_(n_cols) {
  if (n_rows < 0 || n_cols < 0)
    throw Error(fmt::format("a matrix pattern cannot have {} rows and {} columns", n_rows, n_cols));
}

void PatternBuilder::reserve(std::size_t n_entries) { entries_.reserve(n_entries); }

void PatternBuilder::add(int row, int col) {
  if (row < 0 || row >= n_rows_ || col < 0 || col >= n_cols_)
    throw Error(fmt::format("entry ({}, {}) lies outside a matrix pattern of {} rows and {} columns", row, col, n_rows_,
                            n_cols_));
  entries_.push_back((static_cast<std::uint64_t>(col) << 32) | static_cast<std::uint32_t>(row));
}

void PatternBuilder::add_block(std::span<const int> rows, std::span<const int> cols) {
  for (const int col : cols)
    for (const int row : rows)
      if (row >= 0 && col >= 0) add(row, col);
}

void PatternBuilder::add(const Pattern& pattern, int row_offset, int col_offset) {
  for (int col = 0; col < pattern.n_cols; ++col)
    for (int k = pattern.start[col]; k < pattern.start[col + 1]; ++k)
      add(pattern.index[k] + row_offset, col + col_offset);
}

void PatternBuilder::add_diagonal() {
  for (int i = 0; i < std::min(n_rows_, n_cols_); ++i) add(i, i);
}

Pattern PatternBuilder::build(std::uint64_t version) const {
  if (entries_.size() > static_cast<std::size_t>(std::numeric_limits<int>::max()))
    throw Error(fmt::format("a matrix pattern of {} collected entries exceeds the 32-bit indices of the sparse solvers",
                            entries_.size()));
  // Two stable counting passes, by row and then by column, leave every column sorted by row.
  std::vector<int> row_start(static_cast<std::size_t>(n_rows_) + 1, 0);
  for (const std::uint64_t entry : entries_) ++row_start[(entry & 0xffffffffu) + 1];
  for (int i = 0; i < n_rows_; ++i) row_start[i + 1] += row_start[i];
  std::vector<std::uint64_t> by_row(entries_.size());
  for (const std::uint64_t entry : entries_) by_row[row_start[entry & 0xffffffffu]++] = entry;

  std::vector<int> next(static_cast<std::size_t>(n_cols_) + 1, 0);
  for (const std::uint64_t entry : by_row) ++next[(entry >> 32) + 1];
  for (int j = 0; j < n_cols_; ++j) next[j + 1] += next[j];
  std::vector<int> first = next;
  std::vector<int> rows(by_row.size());
  for (const std::uint64_t entry : by_row) rows[next[entry >> 32]++] = static_cast<int>(entry & 0xffffffffu);

  Pattern pattern;
  pattern.n_rows = n_rows_;
  pattern.n_cols = n_cols_;
  pattern.version = version;
  pattern.start.assign(static_cast<std::size_t>(n_cols_) + 1, 0);
  int n = 0;
  for (int j = 0; j < n_cols_; ++j) {
    pattern.start[j] = n;
    for (int k = first[j]; k < first[j + 1]; ++k)
      if (n == pattern.start[j] || rows[n - 1] != rows[k]) rows[n++] = rows[k];
  }
  pattern.start[n_cols_] = n;
  rows.resize(static_cast<std::size_t>(n));
  rows.shrink_to_fit();
  pattern.index = std::move(rows);
  return pattern;
}

Pattern make_union(const Pattern& a, const Pattern& b) {
  if (a.n_rows != b.n_rows || a.n_cols != b.n_cols)
    throw Error(fmt::format("the union of two patterns needs one size; they are {} × {} and {} × {}", a.n_rows,
                            a.n_cols, b.n_rows, b.n_cols));
  Pattern out;
  out.n_rows = a.n_rows;
  out.n_cols = a.n_cols;
  out.start.assign(a.start.size(), 0);
  out.index.reserve(std::max(a.index.size(), b.index.size()));
  for (int j = 0; j < a.n_cols; ++j) {
    std::set_union(a.index.begin() + a.start[j], a.index.begin() + a.start[j + 1], b.index.begin() + b.start[j],
                   b.index.begin() + b.start[j + 1], std::back_inserter(out.index));
    out.start[j + 1] = out.nnz();
  }
  out.version = out.nnz() == a.nnz() ? a.version : std::max(a.version, b.version) + 1;
  return out;
}

TransposedPattern make_transposed(const Pattern& a) {
  TransposedPattern t;
  t.pattern.n_rows = a.n_cols;
  t.pattern.n_cols = a.n_rows;
  t.pattern.version = a.version;
  t.pattern.start.assign(static_cast<std::size_t>(a.n_rows) + 1, 0);
  for (const int row : a.index) ++t.pattern.start[row + 1];
  for (int i = 0; i < a.n_rows; ++i) t.pattern.start[i + 1] += t.pattern.start[i];
  t.pattern.index.resize(a.index.size());
  t.from.resize(a.index.size());
  std::vector<int> next(t.pattern.start.begin(), t.pattern.start.end());
  for (int j = 0; j < a.n_cols; ++j)
    for (int k = a.start[j]; k < a.start[j + 1]; ++k) {
      const int to = next[a.index[k]]++;
      t.pattern.index[to] = j;
      t.from[to] = k;
    }
  return t;
}

}  // namespace trammel
