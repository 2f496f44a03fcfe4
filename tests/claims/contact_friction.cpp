// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <numbers>

#include "run_model.h"

// Friction in joints, whose normal force is a reaction.

namespace trammel::test_contact_friction {
namespace {

constexpr double g = 9.81;

std::string rail(const std::string& push, const std::string& friction) {
  return fmt::format(R"(
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
[[force]]
name = "push"
kind = "force"
body = "block"
force = ["{}", 0, 0]
[[friction]]
name = "rub"
joint = "rail"
{}
[analysis]
end = 1
[solver]
rtol = 1e-7
atol = 1e-9
)",
                     push, friction);
}

const std::string lugre = "kind = \"lugre\"\nmu = 0.3\nsigma0 = 1e4\nsigma1 = 100\n";

// μ N = 0.3 · 2 · 9.81 N: a push that grows slowly to a part ρ of it moves the slider by (μ/σ₀) ln(1/(1 − ρ)), the
// integral of ż = (1 − σ₀ z/μ) ẋ; one above it accelerates by (F − μN)/m.
TEST(JointFriction, a_slider_sticks_below_and_slides_above_mu_times_its_reaction) {
  const double limit = 0.3 * 2.0 * g;
  for (const std::string method : {"generalized_alpha", "bdf", "radau"}) {
    SCOPED_TRACE(method);
    const SetList settings{"solver.integrator=" + method};
    const Recorded stuck = run_text(rail(fmt::format("{}*(1 - cos(pi*t))/2", 0.9 * limit), lugre), settings);
    const double bend = 0.3 / 1e4 * std::log(10.0);
    EXPECT_NEAR(stuck.last_value("rail.displacement"), bend, 0.01 * bend);
    const Recorded sliding = run_text(rail(fmt::format("{}", 1.5 * limit), lugre), settings);
    const Eigen::VectorXd v = sliding.values("rail.displacement_rate").col(0);
    const double a = 0.5 * limit / 2.0;
    EXPECT_NEAR((v[v.size() - 1] - v[v.size() / 2]) / 0.5, a, 0.01 * a);
  }
}

// A wheel on a pin of radius r that carries its weight: friction torque r μ m g, so it slows by r μ m g/J until it
// stops. The reaction of a balanced wheel is its weight.
TEST(JointFriction, a_wheel_on_its_pin_slows_down_by_radius_times_mu_times_weight) {
  const std::string text = R"(
[[body]]
name = "wheel"
mass = 4
inertia = [0.2, 0.4, 0.2]
angular_velocity = [0, 10, 0]
[[joint]]
name = "pin"
kind = "revolute"
bodies = ["ground", "wheel"]
point = [0, 0, 0]
axis = "y"
[[friction]]
name = "rub"
joint = "pin"
kind = "coulomb"
mu = 0.2
v_s = 1e-4
radius = 0.02
[analysis]
end = 2
[solver]
rtol = 1e-7
atol = 1e-9
)";
  const Recorded run = run_text(text);
  const double slow = 0.02 * 0.2 * 4.0 * g / 0.4;
  EXPECT_NEAR(run.last_value("pin.angle_rate"), 10.0 - 2.0 * slow, 0.01 * 2.0 * slow);
  const Recorded bristles =
      run_text(replace_once(replace_once(text, "\"coulomb\"", "\"lugre\""), "v_s = 1e-4", "sigma0 = 1e5\nsigma1 = 10"));
  EXPECT_NEAR(bristles.last_value("pin.angle_rate"), 10.0 - 2.0 * slow, 0.01 * 2.0 * slow);
}

}  // namespace
}  // namespace trammel::test_contact_friction
