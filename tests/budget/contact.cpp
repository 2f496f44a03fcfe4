// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "support/allocation_counter.h"
#include "trammel/io/model_reader.h"
#include "trammel/simulation/simulation.h"

// What contacts may cost.

namespace trammel::testing {
namespace {

// Balls that rest on a floor and on each other: 27 bodies, with bristles.
std::string heap() {
  std::string text = R"(
[[geometry]]
name = "floor"
kind = "plane"
[[contact]]
name = "rest"
between = ["balls", "floor"]
law = "hunt_crossley"
stiffness = 1e5
damping_factor = 2
friction = { kind = "lugre", mu = 0.3, sigma0 = 1e3, sigma1 = 30 }
locate = false
[[contact]]
name = "touch"
among = "balls"
law = "hunt_crossley"
stiffness = 1e5
damping_factor = 2
locate = false
[solver]
h = 1e-3
scaling.rho = 0
)";
  for (int i = 0; i < 27; ++i)
    text += "[[body]]\nname = \"b" + std::to_string(i) + "\"\nposition = [" + std::to_string(0.1999 * (i % 3)) + ", " +
            std::to_string(0.1999 * (i / 3 % 3)) + ", " + std::to_string(0.0999 + 0.1999 * (i / 9)) +
            "]\nshape = { kind = \"sphere\", radius = 0.1, density = 500 }\n[[geometry]]\nbody = \"b" +
            std::to_string(i) + "\"\ngroup = \"balls\"\nkind = \"sphere\"\nradius = 0.1\n";
  return text;
}

// Once the list of places stands still, steps with dozens of contacts allocate nothing.
TEST(Budget, steps_with_contacts_allocate_nothing_while_the_list_stands_still) {
  Simulation simulation(read_study_text(heap(), "heap.toml", {}));
  MotionIntegrator& integrator = simulation.integrator();
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(integrator.advance(10.0, simulation.state()).status.ok());
  const ContactGroup& group = *simulation.assembly().contacts;
  EXPECT_GE(group.n_listed(simulation.state().modes), 27 + 18);
  int quiet = 0;
  for (int i = 0; i < 20; ++i) {
    const std::uint64_t version = simulation.state().version;
    const AllocationScope scope;
    const StepReport report = integrator.advance(10.0, simulation.state());
    const long count = scope.count();
    ASSERT_TRUE(report.status.ok());
    if (simulation.state().version != version) continue;
    EXPECT_EQ(count, 0) << i;
    ++quiet;
  }
  EXPECT_GE(quiet, 10);
}

}  // namespace
}  // namespace trammel::testing
