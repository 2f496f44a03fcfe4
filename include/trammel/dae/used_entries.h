// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "trammel/dae/plane_source.h"
#include "trammel/linalg/pattern.h"

namespace trammel {

/// The entries of the planes that have been different from zero so far: most of a system's pattern is there for what
/// elements might do (damping, coupling of neighbours by their multipliers; everything, where a pattern is estimated)
/// and never does.
class UsedEntries {
 public:
  /// They are found anew with the next values.
  void forget() { known_ = false; }
  /// Adds those of the present values, or all of them. True: there are new ones.
  bool update(const PlaneSource& source, bool keeps_all);
  Pattern make_pattern(const Pattern& all, std::uint64_t version);
  /// In the planes, of each entry of the pattern made last.
  const std::vector<int>& slots() const { return slot_; }

 private:
  std::vector<int> slot_;
  std::vector<int> unused_;  // slots of the planes that are no entries
  int enlargements_ = 0;     // since they were found anew
  bool known_ = false;
};

}  // namespace trammel
