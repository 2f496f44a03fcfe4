// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <span>
#include <string>
#include <vector>

#include "trammel/mechanics/absolute/assemble.h"
#include "trammel/mechanics/elements/forces.h"
#include "trammel/simulation/record.h"

namespace trammel {

class Memory;

/// What a run must say of itself at its end, beside its numbers: measures that are no numbers, bushings that turned
/// over.
class RunWatch {
 public:
  RunWatch(const Model& model, const Assembly& assembly, const std::vector<RecordGroup>& groups);

  /// The numbers of a recorded frame.
  void note_frame(double t, std::span<const double> values);

  bool follows_bushings() const { return !bushings_.empty(); }
  /// After every step. A bushing measures by the shortest rotation; one that has gone past half a turn between two
  /// steps looks like a rotation the other way, and its moment jumps. The continuous logarithm from step to step does
  /// not.
  void note_step(const KinematicState& k, double t);

  /// Appends one line for each.
  void sum_up(std::vector<std::string>& notes) const;
  void remember(Memory& memory);

 private:
  struct Measure {
    std::string name;
    int column;
    long frames = 0;  ///< without a number
    double first = 0.0;
    void remember(Memory& memory);
  };
  struct Watched {
    std::string name;
    int frame[2];
    Bushing::Params params;
    Eigen::Vector3d phi = Eigen::Vector3d::Zero();
    bool passed = false;
    double t = 0.0, jump = 0.0;
    void remember(Memory& memory);
  };
  std::vector<Measure> measures_;
  std::vector<Watched> bushings_;
};

}  // namespace trammel
