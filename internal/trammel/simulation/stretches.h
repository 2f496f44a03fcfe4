// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "trammel/simulation/dynamics.h"

namespace trammel {

/// What a run of Dynamics left behind.
struct RunEnd {
  Summary summary;
  std::optional<RunPartEnd> next;  ///< where the next part of the run begins, if there is one
};

/// A run of Dynamics, or the part of one, from checkpoint to checkpoint.
///
/// Behind each checkpoint everything that moves the machine, looks at it and watches it is made anew and takes up the
/// memory, as in a run that is resumed there. Both therefore go on with the same bits, whatever a part keeps for itself
/// and does not remember (pivots, first guesses of iterations, points looked at): the run has lost it as well.
///
/// `memory`: of a run that goes on; empty: it begins. `begin`: places a new motion where this part of the run begins;
/// it has done so already for the first stretch.
RunEnd run_by_stretches(Rig& rig, RecordSink& sink, const ProgressCallback& progress,
                        std::vector<KinkWatch::Change>& contact_changes, const RunPart& part,
                        std::span<const std::byte> memory, const std::function<void()>& begin);

}  // namespace trammel
