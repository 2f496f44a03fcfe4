// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cmath>
#include <map>
#include <regex>

#include "program.h"
#include "trammel/io/csv.h"
#include "trammel/io/results_reader.h"

// `trammel sweep` and `trammel compare`: many runs of one model.

namespace trammel::test_studies {
namespace {

using program::call;
using program::Folder;
using program::lines_of;
using program::model_path;
using program::Outcome;
using program::read_text;

const std::string pendulum = model_path("pendulum.toml");

std::vector<std::string> column(const std::string& csv, std::size_t index) {
  std::vector<std::string> cells;
  for (const std::string& line : lines_of(csv)) {
    std::istringstream stream(line);
    std::string cell;
    for (std::size_t i = 0; i <= index; ++i) std::getline(stream, cell, ',');
    cells.push_back(cell);
  }
  return cells;
}

TEST(Sweep, runs_every_combination_and_lists_what_came_out) {
  const Folder folder;
  const Outcome out = call(folder, {"sweep", pendulum, "--set", "solver.h=1e-3:3e-3:3", "gravity=[0,0,-9.81]",
                                    "solver.integrator=generalized_alpha,midpoint", "--jobs", "2", "--out", "s"});
  EXPECT_EQ(out.code, 0) << out.err;
  EXPECT_SAYS(out.out, "s/cases.csv: 6 cases, 0 failed\n");
  const std::string table = read_text(folder / "s/cases.csv");
  EXPECT_EQ(column(table, 0), (std::vector<std::string>{"case", "1", "2", "3", "4", "5", "6"}));
  EXPECT_EQ(column(table, 1),
            (std::vector<std::string>{"solver.h", "0.001", "0.001", "0.002", "0.002", "0.003", "0.003"}));
  EXPECT_SAYS(lines_of(table)[0], "height end,height min,height max");
  const ResultsReader last(folder / "s/case_0006.h5");
  EXPECT_EQ(text_of(last.summary().at("integrator")), "midpoint");
  EXPECT_NEAR(last.read("solver.h").values(0, 0), 3e-3, 1e-15);
  const Series height = last.read("height");
  EXPECT_SAYS(lines_of(table)[6], fmt::format("{},{},{}", height.values(height.values.rows() - 1, 0),
                                              height.values.minCoeff(), height.values.maxCoeff()));
}

TEST(Sweep, goes_on_where_it_was_left) {
  const Folder folder;
  const std::vector<std::string> words{"sweep", pendulum, "--set", "solver.h=1e-3:3e-3:3", "--out", "s"};
  ASSERT_EQ(call(folder, words).code, 0);
  const auto written = [&](const char* name) { return std::filesystem::last_write_time(folder / "s" / name); };
  const auto first = written("case_0001.h5"), third = written("case_0003.h5");
  std::filesystem::remove(folder / "s/case_0002.h5");
  std::filesystem::resize_file(folder / "s/case_0003.h5", 1000);
  const Outcome again = call(folder, words);
  EXPECT_EQ(again.code, 0) << again.err;
  EXPECT_SAYS(again.err, "3 cases, 1 of them done before");
  EXPECT_EQ(written("case_0001.h5"), first);
  EXPECT_NE(written("case_0003.h5"), third);
  EXPECT_EQ(ResultsReader(folder / "s/case_0002.h5").n_steps(), 250);
}

TEST(Sweep, finishes_the_others_when_a_case_fails_and_refuses_wrong_keys_before_any) {
  const Folder folder;
  const Outcome out = call(folder, {"sweep", pendulum, "--set", "body.rod.mass=1,-1,2", "--out", "s"});
  EXPECT_EQ(out.code, 3);
  EXPECT_SAYS(out.out, "3 cases, 1 failed");
  EXPECT_SAYS(lines_of(read_text(folder / "s/cases.csv"))[2], "2,-1,refused");
  EXPECT_TRUE(std::filesystem::exists(folder / "s/case_0003.h5"));

  const Outcome wrong = call(folder, {"sweep", pendulum, "--set", "solver.hh=1:2:3", "--out", "w"});
  EXPECT_EQ(wrong.code, 2);
  EXPECT_SAYS(wrong.err, "unknown key 'hh'");
  EXPECT_FALSE(std::filesystem::exists(folder / "w"));
  EXPECT_EQ(call(folder, {"sweep", pendulum, "--set", "solver.h=1:2:0.5"}).code, 2);
}

// Every line of the table keeps its promise: a tenth of the tolerance gives a smaller error, and what is recommended
// meets the wanted accuracy.
TEST(Compare, measures_errors_and_recommends_what_meets_the_wanted_accuracy) {
  const Folder folder;
  const Outcome out = call(folder, {"compare", pendulum, "--across", "integrator=bdf|radau|generalized_alpha",
                                    "--tolerances", "1e-3,1e-6", "--error", "1e-3", "-o", "work.svg"});
  ASSERT_EQ(out.code, 0) << out.err;
  std::map<std::string, std::vector<double>> errors;
  for (const std::string& line : lines_of(out.out)) {
    std::smatch match;
    if (std::regex_match(line, match, std::regex(R"((bdf|radau|generalized_alpha) +1e-0[36] +(\S+) .*)")))
      errors[match[1]].push_back(std::stod(match[2]));
  }
  ASSERT_EQ(errors.size(), 3u) << out.out;
  for (const auto& [name, error] : errors) {
    ASSERT_EQ(error.size(), 2u);
    EXPECT_LT(error[1], 0.2 * error[0]) << name;
    EXPECT_GT(error[1], 0.0);
  }
  std::smatch best;
  ASSERT_TRUE(std::regex_search(out.out, best, std::regex(R"(Cheapest within 1.0e-03 m: error (\S+) m)"))) << out.out;
  EXPECT_LE(std::stod(best[1]), 1e-3);
  EXPECT_SAYS(out.out, "[solver]\nintegrator = \"");
  EXPECT_SAYS(read_text(folder / "work.svg"), ">computing time [s]<");
}

// The wheel of a torsional pendulum goes nowhere: only points beside its axle do. Their errors fall with the tolerance,
// and the motion extends over what they travel within while it turns to and fro between 0 and 1 rad about y: x from 0
// to r, y from 0 to r, z from −r sin 1 to r. r is that of its mass: of a planar one √(J/m), otherwise √(Σ Jᵢ/2m).
TEST(Compare, counts_errors_of_bodies_that_turn_in_place) {
  constexpr double mass = 2.0, J = 0.09;
  for (const bool planar : {false, true}) {
    const Folder folder;
    folder.write("wheel.toml", fmt::format(R"toml(
gravity = [0, 0, 0]
[[body]]
name = "wheel"
mass = {}
{}
[[joint]]
name = "axle"
kind = "revolute"
bodies = ["ground", "wheel"]
point = [0, 0, 0]
axis = "y"
[[force]]
name = "spring"
kind = "joint_spring"
joint = "axle"
law = "-16*{}*(axle.angle - 0.5)"
[analysis]
end = 3
)toml",
                                           mass,
                                           planar ? fmt::format("kind = \"planar\"\nnormal = \"y\"\ninertia = {}", J)
                                                  : fmt::format("inertia = [{0}, {0}, {0}]", J),
                                           J));
    for (const char* coordinates : {"absolute", "joint"}) {
      const Outcome out =
          call(folder, {"compare", "wheel.toml", "--across", "integrator=generalized_alpha", "--tolerances",
                        "1e-3,1e-6", "--set", fmt::format("solver.coordinates={}", coordinates)});
      ASSERT_EQ(out.code, 0) << out.err;
      std::vector<std::pair<double, double>> errors;  // of positions and velocities
      for (const std::string& line : lines_of(out.out)) {
        std::smatch match;
        if (std::regex_match(line, match, std::regex(R"(generalized_alpha +1e-0[36] +(\S+) +(\S+) .*)")))
          errors.emplace_back(std::stod(match[1]), std::stod(match[2]));
      }
      ASSERT_EQ(errors.size(), 2u) << out.out;
      EXPECT_GT(errors[0].first, 1e-6);
      EXPECT_LT(errors[1].first, 0.2 * errors[0].first);
      EXPECT_GT(errors[1].first, 1e-9);
      // It swings with 4 rad/s: what is late is so in both.
      for (const auto& [position, velocity] : errors) EXPECT_NEAR(velocity / position, 4.0, 1.0);
      const double r = std::sqrt((planar ? 1.0 : 1.5) * J / mass), low = std::sin(1.0);
      std::smatch extent;
      ASSERT_TRUE(std::regex_search(out.out, extent, std::regex(R"(extends over (\S+) m)"))) << out.out;
      EXPECT_NEAR(std::stod(extent[1]), r * std::hypot(1.0, 1.0, 1.0 + low), 5.1e-4);  // three digits are printed
    }
  }
}

TEST(Compare, needs_no_words_and_sets_the_choice_beside_the_best) {
  const Folder folder;
  const Outcome out = call(folder, {"compare", pendulum, "--tolerances", "1e-3,1e-5", "--table", "rows.csv"});
  ASSERT_EQ(out.code, 0) << out.err;
  EXPECT_SAYS(out.out, "reference: radau, rtol = 1e-10");
  EXPECT_SAYS(out.out, "runge_kutta differs by ");
  EXPECT_SAYS(out.out, "\nauto ");
  EXPECT_TRUE(std::regex_search(out.out, std::regex(R"(auto: [0-9.]+ times the cheapest at)"))) << out.out;
  const std::string csv = read_text(folder / "rows.csv");
  EXPECT_SAYS(csv, "setting,rtol,position error [m],velocity error [m/s],reaction error,steps,");
  EXPECT_SAYS(csv, "\nauto,0.001,");
  const Outcome json = call(folder, {"compare", pendulum, "--tolerances", "1e-3", "--table", "rows.json"});
  ASSERT_EQ(json.code, 0) << json.err;
  EXPECT_SAYS(read_text(folder / "rows.json"), "\"setting\":\"auto\"");
  const Outcome ending = call(folder, {"compare", pendulum, "--table", "rows.txt"});
  EXPECT_EQ(ending.code, 2);
  EXPECT_SAYS(ending.err, "must end in .csv or .json");
}

// A file that speaks to bdf alone ended with "the reference run failed: 'preset' belongs to the integrator 'bdf'".
TEST(Compare, leaves_out_and_names_what_the_file_says_for_one_method) {
  const Folder folder;
  const Outcome out = call(folder, {"compare", (places::source_dir() / "examples/10_bushing/bushing.toml").string(),
                                    "--tolerances", "1e-3", "--set", "analysis.end=0.05"});
  ASSERT_EQ(out.code, 0) << out.err;
  EXPECT_SAYS(out.out, "left out, as they belong to other methods: ");
  EXPECT_SAYS(out.out, "solver.preset");
}

TEST(Compare, says_which_pairs_are_excluded_and_refuses_unknown_axes) {
  const Folder folder;
  const Outcome out =
      call(folder, {"compare", pendulum, "--across", "integrator=midpoint,formulation=index3|stabilized_index2",
                    "--tolerances", "1e-3"});
  EXPECT_EQ(out.code, 0) << out.err;
  EXPECT_SAYS(out.out, "not possible:\n    'midpoint stabilized_index2': ");
  const Outcome unknown = call(folder, {"compare", pendulum, "--across", "integrater"});
  EXPECT_EQ(unknown.code, 2);
  EXPECT_SAYS(unknown.err, "did you mean 'integrator'?");
  const Outcome misspelt =
      call(folder, {"compare", pendulum, "--across", "integrator=bdf|radu,coordinates=joints,formulation="});
  EXPECT_EQ(misspelt.code, 2);
  EXPECT_SAYS(
      misspelt.err,
      "--across integrator: error: there is no 'radu'; did you mean 'radau'? Allowed: 'auto', 'generalized_alpha'");
  EXPECT_SAYS(misspelt.err, "--across coordinates: error: there is no 'joints'; did you mean 'joint'?");
  EXPECT_SAYS(misspelt.err, "--across formulation: error: no value is given");
}

}  // namespace
}  // namespace trammel::test_studies
