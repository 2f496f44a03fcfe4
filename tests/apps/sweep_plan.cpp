// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <csignal>
#include <sstream>
#include <thread>

#include "program.h"

// `trammel sweep` in parts: plan, cases by several processes, and collect; and what is drawn.

namespace trammel::test_sweep_plan {
namespace {

using program::call;
using program::Child;
using program::Folder;
using program::lines_of;
using program::model_path;
using program::Outcome;
using program::read_text;

const std::string pendulum = model_path("pendulum.toml");

/// The fields of the cases of a plan, without their numbers.
std::vector<std::vector<std::string>> cases_of(const Folder& folder) {
  std::vector<std::vector<std::string>> cases;
  bool begun = false;
  for (const std::string& line : lines_of(read_text(folder / "plan/plan.txt"))) {
    std::vector<std::string> fields;
    std::istringstream stream(line);
    for (std::string field; std::getline(stream, field, '\t');) fields.push_back(field);
    if (begun) cases.emplace_back(fields.begin() + 1, fields.end());
    begun = begun || (!fields.empty() && fields.front() == "case");
  }
  return cases;
}

std::vector<double> draw(const std::string& law, int n, const std::vector<std::string>& more = {}) {
  const Folder folder;
  std::vector<std::string> words{"sweep",     pendulum,          "--set",  "body.rod.mass=" + law,
                                 "--samples", std::to_string(n), "--plan", "plan"};
  words.insert(words.end(), more.begin(), more.end());
  const Outcome out = call(folder, words);
  EXPECT_EQ(out.code, 0) << out.err;
  std::vector<double> values;
  for (const auto& one : cases_of(folder)) values.push_back(std::stod(one.at(0)));
  return values;
}

TEST(SweepSamples, of_a_latin_hypercube_have_one_value_in_each_part_of_equal_probability) {
  constexpr int n = 200;
  const auto expect_one_each = [](std::vector<double> p) {
    std::sort(p.begin(), p.end());
    for (int i = 0; i < n; ++i) {
      EXPECT_GE(p[static_cast<std::size_t>(i)] * n, i - 1e-9);
      EXPECT_LE(p[static_cast<std::size_t>(i)] * n, i + 1 + 1e-9);
    }
  };
  std::vector<double> p = draw("uniform(1,3)", n);
  ASSERT_EQ(p.size(), static_cast<std::size_t>(n));
  EXPECT_FALSE(std::is_sorted(p.begin(), p.end()));
  for (double& x : p) x = (x - 1.0) / 2.0;
  expect_one_each(p);
  p = draw("log_uniform(1,100)", n);
  for (double& x : p) x = std::log10(x) / 2.0;
  expect_one_each(p);
  p = draw("normal(5,0.5)", n);
  for (double& x : p) x = 0.5 * std::erfc(-(x - 5.0) / (0.5 * std::sqrt(2.0)));
  expect_one_each(p);
}

TEST(SweepSamples, are_those_of_their_seed) {
  EXPECT_EQ(draw("uniform(1,2)", 5), draw("uniform(1,2)", 5, {"--seed", "1"}));
  EXPECT_NE(draw("uniform(1,2)", 5), draw("uniform(1,2)", 5, {"--seed", "2"}));
  // Independent ones: the mean of 2000 is off by 1/√(12·2000) = 0.0065, as a rule.
  const std::vector<double> many = draw("uniform(1,2)", 2000, {"--independent"});
  double sum = 0.0;
  for (const double x : many) sum += x;
  EXPECT_NEAR(sum / 2000.0, 1.5, 0.026);
  EXPECT_GT(std::abs(sum / 2000.0 - 1.5), 1e-5);
}

TEST(SweepSamples, combine_with_values_and_lists) {
  const Folder folder;
  folder.write("cases.csv", "parameters.c, solver.h\n1, 1e-3\n\n\"2\",2e-3\n");
  folder.write("m.toml",
               "[parameters]\nc = 1\nd = 1\n[[body]]\nname = \"b\"\nmass = \"c\"\ninertia = [1, 1, 1]\n"
               "[analysis]\nend = 0.1\n");
  const Outcome out = call(folder, {"sweep", "m.toml", "--list", "cases.csv", "--set", "parameters.d=uniform(1,2)",
                                    "--set", "gravity=[0,0,-9.81]", "--samples", "3", "--plan", "plan"});
  ASSERT_EQ(out.code, 0) << out.err;
  const auto cases = cases_of(folder);
  ASSERT_EQ(cases.size(), 6u);
  EXPECT_EQ(cases[0][0], "[0,0,-9.81]");
  EXPECT_EQ(cases[2][1], "1");
  EXPECT_EQ(cases[3][1], "2");
  EXPECT_EQ(cases[3][2], "2e-3");
  EXPECT_EQ(cases[0][3], cases[3][3]) << "the same samples for every line";
}

TEST(SweepSamples, that_cannot_be_drawn_are_refused) {
  const Folder folder;
  const auto refusal = [&](const std::vector<std::string>& more) {
    std::vector<std::string> words{"sweep", pendulum};
    words.insert(words.end(), more.begin(), more.end());
    const Outcome out = call(folder, words);
    EXPECT_EQ(out.code, 2) << out.err;
    return out.err;
  };
  EXPECT_SAYS(refusal({"--set", "body.rod.mass=uniform(1,2)"}), "--samples says how often");
  EXPECT_SAYS(refusal({"--set", "body.rod.mass=1,2", "--samples", "3"}), "belongs to settings that are drawn");
  EXPECT_SAYS(refusal({"--set", "body.rod.mass=uniform(2,1)", "--samples", "3"}), "a smaller and a larger number");
  EXPECT_SAYS(refusal({"--set", "body.rod.mass=normal(2,0)", "--samples", "3"}), "standard deviation above 0");
  EXPECT_SAYS(refusal({"--set", "body.rod.mass=log_uniform(-1,2)", "--samples", "3"}), "numbers above 0");
  EXPECT_SAYS(refusal({"--set", "body.rod.mass=1", "--set", "body.rod.mass=2"}), "'body.rod.mass' is given twice");
  EXPECT_SAYS(refusal({"--set", "body.rod.mass=uniform(1,2)", "--samples", "3", "--max-cases", "2"}), "at most 2");
  folder.write("cases.csv", "body.rod.mass,solver.h\n1,2,3\n");
  EXPECT_SAYS(refusal({"--list", "cases.csv"}), "cases.csv:2: 3 values for 2 settings");
}

// ---- plan, cases, collect ------------------------------------------------------------------------------------------

std::string table_of(const Folder& folder) { return read_text(folder / "plan/cases.csv"); }

TEST(SweepPlan, is_run_in_parts_by_processes_of_which_one_is_killed_and_collected_whole) {
  const Folder folder;
  const std::string model = folder.write("machine.toml", R"toml(
gravity = [0, 0, -9.81]
[parameters]
m = 1
[[body]]
name = "arm"
mass = "m"
position = [0.5, 0, 0]
shape = { kind = "rod", length = 1, axis = "x" }
[[joint]]
name = "hinge"
kind = "revolute"
bodies = ["ground", "arm"]
point = [0, 0, 0]
axis = "y"
[[measure]]
name = "angle"
expression = "m*hinge.angle"
[analysis]
end = "if(m < 2, 40, 5)"  # the first case goes on while others look at it
[solver]
integrator = "generalized_alpha"
h = 1e-4
[output]
interval = 1
)toml");
  ASSERT_EQ(call(folder, {"sweep", "machine.toml", "--set", "parameters.m=1,2,3,-1,5,6", "--plan", "plan"}).code, 0);
  ASSERT_EQ(call(folder, {"sweep", "machine.toml", "--set", "parameters.m=1,2,3,-1,5,6", "--plan", "plan"}).code, 0)
      << "the same plan again";
  EXPECT_EQ(lines_of(read_text(folder / "plan/plan.txt")).size(), 12u);

  {
    Child killed(folder, {"sweep", "--case", "1-3", "plan", "--jobs", "1"});
    while (!std::filesystem::exists(folder / "plan/case_0001.h5"))
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    const Outcome other = call(folder, {"sweep", "--case", "1", "plan"});
    EXPECT_EQ(other.code, 0) << other.err;
    EXPECT_SAYS(other.err, "[1/6] parameters.m=1: another process is at work on it");
    const Outcome meanwhile = call(folder, {"sweep", "--collect", "plan"});
    EXPECT_EQ(meanwhile.code, 3);
    EXPECT_SAYS(table_of(folder), "1,1,under way\n2,2,not run\n");
    killed.send(SIGKILL);
    EXPECT_EQ(killed.end(), -SIGKILL);
  }
  Child first(folder, {"sweep", "--case", "1-4", "plan", "--jobs", "1"});
  Child second(folder, {"sweep", "--case", "3-6", "plan", "--jobs", "1"});
  first.end(), second.end();
  ASSERT_EQ(call(folder, {"sweep", "--case", "1-6", "plan"}).code, 3) << "whatever the kill left";
  const Outcome collected = call(folder, {"sweep", "--collect", "plan"});
  EXPECT_EQ(collected.code, 3);
  EXPECT_SAYS(collected.out, "plan/cases.csv: 6 cases, 1 failed: 4\n");
  const std::vector<std::string> lines = lines_of(table_of(folder));
  ASSERT_EQ(lines.size(), 7u);
  EXPECT_SAYS(lines[1], "\"reached the end, t = 40 s\",400000,");
  for (const std::size_t i : {2u, 3u, 5u, 6u}) EXPECT_SAYS(lines[i], "\"reached the end, t = 5 s\",50000,");
  EXPECT_SAYS(lines[4], "4,-1,refused");
  // Killed, gone on with or not: numbers are those of a run of its own.
  ASSERT_EQ(call(folder, {"sweep", "machine.toml", "--set", "parameters.m=1,2,3", "--out", "plain"}).code, 0);
  const std::vector<std::string> plain = lines_of(read_text(folder / "plain/cases.csv"));
  const auto angle = [](const std::string& line) {  // its last, smallest and largest value: the last three columns
    std::size_t at = line.size();
    for (int i = 0; i < 3; ++i) at = line.rfind(',', at - 1);
    return line.substr(at);
  };
  for (const std::size_t i : {1u, 2u, 3u}) EXPECT_EQ(angle(lines[i]), angle(plain[i]));
}

TEST(SweepPlan, is_refused_by_name_where_it_does_not_fit) {
  const Folder folder;
  std::filesystem::create_directories(folder / "empty");
  const auto message = [&](const std::vector<std::string>& words, int code) {
    const Outcome out = call(folder, words);
    EXPECT_EQ(out.code, code) << out.err;
    return out.err;
  };
  folder.write("m.toml",
               "[parameters]\nc = 1\n[[body]]\nname = \"b\"\nmass = \"c\"\ninertia = [1, 1, 1]\n"
               "[analysis]\nend = 0.1\n");
  const std::vector<std::string> plan{"sweep", "m.toml", "--set", "parameters.c=1,2", "--plan", "plan"};
  EXPECT_SAYS(message({"sweep", "--case", "1", "empty"}, 4), "'empty' is not the folder of a plan");
  EXPECT_SAYS(message({"sweep", "--collect", "nowhere"}, 4), "'nowhere' is not the folder of a plan");
  EXPECT_SAYS(message({"sweep", "m.toml", "--set", "parameters.d=1", "--plan", "plan"}, 2), "d");
  ASSERT_EQ(call(folder, plan).code, 0);
  for (const char* range : {"0", "3", "2-1", "1-3", "x", "1-", "-1"})
    EXPECT_SAYS(message({"sweep", "--case=" + std::string(range), "plan"}, 2), "from 1 to 2");
  EXPECT_SAYS(message({"sweep", "m.toml", "--set", "parameters.c=1,3", "--plan", "plan"}, 2), "another plan in 'plan'");
  EXPECT_SAYS(message({"sweep", "m.toml", "--set", "parameters.c=1,3", "--out", "plan"}, 2), "is the folder of a plan");
  EXPECT_SAYS(message({"sweep", "--case", "1", "plan", "--set", "parameters.c=1"}, 2), "belong to a model");
  EXPECT_SAYS(message({"sweep", "--slurm", "cancel", "plan"}, 2), "was submitted");

  const std::string whole = read_text(folder / "plan/plan.txt");
  const auto damaged = [&](const std::string& from, const std::string& to) {
    std::string text = whole;
    text.replace(text.find(from), from.size(), to);
    folder.write("plan/plan.txt", text);
    return message({"sweep", "--case", "1", "plan"}, 2);
  };
  EXPECT_SAYS(damaged("version\t", "version\t9"), "plan.txt:2: Trammel 9");
  EXPECT_SAYS(damaged("plan of", "list of"), "plan.txt:1: this is no plan of a sweep");
  EXPECT_SAYS(damaged("cases\t2", "cases\t5"), "the plan ends after 2 of 5 cases");
  EXPECT_SAYS(damaged("2\t2\n", "2\n"), "case 2 is expected, with 1 values");
  folder.write("plan/plan.txt", whole);
  folder.write("m.toml", read_text(folder / "m.toml") + "# changed\n");
  EXPECT_SAYS(message({"sweep", "--case", "1", "plan"}, 2), "this changed: m.toml");
}

TEST(SweepPlan, says_that_there_is_no_scheduler) {
  const Folder folder;
  ASSERT_EQ(call(folder, {"sweep", pendulum, "--set", "body.rod.mass=1,2", "--plan", "plan"}).code, 0);
  const std::string path = std::getenv("PATH");
  setenv("PATH", (folder / "nothing").c_str(), 1);
  const Outcome out = call(folder, {"sweep", "--slurm", "submit", "plan"});
  setenv("PATH", path.c_str(), 1);
  EXPECT_EQ(out.code, 4);
  EXPECT_SAYS(out.err, "Slurm is not here: 'sbatch' is not found");
  EXPECT_FALSE(std::filesystem::exists(folder / "plan/slurm_job.sh"));
}

}  // namespace
}  // namespace trammel::test_sweep_plan
