// SPDX-License-Identifier: Apache-2.0
#include <map>

#include "places.h"
#include "program.h"
#include "trammel/base/version.h"
#include "trammel/io/results_reader.h"
#include "trammel/simulation/methods.h"
#include "trammel/simulation/option.h"

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

// ---- the table beside others: its row about ourselves says what the program does
// -------------------------------------

/// The cells of the rows of the table, without its head.
std::vector<std::vector<std::string>> table_rows() {
  const std::string readme = program::read_text(root / "README.md");
  std::vector<std::vector<std::string>> rows;
  for (const std::string& line : program::lines_of(between(readme, "| licence |\n", "\n\n"))) {
    std::istringstream stream(line.substr(1));
    std::vector<std::string> cells;
    for (std::string cell; std::getline(stream, cell, '|');) {
      cell.erase(0, cell.find_first_not_of(' '));
      cell.erase(cell.find_last_not_of(' ') + 1);
      cells.push_back(cell);
    }
    if (!cells.empty() && !cells[0].starts_with("---")) rows.push_back(cells);
  }
  return rows;
}

const std::vector<std::vector<std::string>> table = table_rows();
const std::vector<std::string> ours = table.at(0);
enum Column { name_and_version, models, coordinates, methods, licence, n_columns };

std::string readme_model() { return between(program::read_text(root / "README.md"), "```toml\n", "```"); }

/// The last value of the model's measure, and how many steps it took.
double run_readme(const Folder& folder, const std::vector<std::string>& settings) {
  folder.write("model.toml", readme_model());
  std::vector<std::string> words{"run", "model.toml", "-q", "-o", "out.h5"};
  for (const std::string& setting : settings) words.insert(words.end(), {"--set", setting});
  const Outcome run = call(folder, words);
  EXPECT_EQ(run.code, 0) << run.err;
  const Series height = ResultsReader(folder / "out.h5").read("height");
  EXPECT_EQ(height.time.back(), 5.0);
  return height.values(height.values.rows() - 1, 0);
}

TEST(Readme, compares_this_version_under_its_licence) {
  ASSERT_EQ(ours.size(), n_columns);
  EXPECT_TRUE(("Trammel " + std::string(version())).starts_with(ours[name_and_version] + ".")) << version();
  EXPECT_EQ(ours[licence], "Apache 2.0");
  const std::string text = program::read_text(root / "LICENSE");
  EXPECT_SAYS(text.substr(0, 200), "Apache License");
  EXPECT_SAYS(text.substr(0, 200), "Version 2.0");
}

// A page in quotes, or a class or folder of the reference; who is not compared claims nothing.
TEST(Readme, names_version_and_page_of_what_it_says_of_others) {
  ASSERT_GT(table.size(), 5u);
  for (const std::vector<std::string>& row : std::vector(table.begin() + 1, table.end())) {
    ASSERT_EQ(row.size(), n_columns) << row[0];
    if (row[coordinates] == "we have not compared it") {
      EXPECT_EQ(row[models] + row[methods], "");
      continue;
    }
    EXPECT_NE(row[name_and_version].find_first_of("0123456789"), std::string::npos) << row[0];
    for (const Column column : {models, coordinates, methods})
      EXPECT_TRUE(row[column].empty() || row[column].find_first_of("\"`") != std::string::npos) << row[column];
  }
}

// One example in every form that the table names; that they give the same numbers is said by tests/claims/docs.cpp and
// tests/python/test_twins.py.
TEST(Readme, compares_the_forms_that_models_have) {
  EXPECT_EQ(ours[models], "a TOML file, Python, C++");
  for (const char* form : {".toml", ".py", ".cpp"})
    EXPECT_TRUE(std::filesystem::exists(root / ("examples/04_four_bar/four_bar" + std::string(form)))) << form;
}

TEST(Readme, compares_the_coordinates_that_a_model_moves_in) {
  EXPECT_EQ(ours[coordinates], "absolute, or joint coordinates of the same model");
  const Folder folder;
  const auto at = [&](const char* set) {
    return run_readme(folder, {"solver.integrator=radau", "solver.rtol=1e-8", "solver.atol=1e-8",
                               std::string("solver.coordinates=") + set});
  };
  EXPECT_NEAR(at("absolute"), at("joint"), 1e-6);
}

// Each name stands for integrators, together for all there are; each of them chooses its steps by its error: a
// hundredth of the tolerance leaves less than a quarter of the error of any order from one on.
TEST(Readme, compares_all_methods_with_error_control_of_each) {
  const std::map<std::string, std::vector<std::string>> meant{
      {"generalized-α", {"generalized_alpha", "hht", "newmark"}},
      {"BDF", {"bdf"}},
      {"Radau IIA", {"radau"}},
      {"midpoint", {"midpoint"}},
      {"an energy-decaying scheme", {"energy_decaying"}},
      {"explicit pairs", {"runge_kutta"}}};
  const std::string claim = "; error control with each";
  ASSERT_TRUE(ours[methods].ends_with(claim)) << ours[methods];
  std::vector<std::string> named;
  std::istringstream names(ours[methods].substr(0, ours[methods].size() - claim.size()));
  for (std::string name; std::getline(names >> std::ws, name, ',');) {
    ASSERT_TRUE(meant.contains(name)) << name;
    named.insert(named.end(), meant.at(name).begin(), meant.at(name).end());
  }
  EXPECT_EQ(named.size(), std::size(standard_integrators));
  const Folder folder;
  const double exact = run_readme(folder, {"solver.integrator=runge_kutta", "solver.rtol=1e-12", "solver.atol=1e-12"});
  for (const Integrator& integrator : standard_integrators) {
    const std::string word = word_of(integrator);
    EXPECT_NE(std::find(named.begin(), named.end(), word), named.end()) << word;
    const auto error = [&](const std::string& tol) {
      return std::abs(run_readme(folder, {"solver.integrator=" + word, "solver.rtol=" + tol, "solver.atol=" + tol}) -
                      exact);
    };
    EXPECT_LT(error("1e-6"), 0.25 * error("1e-4")) << word;
  }
}

}  // namespace
}  // namespace trammel::test_readme
