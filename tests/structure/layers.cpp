// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>

#include "places.h"

// The architecture as a test: a file of one layer includes only what tests/structure/allowed_includes.txt allows.

namespace {

namespace fs = std::filesystem;

const fs::path source_dir = trammel::places::source_dir();

std::map<std::string, std::set<std::string>> read_rules() {
  std::map<std::string, std::set<std::string>> rules;
  std::ifstream file(source_dir / "tests/structure/allowed_includes.txt");
  std::string line;
  while (std::getline(file, line)) {
    if (line.empty() || line[0] == '#') continue;
    const std::size_t colon = line.find(':');
    std::istringstream words(line.substr(colon + 1));
    std::set<std::string>& allowed = rules[line.substr(0, colon)];
    for (std::string word; words >> word;) allowed.insert(word);
  }
  return rules;
}

// "mechanics/absolute/system.h" -> "mechanics/absolute" if that is a layer with its own rule, else "mechanics".
std::string layer_of(const std::string& path, const std::map<std::string, std::set<std::string>>& rules) {
  std::string best;
  for (const auto& [layer, allowed] : rules)
    if (path.rfind(layer + "/", 0) == 0 && layer.size() > best.size()) best = layer;
  return best;
}

// The home of a third-party header, or "" for the standard library.
std::string third_party(const std::string& header) {
  static const std::vector<std::pair<std::regex, std::string>> homes{
      {std::regex("^(Eigen|unsupported)/.*"), "<Eigen>"},
      {std::regex("^fmt/.*"), "<fmt>"},
      {std::regex("^(klu|amd|colamd|camd|ccolamd|cholmod|cs|ldl|btf|umfpack)\\.h(pp)?$|^(spqr|SuiteSparse).*"),
       "<SuiteSparse>"},
      {std::regex("^[dz]mumps_c\\.h$"), "<MUMPS>"},
      {std::regex("^petsc.*\\.h$"), "<PETSc>"},
      {std::regex("^(hdf5|H5).*"), "<HDF5>"},
      {std::regex("^toml\\+\\+/.*"), "<toml++>"},
      {std::regex("^CLI/.*"), "<CLI11>"},
      {std::regex("^pybind11/.*"), "<pybind11>"},
      {std::regex("^Spectra/.*"), "<Spectra>"},
      {std::regex("^(arpa/inet|netinet/in|poll|sys/socket)\\.h$"), "<sockets>"},
      {std::regex("^[a-z_0-9]+$"), ""},
      {std::regex("^(unistd|sys/.*|fcntl|sched|signal|spawn|malloc|dlfcn|time)\\.h$"), ""}};
  for (const auto& [pattern, home] : homes)
    if (std::regex_match(header, pattern)) return home;
  return "<" + header + ">";
}

TEST(Layers, include_only_what_the_architecture_allows) {
  const auto rules = read_rules();
  ASSERT_FALSE(rules.empty());
  const std::regex include(R"(^\s*#include\s+(["<])([^">]+)[">])");
  int files = 0;
  for (const fs::path& top : {source_dir / "include/trammel", source_dir / "internal/trammel", source_dir / "src",
                              source_dir / "papers", source_dir / "python"}) {
    if (!fs::exists(top)) continue;
    for (const auto& entry : fs::recursive_directory_iterator(top)) {
      const fs::path& path = entry.path();
      if (path.extension() != ".h" && path.extension() != ".cpp") continue;
      const bool is_layer = top.filename() == "papers" || top.filename() == "python";
      const std::string relative = (is_layer ? top.filename().string() + "/" : "") + fs::relative(path, top).string();
      if (relative == "trammel.h") continue;  // the header that includes all that users need
      const std::string layer = layer_of(relative, rules);
      ASSERT_FALSE(layer.empty()) << relative << " belongs to no layer";
      const std::set<std::string>& allowed = rules.at(layer);
      ++files;
      std::ifstream file(path);
      std::string line;
      for (int number = 1; std::getline(file, line); ++number) {
        std::smatch match;
        if (!std::regex_search(line, match, include)) continue;
        const std::string header = match[2];
        std::string needed;
        if (header.rfind("trammel/", 0) == 0)
          needed = layer_of(header.substr(8), rules);
        else if (match[1] == "\"")
          needed = layer;  // a private header beside the source
        else
          needed = third_party(header);
        if (needed.empty() || needed == layer) continue;
        EXPECT_TRUE(allowed.count(needed)) << relative << ":" << number << ": layer '" << layer << "' must not include "
                                           << header << " (" << needed << ")";
      }
    }
  }
  EXPECT_GT(files, 0);
}

// Users get include/ alone.
TEST(Layers, headers_of_users_include_none_of_those_that_only_we_include) {
  const std::regex include("^\\s*#include\\s+\"(trammel/[^\"]+)\"");
  for (const auto& entry : fs::recursive_directory_iterator(source_dir / "include/trammel")) {
    if (entry.path().extension() != ".h") continue;
    std::ifstream file(entry.path());
    std::string line;
    for (std::smatch match; std::getline(file, line);)
      if (std::regex_search(line, match, include)) {
        EXPECT_TRUE(fs::exists(source_dir / "include" / match[1].str())) << entry.path() << " includes " << match[1];
      }
  }
}

}  // namespace
