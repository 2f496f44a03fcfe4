// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <exception>
#include <map>

#include "paper.h"
#include "trammel/base/error.h"

// `./dev papers [--quick | --long] [--out FOLDER] [NAME...]`: writes FOLDER/NAME/ with tables, figures and a README.

int main(int argc, char** argv) {
  using namespace trammel;
  using namespace trammel::papers;
  const std::map<std::string, void (*)(const Place&)> all{{"arnold2004", write_arnold2004},
                                                          {"bauchau2009", write_bauchau2009},
                                                          {"bottasso2007", write_bottasso2007},
                                                          {"hastiff", write_hastiff},
                                                          {"yen1996", write_yen1996}};
  std::filesystem::path out = std::filesystem::path(TRAMMEL_SOURCE_DIR) / "build/papers";
  bool quick = false, lasting = false;
  std::vector<std::string> names;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--quick") {
      quick = true;
    } else if (word == "--long") {
      lasting = true;
    } else if (word == "--out" && i + 1 < argc) {
      out = argv[++i];
    } else if (all.count(word)) {
      names.push_back(word);
    } else {
      std::string known;
      for (const auto& [name, write] : all) known += " " + name;
      fmt::print(stderr, "papers: '{}' is none of:{}\n", word, known);
      return 2;
    }
  }
  if (names.empty())
    for (const auto& [name, write] : all) names.push_back(name);
  try {
    for (const std::string& name : names) {
      const Place place{std::filesystem::path(TRAMMEL_SOURCE_DIR) / "examples", out / name, quick, lasting};
      std::filesystem::create_directories(place.folder);
      fmt::print("{} ...\n", name);
      std::fflush(stdout);
      all.at(name)(place);
      fmt::print("{}\n", (place.folder / "README.md").string());
    }
  } catch (const std::exception& error) {
    fmt::print(stderr, "papers: {}\n", error.what());
    return 3;
  }
  return 0;
}
