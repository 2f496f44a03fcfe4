// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace trammel::apps {

/// A word of the command line, as shells and the manual page want to know it.
struct ShellOption {
  std::vector<std::string> names;  ///< "-o", "--out"; empty: what stands without a name
  std::string value;               ///< "FILE.h5", "KEY=VALUE"; empty: a flag
  std::vector<std::string> words;  ///< the allowed values, where they are few
  std::string help;
};

struct ShellCommand {
  std::string name, help, footer;
  std::vector<ShellOption> options;
};

/// Every command of a program, from the descriptions by which its command line is read.
std::vector<ShellCommand> describe_commands(const CLI::App& app);

/// A script that completes commands, options and files: "bash", "zsh" or "fish"; "man": the page of the manual.
std::string shell_text(const std::vector<ShellCommand>& commands, const std::string& format);

}  // namespace trammel::apps
