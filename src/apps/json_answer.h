// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "trammel/base/error.h"
#include "trammel/base/json.h"
#include "trammel/simulation/simulation.h"

namespace trammel::apps {

/// What a command says to a script (`--json`): one object on the standard output, whatever happens (docs/json.md).
///
///   {"format": 1, "trammel": "0.2.0", "command": "run", "exit_code": 0, "errors": [], "result": {…}}
///
/// Its keys stay; new ones may come, in the same format.
struct JsonAnswer {
  static constexpr int format = 1;

  explicit JsonAnswer(std::string name) : command(std::move(name)) {}

  std::string command;
  std::vector<Issue> errors = {};  ///< why there is no result, or not all of it
  std::string result = {};         ///< JSON; empty: none

  void add_error(std::string where, std::string message) { errors.push_back({std::move(where), std::move(message)}); }
  std::string text(int exit_code) const;
};

void put_summary(JsonWriter& json, const Summary& summary);
void put_check(JsonWriter& json, const CheckReport& report);

}  // namespace trammel::apps
