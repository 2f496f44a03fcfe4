// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "places.h"

// Nothing of a run is forgotten when it is resumed: each class with a remember(Memory&) names every data member there,
// as kept or as left, and whoever moves or watches a run has one.

namespace {

namespace fs = std::filesystem;

std::string read(const fs::path& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  // Without comments and preprocessor.
  return std::regex_replace(text.str(), std::regex("//[^\n]*|(^|\n)#[^\n]*"), "$1");
}

std::vector<std::string> read_all(const std::vector<std::string>& folders) {
  std::vector<std::string> texts;
  for (const std::string& folder : folders)
    for (const auto& entry : fs::recursive_directory_iterator(trammel::places::source_dir() / folder))
      if (entry.path().extension() == ".h" || entry.path().extension() == ".cpp") texts.push_back(read(entry.path()));
  return texts;
}

// The text within the braces that open at or behind `at`.
std::string within_braces(const std::string& text, std::size_t at) {
  const std::size_t open = text.find('{', at);
  int depth = 0;
  for (std::size_t i = open; i < text.size(); ++i) {
    if (text[i] == '{') ++depth;
    if (text[i] == '}' && --depth == 0) return text.substr(open + 1, i - open - 1);
  }
  return "";
}

std::string without(const std::string& text, char open, char close) {
  std::string rest;
  int depth = 0;
  for (const char c : text) {
    if (c == open) ++depth;
    if (depth == 0) rest += c;
    if (c == close && depth > 0 && --depth == 0) rest += c == '}' ? " {} " : "";
  }
  return rest;
}

// Names of the data members that a class declares itself: statements of its own level without parentheses.
std::vector<std::string> members_of(const std::string& body) {
  std::string text = without(body, '{', '}');
  text = std::regex_replace(text, std::regex("\\b(public|private|protected):"), "");
  text = std::regex_replace(without(text, '<', '>'), std::regex("[^;]*\\boperator\\b[^;]*;"), ";");
  text = std::regex_replace(text, std::regex("=[^,;]*"), "");
  // A function with a body ends without a semicolon.
  text = std::regex_replace(text, std::regex("\\)\\s*(const|override|noexcept|\\s)*\\{\\}"), ");");
  std::vector<std::string> names;
  std::istringstream statements(text);
  for (std::string statement; std::getline(statements, statement, ';');) {
    if (statement.find('(') != std::string::npos) continue;
    if (std::regex_search(statement, std::regex("^\\s*(using|friend|static|typedef|template|enum|class|explicit)\\b")))
      continue;
    const bool nested = std::regex_search(statement, std::regex("^\\s*struct\\b"));
    if (nested && !std::regex_search(statement, std::regex("\\{\\}\\s*\\w"))) continue;
    // "double a, b[2]": the last word before a comma or the end.
    static const std::regex name("(\\w+)\\s*(\\[[^\\]]*\\]|\\{\\}|\\s)*(,|$)");
    for (std::sregex_iterator it(statement.begin(), statement.end(), name), end; it != end; ++it)
      if ((*it)[1].str().size() > 0 && statement.find(' ') != std::string::npos) names.push_back((*it)[1]);
  }
  return names;
}

struct Found {
  std::string members, remembered;  // its own text, and that of remember()
};

// By name, nested ones with those they are in: "RunWatch::Measure".
void find_classes(const std::string& text, const std::string& outer, std::map<std::string, Found>& found) {
  static const std::regex head("\\b(?:class|struct)\\s+(\\w+)(?:\\s+final)?(?:\\s*:[^;{]*)?\\s*\\{");
  std::size_t behind = 0;  // the last class: those within it are found there
  for (std::sregex_iterator it(text.begin(), text.end(), head), end; it != end; ++it) {
    const auto at = static_cast<std::size_t>(it->position());
    if (at < behind) continue;
    const std::string body = within_braces(text, at);
    behind = text.find('{', at) + body.size();
    const std::string name = outer + (*it)[1].str();
    if (without(body, '{', '}').find("void remember(Memory& memory") != std::string::npos) found[name].members = body;
    find_classes(body, name + "::", found);
  }
}

std::map<std::string, Found> find_remembering() {
  std::map<std::string, Found> found;
  const std::vector<std::string> headers = read_all({"include", "internal"});
  for (const std::string& text : headers) find_classes(text, "", found);
  static const std::regex definition("void ((?:\\w+::)+)remember(?:_\\w+)?\\(Memory& memory[^)]*\\)");
  for (const std::string& text : read_all({"src"}))
    for (std::sregex_iterator it(text.begin(), text.end(), definition), end; it != end; ++it) {
      const std::string scope = (*it)[1];
      found[scope.substr(0, scope.size() - 2)].remembered +=
          within_braces(text, static_cast<std::size_t>(it->position()));
    }
  return found;
}

bool names(const std::string& text, const std::string& member) {
  return std::regex_search(text, std::regex("\\b" + member + "\\b"));
}

TEST(Memory, every_member_of_whoever_remembers_is_kept_or_left) {
  const std::map<std::string, Found> all = find_remembering();
  ASSERT_GT(all.size(), 15u);
  for (const auto& [name, found] : all) {
    EXPECT_FALSE(found.members.empty()) << name << ": its members are not found";
    for (const std::string& member : members_of(found.members))
      EXPECT_TRUE(names(found.remembered, member))
          << name << "::remember() names '" << member << "' neither in keep() nor in leave(): would a run that is "
          << "resumed go on without it?";
  }
}

// What moves, watches and records a run hangs on these: keep() of a part without remember() does not compile.
TEST(Memory, a_run_remembers) {
  const std::map<std::string, Found> all = find_remembering();
  for (const char* name : {"Dynamics", "Rig", "Motion", "Summary", "RunLedger", "KinkEvents", "EventWatch"})
    EXPECT_TRUE(all.count(name)) << name;
}

TEST(Memory, members_are_found_as_they_are_written) {
  const std::vector<std::string> expected{"a_", "b_", "list_", "f_", "n_", "at_", "pair_", "plain"};
  EXPECT_EQ(
      members_of("public:\n int size() const { return 1; }\n explicit X(int a);\n private:\n double a_ = 1.0, b_{};\n"
                 "std::map<int, std::vector<int>> list_;\n std::function<void(int)> f_;\n static constexpr int k = 2;\n"
                 "struct { int x; } n_;\n struct Part { int y; };\n Part at_[3];\n using A = int;\n"
                 "std::pair<int, int> pair_;\n int plain = 3;\n"),
      expected);
}

}  // namespace
