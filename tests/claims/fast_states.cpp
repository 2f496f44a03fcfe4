// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "run_model.h"

/// States that follow the motion within a thousandth part of a step (bristles that slide, filters) between its ends:
/// their rates make forces of what an interpolant misses.
namespace trammel::test_fast_states {
namespace {

/// A block that slides on a rail with bristles, pulled by a spring whose other end moves.
std::string sliding_block(double sigma0, double sigma1, double stiffness) {
  return fmt::format(R"toml(
[[body]]
name = "block"
mass = 2
inertia = [0.1, 0.1, 0.1]
[[joint]]
name = "rail"
kind = "prismatic"
bodies = ["ground", "block"]
point = [0, 0, 0]
axis = "x"
[[body]]
name = "cart"
mass = 1
inertia = [0.1, 0.1, 0.1]
position = [0.5, 0, 0]
velocity = [0.1, 0, 0]
[[joint]]
name = "pull"
kind = "prismatic"
bodies = ["ground", "cart"]
point = [0.5, 0, 0]
axis = "x"
[[motion]]
name = "drive"
joint = "pull"
velocity = 0.1
[[force]]
name = "spring"
kind = "spring_damper"
bodies = ["block", "cart"]
point_a = [0, 0, 0]
point_b = [0.5, 0, 0]
stiffness = {}
damping = 0.5
[[friction]]
name = "rub"
joint = "rail"
kind = "lugre"
mu = 0.3
sigma0 = {}
sigma1 = {}
[analysis]
end = 2
[output]
interval = 0.003
)toml",
                     stiffness, sigma0, sigma1);
}

// Sliding friction is μN; bristles of 30 µm that slide at 0.2 m/s follow within 0.1 ms, where steps are 60 ms long.
TEST(FastStates, friction_of_bristles_that_slide_is_right_in_every_frame) {
  std::mt19937 random(71);
  std::uniform_real_distribution<double> place(0.0, 1.0);
  for (int i = 0; i < 3; ++i) {
    const double sigma0 = 1e4 * std::pow(10.0, place(random)), stiffness = 80.0 + 80.0 * place(random);
    const std::string model = sliding_block(sigma0, std::sqrt(sigma0), stiffness);
    for (const SetList& method : {SetList{}, SetList{"solver.integrator=radau", "solver.coordinates=absolute"},
                                  SetList{"solver.integrator=radau", "solver.coordinates=joint"}}) {
      SCOPED_TRACE(fmt::format("sigma0 {} stiffness {} {}", sigma0, stiffness, method.empty() ? "" : method[1]));
      const Recorded run = run_text(model, method);
      const Eigen::VectorXd rate = run.values("rail.displacement_rate").col(0);
      const Eigen::VectorXd effort = run.values("rub.applied_effort").col(0);
      const double sliding = 0.3 * 2.0 * 9.81;
      int n_sliding = 0;
      double error = 0.0;
      for (Eigen::Index k = 0; k < rate.size(); ++k)
        if (rate[k] > 0.1) error = std::max(error, std::abs(effort[k] + sliding)), ++n_sliding;
      EXPECT_GT(n_sliding, 50);
      EXPECT_LT(error, 0.01 * sliding);
    }
  }
}

// A filter that measures a reaction, which changes within steps: what a step has of reactions at one instant is not
// that of another.
TEST(FastStates, states_that_follow_reactions_are_right_between_steps) {
  const std::string model = R"toml(
gravity = [0, 0, -9.81]
[[body]]
name = "cart"
mass = 1.7
inertia = [0.1, 0.1, 0.1]
[[joint]]
name = "rail"
kind = "prismatic"
bodies = ["ground", "cart"]
point = [0, 0, 0]
axis = "x"
[[body]]
name = "bob"
mass = 0.8
inertia = [0.02, 0.03, 0.02]
position = [0.43, 0, -0.42]
[[joint]]
name = "pin"
kind = "revolute"
bodies = ["cart", "bob"]
point = [0, 0, 0]
axis = "y"
[[control]]
name = "sensor"
kind = "filter"
input = "pin.force"
time_constant = 0.05
initial = 5
[[force]]
name = "push"
kind = "force"
body = "cart"
force = ["0.2*sensor", 0, 0]
[analysis]
end = 2
[output]
interval = 0.0037
)toml";
  const auto sensor = [&](const char* integrator, const char* coordinates, double tol) {
    return Eigen::VectorXd(run_text(model, {fmt::format("solver.integrator={}", integrator),
                                            fmt::format("solver.coordinates={}", coordinates), set("solver.rtol", tol),
                                            set("solver.atol", 1e-2 * tol)})
                               .values("sensor.filtered"));
  };
  const Eigen::VectorXd reference = sensor("runge_kutta", "absolute", 1e-11);
  for (const char* coordinates : {"absolute", "joint"}) {
    double before = 0.0;
    for (const double tol : {1e-4, 1e-6, 1e-8}) {
      SCOPED_TRACE(fmt::format("{} {}", coordinates, tol));
      const double error = (sensor("radau", coordinates, tol) - reference).lpNorm<Eigen::Infinity>() /
                           reference.lpNorm<Eigen::Infinity>();
      EXPECT_LT(error, 30.0 * tol);  // sensors are states as others, and motions err by some tolerances
      if (before > 0.0) {
        EXPECT_LT(error, std::pow(0.01, 0.8) * before);
      }
      before = error;
    }
  }
}

}  // namespace
}  // namespace trammel::test_fast_states
