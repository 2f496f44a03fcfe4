// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "trammel/simulation/options.h"

namespace trammel::apps {

/// Keys of [solver] that a comparison varies, each with the values that are tried.
using Axes = std::vector<std::pair<std::string, std::vector<std::string>>>;

/// Of words like "integrator" (the usual values) and "formulation=index3|stabilized_index2". Throws InputError for keys
/// that cannot be compared and for all values that their key does not know.
Axes chosen_axes(const std::vector<std::string>& words);

/// The setting `name` of [solver] with a value that its key knows.
void set_axis(Settings& settings, const std::string& name, const std::string& value);

}  // namespace trammel::apps
