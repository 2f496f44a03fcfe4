#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "trammel/base/error.h"

namespace trammel::apps {

/// Prints every issue on its own line, as compilers do, so that editors can jump to it, and a closing count:
///
///   arm.toml:12:7: error: body 'rod': …
///   --set solver.h: error: …
///   arm.toml: error: redundant constraint: …
///   3 errors in arm.toml
void print_issues(const InputError& error, const std::filesystem::path& file);

/// Runs a command that is about `file`; turns what it throws into messages on stderr and an exit code.
int report_errors(const std::filesystem::path& file, const std::function<int()>& command);

/// "trammel run 'my model.toml'": words as one would type them.
std::string join_command_line(const std::vector<std::string>& words);

/// IoError with the nearest name in that folder when there is no such file.
void require_file(const std::filesystem::path& file);

}  // namespace trammel::apps
