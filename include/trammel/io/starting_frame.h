// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "trammel/simulation/starting_point.h"

namespace trammel {

/// The frame of a results file that is nearest to t, as the beginning of another run: of the same machine or one with
/// the same names, with other settings, parameters or parts. Channels that a choice left out are missing from it.
/// Throws InputError for a t before the first frame or behind the last one, IoError for a file that cannot be read.
StartingPoint read_starting_point(const std::filesystem::path& results, double t);

}  // namespace trammel
