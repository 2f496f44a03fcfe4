// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "trammel/dae/types.h"
#include "trammel/simulation/frame_channels.h"

namespace trammel {

/// Which part of a run Dynamics moves the machine through; by default all of it.
struct RunPart {
  std::optional<double> start;   ///< of the whole run [s], from which frames are counted; absent: where the motion is
  std::optional<double> end;     ///< of this part [s]; absent: of the analysis
  int until = -1;                ///< an event of the model that ends it; −1: none
  bool goes_on = false;          ///< another part follows
  std::optional<Ledger> before;  ///< where the part before it ended, whose last frame is the first of this one
};

/// Where a part of a run ended, in the charts of `state`.
struct RunPartEnd {
  MotionVariables x;
  State state;
  Ledger ledger;
};

}  // namespace trammel
