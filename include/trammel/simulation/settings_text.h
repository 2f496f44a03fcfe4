#pragma once

#include <string>

#include "trammel/simulation/options.h"

namespace trammel {

/// The analysis, solver and output options that take effect, defaults included, in the words of a model file: the
/// text is TOML and says the same when it is read back. Kept in the results.
std::string settings_text(const Study& study);

}  // namespace trammel
