// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

#include "trammel/simulation/options.h"

namespace trammel {

/// The settings in the words of a model file: TOML that says the same, to the last bit, when it is read back. Of
/// resolved settings it is what took effect, defaults included, and is kept in the results.
std::string settings_text(const Settings& settings);
/// The values of such a text by table and key: "solver.rtol" → "1e-05".
std::map<std::string, std::string> settings_by_key(const std::string& text);

}  // namespace trammel
