// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <numbers>
#include <random>

#include "run_model.h"

// Shapes that meet and part within one step of the error test are not passed through: contact is searched within steps.

namespace trammel::test_contact_passing {
namespace {

const std::vector<std::string> methods{"generalized_alpha", "hht", "newmark", "midpoint", "bdf", "radau",
                                       "runge_kutta"};
const std::vector<std::string> coordinates{"absolute", "joint"};

struct Met {
  Recorded run;
  std::vector<double> touch;
};

Met meet(const std::string& text, const SetList& settings) {
  Met met;
  Simulation simulation(read_study_text(text, "model.toml", settings));
  met.run.summary = simulation.run(met.run.record);
  EXPECT_TRUE(met.run.summary.completed) << met.run.summary.stop << "\n" << met.run.summary.failure;
  for (const KinkWatch::Change& change : simulation.contact_changes())
    if (change.begins) met.touch.push_back(change.t);
  return met;
}

std::string body(const std::string& name, double mass, double radius, const Eigen::Vector3d& p,
                 const Eigen::Vector3d& v) {
  const double inertia = 0.4 * mass * radius * radius;
  return fmt::format(
      "[[body]]\nname = \"{0}\"\nmass = {1:.17g}\ninertia = [{2:.17g}, {2:.17g}, {2:.17g}]\nposition = [{3:.17g}, "
      "{4:.17g}, {5:.17g}]\nvelocity = [{6:.17g}, {7:.17g}, {8:.17g}]\n[[geometry]]\nname = \"s{0}\"\nbody = "
      "\"{0}\"\nkind = \"sphere\"\nradius = {9:.17g}\n",
      name, mass, inertia, p.x(), p.y(), p.z(), v.x(), v.y(), v.z(), radius);
}

constexpr const char* collision = R"(
[[contact]]
name = "hit"
between = ["sa", "sb"]
stiffness = 1e6
[output]
interval = 1
)";

Eigen::Vector3d random_direction(std::mt19937& random) {
  std::normal_distribution<double> normal;
  return Eigen::Vector3d(normal(random), normal(random), normal(random)).normalized();
}

// Two balls without gravity, any sizes, masses and directions, 20 to 200 radii apart: nothing but the contact limits
// the step. Head on, an elastic blow gives v_a' = v_a − 2 m_b/(m_a + m_b) (v_a − v_b), whatever the stiffness.
TEST(ContactPassing, balls_that_meet_in_free_flight_exchange_their_momentum) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> unit(0.0, 1.0);
  for (const std::string& set : coordinates)
    for (const std::string& method : methods)
      for (int i = 0; i < 4; ++i) {
        const double ra = 0.02 + 0.2 * unit(random), rb = 0.02 + 0.2 * unit(random);
        const double ma = 0.2 + unit(random), mb = 0.2 + unit(random);
        const double gap = (20.0 + 180.0 * unit(random)) * std::min(ra, rb), speed = 0.5 + 5.0 * unit(random);
        const Eigen::Vector3d e = random_direction(random), pa = 3.0 * random_direction(random);
        const Eigen::Vector3d drift = 0.3 * random_direction(random);
        const double meeting = gap / speed;
        const std::string text = "gravity = [0, 0, 0]\n" + body("a", ma, ra, pa, drift + speed * e) +
                                 body("b", mb, rb, pa + (ra + rb + gap) * e, drift) + collision +
                                 fmt::format("[analysis]\nend = {:.17g}\n", 2.5 * meeting);
        SCOPED_TRACE(fmt::format("{} {} {}", set, method, i));
        const Met met = meet(
            text, {"solver.integrator=" + method, "solver.coordinates=" + set, "solver.rtol=1e-6", "solver.atol=1e-8"});
        ASSERT_EQ(met.touch.size(), 1u);
        EXPECT_NEAR(met.touch[0], meeting, 1e-6 * meeting);
        const Eigen::Vector3d va = met.run.last("a.velocity").head(3);
        const double error = (va - drift - speed * (1.0 - 2.0 * mb / (ma + mb)) * e).norm();
        EXPECT_LT(error, (method == "newmark" ? 0.1 : 0.01) * speed);  // newmark damps by itself
      }
}

// Past each other with an offset b in [0, 2) sums of radii: they touch where |p_b − p_a| is the sum of radii, or not at
// all.
TEST(ContactPassing, balls_touch_exactly_where_their_ways_say) {
  std::mt19937 random(11);
  std::uniform_real_distribution<double> unit(0.0, 1.0);
  for (const std::string& method : methods)
    for (int i = 0; i < 12; ++i) {
      const double r = 0.05 + 0.1 * unit(random), along = 100.0 * r * (0.2 + unit(random));
      const double offset = 4.0 * r * unit(random);
      const Eigen::Vector3d e = random_direction(random), side = e.cross(random_direction(random)).normalized();
      const std::string text = "gravity = [0, 0, 0]\n" + body("a", 1.0, r, Eigen::Vector3d::Zero(), 2.0 * e) +
                               body("b", 1.0, r, along * e + offset * side, Eigen::Vector3d::Zero()) + collision +
                               fmt::format("[analysis]\nend = {:.17g}\n", along);
      SCOPED_TRACE(fmt::format("{} {}, offset {:.3g} radii", method, i, offset / r));
      const Met met = meet(text, {"solver.integrator=" + method});
      if (offset > 2.0 * r) {
        EXPECT_TRUE(met.touch.empty());
      } else {
        ASSERT_EQ(met.touch.size(), 1u);
        EXPECT_NEAR(met.touch[0], 0.5 * (along - std::sqrt(4.0 * r * r - offset * offset)), 1e-5);
      }
    }
}

// A ball dropped on a plate that is a twentieth of its size and less, from 20 to 100 times its radius: free fall ends
// at √(2 height/g), and the ball is above the plate ever after.
TEST(ContactPassing, a_ball_does_not_fall_through_a_thin_plate) {
  std::mt19937 random(13);
  std::uniform_real_distribution<double> unit(0.0, 1.0);
  for (const std::string& set : coordinates)
    for (const std::string& method : methods)
      for (int i = 0; i < 3; ++i) {
        const double r = 0.02 + 0.2 * unit(random), thick = r * (0.02 + 0.1 * unit(random));
        const double height = r * (20.0 + 80.0 * unit(random)), x = unit(random) - 0.5, y = unit(random) - 0.5;
        const double fall = std::sqrt(2.0 * height / 9.81);
        const std::string text =
            body("a", 1.0, r, {x, y, height + r + 0.5 * thick}, Eigen::Vector3d::Zero()) +
            fmt::format("[[geometry]]\nname = \"sb\"\nkind = \"box\"\nsize = [3, 3, {:.17g}]\nrounding = {:.17g}\n",
                        thick, 0.2 * thick) +
            "[[contact]]\nname = \"hit\"\nbetween = [\"sa\", \"sb\"]\nstiffness = 1e7\n" +
            fmt::format("[analysis]\nend = {:.17g}\n", 1.9 * fall);
        SCOPED_TRACE(fmt::format("{} {} {}", set, method, i));
        const Met met = meet(text, {"solver.integrator=" + method, "solver.coordinates=" + set});
        ASSERT_EQ(met.touch.size(), 1u);
        EXPECT_NEAR(met.touch[0], fall, 1e-5 * fall);
        EXPECT_GT(met.run.values("a.position").col(2).minCoeff(), 0.5 * thick);
        EXPECT_GT(met.run.last("a.position")[2], 0.5 * height);
      }
}

// A ball on an arm that turns many times per step in joint coordinates meets a ball that stands in its way: a step may
// hold many turns, and one blow.
TEST(ContactPassing, an_arm_that_turns_in_long_steps_meets_what_is_in_its_way) {
  const std::string text = "gravity = [0, 0, 0]\n" + body("b", 1.0, 0.05, {-1, 0, 0}, Eigen::Vector3d::Zero()) + R"(
[[body]]
name = "a"
mass = 1
inertia = [0.01, 0.01, 0.01]
position = [1, 0, 0]
velocity = [0, 2, 0]
angular_velocity = [0, 0, 2]
[[geometry]]
name = "sa"
body = "a"
kind = "sphere"
radius = 0.05
[[joint]]
name = "hinge"
kind = "revolute"
bodies = ["ground", "a"]
point = [0, 0, 0]
axis = "z"
[analysis]
end = 3
)" + std::string(collision);
  const double angle = std::numbers::pi - 2.0 * std::asin(0.05);
  for (const std::string& set : coordinates)
    for (const std::string& method : methods) {
      SCOPED_TRACE(set + " " + method);
      const Met met = meet(
          text, {"solver.integrator=" + method, "solver.coordinates=" + set, "solver.rtol=1e-6", "solver.atol=1e-8"});
      ASSERT_GE(met.touch.size(), 1u);
      EXPECT_NEAR(met.touch[0], 0.5 * angle, method == "newmark" ? 2e-3 : 1e-4);  // newmark is of order one
    }
}

}  // namespace
}  // namespace trammel::test_contact_passing
