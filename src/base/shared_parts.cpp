// SPDX-License-Identifier: Apache-2.0
#include "trammel/base/shared_parts.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

namespace trammel {

namespace {

/// A few parts for each of some threads, so that one that is slow does not hold up the others; each one more has a
/// border more.
constexpr int most_parts = 16, parts_of_two = 8;
constexpr int nobody = -1, several = -2;

void append(std::vector<SharedParts::Range>& ranges, int item) {
  if (ranges.empty() || ranges.back().last != item) ranges.push_back({item, item});
  ranges.back().last = item + 1;
}

}  // namespace

/// Items in parts, and those at borders, both in their order.
struct SharedParts::Division {
  std::vector<Part> parts;
  std::vector<int> border;

  /// Equally many items in each of n parts, by their place in `order`.
  Division(const std::vector<int>& order, int n, std::vector<int>& owner,
           const std::function<void(int, const Visit&)>& visit_places)
      : parts(static_cast<std::size_t>(n)) {
    std::vector<int> part_of(order.size());
    for (std::size_t k = 0; k < order.size(); ++k)
      part_of[static_cast<std::size_t>(order[k])] = static_cast<int>(k * static_cast<std::size_t>(n) / order.size());
    std::fill(owner.begin(), owner.end(), nobody);
    const int n_items = static_cast<int>(order.size());
    for (int item = 0; item < n_items; ++item)
      visit_places(item, [&, part = part_of[static_cast<std::size_t>(item)]](int place) {
        int& own = owner[static_cast<std::size_t>(place)];
        own = own == nobody || own == part ? part : several;
      });
    for (int item = 0; item < n_items; ++item) {
      bool at_border = false;
      visit_places(item, [&](int place) { at_border |= owner[static_cast<std::size_t>(place)] == several; });
      if (at_border)
        border.push_back(item);
      else
        append(parts[static_cast<std::size_t>(part_of[static_cast<std::size_t>(item)])], item);
    }
  }
};

// What shares a place, with others between them or not, stays together: the sums of one part are nobody else's.
std::vector<SharedParts::Part> SharedParts::divide_borders(
    const std::vector<int>& items, int n, std::vector<int>& owner,
    const std::function<void(int item, const Visit& visit)>& visit_places) {
  std::vector<std::size_t> root(items.size()), size(items.size(), 0);
  std::iota(root.begin(), root.end(), std::size_t{0});
  const auto find = [&](std::size_t i) {
    while (root[i] != i) i = root[i] = root[root[i]];
    return i;
  };
  std::fill(owner.begin(), owner.end(), nobody);
  for (std::size_t i = 0; i < items.size(); ++i)
    visit_places(items[i], [&](int place) {
      int& other = owner[static_cast<std::size_t>(place)];
      if (other == nobody) other = static_cast<int>(i);
      const std::size_t a = find(static_cast<std::size_t>(other)), b = find(i);
      root[std::max(a, b)] = std::min(a, b);
    });
  for (std::size_t i = 0; i < items.size(); ++i) ++size[find(i)];
  std::vector<Part> parts(static_cast<std::size_t>(n));
  std::vector<std::size_t> part_of(items.size());
  std::size_t before = 0;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (find(i) == i) part_of[i] = before * static_cast<std::size_t>(n) / items.size(), before += size[i];
    append(parts[part_of[find(i)]], items[i]);
  }
  return parts;
}

SharedParts::SharedParts(int n_items, int least, int n_places,
                         const std::function<void(int item, const Visit& visit)>& visit_places) {
  if (n_items < least) return;
  const auto n_parts = [&](std::size_t n) {
    return std::clamp(static_cast<int>(n) * parts_of_two / least, 1, most_parts);
  };
  std::vector<int> owner(static_cast<std::size_t>(n_places));
  std::vector<int> order(static_cast<std::size_t>(n_items)), first(order.size(), std::numeric_limits<int>::max());
  std::iota(order.begin(), order.end(), 0);
  Division division(order, n_parts(order.size()), owner, visit_places);
  for (const int item : order)
    visit_places(item, [&](int place) {
      int& least_place = first[static_cast<std::size_t>(item)];
      least_place = std::min(least_place, place);
    });
  std::stable_sort(order.begin(), order.end(), [&](int i, int j) {
    return first[static_cast<std::size_t>(i)] < first[static_cast<std::size_t>(j)];
  });
  Division by_place(order, n_parts(order.size()), owner, visit_places);
  if (by_place.border.size() < division.border.size()) std::swap(division, by_place);
  if (division.border.size() > order.size() / 2) return;
  own_ = std::move(division.parts);
  borders_ = divide_borders(division.border, n_parts(division.border.size()), owner, visit_places);
}

}  // namespace trammel
