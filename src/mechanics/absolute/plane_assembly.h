// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "planar_hinges.h"
#include "trammel/mechanics/absolute/absolute_system.h"

namespace trammel::detail {

/// From the elements' frame-level planes to the sparse planes of the coordinates: the frame pairs and (row, frame)
/// pairs that elements registered, and where their numbers go. Rebuilt when State::version moves; else nothing
/// allocates.
class PlaneAssembly {
 public:
  void rebuild(const AbsoluteSystem& system, const State& state);
  std::uint64_t version() const { return version_; }
  std::span<const int> slots(std::size_t group) const { return slots_[group]; }

  void clear(PlaneSet set);
  FramePlanes& frames() { return frame_; }
  const MotionPatterns& patterns() const { return patterns_; }
  const PlanarHinges::Slots& hinge_slots() const { return hinge_slots_; }
  /// Puts the frame-level planes, mapped by the frames' S, into the coordinate planes; the blocks are used up.
  void gather(const AbsoluteSystem& system, PlaneSet set, MotionPlanes& planes);

 private:
  struct Entry {
    int i, j;        // frames, rows or states
    int first_slot;  // into column_slots_: the slot of its first row in each of its columns
  };
  class Builder;

  std::uint64_t version_ = ~std::uint64_t{0};
  FramePlanes frame_;
  std::vector<std::vector<int>> slots_;
  std::vector<Entry> pairs_, rows_, reactions_, state_forces_, state_rates_, state_states_, state_lams_;
  std::vector<int> column_slots_;
  std::vector<int> by_column_;  // pairs_ as the matrix has them, column after column: it is written once, front to end
  MotionPatterns patterns_;
  PlanarHinges::Slots hinge_slots_;
};

struct AbsoluteWorkspace final : Workspace {
  std::vector<Frame<double>> frames;
  std::vector<Wrench<double>> wrench, mu_wrench;
  std::vector<PlanarHinges::Turn> planar_turns;  // of each frame
  std::vector<double> lam, mu, turns, phi, phi_dot, bias, rates, no_input;
  Eigen::VectorXd no_rate, no_rows;  // zeros as v̇ and ż; nothing
  PlaneAssembly assembly;
};

}  // namespace trammel::detail
