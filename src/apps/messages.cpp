// SPDX-License-Identifier: Apache-2.0
#include "messages.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/poll.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <new>
#include <stdexcept>
#include <system_error>

#include "commands.h"
#include "json_answer.h"
#include "memory.h"
#include "trammel/base/text.h"

namespace trammel::apps {

namespace {

// "arm.toml:12:7"
bool is_place(const std::string& where) {
  const auto digits = [](const std::string& text) {
    return !text.empty() && std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isdigit(c) != 0; });
  };
  const std::size_t column = where.rfind(':');
  if (column == std::string::npos || column == 0) return false;
  const std::size_t line = where.rfind(':', column - 1);
  if (line == std::string::npos) return false;
  return digits(where.substr(column + 1)) && digits(where.substr(line + 1, column - line - 1));
}

std::vector<std::string> names_beside(const std::filesystem::path& file) {
  std::vector<std::string> names;
  std::error_code ignored;
  const std::filesystem::path folder = file.has_parent_path() ? file.parent_path() : ".";
  for (const auto& entry : std::filesystem::directory_iterator(folder, ignored))
    names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace

std::string painted(Paint paint, const std::string& word, std::FILE* stream) {
  const char* const without = std::getenv("NO_COLOR");  // set to anything but nothing
  const char* const terminal = std::getenv("TERM");
  const bool plain =
      (without != nullptr && *without != '\0') || terminal == nullptr || std::strcmp(terminal, "dumb") == 0;
  if (plain || isatty(fileno(stream)) == 0) return word;
  const char* const codes[] = {"1;31", "1;33", "32"};
  return fmt::format("\033[{}m{}\033[0m", codes[static_cast<int>(paint)], word);
}

void print_issues(const InputError& error, const std::filesystem::path& file) {
  for (const Issue& issue : error.issues()) {
    std::string where = issue.where, message = issue.message;
    if (!is_place(where) && !where.starts_with("--")) {
      if (!where.empty()) message = where + ": " + message;
      where = file.string();
    }
    complain("{}: {} {}\n", where, painted(Paint::error, "error:", stderr), message);
  }
  const std::size_t n = error.issues().size();
  complain("{} {} in {}\n", n, n == 1 ? "error" : "errors", file.string());
}

namespace {

int output_error = 0;  // errno of the first part of the standard output that was not taken

}  // namespace

bool note_output_error(const std::system_error& error) {
  if (std::ferror(stdout) == 0) return false;
  if (output_error == 0) output_error = error.code().value();
  return true;
}

void print_now(const std::string& text) {
  const bool taken = std::fputs(text.c_str(), stdout) >= 0 && std::fflush(stdout) == 0;
  if (!taken && output_error == 0) output_error = errno;
}

int report_errors(const std::filesystem::path& file, const std::function<int()>& command, JsonAnswer* answer) {
  const auto told = [&](int code, const std::string& message) {
    constexpr std::string_view mark = "trammel: error:";
    complain("{}\n", message.starts_with(mark)
                         ? painted(Paint::error, std::string(mark), stderr) + message.substr(mark.size())
                         : message);
    if (answer != nullptr) answer->add_error(file.string(), message);
    return code;
  };
  const auto told_of_memory = [&] {
    complain_of_memory();
    if (answer != nullptr) answer->add_error(file.string(), "memory is exhausted");
    return failed_run;
  };
  try {
    return command();
  } catch (const InputError& error) {
    if (memory_was_refused()) return told_of_memory();
    print_issues(error, file);
    if (answer != nullptr) answer->errors = error.issues();
    return wrong_input;
  } catch (const IoError& error) {
    return told(io_trouble, fmt::format("trammel: error: {}", error.what()));
  } catch (const SimulationError& error) {
    return told(failed_run, error.what());
  } catch (const std::filesystem::filesystem_error& error) {
    return told(io_trouble, fmt::format("trammel: error: {}", error.what()));
  } catch (const std::system_error& error) {
    if (note_output_error(error)) return success;  // finish_output() has the last word
    return told(io_trouble, fmt::format("trammel: error: {}", error.what()));
  } catch (const std::length_error&) {  // more than any memory holds
    return told(failed_run,
                "trammel: error: more numbers are asked for than fit into any memory; is a count or a size "
                "wrong?");
  } catch (const std::bad_alloc&) {
    return told_of_memory();
  } catch (const std::exception& error) {
    return told(unexpected, fmt::format("trammel: unexpected error: {}\n    This is a defect of the program; please "
                                        "report it.",
                                        error.what()));
  }
}

namespace {

bool nobody_listens() {
  pollfd output{STDOUT_FILENO, POLLOUT, 0};
  return poll(&output, 1, 0) == 1 && (output.revents & POLLERR) != 0;
}

}  // namespace

int finish_output(int code, bool is_run) {
  errno = 0;
  std::cout.flush();
  const bool arrived = std::fflush(stdout) == 0 && std::ferror(stdout) == 0 && std::cout.good();
  if (arrived) return code;
  if (nobody_listens()) return is_run || code != success ? code : 128 + SIGPIPE;
  if (output_error != 0) errno = output_error;
  if (errno == 0 && write(STDOUT_FILENO, "\n", 1) == 1) errno = 0;  // it failed before: asked again, it says why
  const int reason = errno;
  std::fputs(fmt::format("trammel: error: cannot write the output: {}\n",
                         reason != 0 ? std::system_category().message(reason) : "a part of it was not taken")
                 .c_str(),
             stderr);
  return code == success ? io_trouble : code;
}

void take_failed_writes_as_errors() {
  struct sigaction action {};
  action.sa_handler = SIG_IGN;
  sigaction(SIGXFSZ, &action, nullptr);
  sigaction(SIGPIPE, &action, nullptr);
}

bool open_missing_outputs() {
  for (const int number : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(number, F_GETFD) >= 0 || errno != EBADF) continue;
    if (open("/dev/null", O_RDWR) == number) continue;  // takes the smallest free one
    complain("trammel: error: cannot open '/dev/null': {}\n", std::system_category().message(errno));
    return false;
  }
  return true;
}

std::string join_command_line(const std::vector<std::string>& words) {
  std::string line = "trammel";
  for (const std::string& word : words) {
    const bool plain = word.find_first_of(" \t\"'$&|;()<>*?[]") == std::string::npos && !word.empty();
    line += plain ? " " + word : " '" + word + "'";
  }
  return line;
}

std::string join_lines(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

void require_file(const std::filesystem::path& file) {
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(file, error);
  if (std::filesystem::exists(status)) return;
  if (status.type() != std::filesystem::file_type::not_found)
    throw IoError(fmt::format("cannot read '{}': {}", file.string(), error.message()));
  throw IoError(fmt::format("there is no file '{}'{}", file.string(),
                            did_you_mean(file.filename().string(), names_beside(file))));
}

}  // namespace trammel::apps
