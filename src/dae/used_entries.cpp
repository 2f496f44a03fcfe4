// SPDX-License-Identifier: Apache-2.0
#include "trammel/dae/used_entries.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <numeric>

namespace trammel {

namespace {

// A pattern that is enlarged more often than this keeps every entry: each enlargement costs a new ordering.
constexpr int max_enlargements = 8;

}  // namespace

bool UsedEntries::update(const PlaneSource& source, bool keeps_all) {
  const Planes& planes = source.planes();
  if (known_) {
    std::uint64_t bits = 0;  // without branches: this is asked after every linearization
    for (const std::vector<double>& plane : planes.values)
      for (const int slot : unused_) bits |= std::bit_cast<std::uint64_t>(plane[slot]);
    if (bits << 1 == 0) return false;  // the sign of a zero is no entry
    keeps_all = keeps_all || enlargements_ >= max_enlargements;
    ++enlargements_;
  } else {
    unused_.resize(planes.pattern.index.size());
    std::iota(unused_.begin(), unused_.end(), 0);
    enlargements_ = 0;
  }
  const auto is_entry = [&](int slot) {
    for (const std::vector<double>& plane : planes.values)
      if (plane[slot] != 0.0) return true;
    return source.follows(slot);
  };
  const auto end = keeps_all ? unused_.begin() : std::remove_if(unused_.begin(), unused_.end(), is_entry);
  unused_.erase(end, unused_.end());
  return known_ = true;
}

Pattern UsedEntries::make_pattern(const Pattern& all, std::uint64_t version) {
  Pattern pattern{all.n_rows, all.n_cols, {0}, {}, version};
  slot_.clear();
  auto unused = unused_.begin();
  for (int j = 0; j < all.n_cols; ++j) {
    for (int k = all.start[j]; k < all.start[j + 1]; ++k) {
      if (unused != unused_.end() && *unused == k) {
        ++unused;
        continue;
      }
      slot_.push_back(k);
      pattern.index.push_back(all.index[k]);
    }
    pattern.start.push_back(static_cast<int>(slot_.size()));
  }
  return pattern;
}

}  // namespace trammel
