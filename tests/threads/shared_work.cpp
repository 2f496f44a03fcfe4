// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

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

// Groups of two parts and more, trees with branches: joints, rods, elements of beams; with a matrix of second and of
// first order.
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
          {"beam", beam, {}}};
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
