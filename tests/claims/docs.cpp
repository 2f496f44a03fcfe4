// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "places.h"
#include "run_model.h"

/// What is printed runs: every model in the pages of the elements and in the tutorials, and every example.
namespace trammel::test_docs {
namespace {

namespace fs = std::filesystem;

/// The blocks between ```toml and ``` of a page.
std::vector<std::string> toml_blocks(const fs::path& page) {
  std::ifstream file(page);
  std::vector<std::string> blocks;
  std::string line;
  bool inside = false;
  while (std::getline(file, line)) {
    if (!inside && line == "```toml")
      inside = true, blocks.emplace_back();
    else if (inside && line == "```")
      inside = false;
    else if (inside)
      blocks.back() += line + "\n";
  }
  return blocks;
}

std::vector<fs::path> files_below(const fs::path& folder, const std::string& extension) {
  std::vector<fs::path> files;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder))
    if (entry.path().extension() == extension) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

TEST(Docs, every_model_in_the_pages_of_the_elements_and_in_the_tutorials_is_ready_to_run_and_runs) {
  int n_models = 0;
  std::vector<fs::path> pages = files_below(places::source_dir() / "docs" / "elements", ".md");
  const std::vector<fs::path> tutorials = files_below(places::source_dir() / "docs" / "tutorials", ".md");
  pages.insert(pages.end(), tutorials.begin(), tutorials.end());
  for (const fs::path& page : pages) {
    for (const std::string& block : toml_blocks(page)) {
      SCOPED_TRACE(page.filename().string() + ":\n" + block);
      ++n_models;
      Study study;
      ASSERT_NO_THROW(study = read_study_text(block, "model.toml"));
      const CheckReport report = check(study);
      EXPECT_EQ(report.failure, "");
      EXPECT_TRUE(report.redundant.empty());
      for (const std::string& remark : report.remarks)  // what friction and reactions in laws do to trees is no fault
        EXPECT_TRUE(remark.starts_with("no part of the tree")) << remark;
      study.analysis.end = 0.1;
      const Recorded recorded = run(study);
      EXPECT_LT(recorded.summary.position_drift, 1e-8);
    }
  }
  EXPECT_GE(n_models, 10);
}

TEST(Docs, every_example_is_ready_to_run) {
  for (const fs::path& file : files_below(places::source_dir() / "examples", ".toml")) {
    if (file.parent_path().filename() == "parts") continue;  // of other files
    SCOPED_TRACE(file.string());
    const bool is_chain = file.filename() == "chain.toml";
    const CheckReport report = check(read_study(file, is_chain ? SetList{"parameters.N=50"} : SetList{}));
    EXPECT_EQ(report.failure, "");
    EXPECT_EQ(report.redundant.empty(), file.filename() != "bricard.toml");
  }
}

TEST(Docs, every_numbered_example_runs_as_it_is) {
  for (const fs::path& file : files_below(places::source_dir() / "examples", ".toml")) {
    if (file.parent_path().filename() == "models" || file.parent_path().filename() == "parts") continue;
    SCOPED_TRACE(file.string());
    const Study study = read_study(file);
    const Recorded recorded = run(study);
    // BDF meets constraints to what Newton's test leaves over, a third of the tolerance with DASSL's constants.
    const bool bdf = study.solver.integrator == Integrator::bdf;
    EXPECT_LT(recorded.summary.position_drift, bdf ? std::max(0.33 * study.solver.atol.value_or(1e-7), 1e-8) : 1e-8);
  }
}

TEST(Docs, a_chain_of_any_length_is_one_page) {
  const Recorded recorded = run_example("models/chain.toml", {"parameters.N=100", "analysis.end=0.1"});
  EXPECT_EQ(recorded.summary.nv, 600);
  EXPECT_LT(recorded.summary.position_drift, 1e-8);
}

}  // namespace
}  // namespace trammel::test_docs
