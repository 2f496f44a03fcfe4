// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "trammel/base/shared_parts.h"
#include "trammel/mechanics/elements/group.h"

namespace trammel::detail {

/// Elements of large groups that threads may evaluate at once: what they add to are frames, pairs of frames and rows of
/// their own, and elements that share no frame share none of these.
class SharedGroups {
 public:
  using Groups = std::span<const std::unique_ptr<ElementGroup>>;
  SharedGroups(Groups groups, int n_frames);

  /// call(group, index, k) of every group but `skipped`, in their order, each with its own part of `modes`; of all its
  /// elements at once, or of some after the other.
  template <class Call>
  void evaluate(Groups groups, const ElementGroup* skipped, const KinematicState& at, std::span<const int> modes,
                const Call& call) const {
    KinematicState k = at;
    for (std::size_t g = 0; g < groups.size(); ++g) {
      const ElementGroup& group = *groups[g];
      k.modes = modes.first(static_cast<std::size_t>(group.n_modes()));
      modes = modes.subspan(k.modes.size());
      if (&group == skipped) continue;
      if (!parts_[g].divided()) {
        call(group, g, k);
        continue;
      }
      parts_[g].share([&](int first, int last) {
        KinematicState some = k;
        some.elements = {first, last};
        call(group, g, some);
      });
    }
  }

 private:
  std::vector<SharedParts> parts_;  // of each group
};

/// Frames whose kinematics and balance, and blocks whose place in the matrix, are found at once by one thread: some
/// twenty microseconds.
constexpr long shared_frames = 500, shared_blocks = 500;

}  // namespace trammel::detail
