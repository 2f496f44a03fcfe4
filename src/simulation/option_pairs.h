// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "trammel/simulation/option.h"

namespace trammel::detail {

/// Pairs of values that exclude each other, with the reason. `given` is what the user said, `settings` what takes
/// effect of it.
void check_pairs(const Settings& given, const Settings& settings, const Model& machine, std::vector<Issue>& found);

/// Where a value stands in the user's text, else "solver.h".
std::string place_of(const OptionTable& table, const std::string& key, const Settings& given);

/// The given options that mean nothing in this analysis, in words; empty if there are none.
std::string describe_set_aside(const Resolved& resolved);

}  // namespace trammel::detail
