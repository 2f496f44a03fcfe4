// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "trammel/simulation/progress.h"
#include "trammel/simulation/rig.h"

namespace trammel {

/// Kinematics and inverse dynamics: positions, velocities and accelerations follow from the motions alone; multipliers
/// are the efforts that they need.
Summary follow_motions(Rig& rig, RecordSink& sink, const ProgressCallback& progress);

}  // namespace trammel
