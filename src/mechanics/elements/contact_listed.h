// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "trammel/mechanics/elements/contact_group.h"

namespace trammel {

// The listed pairs in their order, to be asked for many: those of one shape follow each other.
struct ContactGroup::Listed {
  struct Balls;
  std::vector<int> pair, first;  // first: of each shape, where the pairs begin in which it has the smaller number
  int per_shape = 0;

  void read(const ContactGroup& group, std::span<const int> modes) {
    const int n = static_cast<int>(group.geometry_.size());
    per_shape = n * max_features;
    first.assign(n + 1, 0);
    pair.reserve(group.capacity_);  // whatever comes later
    pair.resize(modes[0]);
    const auto slots = group.order(modes), own = group.pairs(modes);
    for (int i = 0; i < modes[0]; ++i) {
      pair[i] = own[slots[i]] - 1;
      ++first[pair[i] / per_shape + 1];
    }
    for (int i = 0; i < n; ++i) first[i + 1] += first[i];
  }
  bool contains(int wanted) const {
    const int shape = wanted / per_shape;
    for (int i = first[shape]; i < first[shape + 1]; ++i)
      if (pair[i] == wanted) return true;
    return false;
  }
};

}  // namespace trammel
