// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "commands.h"
#include "messages.h"

/// What the options of several commands have in common.
namespace trammel::apps {

inline constexpr const char* exit_codes =
    "Exit codes: 0 fine, 2 wrong input or command line, 3 the simulation failed, 4 a file cannot be read or written,\n"
    "130 stopped with Ctrl-C (results are kept).";

inline void add_settings(CLI::App& app, std::vector<std::string>& settings) {
  app.add_option("--set", settings,
                 "Change a value of the model: solver.h=1e-4, parameters.L=2, body.rod.mass=3; may be repeated")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
}

template <class Command>
void add_json(CLI::App& app, Command& command) {
  app.add_flag_callback(
      "--json", [&app, &command] { command.json = std::make_shared<JsonAnswer>(app.get_name()); },
      "Answer with one JSON object on the standard output, for scripts (docs/json.md)");
}

/// What is done when a command was understood.
struct Call {
  std::string command_line;
  int& code;
  template <class Command>
  void operator()(const std::filesystem::path& file, Command command, JsonAnswer* answer = nullptr) const {
    code = report_errors(file, std::move(command), answer);
    if (answer != nullptr) print_now(answer->text(code));
  }
};

// Commands of many runs (study_options.cpp).
void add_sweep(CLI::App& app, const Call& call);
void add_compare(CLI::App& app, const Call& call);

}  // namespace trammel::apps
