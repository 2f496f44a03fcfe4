// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "trammel/simulation/option.h"

namespace trammel {

/// For the checks of settings that exclude each other: what the user said, what takes effect of it, and the list of
/// what is wrong.
class SettingsChecks {
 public:
  SettingsChecks(const Settings& given_by_user, const Settings& in_effect, const Model& of_machine,
                 std::vector<Issue>& found)
      : given(given_by_user), settings(in_effect), machine(of_machine), found_(found) {}

  const Settings& given;
  const Settings& settings;
  const Model& machine;

  /// At the place of the key in the user's text.
  void report(const std::string& table, const std::string& key, const std::string& message);
  void report(const std::string& key, const std::string& message) { report("solver", key, message); }

 private:
  std::vector<Issue>& found_;
};

}  // namespace trammel
