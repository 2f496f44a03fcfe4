// SPDX-License-Identifier: Apache-2.0
#include <Eigen/Geometry>

#include "run_model.h"

/// Laws of free bodies: momentum, energy, and the sameness of what is described twice.
namespace trammel::test_free_bodies {
namespace {

Eigen::Matrix3d rotation_of(const Eigen::VectorXd& quaternion) {
  return Eigen::Quaterniond(quaternion[0], quaternion[1], quaternion[2], quaternion[3]).toRotationMatrix();
}

const std::string tumbling = R"toml(
[[body]]
name = "box"
mass = 2
inertia = [0.1, 0.25, 0.3]
position = [1, 2, 3]
velocity = [1, 0.5, 4]
angular_velocity = [0.1, 6, 0.2]
[analysis]
end = 2
[solver]
h = 1e-3
)toml";

// p(t) = p₀ + v₀ t + g t²/2 exactly (a polynomial of degree 2); R J ω is constant, to second order.
TEST(FreeBodies, a_thrown_box_flies_on_a_parabola_and_keeps_its_angular_momentum) {
  const Recorded run = run_text(tumbling);
  EXPECT_LT((run.last("box.position") - Eigen::Vector3d(3, 3, 3 + 8 - 9.81 * 2)).norm(), 1e-9);
  const Eigen::DiagonalMatrix<double, 3> J(0.1, 0.25, 0.3);
  const Eigen::Vector3d start = J * Eigen::Vector3d(0.1, 6, 0.2);
  const auto momentum_error = [&](const Recorded& r) {
    const Eigen::Vector3d w = r.last("box.angular_velocity");
    return (rotation_of(r.last("box.orientation")) * (J * w) - start).norm();
  };
  const double fine = momentum_error(run), coarse = momentum_error(run_text(tumbling, {"solver.h=2e-3"}));
  EXPECT_LT(fine, 1e-3 * start.norm());
  EXPECT_GT(observed_order(coarse, fine), 2.0 - order_margin);
}

TEST(FreeBodies, a_tumbling_box_keeps_its_energy) {
  const Recorded coarse = run_text(tumbling, {"solver.h=2e-3"}), fine = run_text(tumbling);
  EXPECT_LT(fine.summary.energy_drift, 1e-3 * fine.values("energy.kinetic")(0, 0));
  EXPECT_GT(observed_order(coarse.summary.energy_drift, fine.summary.energy_drift), 2.0 - order_margin);
}

// The origin of a body is a matter of description: with `center_of_mass` it may lie anywhere.
TEST(FreeBodies, the_choice_of_a_bodys_origin_changes_nothing) {
  const auto model = [](const std::string& body) {
    return "[[body]]\nname = \"arm\"\nmass = 2\ninertia = [0.02, 0.1, 0.11]\n" + body + R"toml(
[[joint]]
name = "ball"
kind = "spherical"
bodies = ["ground", "arm"]
point = [0, 0, 0]
[[measure]]
name = "tip"
kind = "point"
body = "arm"
point = [1, 0, 0]
[analysis]
end = 1
[solver]
h = 1e-3
)toml";
  };
  // ω = (0, 1, 2): the centre of mass (0.5, 0, 0.1) moves with ω × c = (0.1, 1, −0.5).
  const Recorded centre =
      run_text(model("position = [0.5, 0, 0.1]\nangular_velocity = [0, 1, 2]\nvelocity = [0.1, 1, -0.5]"));
  const Recorded corner =
      run_text(model("position = [0, 0, 0]\ncenter_of_mass = [0.5, 0, 0.1]\nangular_velocity = [0, 1, 2]"));
  EXPECT_LT((centre.last("tip.point") - corner.last("tip.point")).norm(), 1e-10);
  EXPECT_LT(corner.last("arm.position").norm(), 1e-9);  // the origin sits in the ball joint
  EXPECT_LT((centre.last("ball.reaction_force") - corner.last("ball.reaction_force")).norm(), 1e-6);
}

// A double pendulum, spatial and planar: the same equations, so the same numbers but for what Newton's iteration
// leaves, newton_tol/h in each velocity, summed over 2 s and multiplied by the growth of a chaotic motion, at most 50
// here. A difference in the equations would show as an error of the order of the motion, or of h² at least.
TEST(FreeBodies, a_planar_model_moves_as_the_spatial_one) {
  const auto model = [](bool planar) {
    const std::string kind =
        planar ? "kind = \"planar\"\nnormal = \"y\"\ninertia = 0.1\n" : "inertia = [0.2, 0.1, 0.2]\n";
    return "[[body]]\nname = \"upper\"\nmass = 2\nposition = [0.5, 0, 0]\n" + kind +
           "[[body]]\nname = \"lower\"\nmass = 1\nposition = [1, 0, -0.5]\n" + kind + R"toml(
[[joint]]
name = "shoulder"
kind = "revolute"
bodies = ["ground", "upper"]
point = [0, 0, 0]
axis = "y"
[[joint]]
name = "elbow"
kind = "revolute"
bodies = ["upper", "lower"]
point = [1, 0, 0]
axis = "y"
[[force]]
name = "spring"
kind = "spring_damper"
bodies = ["ground", "lower"]
point_a = [2, 0, 0]
point_b = [1, 0, -1]
stiffness = 30
damping = 0.5
[analysis]
end = 2
[solver]
h = 1e-3
newton_tol = 1e-12
)toml";
  };
  const Recorded planar = run_text(model(true)), spatial = run_text(model(false));
  constexpr double same = 50.0 * 1e-12 / 1e-3 * 2.0;
  EXPECT_LT((planar.last("lower.position") - spatial.last("lower.position")).norm(), same);
  EXPECT_LT((planar.last("elbow.reaction_force") - spatial.last("elbow.reaction_force")).norm(), same / 1e-3);
  EXPECT_NEAR(planar.last_value("elbow.angle"), spatial.last_value("elbow.angle"), same);
  EXPECT_GT(std::abs(planar.last_value("elbow.angle")), 0.1);
}

}  // namespace
}  // namespace trammel::test_free_bodies
