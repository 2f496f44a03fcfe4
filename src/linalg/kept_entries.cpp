// SPDX-License-Identifier: Apache-2.0
#include "kept_entries.h"

#include "elimination_order.h"

namespace trammel {

KeptEntries keep_entries(const Pattern& pattern, const OrderingHint& hint, bool diagonal) {
  const std::vector<char> multiplier = find_multipliers(pattern, hint);
  const auto keeps = [&](int i, int j) {
    if (multiplier[i] || multiplier[j]) return !diagonal;
    if (i == j || (!hint.blocks.empty() && hint.blocks[i] >= 0 && hint.blocks[i] == hint.blocks[j])) return true;
    return !hint.roles.empty() && hint.roles[i] == UnknownRole::other && hint.roles[j] == UnknownRole::other;
  };
  const int n = pattern.n_cols;
  PatternBuilder builder(n, n);
  for (int j = 0; j < n; ++j) {
    if (diagonal && multiplier[j]) builder.add(j, j);
    for (int k = pattern.start[j]; k < pattern.start[j + 1]; ++k)
      if (keeps(pattern.index[k], j)) builder.add(pattern.index[k], j);
  }
  KeptEntries kept{builder.build(), {}};
  for (int j = 0; j < n; ++j)
    for (int k = kept.pattern.start[j]; k < kept.pattern.start[j + 1]; ++k) {
      const bool unit = diagonal && multiplier[j];
      kept.from.push_back(unit ? -1 : pattern.slot(kept.pattern.index[k], j));
    }
  return kept;
}

}  // namespace trammel
