// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "places.h"

// Every C++ file of the project is formatted as .clang-format says; `./dev format` does it.

namespace {

namespace fs = std::filesystem;

TEST(Format, of_every_source_is_that_of_clang_format) {
  const fs::path top_folder = trammel::places::source_dir();
  std::string names;
  int n_files = 0;
  for (const char* top : {"include", "internal", "src", "tests", "examples", "docs", "bench", "papers", "python"}) {
    if (!fs::exists(top_folder / top)) continue;
    for (const auto& entry : fs::recursive_directory_iterator(top_folder / top)) {
      const fs::path extension = entry.path().extension();
      if (extension != ".h" && extension != ".cpp") continue;
      names += " '" + entry.path().string() + "'";
      ++n_files;
    }
  }
  ASSERT_GT(n_files, 100);
  const std::string command = "clang-format --dry-run -Werror" + names + " 2>&1";
  FILE* pipe = popen(command.c_str(), "r");
  ASSERT_NE(pipe, nullptr);
  std::string output;
  std::array<char, 4096> buffer{};
  while (fgets(buffer.data(), buffer.size(), pipe) != nullptr) output += buffer.data();
  EXPECT_EQ(pclose(pipe), 0) << output << "`./dev format` formats everything";
}

// The licence stands in the first line, or in the second behind `#!`.
TEST(Licence, is_named_at_the_top_of_every_source) {
  const fs::path top_folder = trammel::places::source_dir();
  const std::vector<std::string> extensions{".h", ".cpp", ".c", ".py", ".ts", ".mjs", ".cmake"};
  int n_files = 0;
  for (const char* top : {"include", "internal", "src", "tests", "examples", "docs", "bench", "papers", "python",
                          "tools", "cmake", "web/src", "web/tests"})
    for (const auto& entry : fs::recursive_directory_iterator(top_folder / top)) {
      if (std::find(extensions.begin(), extensions.end(), entry.path().extension()) == extensions.end()) continue;
      std::ifstream file(entry.path());
      std::string line;
      std::getline(file, line);
      if (line.starts_with("#!")) std::getline(file, line);
      EXPECT_TRUE(line.ends_with("SPDX-License-Identifier: Apache-2.0")) << entry.path() << " begins with: " << line;
      ++n_files;
    }
  EXPECT_GT(n_files, 900);
}

}  // namespace
