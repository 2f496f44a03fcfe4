// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "support/allocation_counter.h"
#include "support/chain.h"
#include "trammel/simulation/simulation.h"

// A step of the energy-decaying scheme touches the heap only while a run begins.

namespace trammel::testing {
namespace {

TEST(EnergyDecayingBudget, a_step_allocates_nothing_after_the_second) {
  for (const bool fixed : {true, false}) {
    Study study = chain(6, false);
    study.solver.integrator = Integrator::energy_decaying;
    study.solver.scaling = {};
    if (!fixed) study.solver.h.reset(), study.solver.rtol = 1e-4;
    Simulation simulation(study);
    for (int i = 0; i < 2; ++i) ASSERT_TRUE(simulation.integrator().advance(1.0, simulation.state()).status.ok());
    const AllocationScope scope;
    int failures = 0;
    for (int i = 0; i < 50; ++i) failures += !simulation.integrator().advance(1.0, simulation.state()).status.ok();
    EXPECT_EQ(scope.count(), 0) << (fixed ? "fixed step" : "error-controlled");
    EXPECT_EQ(failures, 0);
  }
}

}  // namespace
}  // namespace trammel::testing
