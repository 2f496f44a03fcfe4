// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "trammel/simulation/options.h"

namespace trammel {

/// The settings in the words of a model file: TOML that says the same, to the last bit, when it is read back. Of
/// resolved settings it is what took effect, defaults included, and is kept in the results.
std::string settings_text(const Settings& settings);

}  // namespace trammel
