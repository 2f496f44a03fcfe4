// SPDX-License-Identifier: Apache-2.0
#include <regex>

#include "program.h"
#include "trammel/base/version.h"

// What is refused, with which words and which exit code.

namespace trammel::test_refusals {
namespace {

using program::call;
using program::contains;
using program::Folder;
using program::lines_of;
using program::model_path;
using program::Outcome;
using program::read_text;

const std::string pendulum = model_path("pendulum.toml");

TEST(Refusals, of_a_model_name_every_place_and_close_with_a_count) {
  const Folder folder;
  std::filesystem::copy(model_path("two_mistakes.toml"), folder / "two_mistakes.toml");
  for (const char* command : {"run", "check"}) {
    const Outcome outcome = call(folder, {command, "two_mistakes.toml"});
    EXPECT_EQ(outcome.code, 2);
    EXPECT_EQ(outcome.out, "");
    const std::vector<std::string> lines = lines_of(outcome.err);
    ASSERT_EQ(lines.size(), 3u) << outcome.err;
    EXPECT_TRUE(std::regex_search(lines[0], std::regex(R"(^two_mistakes\.toml:5:8: error: .*mass.*-2)"))) << lines[0];
    EXPECT_TRUE(std::regex_search(lines[1], std::regex(R"(^two_mistakes\.toml:10:8: error: .*'revolute')")))
        << lines[1];
    EXPECT_EQ(lines[2], "2 errors in two_mistakes.toml");
  }
  EXPECT_FALSE(std::filesystem::exists(folder / "two_mistakes.h5"));
}

TEST(Refusals, of_settings_name_the_setting) {
  const Folder folder;
  const Outcome outcome = call(folder, {"run", pendulum, "--set", "solver.rtoll=1", "--set", "body.rd.mass=1"});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_SAYS(outcome.err, "--set solver.rtoll: error: ");
  EXPECT_SAYS(outcome.err, "did you mean 'rtol'?");
  EXPECT_SAYS(outcome.err, "--set body.rd.mass: error: there is no body 'rd'; did you mean 'rod'?");
  EXPECT_SAYS(outcome.err, "2 errors in ");
}

// A build without a library names the option that builds it; one with it runs.
TEST(Refusals, of_solvers_that_this_build_does_not_have_name_the_option) {
  const Folder folder;
  const std::pair<const char*, const char*> options[] = {{"mumps", "-DTRAMMEL_MUMPS=ON"},
                                                         {"petsc", "-DTRAMMEL_PETSC=ON"}};
  for (const auto& [word, option] : options) {
    const std::string setting = std::string("solver.linear_solver=") + word;
    const Outcome outcome = call(folder, {"run", pendulum, "--set", setting, "analysis.end=0.01"});
    if (outcome.code == 0) continue;
    EXPECT_EQ(outcome.code, 2) << outcome.err;
    EXPECT_TRUE(contains(outcome.err, "--set solver.linear_solver: error: ")) << outcome.err;
    EXPECT_TRUE(contains(outcome.err, option)) << outcome.err;
  }
  const Outcome outcome = call(folder, {"check", pendulum, "--set", "solver.krylov=gmres"});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_TRUE(contains(outcome.err, "belongs to linear_solver = \"petsc\"")) << outcome.err;
}

// Processes that cannot work together would write the same file; those of a sweep know what to do.
TEST(Refusals, of_several_processes_in_a_build_of_one_name_the_option) {
  const Folder folder;
  if (call(folder, {"check", pendulum, "--set", "solver.linear_solver=mumps"}).code == 0) GTEST_SKIP();
  setenv("OMPI_COMM_WORLD_SIZE", "2", 1);
  const Outcome run = call(folder, {"run", pendulum, "--set", "analysis.end=0.01"});
  const Outcome sweep = call(folder, {"sweep", pendulum, "--set", "body.rod.mass=1,2", "analysis.end=0.01"});
  unsetenv("OMPI_COMM_WORLD_SIZE");
  EXPECT_EQ(run.code, 2);
  EXPECT_TRUE(contains(run.err, "works in one process; configure it with -DTRAMMEL_MUMPS=ON")) << run.err;
  EXPECT_EQ(sweep.code, 0) << sweep.err;
}

TEST(Refusals, of_a_machine_that_cannot_run_name_the_model) {
  const Folder folder;
  const std::string four_bar = model_path("four_bar.toml");
  const Outcome run = call(folder, {"run", four_bar});
  EXPECT_EQ(run.code, 2);
  EXPECT_SAYS(run.err, four_bar + ": error: redundant constraint: ");
  EXPECT_SAYS(run.err, "redundant = \"drop\"");
  const Outcome check = call(folder, {"check", four_bar});
  EXPECT_EQ(check.code, 2);
  EXPECT_SAYS(check.out, "18 coordinates, 20 constraint rows of rank 17, 0 states: 1 degrees of freedom");
  const std::string found = check.out.substr(0, check.out.find("\nSettings"));
  EXPECT_SAYS(check.out, "hold the loop 3 times too often");  // as `run` says it
  EXPECT_SAYS(run.err, "hold the loop 3 times too often");
  int n_rows = 0;
  for (std::size_t at = found.find("\nredundant: "); at != std::string::npos; at = found.find("\nredundant: ", at + 1))
    ++n_rows;
  EXPECT_EQ(n_rows, 3) << check.out;  // and three redundant rows
  EXPECT_SAYS(check.out, "redundant: ");
  EXPECT_SAYS(check.out, "rocker");
  EXPECT_EQ(call(folder, {"check", four_bar, "--set", "solver.redundant=drop"}).code, 0);
  EXPECT_EQ(call(folder, {"run", four_bar, "--set", "solver.redundant=drop"}).code, 0);
}

TEST(Refusals, of_files_suggest_the_nearest_name) {
  const Folder folder;
  folder.write("crank.toml", "");
  for (const char* command : {"run", "check"}) {
    const Outcome outcome = call(folder, {command, "crnk.toml"});
    EXPECT_EQ(outcome.code, 4);
    EXPECT_EQ(outcome.err, "trammel: error: there is no file 'crnk.toml'; did you mean 'crank.toml'?\n");
  }
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"info", "no.h5"}, {"export", "no.h5", "--csv", "d"}, {"repair", "no.h5"}}) {
    const Outcome outcome = call(folder, words);
    EXPECT_EQ(outcome.code, 4);
    EXPECT_SAYS(outcome.err, "there is no file 'no.h5'");
  }
}

TEST(Refusals, of_foreign_files_leave_them_alone) {
  const Folder folder;
  folder.write("letter.txt", "Dear reader");
  const Outcome run = call(folder, {"run", pendulum, "--out", "letter.txt"});
  EXPECT_EQ(run.code, 4);
  EXPECT_SAYS(run.err, "not a results file");
  EXPECT_EQ(read_text(folder / "letter.txt"), "Dear reader");
  EXPECT_EQ(call(folder, {"run", pendulum, "--out", "no_such_folder/a.h5"}).code, 4);
  EXPECT_EQ(call(folder, {"info", "letter.txt"}).code, 4);
  EXPECT_EQ(call(folder, {"run", "letter.txt"}).code, 2);  // read, and found not to be a model
}

TEST(CommandLine, that_is_wrong_ends_with_2_and_a_hint) {
  const Folder folder;
  const std::vector<std::vector<std::string>> wrong{{},
                                                    {"rnu"},
                                                    {"run"},
                                                    {"run", pendulum, "--unknown"},
                                                    {"run", pendulum, "--progress-interval", "-1"},
                                                    {"run", pendulum, "--set"},
                                                    {"export", "a.h5"},
                                                    {"info", "a.h5", "b.h5"}};
  for (const std::vector<std::string>& words : wrong) {
    const Outcome outcome = call(folder, words);
    EXPECT_EQ(outcome.code, 2) << (words.empty() ? "" : words[0]);
    EXPECT_SAYS(outcome.err, "trammel: error: ");
    EXPECT_SAYS(outcome.err, "--help`");
    EXPECT_EQ(outcome.out, "");
  }
  EXPECT_SAYS(call(folder, {"rnu"}).err, "there is no command 'rnu'; did you mean 'run'?");
}

TEST(CommandLine, explains_itself) {
  const Folder folder;
  EXPECT_EQ(call(folder, {"--version"}).out, std::string("trammel ") + version() + "\n");
  for (const std::vector<std::string>& words : {std::vector<std::string>{"--help"},
                                                {"run", "--help"},
                                                {"check", "-h"},
                                                {"info", "--help"},
                                                {"export", "--help"},
                                                {"repair", "--help"}}) {
    const Outcome outcome = call(folder, words);
    EXPECT_EQ(outcome.code, 0) << words[0];
    EXPECT_EQ(outcome.err, "");
    EXPECT_SAYS(outcome.out, "Usage: trammel");
    EXPECT_SAYS(outcome.out, "Example");
  }
}

}  // namespace
}  // namespace trammel::test_refusals
