// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "trammel/linalg/pattern.h"

namespace trammel {

/// A matrix put together from planes at block positions, for analyses that do so rarely (statics, linearization):
/// entries are found by search. Iterations of integrators keep slots instead.
class PlaneMatrix {
 public:
  explicit PlaneMatrix(int n) : builder_(n, n) {}

  void include(const Pattern& plane, int row, int column) { builder_.add(plane, row, column); }
  void include_transposed(const Pattern& plane, int row, int column) {
    builder_.add(make_transposed(plane).pattern, row, column);
  }
  void include_diagonal() { builder_.add_diagonal(); }
  /// After everything was included: the pattern is made and all values are zero.
  void finish(std::uint64_t version) {
    pattern_ = builder_.build(version);
    values_.assign(pattern_.nnz(), 0.0);
  }
  void set_zero() { values_.assign(values_.size(), 0.0); }

  /// Adds factor(row, column)·values at (row, column); rows and columns given to `factor` are the plane's own.
  template <class Factor>
  void add(const Pattern& plane, const std::vector<double>& values, int row, int column, Factor&& factor) {
    for (int c = 0; c < plane.n_cols; ++c)
      for (int k = plane.start[c]; k < plane.start[c + 1]; ++k)
        values_[pattern_.slot(row + plane.index[k], column + c)] += factor(plane.index[k], c) * values[k];
  }
  void add(const Pattern& plane, const std::vector<double>& values, int row, int column) {
    add(plane, values, row, column, [](int, int) { return 1.0; });
  }
  void add_transposed(const Pattern& plane, const std::vector<double>& values, int row, int column) {
    for (int c = 0; c < plane.n_cols; ++c)
      for (int k = plane.start[c]; k < plane.start[c + 1]; ++k)
        values_[pattern_.slot(row + c, column + plane.index[k])] += values[k];
  }
  void add(int row, int column, double value) { values_[pattern_.slot(row, column)] += value; }

  const Pattern& pattern() const { return pattern_; }
  const std::vector<double>& values() const { return values_; }

 private:
  PatternBuilder builder_;
  Pattern pattern_;
  std::vector<double> values_;
};

}  // namespace trammel
