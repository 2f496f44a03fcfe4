#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

// Documents lead somewhere: links between files exist, and the index lists every page.

namespace {

namespace fs = std::filesystem;

const fs::path root = TRAMMEL_SOURCE_DIR;

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

TEST(Documents, link_only_to_files_that_exist) {
  const std::regex link(R"(\]\(([^)#\s]+)(#[^)]*)?\))");
  int n_links = 0;
  for (const fs::path& document : documents()) {
    const std::string text = read_text(document);
    for (std::sregex_iterator it(text.begin(), text.end(), link), end; it != end; ++it) {
      const std::string target = (*it)[1];
      if (target.find("://") != std::string::npos) continue;
      EXPECT_TRUE(fs::exists(document.parent_path() / target)) << document << " links to " << target;
      ++n_links;
    }
  }
  EXPECT_GT(n_links, 5);
}

TEST(Documents, are_all_in_the_index) {
  const std::string index = read_text(root / "docs/README.md");
  for (const auto& entry : fs::recursive_directory_iterator(root / "docs")) {
    if (entry.path().extension() != ".md" || entry.path().filename() == "README.md") continue;
    const std::string name = fs::relative(entry.path(), root / "docs").string();
    EXPECT_NE(index.find("(" + name + ")"), std::string::npos) << "docs/README.md does not list " << name;
  }
}

}  // namespace
