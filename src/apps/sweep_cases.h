// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "commands.h"

namespace trammel::apps {

/// One combination of a sweep's settings.
struct Case {
  std::vector<std::string> settings;  // "key=value", in the order of the axes
  std::filesystem::path results;
  int code = -1;                                // of the process; −1: not run
  bool stopped() const { return code >= 128; }  // by a signal, or by itself because of one
};

/// Runs the cases that are not done, `jobs` at a time. A signal that ends us ends the runs as well, with their results
/// kept; no further ones are started. Returns the signal that stopped it; 0: none.
int run_cases(const SweepCommand& command, std::vector<Case>& cases, int jobs);

}  // namespace trammel::apps
