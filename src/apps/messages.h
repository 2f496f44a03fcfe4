// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <functional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "trammel/base/error.h"

namespace trammel::apps {

struct JsonAnswer;

/// Prints to stderr. Nobody may be listening, its disk may be full: no reason to fail, least of all while failing.
template <class... Values>
void complain(fmt::format_string<Values...> form, Values&&... values) {
  std::fputs(fmt::format(form, std::forward<Values>(values)...).c_str(), stderr);
  std::fflush(stderr);
}

/// A word that shall be seen, in colour where `stream` is a terminal that shows colours and NO_COLOR is not set.
enum class Paint { error, warning, good };
std::string painted(Paint paint, const std::string& word, std::FILE* stream);

/// Prints every issue on its own line, as compilers do, so that editors can jump to it, and a closing count:
///
///   arm.toml:12:7: error: body 'rod': …
///   --set solver.h: error: …
///   arm.toml: error: redundant constraint: …
///   3 errors in arm.toml
void print_issues(const InputError& error, const std::filesystem::path& file);

/// Runs a command that is about `file`; turns what it throws into messages on stderr, errors of the answer (nullptr: no
/// script asks) and an exit code.
int report_errors(const std::filesystem::path& file, const std::function<int()>& command, JsonAnswer* answer = nullptr);

/// Prints to the standard output, at once. What it does not take is told by finish_output(): no reason to stop before.
void print_now(const std::string& text);

/// What fmt throws when the standard output does not take its words: finish_output() tells the reason. False: it is
/// something else.
bool note_output_error(const std::system_error& error);

/// Call last: whether everything printed arrived. A full disk behind the standard output is exit code 4. Nobody
/// listening any more (`trammel info … | head`) ends as the signal would, without a word; a run has its results all the
/// same and keeps its code.
int finish_output(int code, bool is_run);

/// A write that fails is an error to be told, not a signal to die of: a limit on file sizes (SIGXFSZ), a closed pipe.
void take_failed_writes_as_errors();

/// Outputs that were closed (`trammel run … >&-`) lead nowhere. Else the next file that is opened would get their
/// number, and what is printed would stand in the results. False: there is no nowhere, which has been told.
bool open_missing_outputs();

/// "trammel run 'my model.toml'": words as one would type them.
std::string join_command_line(const std::vector<std::string>& words);

/// Each with an end of line.
std::string join_lines(const std::vector<std::string>& lines);

/// IoError with the nearest name in that folder when there is no such file.
void require_file(const std::filesystem::path& file);

}  // namespace trammel::apps
