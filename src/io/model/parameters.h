// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

#include "values.h"

namespace trammel::detail {

/// May it stand in formulas as it is?
bool is_identifier(const std::string& text);
/// Words that formulas understand by themselves.
bool is_reserved(const std::string& name);

/// The values of a table of parameters, those of `given` instead of what the table says; in whatever order they need
/// each other.
std::map<std::string, Quantity> calc_parameters(Findings& findings, const Node& table,
                                                const std::map<std::string, Quantity>& given, const Scope& outer,
                                                const Part& part);

/// The points of the CSV file that `hardpoints` of a model file names: rows "name, x, y, z".
std::map<std::string, Quantity> read_hardpoints(Findings& findings, const Node& node, const KeyIndex* keys,
                                                const Scope& outer, const Part& part);

}  // namespace trammel::detail
