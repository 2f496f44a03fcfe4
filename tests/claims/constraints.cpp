// SPDX-License-Identifier: Apache-2.0
#include "run_model.h"

/// Constraints hold at the tolerance of Newton's iteration, for ever; angles count turns; redundancy is named.
namespace trammel::test_constraints {
namespace {

TEST(Constraints, a_wheel_at_100_rad_per_s_has_turned_by_6000_rad_after_a_minute) {
  const Recorded run = run_example("models/wheel.toml");
  EXPECT_NEAR(run.last_value("bearing.angle"), 6000.0, 1e-6);
  EXPECT_NEAR(run.last_value("bearing.angle_rate"), 100.0, 1e-9);
}

// Index 3 imposes Φ = 0 at every step: the violation is what Newton leaves and does not grow.
TEST(Constraints, do_not_drift_over_100_000_steps) {
  const Recorded run =
      run_example("04_four_bar/four_bar.toml", {"analysis.end=10", "solver.h=1e-4", "output.interval=0.01"});
  EXPECT_EQ(run.summary.steps, 100'000);
  const double newton_tol = 1e-10;
  EXPECT_LT(run.summary.position_drift, newton_tol);
  const Eigen::VectorXd violation = run.values("constraint_drift.position");
  const Eigen::Index half = violation.size() / 2;
  EXPECT_LT(violation.tail(half).maxCoeff(), 10.0 * violation.segment(1, half).maxCoeff() + 1e-15);
}

TEST(Constraints, check_names_the_redundancy_of_bricards_mechanism) {
  const Study study = read_study(example("models/bricard.toml"), SetList{});
  const CheckReport report = check(study);
  EXPECT_EQ(report.rows, 30);
  EXPECT_EQ(report.rank, 29);
  EXPECT_EQ(report.degrees_of_freedom, 1);
  ASSERT_EQ(report.redundant.size(), 1u);
  EXPECT_NE(report.redundant[0].find("hinge_"), std::string::npos) << report.redundant[0];
}

TEST(Constraints, bricards_mechanism_is_refused_without_a_policy) {
  const Study study = read_study(example("models/bricard.toml"), SetList{"solver.redundant=error"});
  EXPECT_THROW(Simulation{study}, InputError);
}

// Second-order method: the energy error falls with h² and stays below 1e-3 of the energy that is exchanged, m g L ~ 50
// J.
TEST(Constraints, bricards_mechanism_runs_with_drop_and_with_minimum_norm) {
  constexpr double dropped_row_tol = 1e-8;  // [m]
  Eigen::VectorXd end[2];
  int k = 0;
  for (const char* policy : {"solver.redundant=drop", "solver.redundant=minimum_norm"}) {
    SCOPED_TRACE(policy);
    const Recorded run = run_example("models/bricard.toml", {policy, "output.interval=0.05"});
    EXPECT_LT(run.summary.position_drift, dropped_row_tol);  // of all rows, the one left out included
    EXPECT_LT(run.summary.energy_drift, 1e-3 * 50.0);
    end[k++] = run.last("rod_3.position");
  }
  EXPECT_LT((end[0] - end[1]).norm(), 1e-9);  // the same motion: only the reactions differ
}

}  // namespace
}  // namespace trammel::test_constraints
