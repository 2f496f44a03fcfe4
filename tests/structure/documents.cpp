// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "places.h"

// Documents lead somewhere: links between files exist, and the index lists every page.

namespace {

namespace fs = std::filesystem;

const fs::path root = trammel::places::source_dir();

std::string read_text(const fs::path& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::vector<fs::path> documents() {
  std::vector<fs::path> found;
  for (const auto& entry : fs::directory_iterator(root))
    if (entry.path().extension() == ".md") found.push_back(entry.path());
  for (const char* top : {"docs", "examples"})
    if (fs::exists(root / top))
      for (const auto& entry : fs::recursive_directory_iterator(root / top))
        if (entry.path().extension() == ".md") found.push_back(entry.path());
  return found;
}

// The files that a document links to, the web left out.
std::vector<fs::path> links_of(const fs::path& document) {
  static const std::regex link(R"(\]\(([^)#\s]+)(#[^)]*)?\))");
  const std::string text = read_text(document);
  std::vector<fs::path> targets;
  for (std::sregex_iterator it(text.begin(), text.end(), link), end; it != end; ++it)
    if (const std::string target = (*it)[1]; target.find("://") == std::string::npos)
      targets.push_back((document.parent_path() / target).lexically_normal());
  return targets;
}

TEST(Documents, link_only_to_files_that_exist) {
  int n_links = 0;
  for (const fs::path& document : documents())
    for (const fs::path& target : links_of(document)) {
      EXPECT_TRUE(fs::exists(target)) << document << " links to " << target;
      ++n_links;
    }
  EXPECT_GT(n_links, 5);
}

TEST(Documents, are_all_reached_from_the_index) {
  std::vector<fs::path> open{root / "docs/README.md"};
  std::set<fs::path> reached(open.begin(), open.end());
  while (!open.empty()) {
    const fs::path document = open.back();
    open.pop_back();
    for (const fs::path& target : links_of(document))
      if (target.extension() == ".md" && reached.insert(target).second) open.push_back(target);
  }
  for (const auto& entry : fs::recursive_directory_iterator(root / "docs"))
    if (entry.path().extension() == ".md") {
      EXPECT_TRUE(reached.count(entry.path())) << "no way leads from docs/README.md to " << entry.path();
    }
}

}  // namespace
