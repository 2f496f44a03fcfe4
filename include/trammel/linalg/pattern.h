// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace trammel {

/// Where a sparse matrix may be non-zero: compressed columns, row indices sorted, no duplicates.
///
/// Entry k (its *slot*) of column j, start[j] ≤ k < start[j + 1], stands in row index[k]. Values live elsewhere, in
/// plain arrays with one number per slot, so that many matrices (planes, iteration matrices) share one pattern.
///
/// `version` belongs to the owner of the pattern: it must change whenever the entries change, because everybody who has
/// stored slots compares versions to see that they are stale. `make_union` obeys this rule.
struct Pattern {
  int n_rows = 0;
  int n_cols = 0;
  std::vector<int> start{0};  ///< n_cols + 1 numbers
  std::vector<int> index;     ///< row of each slot
  std::uint64_t version = 0;

  int nnz() const { return static_cast<int>(index.size()); }

  /// The slot of (row, col) by binary search in the column, or −1 when the entry is not part of the pattern.
  int slot(int row, int col) const;

  /// The slots of the dense block rows × cols, row by row: out[i · cols.size() + j] = slot(rows[i], cols[j]).
  void slots(std::span<const int> rows, std::span<const int> cols, std::span<int> out) const;

  /// Same size and same entries; versions are not compared.
  bool same_entries(const Pattern& other) const;
};

/// Collects entries in any order and with repetitions, then sorts them by two counting passes: O(entries + rows +
/// columns).
class PatternBuilder {
 public:
  PatternBuilder(int n_rows, int n_cols);

  void reserve(std::size_t n_entries);
  void add(int row, int col);
  /// The dense block rows × cols; negative indices mean "not an unknown" (ground) and are left out.
  void add_block(std::span<const int> rows, std::span<const int> cols);
  /// Every entry of another pattern, moved by (row_offset, col_offset).
  void add(const Pattern& pattern, int row_offset = 0, int col_offset = 0);
  /// The diagonal of the leading square part.
  void add_diagonal();

  /// The pattern of everything added so far. The builder stays usable: add more and build again (with a new version).
  Pattern build(std::uint64_t version = 1) const;

 private:
  int n_rows_, n_cols_;
  std::vector<std::uint64_t> entries_;  // col · 2³² + row
};

/// The union of two patterns of one size. Its version is that of `a` when `b` adds nothing, else max(versions) + 1.
Pattern make_union(const Pattern& a, const Pattern& b);

/// Aᵀ and where its values come from: values_of_transposed[k] = values[from[k]].
struct TransposedPattern {
  Pattern pattern;
  std::vector<int> from;
};
TransposedPattern make_transposed(const Pattern& a);

}  // namespace trammel
