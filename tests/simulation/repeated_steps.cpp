// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>

#include "machines.h"
#include "support/gradients.h"

/// Runs that repeat the steps of another: docs/gradients.md.
namespace trammel::test_repeated_steps {
namespace {

using testing::GradientCase, testing::run_repeating;

/// A ball on a spring and damper that holds only below z = 0: a change of force that every motion meets at its own
/// time.
const std::string bouncer = R"toml(
[parameters]
k = 2e3
z0 = 0.3
[[body]]
name = "ball"
mass = 1
inertia = [0.1, 0.1, 0.1]
position = [0, 0, "z0"]
[[joint]]
name = "rail"
kind = "prismatic"
bodies = ["ground", "ball"]
axis = "z"
[[force]]
name = "floor"
kind = "joint_limit"
joint = "rail"
lower = "-z0"
upper = 10
stiffness = "k"
[analysis]
end = 0.9
)toml";

std::string refusal(const std::string& text, const std::vector<std::string>& settings, const MemoryRecord& first) {
  try {
    run_repeating(text, settings, &first);
  } catch (const InputError& error) {
    return error.what();
  }
  return {};
}

const std::vector<std::string> tight = {"solver.rtol=1e-8", "solver.atol=1e-8"};

std::vector<std::string> with(std::vector<std::string> settings, const std::string& more) {
  settings.push_back(more);
  return settings;
}

TEST(RepeatedSteps, differences_of_runs_are_derivatives) {
  // Both sets of coordinates, more parameters and differences: slow/gradients.
  constexpr double tol = 1e-4;
  for (const GradientCase& of : {GradientCase{testing::damped_pendulum, "L", 1.0}, {testing::crank_rocker, "c", 0.4}}) {
    const Eigen::VectorXd reference = calc_reference(of);
    for (const char* integrator : {"bdf", "generalized_alpha", "runge_kutta"})
      for (const double delta : {1e-4, 1e-6})
        EXPECT_LT(gradient_error(of, reference, integrator, "absolute", delta), tol) << integrator << " " << delta;
  }
}

TEST(RepeatedSteps, are_those_of_the_recorded_run) {
  for (const char* integrator : {"bdf", "generalized_alpha", "radau", "runge_kutta", "midpoint", "energy_decaying"}) {
    const auto settings = with(tight, std::string("solver.integrator=") + integrator);
    const MemoryRecord first = run_repeating(testing::damped_pendulum, settings);
    Summary summary;
    const MemoryRecord again =
        run_repeating(testing::damped_pendulum, with(settings, "parameters.m=1.001"), &first, &summary);
    ASSERT_TRUE(summary.completed) << integrator << ": " << summary.failure;
    EXPECT_EQ(first.step_times(), again.step_times()) << integrator;
    EXPECT_EQ(first.read("solver.order").values, again.read("solver.order").values) << integrator;
    EXPECT_EQ(summary.rejected_error + summary.rejected_newton, 0) << integrator;
  }
}

TEST(RepeatedSteps, meet_a_stop_when_their_own_motion_does) {
  // Beside differences that are long enough for runs which choose their steps, at a tolerance of 1e-12.
  constexpr double tol = 1e-3;
  for (const auto& [parameter, value] : {std::pair{"k", 2e3}, std::pair{"z0", 0.3}}) {
    const double d = 1e-4 * value;
    const auto fine = [&, name = parameter](double at) {
      return testing::end_of(run_repeating(bouncer, {"solver.integrator=runge_kutta", "solver.rtol=1e-12",
                                                     "solver.atol=1e-12", fmt::format("parameters.{}={}", name, at)}));
    };
    const Eigen::VectorXd reference = (fine(value + d) - fine(value - d)) / (2.0 * d);
    for (const char* integrator : {"generalized_alpha", "radau", "runge_kutta"})
      for (const double delta : {1e-6, 1e-7}) {
        const Eigen::VectorXd found = testing::calc_gradient(
            {bouncer, parameter, value},
            {std::string("solver.integrator=") + integrator, "solver.rtol=1e-5", "solver.atol=1e-5"}, delta);
        EXPECT_LT((found - reference).lpNorm<Eigen::Infinity>(), tol * reference.lpNorm<Eigen::Infinity>())
            << integrator << " " << parameter << " " << delta;
      }
  }
}

TEST(RepeatedSteps, go_over_to_the_other_method_where_the_recorded_run_did) {
  const MemoryRecord first = run_repeating(testing::slewed_arm, {});
  ASSERT_EQ(first.read("solver.by_other").values.maxCoeff(), 1.0);
  Summary summary;
  const MemoryRecord again = run_repeating(testing::slewed_arm, {"parameters.m=0.50001"}, &first, &summary);
  ASSERT_TRUE(summary.completed) << summary.failure;
  EXPECT_EQ(first.step_times(), again.step_times());
  EXPECT_EQ(first.read("solver.by_other").values, again.read("solver.by_other").values);
}

TEST(RepeatedSteps, name_what_does_not_fit) {
  const MemoryRecord first = run_repeating(testing::damped_pendulum, {"solver.integrator=bdf"});
  const std::string other = testing::damped_pendulum + "[[body]]\nname = \"more\"\nkind = \"particle\"\nmass = 1\n";
  EXPECT_NE(refusal(other, {"solver.integrator=bdf"}, first).find("'more'"), std::string::npos);
  EXPECT_NE(refusal(testing::damped_pendulum, {"solver.integrator=radau"}, first).find("solver.integrator"),
            std::string::npos);
  EXPECT_NE(refusal(testing::damped_pendulum, {"solver.integrator=bdf", "solver.rtol=1e-6"}, first).find("solver.rtol"),
            std::string::npos);
  EXPECT_NE(refusal(testing::damped_pendulum, {"solver.integrator=bdf", "analysis.end=1"}, first).find("analysis.end"),
            std::string::npos);
  try {
    RecordedSteps("other.h5", RecordSchema(), {}, {});
    ADD_FAILURE() << "accepted";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("it has none"), std::string::npos) << error.what();
  }
  const double t = 1.0;
  try {
    RecordedSteps("other.h5", RecordSchema(), {&t, 1}, {});
    ADD_FAILURE() << "accepted";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("'solver.accepted_iterations'"), std::string::npos) << error.what();
  }
}

TEST(RepeatedSteps, stop_where_the_motions_are_too_far_apart) {
  const auto settings = with(tight, "solver.integrator=radau");
  const MemoryRecord first = run_repeating(bouncer, settings);
  Summary summary;
  run_repeating(bouncer, with(settings, "parameters.z0=0.6"), &first, &summary);
  EXPECT_FALSE(summary.completed);
  EXPECT_NE(summary.failure.find("too far apart"), std::string::npos) << summary.failure;
}

}  // namespace
}  // namespace trammel::test_repeated_steps
