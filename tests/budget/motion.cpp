// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/allocation_counter.h"
#include "support/chain.h"
#include "trammel/simulation/simulation.h"

// What a step may cost: no allocation, work and memory in proportion to the number of bodies.

namespace trammel::testing {
namespace {

// Everything that a step can meet: joints, springs, formulas of velocities, states and reactions, a drive.
const std::string extras = R"toml(
[[motion]]
name = "drive"
joint = "pin_0"
function = "0.2*sin(3*t)"
[[force]]
name = "spring"
kind = "spring_damper"
point_a = [2, 0, 3]
point_b = {body = "link_3", at = [0.5, 0, 0]}
stiffness = 50
damping = 1
[[force]]
name = "bushing"
kind = "bushing"
bodies = ["link_2", "link_3"]
point = [3, 0, 0]
K = [10, 10, 10, 1, 1, 1]
C = [1, 1, 1, 1, 1, 1]
[[control]]
name = "filter"
kind = "filter"
input = "pin_2.angle_rate"
time_constant = 0.1
[[force]]
name = "law"
kind = "joint_spring"
joint = "pin_4"
law = "-0.5*rate - 0.1*filter - 1e-3*pin_3.force*tanh(rate)"
[[measure]]
name = "height"
expression = "link_5.z + pin_1.angle"
)toml";

Study busy_chain(int n, bool fixed) {
  Study study = chain(n, false, extras);
  if (!fixed) study.solver.h.reset(), study.solver.rtol = 1e-4;
  study.analysis.end = 0.2;
  study.output.interval = 0.01;
  return study;
}

TEST(Budget, a_step_allocates_nothing_after_the_second) {
  for (const int n : {6, 40}) {  // dense-ish and sparse solver alike
    for (const bool fixed : {true, false}) {
      SCOPED_TRACE(fixed ? "fixed step" : "error-controlled");
      Simulation simulation(busy_chain(n, fixed));
      for (int i = 0; i < 2; ++i) ASSERT_TRUE(simulation.integrator().advance(1.0, simulation.state()).status.ok());
      const AllocationScope scope;
      int failures = 0;
      for (int i = 0; i < 100; ++i) failures += !simulation.integrator().advance(1.0, simulation.state()).status.ok();
      EXPECT_EQ(scope.count(), 0) << n << " links";
      EXPECT_EQ(failures, 0);
    }
  }
}

// The whole loop: dense output, energy ledger, channels, a record with room for its rows.
TEST(Budget, a_recorded_run_allocates_nothing_after_the_second_step) {
  for (const bool fixed : {true, false}) {
    Simulation simulation(busy_chain(20, fixed));
    MemoryRecord record(1000, 100000);
    long at_second = -1, at_last = -1, steps = 0;
    const Summary summary = simulation.run(record, [&](const Progress& progress) {
      if (progress.steps == 2) at_second = allocation_count();
      at_last = allocation_count();
      steps = progress.steps;
      return true;
    });
    EXPECT_TRUE(summary.completed) << summary.failure;
    EXPECT_GT(steps, 20);
    EXPECT_EQ(at_last - at_second, 0) << (fixed ? "fixed step" : "error-controlled");
  }
}

// Factors, iterations and matrices of a chain grow in proportion to its length: the structure behind the exponent of
// the measured time (bench/README.md).
TEST(Budget, factors_and_iterations_of_a_chain_grow_linearly) {
  struct Cost {
    double nnz, iterations, factorizations;
  };
  const auto cost = [](int n, bool planar) {
    Simulation simulation(chain(n, planar));
    Cost c{};
    for (int i = 0; i < 20; ++i) {
      const StepReport report = simulation.integrator().advance(1.0, simulation.state());
      EXPECT_TRUE(report.status.ok());
      c.iterations += report.iterations;
      c.factorizations += report.factorizations;
    }
    c.nnz = static_cast<double>(simulation.integrator().linear_solver().counters().nnz_factors);
    return c;
  };
  for (const bool planar : {false, true}) {
    const Cost small = cost(100, planar), large = cost(1600, planar);
    EXPECT_LE(large.nnz / small.nnz, 16.0 * 1.1) << planar;
    EXPECT_LE(large.iterations, small.iterations + 20) << planar;
    EXPECT_LE(large.factorizations, small.factorizations + 4) << planar;
  }
}

#ifndef __SANITIZE_ADDRESS__

// 10 000 links, 20 steps, from the text of the model to the last frame, within 2 GB: measured in a child process.
TEST(Budget, ten_thousand_links_fit_in_two_gigabytes) {
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    Study study = chain(10000);
    study.analysis.end = 0.02;
    study.output.interval = 0.01;
    MemoryRecord record;
    Simulation simulation(study);
    const Summary summary = simulation.run(record);
    _exit(summary.completed && summary.steps == 20 ? 0 : 1);
  }
  int status = 0;
  struct rusage usage {};
  ASSERT_EQ(wait4(child, &status, 0, &usage), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  EXPECT_LT(usage.ru_maxrss, 2L * 1024 * 1024) << "kB";  // ru_maxrss is in kB on Linux
  RecordProperty("peak_MB", static_cast<int>(usage.ru_maxrss / 1024));
}

#endif

}  // namespace
}  // namespace trammel::testing
