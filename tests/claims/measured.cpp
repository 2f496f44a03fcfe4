// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "run_model.h"

// What formulas of measures may use: forces of forces, gears and contacts, accelerations, angles, energies, momentum,
// relative motion; against closed form, or against the channels of the same name.

namespace trammel::test_measured {
namespace {

std::string measures(const std::vector<std::string>& expressions) {
  std::string text;
  for (std::size_t i = 0; i < expressions.size(); ++i)
    text += fmt::format("[[measure]]\nname = \"m{}\"\nexpression = \"{}\"\n", i, expressions[i]);
  return text;
}

const std::string pendulum = R"toml(
[[body]]
name = "rod"
mass = 2
inertia = [0.1, 0.2, 0.15]
center_of_mass = [0.1, 0, 0]
position = [0.7, 0, 0]
[[joint]]
name = "hinge"
kind = "revolute"
bodies = ["ground", "rod"]
point = [0, 0, 0]
axis = "y"
[[force]]
name = "spring"
kind = "spring_damper"
bodies = ["ground", "rod"]
point_a = [0.5, 0.3, 0.6]
point_b = [0.7, 0, 0]
stiffness = 40
damping = 1.5
[[force]]
name = "hinge_spring"
kind = "joint_spring"
joint = "hinge"
stiffness = 3
damping = 0.2
[analysis]
end = 1
[solver]
rtol = 1e-9
atol = 1e-11
)toml";

TEST(Measured, forces_are_those_of_the_channels) {
  for (const char* set : {"absolute", "joint"}) {
    const Recorded run =
        run_text(pendulum + measures({"spring.fx", "spring.fz", "spring.my", "spring.force", "hinge_spring.effort"}),
                 {fmt::format("solver.coordinates=\"{}\"", set)});
    const Eigen::MatrixXd force = run.values("spring.applied_force"), moment = run.values("spring.applied_moment"),
                          effort = run.values("hinge_spring.applied_effort");
    for (Eigen::Index i = 0; i < force.rows(); ++i) {
      EXPECT_DOUBLE_EQ(run.values("m0")(i, 0), force(i, 0));
      EXPECT_DOUBLE_EQ(run.values("m1")(i, 0), force(i, 2));
      EXPECT_DOUBLE_EQ(run.values("m2")(i, 0), moment(i, 1));
      EXPECT_NEAR(run.values("m3")(i, 0), force.row(i).norm(), 1e-12 * force.row(i).norm());
      EXPECT_DOUBLE_EQ(run.values("m4")(i, 0), effort(i, 0));
    }
    // −k x − c ẋ
    const Eigen::MatrixXd angle = run.values("hinge.angle"), rate = run.values("hinge.angle_rate");
    for (Eigen::Index i = 0; i < angle.rows(); ++i)
      EXPECT_NEAR(run.values("m4")(i, 0), -3 * angle(i, 0) - 0.2 * rate(i, 0), 1e-9);
  }
}

// The origin of the rod goes round in a circle of 0.7 m: a = (−r ω² cos φ − r φ̈ sin φ, …), angle about y downwards.
TEST(Measured, accelerations_are_those_of_a_circle) {
  const Recorded run = run_text(pendulum + measures({"rod.ax", "rod.az", "rod.pitch", "rod.world_wy", "rod.wy"}));
  const Eigen::MatrixXd phi = run.values("hinge.angle"), w = run.values("hinge.angle_rate"),
                        w_rate = run.values("rod.angular_acceleration");
  for (Eigen::Index i = 0; i < phi.rows(); ++i) {
    const double c = std::cos(phi(i, 0)), s = std::sin(phi(i, 0)), r = 0.7;
    EXPECT_NEAR(run.values("m0")(i, 0), -r * w(i, 0) * w(i, 0) * c - r * w_rate(i, 1) * s, 1e-8);
    EXPECT_NEAR(run.values("m1")(i, 0), r * w(i, 0) * w(i, 0) * s - r * w_rate(i, 1) * c, 1e-8);
    EXPECT_NEAR(run.values("m2")(i, 0), phi(i, 0), 1e-9);
    EXPECT_NEAR(run.values("m3")(i, 0), w(i, 0), 1e-9);
    EXPECT_NEAR(run.values("m3")(i, 0), run.values("m4")(i, 0), 1e-12);
  }
}

// A body that spins about a tilted axis: ω in the world is constant without moments about it, in the body it is not.
TEST(Measured, energies_and_momentum_are_kept_by_a_free_body) {
  const Recorded run = run_text(std::string(R"toml(
gravity = [0, 0, 0]
[[body]]
name = "top"
mass = 3
inertia = [1, 2, 2.5]
position = [1, 2, 3]
velocity = [0.4, -0.3, 0.2]
angular_velocity = [0.5, 2, 0.1]
[analysis]
end = 3
[solver]
rtol = 1e-10
atol = 1e-12
)toml") + measures({"energy.kinetic", "energy.total", "momentum.x", "momentum.lx", "momentum.lz", "energy.potential"}));
  const double T = 0.5 * 3 * (0.16 + 0.09 + 0.04) + 0.5 * (0.25 + 2 * 4 + 2.5 * 0.01);
  const Eigen::Vector3d L =
      Eigen::Vector3d(1, 2, 3).cross(3 * Eigen::Vector3d(0.4, -0.3, 0.2)) + Eigen::Vector3d(0.5, 4, 0.25);
  const Eigen::Index last = run.values("m0").rows() - 1;
  for (const Eigen::Index i : {Eigen::Index(0), last}) {
    EXPECT_NEAR(run.values("m0")(i, 0), T, 1e-8);
    EXPECT_NEAR(run.values("m1")(i, 0), T, 1e-8);
    EXPECT_NEAR(run.values("m2")(i, 0), 1.2, 1e-9);
    EXPECT_NEAR(run.values("m3")(i, 0), L.x(), 1e-7);
    EXPECT_NEAR(run.values("m4")(i, 0), L.z(), 1e-7);
    EXPECT_EQ(run.values("m5")(i, 0), 0.0);
  }
}

// Rz(yaw) Ry(pitch) Rx(roll).
TEST(Measured, angles_are_yaw_pitch_roll) {
  const Recorded run = run_text(std::string(R"toml(
gravity = [0, 0, 0]
[[body]]
name = "plane"
mass = 1
inertia = [1, 1, 1]
euler = { sequence = "zyx", angles = [0.3, -0.2, 0.5] }
[analysis]
end = 0.1
)toml") + measures({"plane.yaw", "plane.pitch", "plane.roll"}));
  EXPECT_NEAR(run.last_value("m0"), 0.3, 1e-12);
  EXPECT_NEAR(run.last_value("m1"), -0.2, 1e-12);
  EXPECT_NEAR(run.last_value("m2"), 0.5, 1e-12);
}

// Two wheels of inertia 1 and 4 and a gear 1 : −2: with a torque on the first, φ̈₁ = M/(J₁ + J₂/4), and the gear gives
// the second J₂ φ̈₂ = −J₂ φ̈₁/2.
TEST(Measured, gears_have_an_effort) {
  const Recorded run = run_text(std::string(R"toml(
gravity = [0, 0, 0]
[[body]]
name = "small"
mass = 1
inertia = [1, 1, 1]
[[body]]
name = "large"
mass = 1
inertia = [4, 4, 4]
position = [1, 0, 0]
[[joint]]
name = "a"
kind = "revolute"
bodies = ["ground", "small"]
point = [0, 0, 0]
axis = "z"
[[joint]]
name = "b"
kind = "revolute"
bodies = ["ground", "large"]
point = [1, 0, 0]
axis = "z"
[[joint]]
name = "mesh"
kind = "gear"
joints = ["a", "b"]
ratio = -2
[[force]]
name = "drive"
kind = "torque"
body = "small"
torque = [0, 0, 6]
[analysis]
end = 0.5
)toml") + measures({"mesh.effort", "a.angle"}));
  const double alpha = 6.0 / (1.0 + 4.0 / 4.0);
  EXPECT_NEAR(run.last_value("m1"), 0.5 * alpha * 0.25, 1e-5);
  // Of the coordinate with the factor 1; the other gets it times its factor.
  const double on_large = 4.0 * alpha / 2.0, effort = std::abs(run.last_value("m0"));
  EXPECT_TRUE(std::abs(effort - on_large) < 1e-4 || std::abs(effort - on_large / 2.0) < 1e-4) << effort;
  EXPECT_DOUBLE_EQ(run.last_value("mesh.effort"), run.last_value("m0"));
}

// A block that slides on a turning arm, seen from the arm: along the arm's own x it is the slide's displacement, and an
// observer on the arm sees no other motion.
TEST(Measured, relative_motion_is_that_of_an_observer_on_the_first_body) {
  const Recorded run = run_text(R"toml(
gravity = [0, 0, 0]
[[body]]
name = "arm"
mass = 2
inertia = [1, 1, 1]
[[body]]
name = "block"
mass = 1
inertia = [0.1, 0.1, 0.1]
position = [0.5, 0, 0]
[[joint]]
name = "hinge"
kind = "revolute"
bodies = ["ground", "arm"]
point = [0, 0, 0]
axis = "z"
[[joint]]
name = "slide"
kind = "prismatic"
bodies = ["arm", "block"]
point = [0.5, 0, 0]
axis = "x"
[[motion]]
name = "turn"
joint = "hinge"
function = "2*t"
[[motion]]
name = "push"
joint = "slide"
function = "0.3*t^2"
[[measure]]
name = "along"
kind = "relative"
bodies = ["arm", "block"]
along = "x"
[[measure]]
name = "across"
kind = "relative"
bodies = ["arm", "block"]
along = "y"
[[measure]]
name = "world_x"
kind = "relative"
bodies = ["arm", "block"]
axes = "ground"
along = "x"
[[measure]]
name = "turned"
kind = "relative"
bodies = ["ground", "block"]
angle = "yaw"
[[measure]]
name = "rate"
expression = "along.rate"
[[measure]]
name = "across_rate"
expression = "across.rate"
[[measure]]
name = "turn_rate"
expression = "turned.rate"
[analysis]
end = 1
kind = "kinematics"
[output]
interval = 0.1
)toml");
  for (Eigen::Index i = 0; i < run.values("along").rows(); ++i) {
    const double t = run.times()[static_cast<std::size_t>(i)], x = 0.5 + 0.3 * t * t;
    EXPECT_NEAR(run.values("along")(i, 0), x, 1e-9);
    EXPECT_NEAR(run.values("rate")(i, 0), 0.6 * t, 1e-8);
    EXPECT_NEAR(run.values("across")(i, 0), 0.0, 1e-9);
    EXPECT_NEAR(run.values("across_rate")(i, 0), 0.0, 1e-8);
    EXPECT_NEAR(run.values("world_x")(i, 0), x * std::cos(2 * t), 1e-9);
    EXPECT_NEAR(run.values("turned")(i, 0), std::remainder(2 * t, 2 * std::numbers::pi), 1e-8);
    EXPECT_NEAR(run.values("turn_rate")(i, 0), 2.0, 1e-8);
  }
}

// What acts decides accelerations: a force of an acceleration, or of a measure that needs one, is refused by name.
TEST(Measured, nothing_that_acts_may_depend_on_what_follows_from_it) {
  const std::string text = pendulum + R"toml(
[[measure]]
name = "felt"
expression = "2*rod.ax"
[[force]]
name = "direct"
kind = "force"
body = "rod"
force = ["rod.az", 0, 0]
[[force]]
name = "through"
kind = "force"
body = "rod"
force = [0, "felt", 0]
)toml";
  try {
    read_study_text(text, "model.toml");
    FAIL();
  } catch (const InputError& error) {
    const std::string said = error.what();
    EXPECT_NE(said.find("force 'direct'"), std::string::npos) << said;
    EXPECT_NE(said.find("force 'through'"), std::string::npos) << said;
    EXPECT_EQ(said.find("'felt'"), std::string::npos) << said;
  }
}

}  // namespace
}  // namespace trammel::test_measured
