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
std::map<std::string, double> calc_parameters(Findings& findings, const Node& table,
                                              const std::map<std::string, double>& given, const Scope& outer,
                                              const Part& part);

}  // namespace trammel::detail
