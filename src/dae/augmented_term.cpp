// SPDX-License-Identifier: Apache-2.0
#include "trammel/dae/augmented_term.h"

namespace trammel {

Pattern AugmentedTerm::analyze(const Pattern& plain, const OrderingHint& hint) {
  reactions_.clear(), pairs_.clear();
  const int n = plain.n_cols;
  const auto row_of = [&](int unknown) { return hint.rows.empty() ? unknown : hint.rows[unknown]; };
  std::vector<char> is_coordinate(static_cast<std::size_t>(n), 0);  // by row
  for (int i = 0; i < n; ++i) is_coordinate[row_of(i)] = hint.roles[i] == UnknownRole::coordinate;

  const TransposedPattern rows = make_transposed(plain);
  PatternBuilder builder(n, n);
  builder.add(plain);
  const auto for_each_entry = [&](const Pattern& pattern, auto&& use) {
    for (int c = 0; c < n; ++c) {
      if (hint.roles[c] != UnknownRole::multiplier) continue;
      for (int k = pattern.start[c]; k < pattern.start[c + 1]; ++k)
        if (is_coordinate[pattern.index[k]] && plain.slot(pattern.index[k], c) >= 0) use(k, pattern.index[k], c);
    }
  };
  for_each_entry(plain, [&](int, int row, int c) {
    for (int k = rows.pattern.start[row_of(c)]; k < rows.pattern.start[row_of(c) + 1]; ++k)
      builder.add(row, rows.pattern.index[k]);
  });
  Pattern sum = builder.build(plain.version);
  for_each_entry(sum, [&](int slot, int row, int c) {
    const int first = static_cast<int>(pairs_.size()), r = row_of(c);
    for (int k = rows.pattern.start[r]; k < rows.pattern.start[r + 1]; ++k)
      pairs_.push_back({sum.slot(row, rows.pattern.index[k]), sum.slot(r, rows.pattern.index[k])});
    reactions_.push_back({slot, row, c, r, first, static_cast<int>(pairs_.size())});
  });
  place_.resize(plain.index.size());
  for (int c = 0; c < n; ++c)
    for (int k = plain.start[c]; k < plain.start[c + 1]; ++k) place_[k] = sum.slot(plain.index[k], c);
  n_entries_ = sum.index.size();
  return sum;
}

}  // namespace trammel
