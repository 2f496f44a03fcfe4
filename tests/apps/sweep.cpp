// SPDX-License-Identifier: Apache-2.0
#include <sched.h>

#include <csignal>
#include <thread>

#include "program.h"
#include "trammel/io/results_reader.h"

// `trammel sweep` under what happens to programs: files that change, folders that are shared, signals, damage.

namespace trammel::test_sweep {
namespace {

using program::call;
using program::Child;
using program::Folder;
using program::lines_of;
using program::model_path;
using program::Outcome;
using program::read_text;

const std::string pendulum = model_path("pendulum.toml");

// A model that is made of three files.
std::string write_model(const Folder& folder, double length, double moment) {
  std::filesystem::create_directories(folder / "parts");
  folder.write("parts/arm.toml", "[[body]]\nname = \"arm\"\nmass = 1\nshape = { kind = \"rod\", length = " +
                                     std::to_string(length) + ", axis = \"x\" }\n");
  folder.write("parts/moment.csv", "t,m\n0," + std::to_string(moment) + "\n1," + std::to_string(moment) + "\n2," +
                                       std::to_string(moment) + "\n");
  return folder.write("machine.toml", R"toml(
[[include]]
file = "parts/arm.toml"
[parameters]
c = 1
[[joint]]
name = "hinge"
kind = "revolute"
bodies = ["ground", "arm"]
point = [0, 0, 0]
axis = "y"
[[table]]
name = "moment"
file = "parts/moment.csv"
[[force]]
name = "drive"
kind = "torque"
body = "arm"
torque = [0, "c*table(moment, t)", 0]
[[measure]]
name = "angle"
expression = "hinge.angle"
[analysis]
end = 0.1
[solver]
h = 0.01
)toml");
}

std::string angle_of(const Folder& folder, int line) {
  const std::string text = lines_of(read_text(folder / "s/cases.csv")).at(static_cast<std::size_t>(line));
  const std::size_t last = text.rfind(','), before = text.rfind(',', last - 1), third = text.rfind(',', before - 1);
  return text.substr(third + 1, before - third - 1);
}

TEST(Sweep, runs_again_what_any_file_of_the_model_changed) {
  const Folder folder;
  const std::string model = write_model(folder, 1.0, 1.0);
  const std::vector<std::string> words{"sweep", model, "--set", "parameters.c=1,2", "--out", "s"};
  const auto done_before = [&] {
    const Outcome out = call(folder, words);
    EXPECT_EQ(out.code, 0) << out.err;
    return program::contains(out.err, "2 of them done before");
  };
  EXPECT_FALSE(done_before());
  const std::string first = angle_of(folder, 1);
  EXPECT_TRUE(done_before());
  write_model(folder, 2.0, 1.0);  // an included part
  EXPECT_FALSE(done_before());
  const std::string second = angle_of(folder, 1);
  EXPECT_NE(second, first);
  write_model(folder, 2.0, 3.0);  // a table
  EXPECT_FALSE(done_before());
  EXPECT_NE(angle_of(folder, 1), second);
  EXPECT_TRUE(done_before());
}

TEST(Sweep, writes_a_page_of_itself_and_of_its_cases_anew_where_results_are_younger) {
  const Folder folder;
  const std::vector<std::string> words{"sweep", pendulum, "--set", "analysis.end=0.1,0.2", "-o", "study", "--report"};
  const Outcome first = call(folder, words);
  ASSERT_EQ(first.code, 0) << first.err;
  EXPECT_SAYS(first.out, "Report: study/cases.html");
  const std::string page = read_text(folder / "study/cases.html");
  EXPECT_SAYS(page, "id=\"sweep\"");
  EXPECT_SAYS(page, "\"page\":\"case_0002.html\"");
  const auto written = std::filesystem::last_write_time(folder / "study/case_0001.html");
  ASSERT_EQ(call(folder, words).code, 0);
  EXPECT_EQ(std::filesystem::last_write_time(folder / "study/case_0001.html"), written) << "nothing changed";
  std::filesystem::remove(folder / "study/case_0001.h5");
  ASSERT_EQ(call(folder, words).code, 0);
  EXPECT_GT(std::filesystem::last_write_time(folder / "study/case_0001.html"), written);
}

TEST(Sweep, knows_what_is_done_wherever_it_is_called_from) {
  const Folder folder;
  const std::string model = write_model(folder, 1.0, 1.0), here = folder.path().string();
  ASSERT_EQ(call(folder, {"sweep", model, "--set", "parameters.c=1,2", "--out", "s"}).code, 0);
  std::filesystem::create_directories(folder / "deeper");
  const Folder elsewhere;
  for (const auto& [start, name, out] : std::vector<std::tuple<const Folder*, std::string, std::string>>{
           {&elsewhere, here + "/machine.toml", here + "/s"},
           {&folder, "./deeper/../machine.toml", "s"},
           {&folder, here + "/machine.toml", "./s"}}) {
    const Outcome again = call(*start, {"sweep", name, "--set", "parameters.c=1,2", "--out", out});
    EXPECT_EQ(again.code, 0) << again.err;
    EXPECT_SAYS(again.err, "2 of them done before");
  }
}

TEST(Sweep, gives_no_numbers_of_an_older_sweep_to_a_case_that_was_refused_or_recorded_nothing) {
  const Folder folder;
  ASSERT_EQ(call(folder, {"sweep", pendulum, "--set", "body.rod.mass=1,2,3", "--out", "s"}).code, 0);
  ASSERT_EQ(call(folder, {"sweep", pendulum, "--set", "body.rod.mass=1,-1,3", "--out", "s"}).code, 3);
  const std::vector<std::string> lines = lines_of(read_text(folder / "s/cases.csv"));
  EXPECT_EQ(lines[2], "2,-1,refused");
  EXPECT_SAYS(lines[3], "reached the end");
}

TEST(Sweep, survives_a_damaged_case_and_files_of_others) {
  const Folder folder;
  const std::vector<std::string> words{"sweep", pendulum, "--set", "body.rod.mass=1,2,3", "--out", "s"};
  ASSERT_EQ(call(folder, words).code, 0);
  folder.write("s/case_0001.h5", "these are not results\n");
  std::filesystem::resize_file(folder / "s/case_0002.h5", 3000);
  std::filesystem::remove(folder / "s/case_0003.h5");
  std::filesystem::create_directory(folder / "s/case_0003.h5");
  const Outcome out = call(folder, words);
  EXPECT_EQ(out.code, 3) << out.err;
  EXPECT_EQ(read_text(folder / "s/case_0001.h5"), "these are not results\n");
  EXPECT_EQ(ResultsReader(folder / "s/case_0002.h5").n_frames(), 51);
  const std::vector<std::string> lines = lines_of(read_text(folder / "s/cases.csv"));
  ASSERT_EQ(lines.size(), 4U);
  EXPECT_SAYS(lines[1], "1,1,unreadable: ");
  EXPECT_SAYS(lines[2], "reached the end");
  EXPECT_SAYS(lines[3], "3,3,unreadable: ");
}

TEST(Sweep, works_alone_in_its_folder) {
  const Folder folder;
  Child first(folder, {"sweep", pendulum, "--set", "analysis.end=1e6,2e6", "--out", "s"});
  ASSERT_TRUE(first.wait_for_text("2 cases"));
  const Outcome second = call(folder, {"sweep", pendulum, "--set", "body.rod.mass=1,2", "--out", "s"});
  EXPECT_EQ(second.code, 4);
  EXPECT_SAYS(second.err, "another sweep is at work in 's'");
  first.send(SIGTERM);
  EXPECT_EQ(first.end(), 143);
}

// The runs of a sweep that is told to end, or killed, end as well, with results closed.
TEST(Sweep, takes_its_runs_with_it) {
  for (const int signal : {SIGTERM, SIGINT, SIGHUP, SIGKILL}) {
    const Folder folder;
    Child sweep(folder, {"sweep", pendulum, "--jobs", "2", "--set", "analysis.end=1e6,2e6,3e6",
                         "output.flush_every_frame=true", "--out", "s"});
    for (const char* name : {"s/case_0001.h5", "s/case_0002.h5"})
      while (!std::filesystem::exists(folder / name)) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    sweep.send(signal);
    EXPECT_EQ(sweep.end(), signal == SIGKILL ? -SIGKILL : 128 + signal);  // reads until all runs have closed stderr
    for (const char* name : {"s/case_0001.h5", "s/case_0002.h5"})
      EXPECT_EQ(ResultsReader(folder / name).state(), ResultsState::closed) << name << " after " << signal;
    if (signal == SIGKILL) continue;
    EXPECT_SAYS(lines_of(read_text(folder / "s/cases.csv"))[1], "stopped on request");
    EXPECT_EQ(lines_of(read_text(folder / "s/cases.csv"))[3], "3,3e6,true,not run");
  }
}

TEST(Sweep, ends_also_when_ends_of_children_are_ignored) {
  const Folder folder;
  struct sigaction ignore {
  }, before{};
  ignore.sa_handler = SIG_IGN;
  sigaction(SIGCHLD, &ignore, &before);
  Child sweep(folder, {"sweep", pendulum, "--set", "body.rod.mass=1,2", "--out", "s"});
  sigaction(SIGCHLD, &before, nullptr);
  EXPECT_EQ(sweep.end(), 0);
  EXPECT_EQ(ResultsReader(folder / "s/case_0002.h5").n_frames(), 51);
}

TEST(Sweep, counts_its_cases_before_it_makes_them) {
  const Folder folder;
  const Outcome many = call(folder, {"sweep", pendulum, "--set", "body.rod.mass=1:2:10000", "solver.h=1e-3:2e-3:10000",
                                     "gravity=[0,0,-1]", "analysis.end=1:2:10000"});
  EXPECT_EQ(many.code, 2);
  EXPECT_SAYS(many.err, "these are 1e+12 cases: 10000 (body.rod.mass) x 10000 (solver.h) x 10000 (analysis.end)");
  EXPECT_SAYS(many.err, "--max-cases");
  EXPECT_EQ(call(folder, {"sweep", pendulum, "--set", "body.rod.mass=1:2:1e12"}).code, 2);
  EXPECT_EQ(call(folder, {"sweep", pendulum, "--set", "body.rod.mass=1,2,3", "--max-cases", "2"}).code, 2);
  EXPECT_EQ(call(folder, {"sweep", pendulum, "--set", "body.rod.mass=1,2,3", "--max-cases", "3"}).code, 0);
}

TEST(Sweep, runs_as_many_at_a_time_as_it_may_use_cores) {
  const Folder folder;
  cpu_set_t before, one;
  ASSERT_EQ(sched_getaffinity(0, sizeof before, &before), 0);
  CPU_ZERO(&one);
  for (int i = 0; i < CPU_SETSIZE && CPU_COUNT(&one) == 0; ++i)
    if (CPU_ISSET(i, &before)) CPU_SET(i, &one);
  ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
  const Outcome out = call(folder, {"sweep", pendulum, "--set", "body.rod.mass=1,2"});
  sched_setaffinity(0, sizeof before, &before);
  EXPECT_SAYS(out.err, "2 cases, 1 at a time");
}

}  // namespace
}  // namespace trammel::test_sweep
