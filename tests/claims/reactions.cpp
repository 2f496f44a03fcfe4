// SPDX-License-Identifier: Apache-2.0
#include "run_model.h"

/// Reactions against hand calculation: the force and moment of a joint on its second body, in world axes, the moment
/// about the joint's point.
namespace trammel::test_reactions {
namespace {

// Newton leaves a displacement of newton_tol, that is a force of newton_tol · m/h².
constexpr double reaction_tol = 1e-12 * 2.0 / (1e-3 * 1e-3);

// A cantilever: weight m g at the distance a from the clamp.
TEST(Reactions, a_clamp_carries_the_weight_and_its_moment) {
  for (const bool exchanged : {false, true}) {
    const Recorded run = run_text(fmt::format(R"toml(
[[body]]
name = "arm"
mass = 2
inertia = [0.1, 0.1, 0.1]
position = [0.5, 0.2, 0]
axis_angle = {{ axis = [1, 2, 3], angle = 0.7 }}
[[joint]]
name = "clamp"
kind = "fixed"
bodies = [{}]
point = [0, 0, 0]
[analysis]
end = 0.01
[solver]
h = 1e-3
)toml",
                                              exchanged ? "\"arm\", \"ground\"" : "\"ground\", \"arm\""));
    const double sign = exchanged ? -1.0 : 1.0, weight = 2 * 9.81;  // on the second body
    const Eigen::Vector3d force(0, 0, weight), arm(0.5, 0.2, 0);
    EXPECT_LT((run.last("clamp.reaction_force") - sign * force).norm(), reaction_tol);
    // The clamp balances the moment of the weight about its point: M + c × (−m g e_z) = 0.
    EXPECT_LT((run.last("clamp.reaction_moment") - sign * arm.cross(force)).norm(), reaction_tol);
  }
}

// A pendulum released from the horizontal: T(φ) = 3 m g sin φ; at the start no tension, at the bottom 3 m g.
TEST(Reactions, a_rod_pulls_with_three_times_the_weight_at_the_lowest_point) {
  const Recorded run = run_example("01_pendulum/pendulum.toml", {"analysis.end=2"});
  const Eigen::MatrixXd x = run.values("bob.position"), force = run.values("rod.reaction_force");
  for (Eigen::Index i = 0; i < x.rows(); ++i) {
    // towards the pivot
    const Eigen::Vector3d exact = 3 * 9.81 * x(i, 2) * x.row(i).transpose();
    EXPECT_LT((force.row(i).transpose() - exact).norm(), 2e-4) << run.times()[static_cast<std::size_t>(i)];
  }
}

// A wheel with an eccentric mass at constant speed: the bearing carries weight and centripetal force m r ω².
TEST(Reactions, a_bearing_carries_the_centripetal_force) {
  const Recorded run = run_text(R"toml(
[[body]]
name = "wheel"
mass = 2
inertia = [0.1, 0.1, 0.1]
position = [0.1, 0, 0]
[[joint]]
name = "bearing"
kind = "revolute"
bodies = ["ground", "wheel"]
point = [0, 0, 0]
axis = "z"
[[motion]]
name = "drive"
joint = "bearing"
function = "5*t"
[analysis]
kind = "inverse_dynamics"
end = 1
)toml");
  const Eigen::Vector3d radial(std::cos(5.0), std::sin(5.0), 0), up(0, 0, 2 * 9.81);
  EXPECT_LT((run.last("bearing.reaction_force") - (up - 2 * 0.1 * 25 * radial)).norm(), 1e-8);
  EXPECT_LT((run.last("bearing.reaction_moment") - (0.1 * radial).cross(up)).norm(), 1e-8);
}

// The sum of the reactions of a four-bar on the ground is the weight minus what accelerates.
TEST(Reactions, the_reactions_of_a_mechanism_add_up_to_the_momentum_balance) {
  const Recorded run = run_example("04_four_bar/four_bar.toml", {"analysis.end=0.5"});
  const double mass[3] = {0.4, 1.0, 0.8};
  const char* bodies[3] = {"crank", "coupler", "rocker"};
  Eigen::Vector3d sum = Eigen::Vector3d::Zero();
  for (int i = 0; i < 3; ++i)
    sum += mass[i] * (run.last(std::string(bodies[i]) + ".acceleration") + Eigen::Vector3d(0, 0, 9.81));
  EXPECT_LT((run.last("A0.reaction_force") + run.last("B0.reaction_force") - sum).norm(), 1e-6 * sum.norm());
}

}  // namespace
}  // namespace trammel::test_reactions
