// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "trammel/simulation/options.h"
#include "trammel/simulation/record.h"

namespace trammel {

/// When frames are recorded.
struct FrameRule {
  double interval = 0.0;      ///< [s] between them
  bool one_per_step = false;  ///< and not more than one in each step of the integrator
  std::string words;          ///< for the summary; empty: the analysis has no time
};
/// What is given is obeyed. By default there are 500 frames; where these would be more than 250 MB as many as make 250
/// MB, at least 50 and not more than steps. `frame_width`: numbers of a frame.
FrameRule choose_frames(const Settings& given, int frame_width);

/// What a run may record, by its settings: an event may end it sooner.
struct RecordSize {
  double n_frames = 0.0, frame_bytes = 0.0;
  double n_steps = 0.0, step_bytes = 0.0;  ///< with a fixed step; else they are not known beforehand, and few
  double bytes() const { return n_frames * frame_bytes + n_steps * step_bytes; }
};
RecordSize estimate_size(const Settings& settings, const RecordSchema& schema);

/// InputError if it is more than `output.max_size`, or if fixed steps are too many to be counted in time: t + h = t
/// from t = 2⁵³ h on.
void require_moderate_size(const Settings& settings, const RecordSchema& schema);

}  // namespace trammel
