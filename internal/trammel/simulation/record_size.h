// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "trammel/simulation/options.h"
#include "trammel/simulation/record.h"

namespace trammel {

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
