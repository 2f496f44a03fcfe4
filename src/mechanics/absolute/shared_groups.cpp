// SPDX-License-Identifier: Apache-2.0
#include "shared_groups.h"

namespace trammel::detail {

SharedGroups::SharedGroups(Groups groups, int n_frames) {
  constexpr int least_elements = 2048;  // worth two threads: a quarter of a millisecond and more
  std::size_t mode = 0;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const ElementGroup& group = *groups[g];
    const std::size_t first_mode = mode;
    mode += static_cast<std::size_t>(group.n_modes());
    if (group.size() == 0 && first_mode == mode) continue;
    busy_.push_back({g, first_mode, mode - first_mode,
                     group.divisible()
                         ? SharedParts(group.size(), least_elements, n_frames,
                                       [&](int e, const SharedParts::Visit& visit) { group.visit_frames(e, visit); })
                         : SharedParts()});
  }
}

}  // namespace trammel::detail
