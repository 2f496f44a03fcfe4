// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <vector>

#include "trammel/base/crew.h"

namespace trammel {

/// Items that add to places, several of them to the same place, shared among threads such that every sum has the same
/// bits for any number of threads, one included.
///
/// Items are cut into parts, neighbours in one part. A place that items of several parts add to is a *border*; items at
/// borders come after all others, by one thread. To each place thus one thread adds after the other, in one order:
/// first that of a part, in the order of the items, then the last one. Joints of a chain have one border between two
/// parts, rods of a net a row of knots.
class SharedParts {
 public:
  struct Range {
    int first, last;  ///< items first … last − 1
  };
  using Visit = std::function<void(int)>;

  /// Not divided.
  SharedParts() = default;
  /// n_items with `least` in a part; visit_places(item, visit) calls visit(place) for each place that an item adds to.
  /// Not divided where there are fewer than two parts, or where most items are at borders: listed in no order that
  /// helps.
  SharedParts(int n_items, int least, int n_places,
              const std::function<void(int item, const Visit& visit)>& visit_places);

  bool divided() const { return !own_.empty(); }

  /// work(first, last) over all items, divided as they are whether there are threads or not.
  template <class Work>
  void share(const Work& work) const {
    share_items(static_cast<int>(own_.size()), [&](int i) {
      for (const Range& range : own_[i]) work(range.first, range.last);
    });
    for (const Range& range : border_) work(range.first, range.last);
  }

 private:
  std::vector<std::vector<Range>> own_;  // of each part
  std::vector<Range> border_;
};

}  // namespace trammel
