// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

#include "trammel/mechanics/absolute/assemble.h"

namespace trammel {

class Memory;

/// Follows the rotation φ between the middle nodes of every beam element [elements/beam.h (2)] through a run.
///
/// The element takes the principal logarithm. It notices a φ near π, but not one that has gone past π between two steps
/// and looks like a rotation the other way. The continuous logarithm from step to step does.
class BeamWatch {
 public:
  BeamWatch(const Assembly& assembly, const Model& model);

  bool active() const { return !elements_.empty(); }
  /// Where elements are at the start.
  void start(const KinematicState& k);
  /// The first element whose nodes have passed half a turn since the start, by name; empty: none.
  std::string find_passed(const KinematicState& k);
  void remember(Memory& memory);

 private:
  struct Watched {
    int element;
    std::string name;
    Eigen::Vector3d phi;
    void remember(Memory& memory);
  };
  const BeamGroup* group_;
  std::vector<Watched> elements_;
};

/// What a run says when it stops for it: where, and when or at which load.
std::string explain_turned(const std::string& element, const std::string& when);

}  // namespace trammel
