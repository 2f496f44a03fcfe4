// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <random>

#include "compare_frames.h"

/// Kinematics and inverse dynamics of machines whose place does not follow from the instant alone (states, drives by
/// speed, edges and wheels that roll): over all frames, however far these are apart.
namespace trammel::test_followed_motions {
namespace {

const char* const kinds[] = {"kinematics", "inverse_dynamics"};

std::string slider(const std::string& motion, const std::string& rest, double interval) {
  return fmt::format(R"toml(
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
[[motion]]
name = "drive"
joint = "rail"
{}
{}
[analysis]
end = 5
[output]
interval = {:.17g}
)toml",
                     motion, rest, interval);
}

Recorded follow(const std::string& model, const char* kind, const char* coordinates) {
  return run_text(model, {fmt::format("analysis.kind={}", kind), fmt::format("solver.coordinates={}", coordinates)});
}

// Twenty radians of x = 0.15 (1 − cos 20 t), a frame every two: x and the force of a spring on it.
TEST(FollowedMotions, drives_by_speed_are_where_their_speed_leads) {
  std::mt19937 random(17);
  std::uniform_real_distribution<double> interval(0.02, 0.2);
  for (const char* kind : kinds)
    for (const char* coordinates : {"absolute", "joint"}) {
      const double apart = interval(random);
      SCOPED_TRACE(fmt::format("{} {} a frame every {} s", kind, coordinates, apart));
      const Recorded run = follow(
          slider("velocity = \"3*sin(20*t)\"",
                 "[[force]]\nname = \"spring\"\nkind = \"joint_spring\"\njoint = \"rail\"\nstiffness = 50", apart),
          kind, coordinates);
      const Eigen::VectorXd x = run.values("rail.displacement"), force = run.values("spring.applied_effort");
      double error = 0.0;
      for (Eigen::Index i = 0; i < x.size(); ++i) {
        const double exact = 0.15 * (1.0 - std::cos(20.0 * run.times()[static_cast<std::size_t>(i)]));
        error = std::max({error, std::abs(x[i] - exact), std::abs(force[i] + 50.0 * exact) / 50.0});
      }
      EXPECT_LT(error, 1e-4);  // ten times the default tolerance of 1e-5 of a metre
    }
}

// A filter T ẏ = x − y on x = 0.3 sin 2t, whose output acts back on the cart; the effort of the drive contains it.
TEST(FollowedMotions, states_follow_the_motion) {
  const double T = 0.2, w = 2.0, size = 0.3 / (1.0 + T * T * w * w);
  for (const char* kind : kinds)
    for (const char* coordinates : {"absolute", "joint"}) {
      SCOPED_TRACE(fmt::format("{} {}", kind, coordinates));
      const Recorded run = follow(
          slider("function = \"0.3*sin(2*t)\"",
                 "[[control]]\nname = \"sensor\"\nkind = \"filter\"\ninput = \"rail.displacement\"\ntime_constant = "
                 "0.2\n[[force]]\nname = \"push\"\nkind = \"force\"\nbody = \"cart\"\nforce = [\"-50*sensor\", 0, 0]",
                 0.3),
          kind, coordinates);
      const Eigen::VectorXd z = run.values("sensor.filtered"), effort = run.values("drive.effort");
      for (Eigen::Index i = 0; i < z.size(); ++i) {
        const double t = run.times()[static_cast<std::size_t>(i)];
        const double exact = size * (std::sin(w * t) - T * w * (std::cos(w * t) - std::exp(-t / T)));
        EXPECT_NEAR(z[i], exact, 1e-4 * 0.3) << t;
        EXPECT_NEAR(effort[i], -1.7 * w * w * 0.3 * std::sin(w * t) + 50.0 * exact, 5e-3) << t;
      }
    }
}

// Bristles that slide hold with μ m g: 6.67 N against the drive of 0.1 m/s.
TEST(FollowedMotions, friction_of_bristles_is_in_the_effort) {
  for (const char* coordinates : {"absolute", "joint"}) {
    SCOPED_TRACE(coordinates);
    const Recorded run = follow(
        slider("function = \"0.1*t\"",
               "[[friction]]\nname = \"rub\"\njoint = \"rail\"\nkind = \"lugre\"\nmu = 0.4\nsigma0 = 1e4\nsigma1 = 50",
               0.5),
        "inverse_dynamics", coordinates);
    EXPECT_NEAR(run.last_value("drive.effort"), 0.4 * 1.7 * 9.81, 1e-3);
  }
}

// An edge that is steered by φ = 0.8 sin t and led at ẋ = 0.5: ẏ = ẋ tan φ, summed here by Simpson's rule.
TEST(FollowedMotions, edges_lead_where_they_are_steered) {
  const std::string model = R"toml(
gravity = [0, 0, -9.81]
[[body]]
name = "sleigh"
mass = 2
inertia = [0.2, 0.2, 0.3]
velocity = [0.5, 0, 0]
angular_velocity = [0, 0, 0.8]
[[coordinate]]
name = "phi"
rate = 0.8
[[coordinate]]
name = "x"
rate = 0.5
[[coordinate]]
name = "y"
[[joint]]
name = "plane"
kind = "planar"
bodies = ["ground", "sleigh"]
point = [0, 0, 0]
axis = "z"
coordinates = ["phi", "x", "y"]
[[joint]]
name = "edge"
kind = "knife_edge"
bodies = ["ground", "sleigh"]
point = [0, 0, 0]
axis_b = "y"
[[motion]]
name = "steering"
joint = "phi"
function = "0.8*sin(t)"
[[motion]]
name = "lead"
joint = "x"
function = "0.5*t"
[analysis]
end = 10
[output]
interval = 0.5
)toml";
  for (const char* kind : kinds)
    for (const char* coordinates : {"absolute", "joint"}) {
      SCOPED_TRACE(fmt::format("{} {}", kind, coordinates));
      const Recorded run = follow(model, kind, coordinates);
      const Eigen::MatrixXd p = run.values("sleigh.position");
      const auto slope = [](double t) { return 0.5 * std::tan(0.8 * std::sin(t)); };
      double t = 0.0, y = 0.0;
      const double h = 0.005;
      for (Eigen::Index i = 0; i < p.rows(); ++i) {
        for (const double to = run.times()[static_cast<std::size_t>(i)]; t < to - 0.5 * h; t += h)
          y += h / 6.0 * (slope(t) + 4.0 * slope(t + 0.5 * h) + slope(t + h));
        EXPECT_NEAR(p(i, 1), y, 1e-4) << t;
      }
    }
}

// Frames at 0, 0.3, … do not meet the end, which has its own.
TEST(FollowedMotions, the_end_has_a_frame) {
  for (const char* kind : kinds)
    for (const double interval : {0.3, 7.0, 1e9}) {
      SCOPED_TRACE(fmt::format("{} {}", kind, interval));
      const Recorded run = follow(slider("function = \"0.3*sin(2*t)\"", "", interval), kind, "absolute");
      EXPECT_EQ(run.times().back(), 5.0);
      EXPECT_NEAR(run.last_value("rail.displacement"), 0.3 * std::sin(10.0), 1e-12);
      EXPECT_EQ(run.times().size(), interval < 5.0 ? 18 : 2);
    }
}

}  // namespace
}  // namespace trammel::test_followed_motions
