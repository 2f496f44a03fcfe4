// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "support/allocation_counter.h"
#include "trammel/mechanics/make_beam.h"
#include "trammel/simulation/simulation.h"

// What beams may cost: no allocation in a step, and work in proportion to the number of elements.

namespace trammel::testing {
namespace {

Study hanging_beam(int elements, double damping = 0.0) {
  Study study;
  BeamSpec beam;
  beam.name = "beam";
  beam.points = {{0, 0, 0}, {0.1 * elements, 0, 0}};
  beam.elements = {elements};
  beam.section = circle_section(0.01, {1e9, 0.3, 1000});
  beam.damping = damping;
  add_beam(study.model, beam);
  JointSpec hinge;
  hinge.name = "hinge";
  hinge.kind = JointKind::revolute;
  hinge.body_b = "beam_0";
  hinge.axis.direction = Eigen::Vector3d::UnitY();
  study.model.joints.push_back(hinge);
  study.solver.h = 1e-3;
  study.solver.newton_tol = 1e-8;
  study.solver.linear_solver = LinearSolverKind::sparse_lu;
  return study;
}

TEST(Budget, a_step_of_a_beam_allocates_nothing_after_the_second) {
  for (const double damping : {0.0, 1e-4}) {
    Simulation simulation(hanging_beam(8, damping));
    for (int i = 0; i < 2; ++i) ASSERT_TRUE(simulation.integrator().advance(1.0, simulation.state()).status.ok());
    const AllocationScope scope;
    int failures = 0;
    for (int i = 0; i < 50; ++i) failures += !simulation.integrator().advance(1.0, simulation.state()).status.ok();
    EXPECT_EQ(scope.count(), 0);
    EXPECT_EQ(failures, 0);
  }
}

// Elements are visited one by one; factors and iterations grow in proportion to their number as well.
TEST(Budget, factors_and_iterations_of_a_beam_grow_linearly) {
  double nnz[2];
  int iterations[2] = {0, 0};
  const int sizes[2] = {250, 1000};
  for (int size = 0; size < 2; ++size) {
    Simulation simulation(hanging_beam(sizes[size]));
    for (int i = 0; i < 3; ++i) {
      const StepReport report = simulation.integrator().advance(1.0, simulation.state());
      ASSERT_TRUE(report.status.ok());
      iterations[size] += report.iterations;
    }
    nnz[size] = static_cast<double>(simulation.integrator().linear_solver().counters().nnz_factors);
  }
  EXPECT_LT(nnz[1] / nnz[0], 4.0 * 1.1);
  EXPECT_LE(iterations[1], iterations[0] + 3);
}

}  // namespace
}  // namespace trammel::testing
