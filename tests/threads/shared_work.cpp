// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "places.h"
#include "support/resumed_runs.h"
#include "trammel/base/threads.h"
#include "trammel/io/model_reader.h"
#include "trammel/simulation/simulation.h"

// Large machines share their work among threads: every number of every frame and step, and all that the summary says,
// are those of one thread. `./dev test --sanitize=thread` looks for races in them.

namespace trammel::test_shared_work {
namespace {

using resumed_runs::find_difference;
using resumed_runs::Kept;
using resumed_runs::Record;

struct Machine {
  const char* name;
  std::string text;
  std::vector<std::string> settings;
};

std::string model(const char* name) { return (places::source_dir() / "examples" / "models" / name).string(); }

constexpr const char* beam = R"(
gravity = [0, 0, -9.81]
[[beam]]
name = "arm"
points = [[0, 0, 0], [10, 0, 0]]
elements = 2100
section = { kind = "tube", radius = 0.02, inner_radius = 0.017 }
material = { young = 70e9, density = 2700 }
damping = 1e-4
[[joint]]
name = "clamp"
kind = "fixed"
bodies = ["ground", "arm_0"]
point = [0, 0, 0]
[analysis]
end = 3e-4
[solver]
integrator = "generalized_alpha"
h = 1e-4
)";

// 729 bodies that are about to touch and move at random: balls, and a capsule in every eighth place, so that pairs of
// balls and others are enough to be shared; explicit steps.
std::string heap() {
  constexpr int n = 9;
  constexpr double radius = 0.05, pitch = 2.01 * radius;
  std::string text = "gravity = [0, 0, -9.81]\n[[geometry]]\nname = \"floor\"\nkind = \"plane\"\ngroup = \"all\"\n";
  for (int b = 0; b < n * n * n; ++b) {
    const int i = b % n, j = b / n % n, k = b / (n * n);
    text += fmt::format(
        "[[body]]\nname = \"b{0}\"\nposition = [{1}, {2}, {3}]\nvelocity = [{4}, {5}, {6}]\n[[geometry]]\nbody = "
        "\"b{0}\"\n{7}\nradius = {8}\ndensity = 1000\ngroup = \"all\"\n",
        b, pitch * i, pitch * j, radius * 1.01 + pitch * k, 0.3 * std::sin(7.0 * b), 0.3 * std::cos(5.0 * b),
        0.3 * std::sin(3.0 * b), b % 8 == 0 ? "kind = \"capsule\"\nlength = 0.01" : "kind = \"sphere\"", radius);
  }
  return text + R"(
[[contact]]
name = "touch"
among = ["all"]
law = "hunt_crossley"
stiffness = 1e5
restitution = 0.5
impact_speed = 1
friction = { kind = "coulomb", mu = 0.3 }
[analysis]
end = 9e-4
)";
}

// Groups of two parts and more, trees with branches, lists of contacts: joints, rods, elements of beams, heaps; with a
// matrix of second and of first order, and without any.
std::vector<Machine> machines() {
  const std::vector<std::string> few{"analysis.end=0.004", "solver.coordinates=absolute"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.end(), few.begin(), few.end());
    return more;
  };
  return {{"chain", model("chain.toml"), with({"parameters.N=2100", "solver.integrator=generalized_alpha"})},
          {"chain with bdf", model("chain.toml"),
           with({"parameters.N=2100", "solver.integrator=bdf", "solver.h=", "solver.rtol=1e-3", "analysis.end=1e-3"})},
          {"net", model("net.toml"), with({"parameters.M=33", "solver.integrator=generalized_alpha"})},
          {"beam", beam, {}},
          {"heap", heap(), {}}};
}

CheckedStudy read(const Machine& machine) {
  Study study = machine.settings.empty() ? read_study_text(machine.text, "machine.toml")
                                         : read_study(machine.text, machine.settings);
  study.output.every_step = true;
  study.output.checkpoint_steps = 2;
  return study;
}

struct Done {
  Record record;
  Summary summary;
};

std::unique_ptr<Done> run(const Machine& machine, int threads) {
  const ThreadScope scope(threads);
  auto done = std::make_unique<Done>();
  Simulation simulation(read(machine));
  done->summary = simulation.run(done->record);
  EXPECT_TRUE(done->summary.completed) << machine.name << ": " << done->summary.failure;
  return done;
}

class SharedWork : public ::testing::TestWithParam<Machine> {};

TEST_P(SharedWork, has_the_bits_of_one_thread) {
  const std::unique_ptr<Done> alone = run(GetParam(), 1);
  EXPECT_EQ(alone->summary.threads, 1);
  ASSERT_GE(alone->record.times().size(), 3U);
  for (const int threads : {2, 3}) {
    const std::unique_ptr<Done> together = run(GetParam(), threads);
    EXPECT_EQ(together->summary.threads, threads) << "it is large enough to be shared";
    EXPECT_EQ(find_difference(alone->record, alone->summary, Kept{}, together->record, together->summary), "");
  }
}

TEST_P(SharedWork, goes_on_with_the_same_bits_on_another_number_of_threads) {
  const std::unique_ptr<Done> whole = run(GetParam(), 2);
  ASSERT_FALSE(whole->record.checkpoints.empty());
  const Kept& from = whole->record.checkpoints.front();
  for (const int threads : {1, 3}) {
    const ThreadScope scope(threads);
    Record record;
    Simulation simulation(read(GetParam()));
    const Summary summary = simulation.resume(record, from.memory);
    EXPECT_EQ(find_difference(whole->record, whole->summary, from, record, summary), "") << threads << " threads";
  }
}

INSTANTIATE_TEST_SUITE_P(All, SharedWork, ::testing::ValuesIn(machines()), [](const auto& machine) {
  std::string name = machine.param.name;
  std::replace(name.begin(), name.end(), ' ', '_');
  return name;
});

TEST(SmallMachines, start_no_thread) {
  const ThreadScope scope(2);
  const std::vector<std::string> settings{"analysis.end=1e-4"};
  const auto file = places::source_dir() / "examples/06_squeezing_mechanism/squeezing_mechanism.toml";
  Simulation simulation(read_study(file.string(), settings));
  Record record;
  EXPECT_EQ(simulation.run(record).threads, 1);
  EXPECT_EQ(scope.n_used(), 1);
}

}  // namespace
}  // namespace trammel::test_shared_work
