// SPDX-License-Identifier: Apache-2.0
#include "run_model.h"

/// Each kind of joint in a machine whose motion is known in closed form. (Revolute, fixed: reactions.cpp; prismatic:
/// forces.cpp; screw: couplers_and_controls.cpp; rolling and knife edge: rolling.cpp.)
namespace trammel::test_joints {
namespace {

const std::string one_second = "[analysis]\nend = 1\n[solver]\nh = 1e-3\n";

// A constant acceleration is integrated without error; Newton leaves newton_tol/h in each velocity.
constexpr double exact_tol = 1e-8;

// Hooke's joint between shafts at the angle β: tan φ₂ = cos β tan φ₁ when the first yoke starts normal to both shafts.
// The bearings hold the crossing point twice more: three redundant rows.
TEST(Joints, a_universal_joint_turns_the_second_shaft_unevenly) {
  const Recorded recorded = run_text(R"toml(
gravity = [0, 0, 0]
[parameters]
b = 0.6
[[body]]
name = "shaft_1"
mass = 1
inertia = [0.1, 0.2, 0.2]
position = [-0.5, 0, 0]
[[body]]
name = "shaft_2"
mass = 1
inertia = [0.2, 0.2, 0.2]
position = ["0.5*cos(b)", "0.5*sin(b)", 0]
[[joint]]
name = "bearing_1"
kind = "revolute"
bodies = ["ground", "shaft_1"]
point = [-1, 0, 0]
axis = "x"
[[joint]]
name = "bearing_2"
kind = "revolute"
bodies = ["ground", "shaft_2"]
point = ["cos(b)", "sin(b)", 0]
axis = ["cos(b)", "sin(b)", 0]
[[joint]]
name = "cross"
kind = "universal"
bodies = ["shaft_1", "shaft_2"]
point = [0, 0, 0]
axis = "z"
axis_b = ["-sin(b)", "cos(b)", 0]
[[motion]]
name = "drive"
joint = "bearing_1"
function = "10*(t - 0.1*tanh(t/0.1))"
[analysis]
end = 1
[solver]
h = 1e-3
redundant = "drop"
)toml");
  ASSERT_GE(recorded.summary.notes.size(), 3u);
  const Eigen::VectorXd first = recorded.values("bearing_1.angle"), second = recorded.values("bearing_2.angle");
  for (Eigen::Index i = 0; i < first.size(); ++i) {
    const double exact = std::atan2(std::cos(0.6) * std::sin(first[i]), std::cos(first[i]));
    EXPECT_NEAR(std::remainder(second[i] - exact, 2.0 * M_PI), 0.0, 1e-9)
        << recorded.times()[static_cast<std::size_t>(i)];
  }
  EXPECT_GT(second[second.size() - 1], 8.0);  // turns are counted
}

// A block on an inclined plane slides with g sin α and presses with m g cos α.
TEST(Joints, a_block_slides_down_an_inclined_plane) {
  const Recorded recorded = run_text(R"toml(
[[body]]
name = "block"
mass = 2
inertia = [0.1, 0.2, 0.3]
axis_angle = { axis = "y", angle = "deg(30)" }
[[joint]]
name = "plane"
kind = "planar"
bodies = ["ground", "block"]
point = [0, 0, 0]
axis = ["sin(deg(30))", 0, "cos(deg(30))"]
)toml" + one_second);
  const double alpha = M_PI / 6.0, s = 0.5 * 9.81 * std::sin(alpha);
  const Eigen::Vector3d down(std::cos(alpha), 0, -std::sin(alpha)), normal(std::sin(alpha), 0, std::cos(alpha));
  EXPECT_LT((recorded.last("block.position") - s * down).norm(), exact_tol);
  EXPECT_LT((recorded.last("plane.reaction_force") - 2 * 9.81 * std::cos(alpha) * normal).norm(), 1e-5);
  EXPECT_NEAR(recorded.last_value("plane.angle"), 0.0, exact_tol);
}

// A bead on a wire that falls by 45°: g/√2 along the wire.
TEST(Joints, a_bead_slides_down_its_wire) {
  const Recorded recorded = run_text(R"toml(
[[body]]
name = "bead"
kind = "particle"
mass = 0.5
position = [2, 0, 0]
[[joint]]
name = "wire"
kind = "point_on_line"
bodies = ["ground", "bead"]
point = [2, 0, 0]
axis = [1, 0, -1]
)toml" + one_second);
  EXPECT_LT((recorded.last("bead.position") - Eigen::Vector3d(2 + 9.81 / 4, 0, -9.81 / 4)).norm(), exact_tol);
  EXPECT_LT((recorded.last("wire.reaction_force") - 0.25 * 9.81 * Eigen::Vector3d(1, 0, 1)).norm(), 1e-5);
}

// A symmetric body whose centre is held in a plane: it slides and spins freely, and the plane carries its weight.
TEST(Joints, a_spinning_body_glides_on_a_plane) {
  const Recorded recorded = run_text(R"toml(
[[body]]
name = "top"
mass = 2
inertia = [0.1, 0.1, 0.1]
velocity = [0.5, -0.25, 0]
angular_velocity = [1, 2, 3]
[[joint]]
name = "ice"
kind = "point_on_plane"
bodies = ["ground", "top"]
point = [0, 0, 0]
axis = "z"
)toml" + one_second);
  EXPECT_LT((recorded.last("top.position") - Eigen::Vector3d(0.5, -0.25, 0)).norm(), exact_tol);
  EXPECT_LT((recorded.last("top.angular_velocity") - Eigen::Vector3d(1, 2, 3)).norm(), exact_tol);
  EXPECT_LT((recorded.last("ice.reaction_force") - Eigen::Vector3d(0, 0, 2 * 9.81)).norm(), 1e-5);
}

// A ring on a pole falls freely and turns freely; a motor may drive its angle while it falls.
TEST(Joints, a_ring_falls_along_its_pole_and_turns_about_it) {
  const std::string ring = R"toml(
[[body]]
name = "ring"
mass = 2
inertia = [0.1, 0.2, 0.3]
angular_velocity = [0, 0, 7]
[[joint]]
name = "pole"
kind = "cylindrical"
bodies = ["ground", "ring"]
point = [0, 0, 0]
axis = "z"
)toml" + one_second;
  const Recorded free = run_text(ring);
  EXPECT_NEAR(free.last_value("pole.displacement"), -0.5 * 9.81, exact_tol);
  EXPECT_NEAR(free.last_value("pole.angle"), 7.0, exact_tol);
  const Recorded driven = run_text(
      ring + "[[motion]]\nname = \"motor\"\njoint = \"pole\"\ncoordinate = \"angle\"\nfunction = \"7*t + 2*t^2\"\n");
  EXPECT_NEAR(driven.last_value("pole.displacement"), -0.5 * 9.81, exact_tol);
  EXPECT_NEAR(driven.last_value("pole.angle"), 9.0, exact_tol);
  EXPECT_NEAR(driven.last_value("motor.effort"), 0.3 * 4.0, 1e-5);
}

// A body that cannot turn, on a massless rod, is the mathematical pendulum A01.
TEST(Joints, a_body_of_constant_orientation_on_a_rod_is_the_mathematical_pendulum) {
  const Recorded recorded = run_text(R"toml(
[[body]]
name = "cabin"
mass = 1
inertia = [0.4, 0.5, 0.6]
position = [1, 0, 0]
[[joint]]
name = "level"
kind = "constant_orientation"
bodies = ["ground", "cabin"]
[[joint]]
name = "rod"
kind = "distance"
bodies = ["ground", "cabin"]
point = [0, 0, 0]
point_b = [1, 0, 0]
)toml" + one_second);
  EXPECT_LT((recorded.last("cabin.position") - Eigen::Vector3d(-0.986291751131875, 0, -0.165010853125541)).norm(),
            1e-5);
  EXPECT_LT((recorded.last("cabin.orientation") - Eigen::Vector4d(1, 0, 0, 0)).norm(), 1e-12);
}

// A conical pendulum: ω² = g/(L cos θ), on a circle; the rod pulls with m g/cos θ.
TEST(Joints, a_conical_pendulum_runs_on_its_circle) {
  const double theta = 0.5, w = std::sqrt(9.81 / std::cos(theta)), radius = std::sin(theta);
  const Recorded recorded = run_text(fmt::format(R"toml(
[[body]]
name = "bob"
kind = "particle"
mass = 2
position = [{0}, 0, {1}]
velocity = [0, {2}, 0]
[[joint]]
name = "rod"
kind = "distance"
bodies = ["ground", "bob"]
point = [0, 0, 0]
point_b = [{0}, 0, {1}]
)toml",
                                                 radius, -std::cos(theta), w * radius) +
                                     one_second);
  // Phase error of a second-order method: (ω h)²/12 · ω t, and half as much again for ρ∞ = 0.8.
  const double phase_tol = (w * 1e-3) * (w * 1e-3) * w;
  EXPECT_LT(
      (recorded.last("bob.position") - Eigen::Vector3d(radius * std::cos(w), radius * std::sin(w), -std::cos(theta)))
          .norm(),
      phase_tol);
  EXPECT_NEAR(recorded.last("rod.reaction_force").norm(), 2 * 9.81 / std::cos(theta), 1e-3);
}

}  // namespace
}  // namespace trammel::test_joints
