// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "trammel/dae/acceleration_solver.h"
#include "trammel/simulation/channels.h"
#include "trammel/simulation/frame_channels.h"
#include "trammel/simulation/live_simulation.h"
#include "trammel/simulation/viewer.h"

namespace trammel {

/// Where a machine is, as a row of channels, and the other way round.
///
/// A row becomes a position in the coordinates of a spanning tree that holds every joint whose coordinate is named:
///
///   frames that are named → tree coordinates → coordinates that are named → loops closed, named ones kept → frames
///
/// so that whatever is not named keeps its place relative to what carries it. The machine's own coordinates follow from
/// the frames.
class StateSetter {
 public:
  StateSetter(const Machine& machine, Viewer& viewer);

  const RecordSchema& schema() const { return schema_; }
  /// Valid until the next call.
  std::span<const double> update(const MotionVariables& x, const State& state);

  struct Placed {
    MotionVariables x;
    State state;
    std::vector<std::string> corrections;
  };
  /// x and state of the machine at time t with these values; throws InputError.
  Placed place(const MotionVariables& x, const State& state, const LiveSimulation::NamedValues& values, double t,
               AccelerationSolver& solver);

 private:
  struct Wanted;
  Wanted read(const LiveSimulation::NamedValues& values, std::span<const double> now) const;
  const JointSystem& find_tree(const Wanted& wanted);
  void put_bodies(const Wanted& wanted, std::vector<Frame<double>>& frames) const;
  struct TreeValues;
  TreeValues name_coordinates(const Wanted& wanted, const JointSystem& tree, std::vector<Frame<double>>& frames) const;
  static void close_loops(const JointSystem& tree, const TreeValues& wanted, double scale, MotionVariables& y,
                          State& state, std::vector<std::string>& corrections);
  void leave_tree(const JointSystem& tree, MotionVariables& y, State& tree_state, const State& state,
                  Placed& placed) const;
  void compare(const Wanted& wanted, std::span<const double> row, std::vector<std::string>& corrections) const;

  const Machine& machine_;
  Viewer& viewer_;
  ChannelList<FrameSource, FrameInstant> channels_;
  RecordSchema schema_;
  ChannelIndex index_;
  std::unique_ptr<JointSystem> tree_;  // of machines that have none, or one that others close
  FrameParts no_parts_;
};

}  // namespace trammel
