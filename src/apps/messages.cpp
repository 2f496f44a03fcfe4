#include "messages.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <system_error>

#include "commands.h"
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

void print_issues(const InputError& error, const std::filesystem::path& file) {
  for (const Issue& issue : error.issues()) {
    std::string where = issue.where, message = issue.message;
    if (!is_place(where) && where.rfind("--set", 0) != 0) {
      if (!where.empty()) message = where + ": " + message;
      where = file.string();
    }
    fmt::print(stderr, "{}: error: {}\n", where, message);
  }
  const std::size_t n = error.issues().size();
  fmt::print(stderr, "{} {} in {}\n", n, n == 1 ? "error" : "errors", file.string());
}

int report_errors(const std::filesystem::path& file, const std::function<int()>& command) {
  try {
    return command();
  } catch (const InputError& error) {
    print_issues(error, file);
    return wrong_input;
  } catch (const IoError& error) {
    fmt::print(stderr, "trammel: error: {}\n", error.what());
    return io_trouble;
  } catch (const SimulationError& error) {
    fmt::print(stderr, "{}\n", error.what());
    return failed_run;
  } catch (const std::filesystem::filesystem_error& error) {
    fmt::print(stderr, "trammel: error: {}\n", error.what());
    return io_trouble;
  } catch (const std::exception& error) {
    fmt::print(stderr, "trammel: unexpected error: {}\n    This is a defect of the program; please report it.\n",
               error.what());
    return unexpected;
  }
}

std::string join_command_line(const std::vector<std::string>& words) {
  std::string line = "trammel";
  for (const std::string& word : words) {
    const bool plain = word.find_first_of(" \t\"'$&|;()<>*?[]") == std::string::npos && !word.empty();
    line += plain ? " " + word : " '" + word + "'";
  }
  return line;
}

void require_file(const std::filesystem::path& file) {
  std::error_code ignored;
  if (std::filesystem::exists(file, ignored)) return;
  throw IoError(fmt::format("there is no file '{}'{}", file.string(),
                            did_you_mean(file.filename().string(), names_beside(file))));
}

}  // namespace trammel::apps
