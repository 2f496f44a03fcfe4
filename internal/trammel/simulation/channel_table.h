// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "trammel/simulation/frame_channels.h"
#include "trammel/simulation/step_channels.h"

namespace trammel {

/// Channels as a Markdown table (path and components, wide table, unit, meaning), one line per channel.
std::string channel_table(const std::vector<FrameChannel>& frames, const std::vector<StepChannel>& steps);

/// Of every channel that the library knows: what stands between `<!-- channels -->` and `<!-- /channels -->` in
/// docs/results.md, a line break behind the first and before the second.
std::string channel_table();

}  // namespace trammel
