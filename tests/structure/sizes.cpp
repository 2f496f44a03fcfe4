// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "places.h"

// One idea per file and per function, and every idea once.

namespace trammel::test_sizes {
namespace {

namespace fs = std::filesystem;

const fs::path source_dir = trammel::places::source_dir();

std::vector<fs::path> list_sources(const fs::path& folder) {
  std::vector<fs::path> found;
  for (const auto& entry : fs::recursive_directory_iterator(source_dir / folder))
    if (entry.path().extension() == ".cpp" || entry.path().extension() == ".h") found.push_back(entry.path());
  std::sort(found.begin(), found.end());
  return found;
}

std::vector<std::string> read_lines(const fs::path& path) {
  std::vector<std::string> lines;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

std::string name_of(const fs::path& path) { return fs::relative(path, source_dir).string(); }

// A table is as long as what it lists.
const std::vector<std::string> tables{"src/simulation/option_tables.cpp"};
const std::vector<std::string> table_functions{"effect_keys("};

constexpr std::size_t longest_file = 450, longest_function = 80, longest_copy = 11;
const std::vector<const char*> layers{"src/simulation", "src/io", "src/apps", "src/integrators"};

TEST(Sizes, of_files_are_moderate) {
  for (const char* layer : layers)
    for (const fs::path& path : list_sources(layer)) {
      if (std::find(tables.begin(), tables.end(), name_of(path)) != tables.end()) continue;
      const std::size_t lines = read_lines(path).size();
      EXPECT_LE(lines, longest_file) << name_of(path) << " holds more than one idea";
    }
}

// clang-format puts the first line of a function and its last brace into the first column.
TEST(Sizes, of_functions_are_moderate) {
  const auto begins = [](const std::string& line) {
    if (line.empty() || line.find('(') == line.npos || line.find("namespace") == 0) return false;
    return std::isalpha(static_cast<unsigned char>(line[0])) != 0 && line.back() != ';';
  };
  for (const char* layer : layers)
    for (const fs::path& path : list_sources(layer)) {
      const std::vector<std::string> lines = read_lines(path);
      for (std::size_t first = 0; first < lines.size(); ++first) {
        if (!begins(lines[first])) continue;
        std::size_t last = first;
        while (last < lines.size() && (lines[last].empty() || lines[last][0] != '}')) ++last;
        const bool is_table = std::any_of(table_functions.begin(), table_functions.end(), [&](const auto& name) {
          return lines[first].find(name) != std::string::npos;
        });
        if (!is_table) {
          EXPECT_LE(last + 1 - first, longest_function) << name_of(path) << ":" << first + 1 << ": " << lines[first];
        }
        first = last;
      }
    }
}

// Without blanks, comments and includes.
TEST(Copies, of_a_dozen_lines_do_not_exist) {
  std::map<std::string, std::string> seen;
  int files = 0;
  for (const fs::path& path : list_sources("src")) {
    ++files;
    std::vector<std::pair<std::size_t, std::string>> lines;
    std::size_t number = 0;
    for (std::string line : read_lines(path)) {
      ++number;
      line = line.substr(0, line.find("//"));
      std::erase_if(line, [](unsigned char c) { return std::isspace(c); });
      if (!line.empty() && line.rfind("#include", 0) != 0) lines.emplace_back(number, std::move(line));
    }
    for (std::size_t first = 0; first + longest_copy < lines.size(); ++first) {
      std::string run;
      for (std::size_t i = 0; i <= longest_copy; ++i) run += lines[first + i].second + '\n';
      const std::string place = name_of(path) + ":" + std::to_string(lines[first].first);
      const auto [known, is_new] = seen.emplace(std::move(run), place);
      EXPECT_TRUE(is_new) << place << " repeats " << known->second;
      if (!is_new) first += longest_copy;
    }
  }
  EXPECT_GT(files, 100);
}

}  // namespace
}  // namespace trammel::test_sizes
