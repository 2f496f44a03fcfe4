// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "support/allocation_counter.h"
#include "support/chain.h"
#include "support/ivp_problems.h"
#include "trammel/integrators/radau.h"
#include "trammel/simulation/simulation.h"

// A step of the midpoint rule and of Radau touches the heap only while a run begins.

namespace trammel::testing {
namespace {

TEST(OneStepBudget, a_step_of_midpoint_allocates_nothing_after_the_second) {
  for (const bool fixed : {true, false}) {
    Study study = chain(6, false);
    study.solver.integrator = Integrator::midpoint;
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

TEST(OneStepBudget, a_step_of_radau_allocates_nothing_after_the_second) {
  const MechanismDae<Andrews> dae(Form::stabilized_index2);
  for (const int stages : {1, 2, 3}) {
    RadauOptions options;
    options.stages = stages;
    options.tolerances.rtol = options.tolerances.atol = 1e-5;
    Radau radau(dae, options, LinearSolverKind::dense);
    State state;
    ASSERT_TRUE(radau.start(0.0, dae.y0, dae.yp0, state).ok());
    for (int i = 0; i < 2; ++i) ASSERT_TRUE(radau.advance(0.03, state).status.ok());
    const AllocationScope scope;
    bool ok = true;
    for (int i = 0; i < 30; ++i) ok = ok && radau.advance(0.03, state).status.ok();
    const long count = scope.count();
    EXPECT_TRUE(ok);
    EXPECT_EQ(count, 0) << stages << " stages";
  }
}

}  // namespace
}  // namespace trammel::testing
