// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "trammel/mechanics/elements/track.h"
#include "trammel/mechanics/track.h"

namespace trammel {

/// The centre line that a model describes.
Track make_track(const TrackSpec& spec);

}  // namespace trammel
