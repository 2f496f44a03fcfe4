// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <iostream>

#include "support/gradients.h"

/// Derivatives by differences of runs that repeat steps, at rtol = 1e-8, beside Radau at 1e-10.
namespace trammel::testing {
namespace {

constexpr double gradient_tol = 1e-4;

TEST(SlowGradients, are_right_for_every_method_and_every_difference) {
  const GradientCase cases[] = {{damped_pendulum, "L", 1.0},
                                {damped_pendulum, "m", 1.0},
                                {crank_rocker, "c", 0.4},
                                {crank_rocker, "rho", 2.0},
                                {crank_rocker, "c", 0.4, {"analysis.end=3"}},
                                {slewed_arm, "m", 0.5},
                                {slewed_arm, "E", 3e7},
                                {slewed_arm, "T", 0.2}};
  for (const GradientCase& of : cases) {
    const Eigen::VectorXd reference = calc_reference(of);
    for (const char* integrator : {"bdf", "generalized_alpha", "runge_kutta"})
      for (const char* coordinates : {"absolute", "joint"}) {
        std::string line = fmt::format("{} {} {}:", of.parameter, integrator, coordinates);
        // What rounding leaves is another number for each difference: several of the smallest size.
        for (const double delta : {1e-4, 1e-5, 1e-6, 1e-7, 1.01e-7, 1.02e-7}) {
          const double error = gradient_error(of, reference, integrator, coordinates, delta);
          line += fmt::format(" {:.1e}", error);
          EXPECT_LT(error, gradient_tol) << of.parameter << " " << integrator << " " << coordinates << " " << delta;
        }
        std::cout << line << std::endl;
      }
  }
}

}  // namespace
}  // namespace trammel::testing
