// SPDX-License-Identifier: Apache-2.0
#include <sys/resource.h>

#include <csignal>
#include <functional>

#include "program.h"
#include "support/limits.h"
#include "trammel/io/results_reader.h"

// What no machine needs and every file can hold: chains without end, counts beyond memory, outputs beyond any disk.
// Limits are stated, met before work begins, and can be raised where somebody may want to.

namespace trammel::test_limits {

struct Limit {
  std::string name, model;
  int code;
  std::vector<std::string> words;
};

namespace {

using program::call;
using program::Child;
using program::contains;
using program::Folder;
using program::Outcome;

const std::string particle = "[[body]]\nname = \"a\"\nkind = \"particle\"\nmass = 1\n[analysis]\nend = 0.01\n";

std::string repeat_text(int n, const std::function<std::string(int)>& text) {
  std::string all;
  for (int i = 0; i < n; ++i) all += text(i);
  return all;
}

std::string joined_key(int parts) {
  return repeat_text(parts - 1, [](int) { return "a."; }) + "a";
}

std::string measures(int n) {
  return repeat_text(n,
                     [](int i) {
                       return "[[measure]]\nname = \"m" + std::to_string(i) + "\"\nexpression = \"m" +
                              std::to_string(i + 1) + " + 1\"\n";
                     }) +
         "[[measure]]\nname = \"m" + std::to_string(n) + "\"\nexpression = \"t\"\n";
}

std::string parameters(int n, const std::string& last) {
  return "[parameters]\n" +
         repeat_text(n, [](int i) { return "p" + std::to_string(i) + " = \"p" + std::to_string(i + 1) + " + 1\"\n"; }) +
         "p" + std::to_string(n) + " = " + last + "\n";
}

std::string nested_repeats(int count) {
  const std::string n = std::to_string(count);
  return "[[repeat]]\ncount = " + n + "\nindex = \"i\"\n[[repeat.repeat]]\ncount = " + n +
         "\nindex = \"j\"\n[[repeat.repeat.body]]\nname = \"b{i}_{j}\"\nkind = \"particle\"\nmass = 1\n";
}

}  // namespace

class Limits : public ::testing::TestWithParam<Limit> {};

// 10 s of processor time are a hundred times what any of these takes, and a gigabyte ten times: a hang or a hunger is a
// failure, not a wait.
TEST_P(Limits, are_answered_by_name) {
  const Folder folder;
  folder.write("m.toml", GetParam().model);
  const pid_t child = fork();
  if (child == 0) {
    const rlimit time{10, 10}, space{4ULL << 30, 4ULL << 30}, size{1ULL << 28, 1ULL << 28};
    setrlimit(RLIMIT_CPU, &time);
    test_support::limit_memory(space);
    setrlimit(RLIMIT_FSIZE, &size);
    const int err = open((folder / "err.txt").c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
    if (dup2(err, STDERR_FILENO) < 0) _exit(98);
    Child::exec(folder, {"run", "m.toml", "--quiet"});
  }
  const int code = program::wait_for(child);
  const std::string said = program::read_text(folder / "err.txt");
  EXPECT_EQ(code, GetParam().code) << said.substr(0, 2000);
  for (const std::string& word : GetParam().words) EXPECT_SAYS(said.substr(0, 4000), word);
}

INSTANTIATE_TEST_SUITE_P(
    Input, Limits,
    ::testing::Values(
        Limit{"chain_of_parameters", parameters(20000, "1") + particle, 0, {}},
        Limit{"circle_of_parameters", parameters(3000, "\"p0\"") + particle, 2, {"in a circle"}},
        Limit{"chain_of_measures", particle + measures(900), 0, {}},
        Limit{"long_chain_of_measures", particle + measures(20000), 2, {"more than 1000 deep"}},
        Limit{"key", joined_key(40000) + " = 1\n" + particle, 2, {"m.toml:1:1", "more than 32 parts"}},
        Limit{"heading", particle + "[" + joined_key(40000) + "]\n", 2, {"m.toml:7:1", "more than 32 parts"}},
        Limit{"quoted_key", repeat_text(40000, [](int) { return "'a' . "; }) + "b = 1\n" + particle, 2, {"32 parts"}},
        Limit{"numbers_are_no_keys",
              "[parameters]\nlist = \"" + repeat_text(50, [](int) { return "1.5 + "; }) + "0.5\"\n# " +
                  joined_key(100) + "\n" + particle,
              0,
              {}},
        Limit{"folder", "[[include]]\nfile = \".\"\n" + particle, 2, {"'.' cannot be read: it is a directory"}},
        Limit{"stream", "[[include]]\nfile = \"/dev/zero\"\n" + particle, 2, {"does not end within 64 MB"}},
        Limit{"repeats", nested_repeats(100000) + particle, 2, {"this makes 1e+10 elements", "'max_elements'"}},
        Limit{"raised", "max_elements = 20\n" + nested_repeats(5) + particle, 2, {"25 elements", "at most 20"}},
        Limit{"beam",
              "[[beam]]\nname = \"b\"\npoints = [[0, 0, 0], [1, 0, 0]]\nelements = 1e9\nsection = { kind = \"circle\", "
              "radius = 0.01 }\nmaterial = { young = 1e9, poisson = 0.3, density = 1000 }\n" +
                  particle,
              2,
              {"beam 'b'", "1e+09 elements", "'max_elements'"}},
        Limit{"pieces_of_a_beam",
              "[[beam]]\nname = \"b\"\npoints = [[0, 0, 0], [1, 0, 0], [2, 1, 0]]\nelements = [1, 1e300]\nsection = { "
              "kind "
              "= \"circle\", radius = 0.01 }\nmaterial = { young = 1e9, poisson = 0.3, density = 1000 }\n" +
                  particle,
              2,
              {"'elements' contains 1e+300"}},
        Limit{"track",
              "[[track]]\nname = \"line\"\nkind = \"s_curve\"\nto = 1e9\nlength = 9\n" + particle,
              2,
              {"track 'line'", "1e+09 m long"}},
        Limit{"includes_itself_twice",
              "[[repeat]]\ncount = 9000000\n[[repeat.repeat]]\nindex = \"j\"\ncount = \"i + 1\"\n" + particle,
              2,
              {"'max_elements'"}},
        Limit{"interval", particle + "[output]\ninterval = 1e-15\n", 2, {"1e+13 frames of", "'max_size'"}},
        Limit{"interval_of_every_kind", particle + "kind = \"kinematics\"\n[output]\ninterval = 1e-18\n", 2, {}},
        Limit{"end", particle + "[solver]\nh = 1e-3\n", 0, {}},
        Limit{"far_end",
              "[[body]]\nname = \"a\"\nkind = \"particle\"\nmass = 1\n[analysis]\nend = 1e300\n[solver]\nh = 1e-3\n",
              2,
              {"more than time can count"}},
        Limit{"empty", "", 2, {"nothing moves"}},
        Limit{"empty_with_end", "[analysis]\nend = 1\n", 2, {"nothing moves"}},
        Limit{"corrections",
              particle + "[solver]\nintegrator = \"generalized_alpha\"\nrecord_corrections = true\nmax_iterations = "
                         "2000000000\n",
              2,
              {"record_corrections", "above 10000"}}),
    [](const auto& tried) { return tried.param.name; });

TEST(LimitsBeyond, of_settings_on_the_command_line_are_the_same) {
  const Folder folder;
  folder.write("m.toml", particle);
  const Outcome out = call(folder, {"check", "m.toml", "--set", joined_key(20000) + "=1"});
  EXPECT_EQ(out.code, 2);
  EXPECT_SAYS(out.err, "the key has 20000 parts; at most 32 are read");
}

TEST(LimitsBeyond, can_be_raised) {
  const Folder folder;
  folder.write("m.toml", particle + "[output]\ninterval = 1e-5\nmax_size = 1e4\n");
  EXPECT_EQ(call(folder, {"run", "m.toml", "--quiet"}).code, 2);
  EXPECT_EQ(call(folder, {"run", "m.toml", "--quiet", "--set", "output.max_size=1e9"}).code, 0);
  folder.write("n.toml", "max_elements = 20\n" + nested_repeats(5) + particle);
  EXPECT_EQ(call(folder, {"run", "n.toml", "--quiet"}).code, 2);
  EXPECT_EQ(call(folder, {"run", "n.toml", "--quiet", "--set", "max_elements=100"}).code, 0);
}

// One step of a free particle may hold all frames of the run: a signal is heard among them.
TEST(LimitsBeyond, of_patience_are_met_among_the_frames_of_one_step) {
  const Folder folder;
  folder.write("m.toml", particle + "[output]\ninterval = 1e-11\n");
  Child child(folder, {"run", "m.toml", "--progress-interval", "0"});
  ASSERT_TRUE(child.wait_for_text(" frames written"));
  child.send(SIGTERM);
  EXPECT_EQ(child.end(), 143);
  const ResultsReader reader(folder / "m.h5");
  EXPECT_EQ(reader.state(), ResultsState::closed);
  EXPECT_LT(reader.times().back(), 0.01);
}

TEST(LimitsBeyond, of_memory_are_called_by_their_name) {
  if (!test_support::memory_can_be_limited) return;
  const Folder folder;
  folder.write("m.toml", nested_repeats(300) + particle);
  const pid_t child = fork();
  if (child == 0) {
    const rlimit space{120 << 20, 120 << 20};
    test_support::limit_memory(space);
    const int err = open((folder / "err.txt").c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
    if (dup2(err, STDERR_FILENO) < 0) _exit(98);
    Child::exec(folder, {"check", "m.toml"});
  }
  EXPECT_EQ(program::wait_for(child), 3);
  EXPECT_SAYS(program::read_text(folder / "err.txt"), "memory of this machine");
}

}  // namespace trammel::test_limits
