// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "trammel/simulation/frame_channels.h"

namespace trammel::detail {

/// Channels of beams and of contacts, which frame_channels() puts into its list.
void add_beam_channels(std::vector<FrameChannel>& list);
void add_contact_channels(std::vector<FrameChannel>& list);

}  // namespace trammel::detail
