// SPDX-License-Identifier: Apache-2.0
#include "shared_groups.h"

namespace trammel::detail {

SharedGroups::SharedGroups(Groups groups, int n_frames) {
  constexpr int least_elements = 1024;  // in a part: a tenth of a millisecond and more
  for (const auto& group : groups)
    parts_.push_back(group->divisible()
                         ? SharedParts(group->size(), least_elements, n_frames,
                                       [&](int e, const SharedParts::Visit& visit) { group->visit_frames(e, visit); })
                         : SharedParts());
}

}  // namespace trammel::detail
