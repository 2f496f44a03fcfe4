// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "trammel/simulation/frame_channels.h"
#include "trammel/simulation/options.h"

namespace trammel {

/// What frames of a study hold, beside channels of a user's own.
std::vector<RecordGroup> list_frame_groups(const Study& study, const Assembly& assembly);

/// Turns a point of the motion into the numbers that a results file holds: the channels of frame_channels(), and a
/// user's own behind them, under the names of the model.
class Recorder {
 public:
  Recorder(const Study& study, const Assembly& assembly);

  /// Forgets what it has recorded.
  void renew() { workspace_ = assembly_.system->make_workspace(); }

  /// A channel more. Throws InputError with everything that is wrong with it, a quantity that exists included.
  void add(const FrameChannel& channel);

  const std::vector<RecordGroup>& groups() const { return channels_.groups(); }
  /// `lam` of the point holds all rows. The returned numbers are valid until the next call.
  std::span<const double> update_frame(const MotionPoint& p, const State& state, const Ledger& ledger);
  /// What formulas see at a point, with what only a recorder finds for them, if they ask for it.
  KinematicState look(const MotionPoint& p, const State& state);
  bool finds_values() const { return !recorded_.empty(); }
  /// g_i = measure − level of each event.
  void calc_events(const MotionPoint& p, const State& state, Vec g);

 private:
  void update_parts(const KinematicState& k);
  void update_contacts(KinematicState k, const State& state);
  void update_recorded(const MotionPoint& p, const KinematicState& k);
  double calc_recorded(const RecordedSignal& signal, const MotionPoint& p, const KinematicState& k) const;

  const Model& model_;
  const Assembly& assembly_;
  FrameSource source_;
  std::unique_ptr<Workspace> workspace_;
  std::vector<std::size_t> event_measure_;  // the measure of each event
  ChannelList<FrameSource, FrameInstant> channels_;
  FrameParts parts_;
  std::vector<Wrench<double>> wrenches_;  // of frames, zero between uses
  std::vector<double> recorded_;          // of Assembly::recorded
  std::vector<int> part_of_force_;        // its place in parts_.applied or parts_.efforts
};

}  // namespace trammel
