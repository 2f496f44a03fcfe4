// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "trammel/base/shared_parts.h"
#include "trammel/mechanics/elements/group.h"

namespace trammel::detail {

/// The groups that have elements, and what threads may evaluate of large ones at once: what elements add to are frames,
/// pairs of frames and rows of their own, and elements that share no frame share none of these.
///
/// A machine has some of thirty kinds of groups, most of them empty: they are passed over without a call.
class SharedGroups {
 public:
  using Groups = std::span<const std::unique_ptr<ElementGroup>>;
  SharedGroups(Groups groups, int n_frames);

  /// call(group, modes) of each, with its own part of `modes`, which may be const.
  template <class Mode, class Call>
  void each(Groups groups, std::span<Mode> modes, const Call& call) const {
    for (const Busy& busy : busy_) call(*groups[busy.group], modes.subspan(busy.first_mode, busy.n_modes));
  }

  /// call(group, index, k) of each but `skipped`, in their order, each with its own part of `modes`; of all its
  /// elements at once, or of some after the other.
  template <class Call>
  void evaluate(Groups groups, const ElementGroup* skipped, const KinematicState& at, std::span<const int> modes,
                const Call& call) const {
    KinematicState k = at;
    for (const Busy& busy : busy_) {
      const ElementGroup& group = *groups[busy.group];
      if (&group == skipped) continue;
      k.modes = modes.subspan(busy.first_mode, busy.n_modes);
      if (!busy.parts.divided()) {
        call(group, busy.group, k);
        continue;
      }
      busy.parts.share([&](int first, int last) {
        KinematicState some = k;
        some.elements = {first, last};
        call(group, busy.group, some);
      });
    }
  }

 private:
  struct Busy {
    std::size_t group;  // its number among all
    std::size_t first_mode, n_modes;
    SharedParts parts;
  };
  std::vector<Busy> busy_;
};

/// Frames whose kinematics and balance, and blocks whose place in the matrix, are found at once by one thread: some
/// twenty microseconds.
constexpr long shared_frames = 500, shared_blocks = 500;

}  // namespace trammel::detail
