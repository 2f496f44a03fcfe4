// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace trammel::apps {

/// Keys of [solver] that a comparison varies, each with the values that are tried.
using Axes = std::vector<std::pair<std::string, std::vector<std::string>>>;

/// Of words like "integrator" (the usual values) and "formulation=index3|stabilized_index2". Throws InputError for keys
/// that cannot be compared and for all values that their key does not know.
Axes chosen_axes(const std::vector<std::string>& words);

}  // namespace trammel::apps
