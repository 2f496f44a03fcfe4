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
/// borders come after all others, those that are connected with each other by one thread. To each place thus one thread
/// adds after the other, in one order: first that of a part, in the order of the items, then that of a border. Joints
/// of a chain have one border between two parts, rods of a net a row of knots.
class SharedParts {
 public:
  struct Range {
    int first, last;  ///< items first … last − 1
  };
  using Visit = std::function<void(int)>;

  /// Not divided.
  SharedParts() = default;
  /// `least` items are worth two threads; visit_places(item, visit) calls visit(place) for each place that an item adds
  /// to. Neighbours are items that follow each other, or whose first places do, whichever leaves fewer at borders. Not
  /// divided where these are most: neither items nor places are listed in an order that helps.
  SharedParts(int n_items, int least, int n_places,
              const std::function<void(int item, const Visit& visit)>& visit_places);

  bool divided() const { return !own_.empty(); }

  /// work(first, last) over all items, divided as they are whether there are threads or not.
  template <class Work>
  void share(const Work& work) const {
    for (const std::vector<Part>* parts : {&own_, &borders_})
      share_items(static_cast<int>(parts->size()), [&](int i) {
        for (const Range& range : (*parts)[i]) work(range.first, range.last);
      });
  }

 private:
  using Part = std::vector<Range>;
  struct Division;
  static std::vector<Part> divide_borders(const std::vector<int>& items, int n, std::vector<int>& owner,
                                          const std::function<void(int item, const Visit& visit)>& visit_places);
  std::vector<Part> own_, borders_;
};

}  // namespace trammel
