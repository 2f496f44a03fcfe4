// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <Eigen/Core>
#include <functional>

#include "support/second_order_pendulum.h"
#include "trammel/formulations/scaling.h"
#include "trammel/integrators/generalized_alpha.h"
#include "trammel/integrators/midpoint.h"
#include "trammel/integrators/radau_stage_matrix.h"
#include "trammel/linalg/condition.h"

// One-step methods on the scaled equations: condition numbers, stability across the constraints, Newton at tiny steps.

namespace trammel::test_one_step {
namespace {

using testing::SecondOrderPendulum;

const SecondOrderPendulum pendulum;

StepOptions fixed_step(double h) {
  StepOptions options;
  options.h = h;
  return options;
}

using Make = std::function<std::unique_ptr<OneStep>(const StepOptions&, const MotionScaling&)>;

Make alpha_method(AlphaCoefficients c) {
  return [c](const StepOptions& options, const MotionScaling& scaling) {
    return std::make_unique<GeneralizedAlpha>(pendulum, c, options, LinearSolverKind::dense, scaling);
  };
}
const Make midpoint = [](const StepOptions& options, const MotionScaling& scaling) {
  return std::make_unique<Midpoint>(pendulum, options, LinearSolverKind::dense, scaling);
};

PhysicalScaling mass_scaling(double rho) { return PhysicalScaling({1.0, 0.0, 0.0, 1.0, rho}); }  // s = m

double condition_after_a_step(const Make& make, double h, double rho) {
  const PhysicalScaling scaling = mass_scaling(rho);
  const std::unique_ptr<OneStep> method = make(fixed_step(h), scaling);
  State state;
  EXPECT_TRUE(method->start(SecondOrderPendulum::start(), state).ok());
  EXPECT_TRUE(method->advance(1.0, state).status.ok());
  return method->calc_condition();
}

// [bauchau2009 section 8; acceptance values]: 2-norm, ρ = 1. Across the rod the scaled matrix is [c + 4ρ, 2; 2, 0] with
// c = 2 (midpoint), 3.584 (generalized-α, ρ∞ = 0.6), …: its condition number does not contain h.
TEST(OneStepConditions, are_those_of_the_paper_and_independent_of_the_step) {
  const struct {
    const char* name;
    Make make;
    double rho, expected;
  } rows[] = {{"midpoint", midpoint, 1.0, 10.91},
              {"generalized-α(0.6)", alpha_method(AlphaCoefficients::chung_hulbert(0.6)), 1.0, 16.3},
              {"HHT(0.1)", alpha_method(AlphaCoefficients::hht(-0.1)), 1.0, 16.7}};
  for (const auto& row : rows) {
    const double coarse = condition_after_a_step(row.make, 1e-2, row.rho);
    const double fine = condition_after_a_step(row.make, 1e-6, row.rho);
    EXPECT_NEAR(fine, row.expected, 0.01 * row.expected) << row.name;
    EXPECT_LT(std::abs(std::log10(coarse / fine)) / 4.0, 0.01) << row.name;
  }
}

// The untransformed matrix in stage positions and λ̂ of all stages: 101 with two stages, 1758 with three.
TEST(OneStepConditions, of_radau_before_the_transformation) {
  const PhysicalScaling scaling = mass_scaling(1.0);
  const MotionVariables x = SecondOrderPendulum::start();
  MotionPlanes planes;
  Workspace workspace;
  InputBuffer inputs;
  pendulum.calc_inputs(0.0, inputs);
  ASSERT_TRUE(pendulum.linearize(x.point(inputs.view()), {}, PlaneSet::all, planes, workspace).ok());
  const struct {
    int stages;
    double expected;
  } rows[] = {{2, 101.0}, {3, 1758.0}};
  for (const auto& row : rows) {
    const RadauTableau tableau(row.stages);
    const auto condition = [&](double h) {
      return condition_number(calc_stage_matrix(tableau, planes, scaling.calc(h, {}, planes), h));
    };
    EXPECT_NEAR(condition(1e-6), row.expected, 0.01 * row.expected) << row.stages;
    EXPECT_LT(std::abs(std::log10(condition(1e-2) / condition(1e-6))) / 4.0, 0.01) << row.stages;
  }
}

// Unscaled, the condition number grows as h⁻⁴ [bauchau2009 table 1].
TEST(OneStepConditions, of_the_unscaled_equations_grow_with_the_fourth_power) {
  const NoScaling none(0.0);
  const auto condition = [&](double h) {
    const std::unique_ptr<OneStep> method = midpoint(fixed_step(h), none);
    State state;
    EXPECT_TRUE(method->start(SecondOrderPendulum::start(), state).ok());
    EXPECT_TRUE(method->advance(1.0, state).status.ok());
    return method->calc_condition();
  };
  EXPECT_NEAR(std::log10(condition(1e-3) / condition(1e-2)), 4.0, 0.02);
}

// A velocity w across the rod: v_{n+1} = −v_n and a_{n+1} = −a_n − 4 v_n/h with the trapezoidal rule, so accelerations
// and λ grow with the number of steps; the damped methods forget it.
TEST(OneStepStability, a_velocity_across_the_constraint_grows_with_the_trapezoidal_rule_only) {
  const double h = 1e-3, perturbation = 1e-7;
  const auto deviation_of_lambda = [&](const Make& make, int steps) {
    double lam[2];
    for (const bool perturbed : {false, true}) {
      const PhysicalScaling scaling = mass_scaling(0.0);
      const std::unique_ptr<OneStep> method = make(fixed_step(h), scaling);
      MotionVariables x = SecondOrderPendulum::start();
      if (perturbed) x.v += perturbation * x.q;
      State state;
      EXPECT_TRUE(method->start(x, state).ok());
      for (int i = 0; i < steps; ++i) EXPECT_TRUE(method->advance(1.0, state).status.ok());
      lam[perturbed] = method->newest().lam[0];
    }
    return std::abs(lam[1] - lam[0]);
  };
  const Make trapezoidal = alpha_method(AlphaCoefficients::newmark(0.5));
  EXPECT_NEAR(deviation_of_lambda(trapezoidal, 200) / deviation_of_lambda(trapezoidal, 20), 10.0, 1.0);
  for (const Make& damped :
       {alpha_method(AlphaCoefficients::hht(-0.1)), alpha_method(AlphaCoefficients::chung_hulbert(0.8)),
        alpha_method(AlphaCoefficients::newmark(0.6))})
    EXPECT_LT(deviation_of_lambda(damped, 200), 1e-2 * deviation_of_lambda(damped, 20));
  // The midpoint rule keeps it: λ alternates with the same amplitude.
  EXPECT_NEAR(deviation_of_lambda(midpoint, 200) / deviation_of_lambda(midpoint, 20), 1.0, 0.1);
}

// h = 1e-8, Newton's test on all unknowns, 1e-8: λ of the unscaled equations is known to 4e-16/h² ≈ 4 N only.
TEST(OneStepNewton, at_tiny_steps_tests_all_unknowns_only_if_scaled) {
  const double h = 1e-8;
  const int n_steps = 100;
  const auto options = [&](NewtonTest test) {
    StepOptions o = fixed_step(h);
    o.newton_tol = 1e-8;
    o.newton_test = test;
    return o;
  };
  const NoScaling none(0.0);
  for (const Make& make :
       {midpoint, alpha_method(AlphaCoefficients::chung_hulbert(0.6)), alpha_method(AlphaCoefficients::hht(-0.1))}) {
    for (const double rho : {0.0, 1.0}) {
      const PhysicalScaling scaled = mass_scaling(rho);
      const auto all = make(options(NewtonTest::all), scaled), unscaled = make(options(NewtonTest::all), none),
                 motion = make(options(NewtonTest::motion), none);
      State a, b, c;
      for (OneStep* method : {all.get(), unscaled.get(), motion.get()})
        ASSERT_TRUE(method->start(SecondOrderPendulum::start(), a).ok());
      const StepReport stalled = unscaled->advance(1.0, b);
      EXPECT_FALSE(stalled.status.ok());
      EXPECT_EQ(stalled.worst_unknown, 2) << "the multiplier";
      EXPECT_EQ(unscaled->newest().t, 0.0);
      for (int i = 0; i < n_steps; ++i) {
        ASSERT_TRUE(all->advance(1.0, a).status.ok()) << i;
        ASSERT_TRUE(motion->advance(1.0, c).status.ok()) << i;
      }
      EXPECT_LT((all->newest().q - motion->newest().q).norm(), 1e-14);
      EXPECT_LT((all->newest().v - motion->newest().v).norm(), 1e-7);  // rounding of q over h
    }
  }
}

}  // namespace
}  // namespace trammel::test_one_step
