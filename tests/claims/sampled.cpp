// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>

#include "run_model.h"

// Digital controllers, against the recursion that a mass with a held force obeys exactly.

namespace trammel::test_sampled {
namespace {

const std::string cart = R"toml(
gravity = [0, 0, 0]
[[body]]
name = "cart"
mass = 2
inertia = [1, 1, 1]
[[joint]]
name = "rail"
kind = "prismatic"
bodies = ["ground", "cart"]
point = [0, 0, 0]
axis = "x"
[[actuator]]
name = "servo"
kind = "servo"
joint = "rail"
target = "0.3"
kp = 50
kd = 12
period = "50 ms"
{}
[analysis]
end = 1
[output]
interval = 0.05
)toml";

// x ← x + T v + F T²/2m, v ← v + F T/m, F = sat(kp (r − x) − kd v + ki Σ) held.
struct Recursion {
  double ki = 0.0, limit = 1e9, x = 0.0, v = 0.0, sum = 0.0;
  double sample() {
    const double T = 0.05, e = 0.3 - x, u = 50 * e - 12 * v + sum + T * ki * e;
    const double F = std::clamp(u, -limit, limit);
    if (ki > 0.0) sum += T * ki * e + (F - u) * std::min(1.0, T * ki / 50);
    return F;
  }
  void go_on(double F) {
    const double T = 0.05, a = F / 2;
    x += T * v + 0.5 * a * T * T, v += T * a;
  }
};

void expect_recursion(const Recorded& run, Recursion wanted, double tol) {
  const Eigen::MatrixXd x = run.values("rail.displacement"), v = run.values("rail.displacement_rate");
  for (Eigen::Index i = 0; i < x.rows(); ++i) {
    EXPECT_NEAR(x(i, 0), wanted.x, tol) << i;
    EXPECT_NEAR(v(i, 0), wanted.v, 10 * tol) << i;
    wanted.go_on(wanted.sample());
  }
}

TEST(SampledServo, obeys_the_recursion_of_a_held_force) {
  for (const char* integrator : {"auto", "bdf", "radau", "generalized_alpha", "runge_kutta"})
    for (const char* coordinates : {"absolute", "joint"}) {
      SCOPED_TRACE(fmt::format("{} {}", integrator, coordinates));
      const Recorded run = run_text(fmt::format(fmt::runtime(cart), ""),
                                    {fmt::format("solver.integrator=\"{}\"", integrator), "solver.rtol=1e-8",
                                     "solver.atol=1e-10", fmt::format("solver.coordinates=\"{}\"", coordinates)});
      expect_recursion(run, {}, 1e-6);
    }
}

TEST(SampledServo, sums_its_integral_and_keeps_to_its_limit) {
  const Recorded run =
      run_text(fmt::format(fmt::runtime(cart), "ki = 30\nlimit = 8"), {"solver.rtol=1e-8", "solver.atol=1e-10"});
  expect_recursion(run, {.ki = 30, .limit = 8}, 1e-6);
}

// With a fixed step every sample is the end of a step, or the step is refused.
TEST(SampledServo, needs_steps_that_divide_its_period) {
  const Recorded run =
      run_text(fmt::format(fmt::runtime(cart), ""), {"solver.h=1e-3", "solver.integrator=\"midpoint\""});
  expect_recursion(run, {}, 1e-5);
  EXPECT_THROW(read_study_text(fmt::format(fmt::runtime(cart), ""), "model.toml", SetList{"solver.h=7e-4"}),
               InputError);
}

// A counter: what a state becomes is what its formula says, of values held before.
TEST(SampledControl, updates_all_states_at_once) {
  const Recorded run = run_text(R"toml(
[[control]]
name = "c"
kind = "sampled"
period = 0.1
states = ["a", "b"]
initial = [1, 0]
updates = ["a + 1", "a"]
[analysis]
end = 0.55
)toml");
  EXPECT_EQ(run.last_value("c.a"), 7.0);  // samples at 0, 0.1, … 0.5
  EXPECT_EQ(run.last_value("c.b"), 6.0);
}

// An accelerometer at the sample, forces and energies as well: F ← −c a of the cart as it comes there, with the force
// that was held. a = (P + F)/m between samples, exactly.
TEST(SampledControl, may_use_what_is_only_measured) {
  const std::string text = R"toml(
gravity = [0, 0, 0]
[[body]]
name = "cart"
mass = 2
inertia = [1, 1, 1]
[[joint]]
name = "rail"
kind = "prismatic"
bodies = ["ground", "cart"]
point = [0, 0, 0]
axis = "x"
[[measure]]
name = "felt"
expression = "cart.ax"
[[control]]
name = "digital"
kind = "sampled"
period = 0.05
states = ["u", "energy", "force"]
updates = ["-1.2*felt", "energy.kinetic", "push.fx"]
[[force]]
name = "push"
kind = "force"
body = "cart"
force = ["4 + digital", 0, 0]
[analysis]
end = 1
[output]
interval = 0.05
)toml";
  for (const char* integrator : {"auto", "bdf", "radau", "generalized_alpha", "runge_kutta"})
    for (const char* coordinates : {"absolute", "joint"}) {
      SCOPED_TRACE(fmt::format("{} {}", integrator, coordinates));
      const Recorded run = run_text(text, {fmt::format("solver.integrator=\"{}\"", integrator), "solver.rtol=1e-8",
                                           "solver.atol=1e-10", fmt::format("solver.coordinates=\"{}\"", coordinates)});
      const Eigen::MatrixXd x = run.values("rail.displacement");
      double at = 0.0, v = 0.0, F = 0.0, energy = 0.0;
      for (Eigen::Index i = 0; i < x.rows(); ++i) {
        EXPECT_NEAR(x(i, 0), at, 1e-6) << i;
        const double T = 0.05, kinetic = v * v;
        if (i > 0) {
          EXPECT_NEAR(run.values("digital.energy")(i, 0), energy, 1e-5);
        }
        energy = kinetic;
        F = -1.2 * (4.0 + F) / 2.0;
        const double a = (4.0 + F) / 2.0;
        at += T * v + 0.5 * a * T * T, v += T * a;
      }
    }
}

}  // namespace
}  // namespace trammel::test_sampled
