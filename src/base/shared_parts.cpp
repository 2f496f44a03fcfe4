// SPDX-License-Identifier: Apache-2.0
#include "trammel/base/shared_parts.h"

#include <algorithm>

namespace trammel {

namespace {

/// A few parts for each of some threads; each one more has a border more.
constexpr int most_parts = 16;

}  // namespace

SharedParts::SharedParts(int n_items, int least, int n_places,
                         const std::function<void(int item, const Visit& visit)>& visit_places) {
  const int n = std::min(n_items / least, most_parts);
  if (n < 2) return;
  const auto part_of = [&](int item) { return static_cast<int>(static_cast<long>(item) * n / n_items); };

  constexpr int nobody = -1, several = -2;
  std::vector<int> owner(static_cast<std::size_t>(n_places), nobody);
  for (int item = 0; item < n_items; ++item)
    visit_places(item, [&, part = part_of(item)](int place) {
      int& own = owner[static_cast<std::size_t>(place)];
      own = own == nobody || own == part ? part : several;
    });
  own_.resize(static_cast<std::size_t>(n));
  int n_border = 0;
  for (int item = 0; item < n_items; ++item) {
    bool at_border = false;
    visit_places(item, [&](int place) { at_border |= owner[static_cast<std::size_t>(place)] == several; });
    std::vector<Range>& ranges = at_border ? border_ : own_[static_cast<std::size_t>(part_of(item))];
    if (ranges.empty() || ranges.back().last != item) ranges.push_back({item, item});
    ranges.back().last = item + 1;
    n_border += at_border ? 1 : 0;
  }
  if (n_border > n_items / 2) own_.clear(), border_.clear();
}

}  // namespace trammel
