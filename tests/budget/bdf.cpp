// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "support/allocation_counter.h"
#include "support/ivp_problems.h"
#include "trammel/integrators/bdf.h"

// A step of BDF touches the heap only while it begins.

namespace trammel {
namespace {

TEST(BdfBudget, nothing_allocates_after_the_second_accepted_step) {
  const testing::MechanismDae<testing::Andrews> dae(testing::Form::stabilized_index2);
  for (const LinearSolverKind solver : {LinearSolverKind::dense, LinearSolverKind::sparse_lu}) {
    BdfOptions options;
    options.corrector = Corrector::modified;
    options.tolerances.set(Kind::position, 1e-6, 1e-6);
    options.tolerances.set(Kind::velocity, 1e-6, 1e-3);
    Bdf bdf(dae, options, solver);
    State state;
    ASSERT_TRUE(bdf.start(0.0, dae.y0, dae.yp0, state).ok());
    for (int i = 0; i < 2; ++i) ASSERT_TRUE(bdf.advance(0.03, state).status.ok());
    const testing::AllocationScope scope;
    bool ok = true;
    for (int i = 0; i < 200; ++i) ok = ok && bdf.advance(0.03, state).status.ok();
    const long count = scope.count();
    EXPECT_TRUE(ok);
    if (solver == LinearSolverKind::dense) {
      EXPECT_EQ(count, 0);
    } else {
      // KLU allocates when a refactorization lost accuracy and pivots are chosen anew; never per step.
      EXPECT_LT(count, 200);
    }
  }
}

TEST(BdfBudget, the_iteration_matrix_is_reused_over_many_steps) {
  const testing::MechanismDae<testing::CarAxis> dae(testing::Form::stabilized_index2);
  BdfOptions options;
  options.corrector = Corrector::modified;
  options.tolerances.rtol = options.tolerances.atol = 1e-6;
  Bdf bdf(dae, options);
  State state;
  ASSERT_TRUE(bdf.start(0.0, dae.y0, dae.yp0, state).ok());
  ASSERT_TRUE(bdf.integrate(3.0, state).status.ok());
  EXPECT_LT(10 * bdf.counters().linearizations, bdf.counters().steps);
  EXPECT_LT(bdf.counters().residuals, 3 * bdf.counters().steps);
}

}  // namespace
}  // namespace trammel
