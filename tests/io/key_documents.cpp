// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>

#include "places.h"
#include "trammel/io/model_tables.h"

namespace trammel {
namespace {

// `<!-- keys: force tyre -->` … `<!-- /keys -->`: what stands between is what the descriptions say.
TEST(Documents, have_the_keys_of_the_reader) {
  const std::regex begun(R"(<!-- keys: ([\w.]+)(?: (\w+))? -->\n)");
  int n_tables = 0;
  for (const auto& file : std::filesystem::recursive_directory_iterator(places::source_dir() / "docs")) {
    if (file.path().extension() != ".md") continue;
    std::ifstream stream(file.path());
    std::stringstream read;
    read << stream.rdbuf();
    const std::string text = read.str();
    for (std::sregex_iterator it(text.begin(), text.end(), begun), end; it != end; ++it, ++n_tables) {
      const std::string name = (*it)[1], kind = (*it)[2];
      const std::vector<Key>* keys = find_keys(model_tables(), name == "file" ? "" : name);
      ASSERT_NE(keys, nullptr) << file.path() << ": there is no table '" << name << "'";
      const std::string wanted = markdown_table(kind.empty() ? *keys : keys_of_kind(*keys, kind));
      const auto first = static_cast<std::size_t>(it->position() + it->length());
      EXPECT_EQ(text.substr(first, text.find("<!-- /keys -->", first) - first), "\n" + wanted + "\n")
          << file.path() << ": `./dev tables` writes the keys of '" << name << " " << kind << "' anew";
    }
  }
  EXPECT_GT(n_tables, 20);
}

}  // namespace
}  // namespace trammel
