// SPDX-License-Identifier: Apache-2.0
#include "places.h"
#include "program.h"

// What the README promises is true.

namespace trammel::test_readme {
namespace {

using program::call;
using program::Folder;
using program::Outcome;

const std::filesystem::path root = places::source_dir();

std::string between(const std::string& text, const std::string& from, const std::string& to) {
  const std::size_t start = text.find(from);
  if (start == std::string::npos) return "";
  const std::size_t begin = start + from.size();
  return text.substr(begin, text.find(to, begin) - begin);
}

TEST(Readme, shows_a_model_that_runs) {
  const Folder folder;
  folder.write("model.toml", between(program::read_text(root / "README.md"), "```toml\n", "```"));
  const Outcome run = call(folder, {"run", "model.toml", "--set", "parameters.L=2"});
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_SAYS(run.out, "1 degrees of freedom");
}

TEST(Readme, names_a_first_command_that_works) {
  const Folder folder;
  const std::string model = between(program::read_text(root / "README.md"), "./dev run ", " ");
  const Outcome run = call(folder, {"run", (root / model).string()});
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_TRUE(std::filesystem::exists(folder / "slider_crank.h5"));
}

}  // namespace
}  // namespace trammel::test_readme
