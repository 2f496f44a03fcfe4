// SPDX-License-Identifier: Apache-2.0
#include "run_model.h"

/// Gears, racks, screws keep their ratios and carry their forces; internal states follow their differential equations.
namespace trammel::test_couplers_and_controls {
namespace {

const std::string two_wheels = R"toml(
gravity = [0, 0, 0]
[[body]]
name = "pinion"
mass = 1
inertia = [0.02, 0.02, 0.02]
[[body]]
name = "wheel"
mass = 4
inertia = [0.3, 0.3, 0.3]
position = [1, 0, 0]
[[joint]]
name = "axle_1"
kind = "revolute"
bodies = ["ground", "pinion"]
point = [0, 0, 0]
axis = "z"
[[joint]]
name = "axle_2"
kind = "revolute"
bodies = ["ground", "wheel"]
point = [1, 0, 0]
axis = "z"
[[force]]
name = "motor"
kind = "torque"
body = "pinion"
torque = [0, 0, 0.5]
[analysis]
end = 2
[solver]
h = 2e-3
)toml";

// φ₁ = −4 φ₂: the inertia at the pinion is J₁ + J₂/16, the motion a parabola (integrated exactly).
TEST(Couplers, a_gear_keeps_its_ratio_and_reduces_the_inertia) {
  const Recorded run = run_text(
      two_wheels + "[[joint]]\nname = \"mesh\"\nkind = \"gear\"\njoints = [\"axle_1\", \"axle_2\"]\nratio = -4\n");
  const double angle = 0.5 * 0.5 / (0.02 + 0.3 / 16.0) * 4.0;
  EXPECT_NEAR(run.last_value("axle_1.angle"), angle, 1e-8);
  EXPECT_NEAR(run.last_value("axle_2.angle"), -angle / 4.0, 1e-8);
}

TEST(Couplers, a_speed_coupler_keeps_the_ratio_of_the_rates) {
  const Recorded run =
      run_text(two_wheels +
               "[[coupler]]\nname = \"clutch\"\nkind = \"speed_coupler\"\njoints = [\"axle_1\", \"axle_2\"]\n"
               "factors = [1, 4]\nvalue = 0.1\n");
  EXPECT_NEAR(run.last_value("axle_1.angle_rate") + 4 * run.last_value("axle_2.angle_rate"), 0.1, 1e-10);
}

// Rack and pinion: x = r φ, r = 0.1. With the force F on the rack: (m + J/r²) ẍ = F.
TEST(Couplers, a_rack_moves_with_its_pinion) {
  const Recorded run = run_text(R"toml(
gravity = [0, 0, 0]
[[body]]
name = "pinion"
mass = 1
inertia = [0.02, 0.02, 0.02]
[[body]]
name = "rack"
mass = 3
inertia = [1, 1, 1]
position = [0, -0.1, 0]
[[joint]]
name = "axle"
kind = "revolute"
bodies = ["ground", "pinion"]
point = [0, 0, 0]
axis = "z"
[[joint]]
name = "guide"
kind = "prismatic"
bodies = ["ground", "rack"]
axis = "x"
[[coupler]]
name = "teeth"
terms = [{ joint = "guide", factor = 1 }, { joint = "axle", factor = -0.1 }]
[[force]]
name = "push"
kind = "force"
body = "rack"
force = [10, 0, 0]
[analysis]
end = 1
[solver]
h = 2e-3
)toml");
  const double x = 0.5 * 10.0 / (3.0 + 0.02 / 0.01);
  EXPECT_NEAR(run.last_value("guide.displacement"), x, 1e-9);
  EXPECT_NEAR(run.last_value("axle.angle"), x / 0.1, 1e-8);
}

// Screw of pitch p: m ẍ + J φ̈ (2π/p) = −m g with x = p φ/2π.
TEST(Couplers, a_nut_sinks_on_its_screw) {
  const Recorded run = run_text(R"toml(
[[body]]
name = "nut"
mass = 2
inertia = [0.01, 0.01, 0.02]
[[joint]]
name = "thread"
kind = "screw"
bodies = ["ground", "nut"]
point = [0, 0, 0]
axis = "z"
pitch = 0.5
[analysis]
end = 1
[solver]
h = 2e-3
)toml");
  const double turn = 2.0 * M_PI / 0.5, x = -0.5 * 2 * 9.81 / (2.0 + 0.02 * turn * turn);
  EXPECT_NEAR(run.last_value("thread.displacement"), x, 1e-8);
  EXPECT_NEAR(run.last_value("thread.angle"), x * turn, 1e-7);
  // The thread carries what does not accelerate: m g + m ẍ.
  EXPECT_NEAR(run.last("thread.reaction_force")[2], 2 * 9.81 + 2 * 2 * x, 1e-5);
}

std::string with_block(const std::string& controls, double end = 1.0) {
  return R"toml(
gravity = [0, 0, 0]
[[body]]
name = "block"
mass = 2
inertia = [1, 1, 1]
[[joint]]
name = "guide"
kind = "prismatic"
bodies = ["ground", "block"]
axis = "x"
)toml" + controls +
         fmt::format("[analysis]\nend = {}\n[solver]\nh = 1e-3\n", end);
}

// T ẏ = 1 − y: y = 1 − e^{−t/T}. A second-order method at h/T = 0.005 errs by about (h/T)²/12 · t/T e^{−t/T}.
TEST(Controls, a_filter_answers_a_step_with_its_exponential) {
  const Recorded run =
      run_text(with_block("[[control]]\nname = \"f\"\nkind = \"filter\"\ninput = \"1\"\ntime_constant = 0.2\n"));
  const Eigen::VectorXd y = run.values("f.filtered");
  for (std::size_t i = 0; i < run.times().size(); ++i)
    EXPECT_NEAR(y[static_cast<Eigen::Index>(i)], 1.0 - std::exp(-run.times()[i] / 0.2), 1e-5) << run.times()[i];
}

// ẍ = −ω² x as a user's differential equation.
TEST(Controls, a_users_oscillator_oscillates) {
  const Recorded run =
      run_text(with_block("[[control]]\nname = \"o\"\nkind = \"ode\"\nstates = [\"x\", \"u\"]\n"
                          "rates = [\"u\", \"-25*x\"]\ninitial = [1, 0]\n"));
  EXPECT_NEAR(run.last_value("o.x"), std::cos(5.0), 2e-4);
  EXPECT_NEAR(run.last_value("o.u"), -5.0 * std::sin(5.0), 1e-3);
}

TEST(Controls, an_algebraic_state_solves_its_equation) {
  const Recorded run =
      run_text(with_block("[[control]]\nname = \"a\"\nkind = \"ode\"\nstates = [\"y\"]\nalgebraic = [true]\n"
                          "rates = [\"y^3 + y - 10*t\"]\ninitial = [0]\n"));
  const double y = run.last_value("a.y");
  EXPECT_NEAR(y * y * y + y, 10.0, 1e-9);
}

// A block under a PD law (no integral): m ẍ = kp e + kd ė/(1 + T d/dt); with T → 0 a damped oscillation about the
// target. With an integral part the error of a constant load vanishes.
TEST(Controls, a_pid_brings_the_block_to_its_target_against_a_load) {
  const Recorded run = run_text(with_block(R"toml(
[[control]]
name = "pid"
kind = "pid"
input = "0.3 - guide.displacement"
kp = 80
ki = 100
kd = 25
derivative_time = 0.01
derivative_initial = 0.3
[[force]]
name = "motor"
kind = "force"
body = "block"
force = ["pid - 5", 0, 0]
)toml",
                                           12.0));
  EXPECT_NEAR(run.last_value("guide.displacement"), 0.3, 1e-6);
  EXPECT_NEAR(100.0 * run.last_value("pid.integral"), 5.0, 1e-4);  // the integral carries the load
}

// A motion through a filter and back: a measure of a measure.
TEST(Controls, measures_may_use_controls_and_reactions) {
  const Recorded run =
      run_text(with_block("[[control]]\nname = \"f\"\nkind = \"filter\"\ninput = \"t\"\ntime_constant = 0.1\n"
                          "[[measure]]\nname = \"lag\"\nexpression = \"t - f\"\n"
                          "[[measure]]\nname = \"twice\"\nexpression = \"2*lag\"\n"));
  EXPECT_NEAR(run.last_value("twice"), 0.2 * (1.0 - std::exp(-10.0)), 1e-5);
}

}  // namespace
}  // namespace trammel::test_couplers_and_controls
