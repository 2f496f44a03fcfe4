// SPDX-License-Identifier: Apache-2.0
#include "aligned_rows.h"

namespace trammel {

AlignedRows align_rows(const Pattern& pattern, const std::vector<int>& rows) {
  AlignedRows aligned{{}, rows, std::vector<int>(pattern.index.size())};
  std::vector<int> place(static_cast<std::size_t>(pattern.n_cols));
  for (int j = 0; j < pattern.n_cols; ++j) place[rows.empty() ? j : rows[j]] = j;
  PatternBuilder builder(pattern.n_cols, pattern.n_cols);
  builder.reserve(pattern.index.size());
  for (int j = 0; j < pattern.n_cols; ++j)
    for (int k = pattern.start[j]; k < pattern.start[j + 1]; ++k) builder.add(place[pattern.index[k]], j);
  aligned.pattern = builder.build();
  for (int j = 0; j < pattern.n_cols; ++j)
    for (int k = pattern.start[j]; k < pattern.start[j + 1]; ++k)
      aligned.slot_of[aligned.pattern.slot(place[pattern.index[k]], j)] = k;
  return aligned;
}

}  // namespace trammel
