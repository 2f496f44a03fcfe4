// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>

#include "trammel/simulation/recorded_steps.h"

namespace trammel {

/// The steps of a results file, for a run that repeats them (Study::steps). Throws InputError if it does not hold what
/// is needed, IoError for a file that cannot be read.
std::shared_ptr<const RecordedSteps> read_recorded_steps(const std::filesystem::path& results);

}  // namespace trammel
