// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "support/allocation_counter.h"
#include "support/chain.h"
#include "trammel/simulation/option.h"
#include "trammel/simulation/simulation.h"

// What joint coordinates cost.

namespace trammel::testing {
namespace {

Study hanging_chain(int n, const std::string& integrator) {
  Study study = chain(n, false);
  study.solver.h.reset();
  study.solver.coordinates = CoordinateSet::joint;
  study.solver.integrator = parse_word<Integrator>(integrator);
  return study;
}

TEST(JointBudget, a_step_allocates_nothing_after_the_second) {
  for (const char* integrator : {"runge_kutta", "bdf", "generalized_alpha"}) {
    Simulation simulation(hanging_chain(6, integrator));
    for (int i = 0; i < 4; ++i) ASSERT_TRUE(simulation.integrator().advance(1.0, simulation.state()).status.ok());
    const AllocationScope scope;
    bool ok = true;
    for (int i = 0; i < 30; ++i) ok = ok && simulation.integrator().advance(1.0, simulation.state()).status.ok();
    const long count = scope.count();
    EXPECT_TRUE(ok);
    EXPECT_EQ(count, 0) << integrator;
  }
}

}  // namespace
}  // namespace trammel::testing
