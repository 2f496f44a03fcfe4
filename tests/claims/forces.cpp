// SPDX-License-Identifier: Apache-2.0
#include "run_model.h"

/// Forces against hand calculation: statics through heavy damping or exact equilibrium, oscillations against their
/// analytic period, energy of what is conservative.
namespace trammel::test_forces {
namespace {

const std::string end_1 = "[analysis]\nend = 1\n[solver]\nh = 1e-3\n";

// x(t) = x₀ + F₀/k … a slider on a spring: m ẍ = −k (x − x₀) − c ẋ − Q₀.
std::string slider(const std::string& force) {
  return R"toml(
gravity = [0, 0, 0]
[[body]]
name = "block"
mass = 2
inertia = [1, 1, 1]
position = [0.3, 0, 0]
[[joint]]
name = "guide"
kind = "prismatic"
bodies = ["ground", "block"]
axis = "x"
)toml" + force +
         end_1;
}

// Damped oscillation from the displacement A at rest: A e^{−δt}(cos ωt + δ/ω sin ωt).
double oscillation(double A, double m, double k, double c, double t) {
  const double delta = c / (2.0 * m), w = std::sqrt(k / m - delta * delta);
  return A * std::exp(-delta * t) * (std::cos(w * t) + delta / w * std::sin(w * t));
}

// Second order at h = 1e-3 and ω = 10: relative error (ωh)²/12-ish · ωt ~ 1e-4, of an amplitude of 0.2.
constexpr double oscillation_tol = 5e-5;

TEST(Forces, a_joint_spring_makes_a_damped_oscillation) {
  const Recorded run =
      run_text(slider("[[force]]\nname = \"s\"\nkind = \"joint_spring\"\njoint = \"guide\"\nstiffness = 200\n"
                      "damping = 3\nfree_value = 0.2\n"));
  EXPECT_NEAR(run.last_value("guide.displacement"), 0.2 + oscillation(-0.2, 2, 200, 3, 1), oscillation_tol);
}

TEST(Forces, a_spring_between_points_makes_the_same_oscillation) {
  const Recorded run =
      run_text(slider("[[force]]\nname = \"s\"\nkind = \"spring_damper\"\nbodies = [\"ground\", \"block\"]\n"
                      "point_a = [-1, 0, 0]\npoint_b = [0.3, 0, 0]\nstiffness = 200\ndamping = 3\n"
                      "free_length = 1.5\n"));
  EXPECT_NEAR(run.last_value("guide.displacement"), 0.2 + oscillation(-0.2, 2, 200, 3, 1), oscillation_tol);
}

TEST(Forces, a_law_in_words_makes_the_same_oscillation) {
  const Recorded run =
      run_text(slider("[[force]]\nname = \"s\"\nkind = \"joint_spring\"\njoint = \"guide\"\n"
                      "law = \"-200*(displacement - 0.2) - 3*rate\"\n"));
  EXPECT_NEAR(run.last_value("guide.displacement"), 0.2 + oscillation(-0.2, 2, 200, 3, 1), oscillation_tol);
}

TEST(Forces, a_force_given_by_a_formula_of_the_motion_makes_the_same_oscillation) {
  const Recorded run =
      run_text(slider("[[force]]\nname = \"s\"\nkind = \"force\"\nbody = \"block\"\n"
                      "force = [\"-200*(block.x - 0.5) - 3*block.vx\", 0, 0]\n"));
  EXPECT_NEAR(run.last_value("guide.displacement"), 0.2 + oscillation(-0.2, 2, 200, 3, 1), oscillation_tol);
}

TEST(Forces, a_bushing_makes_the_same_oscillation) {
  const Recorded run =
      run_text(slider("[[force]]\nname = \"s\"\nkind = \"bushing\"\nbodies = [\"ground\", \"block\"]\n"
                      "point_a = [0.5, 0, 0]\npoint_b = [0.3, 0, 0]\nK = [200, 7, 9, 1, 2, 3]\n"
                      "C = [3, 0, 0, 0, 0, 0]\n"));
  EXPECT_NEAR(run.last_value("guide.displacement"), 0.2 + oscillation(-0.2, 2, 200, 3, 1), oscillation_tol);
}

// F₀ > 0 pulls the points together, so that the block starts towards the wall with −F₀/m.
TEST(Forces, a_preload_pulls_the_ends_of_a_spring_together) {
  const Recorded run =
      run_text(slider("[[force]]\nname = \"s\"\nkind = \"spring_damper\"\nbodies = [\"ground\", \"block\"]\n"
                      "point_a = [-1, 0, 0]\npoint_b = [0.3, 0, 0]\npreload = 4\n"));
  EXPECT_NEAR(run.last_value("guide.displacement"), -0.5 * 4.0 / 2.0, 1e-9);
}

// A wheel on a torsion spring: J = 0.5, the same equation with an angle.
std::string wheel(const std::string& force) {
  return R"toml(
gravity = [0, 0, 0]
[[body]]
name = "wheel"
mass = 2
inertia = [0.7, 0.8, 0.5]
[[joint]]
name = "axle"
kind = "revolute"
bodies = ["ground", "wheel"]
point = [0, 0, 0]
axis = "z"
)toml" + force +
         end_1;
}

TEST(Forces, torsion_spring_joint_spring_and_torque_turn_a_wheel_alike) {
  const double exact = 2.5 + oscillation(-2.5, 0.5, 50, 0.75, 1);
  const std::string forces[] = {
      "[[force]]\nname = \"s\"\nkind = \"torsion_spring\"\nbodies = [\"ground\", \"wheel\"]\naxis = \"z\"\nstiffness = "
      "50\n"
      "damping = 0.75\nfree_angle = 2.5\n",
      "[[force]]\nname = \"s\"\nkind = \"joint_spring\"\njoint = \"axle\"\nstiffness = 50\ndamping = 0.75\nfree_value "
      "= 2.5\n",
      "[[force]]\nname = \"s\"\nkind = \"torque\"\nbody = \"wheel\"\n"
      "torque = [0, 0, \"-50*(axle.angle - 2.5) - 0.75*wheel.wz\"]\n"};
  for (const std::string& force : forces) {
    const Recorded run = run_text(wheel(force));
    EXPECT_NEAR(run.last_value("axle.angle"), exact, 2.5 / 0.2 * oscillation_tol) << force;
  }
}

// The angle of a bushing with exact logarithm is that of the joint up to half a turn.
TEST(Forces, a_bushing_turns_a_wheel_through_large_angles) {
  const Recorded run = run_text(wheel("[[force]]\nname = \"s\"\nkind = \"bushing\"\nbodies = [\"ground\", \"wheel\"]\n"
                                      "point = [0, 0, 0]\nK = [0, 0, 0, 0, 0, 50]\nC = [0, 0, 0, 0, 0, 0.75]\n") +
                                    "",
                                {"body.wheel.angular_velocity=[0, 0, 20]"});
  const double delta = 0.75, w = std::sqrt(100.0 - delta * delta);
  EXPECT_NEAR(run.last_value("axle.angle"), 20.0 / w * std::exp(-delta) * std::sin(w), 2.0 / 0.2 * oscillation_tol);
}

// An explicit coordinate in the joint carries the spring: the joint's own coordinate and the [[coordinate]] are one.
TEST(Forces, a_spring_on_an_explicit_joint_coordinate_is_the_joint_spring) {
  const std::string spring = "stiffness = 50\ndamping = 0.75\nfree_value = 2.5\n";
  const Recorded direct =
      run_text(wheel("[[force]]\nname = \"s\"\nkind = \"joint_spring\"\njoint = \"axle\"\n" + spring));
  const Recorded explicit_one = run_text(replace_once(
      wheel("[[coordinate]]\nname = \"phi\"\n[[force]]\nname = \"s\"\nkind = \"joint_spring\"\njoint = \"phi\"\n" +
            spring),
      "axis = \"z\"\n", "axis = \"z\"\ncoordinate = \"phi\"\n"));
  EXPECT_NEAR(explicit_one.last_value("axle.angle"), direct.last_value("axle.angle"), 1e-9);
  EXPECT_NEAR(explicit_one.last("phi.coordinate")[0], direct.last_value("axle.angle"), 1e-9);
}

// At rest against the stop: m g = k δ.
TEST(Forces, a_block_comes_to_rest_on_its_stop) {
  const Recorded run = run_text(R"toml(
[[body]]
name = "block"
mass = 2
inertia = [1, 1, 1]
position = [0, 0, 0.3]
[[joint]]
name = "guide"
kind = "prismatic"
bodies = ["ground", "block"]
axis = "z"
[[force]]
name = "stop"
kind = "joint_limit"
joint = "guide"
lower = -0.1
stiffness = 1e4
damping = 400
[analysis]
end = 3
[solver]
h = 5e-4
)toml");
  EXPECT_NEAR(run.last_value("guide.displacement"), -0.1 - 2 * 9.81 / 1e4, 1e-6);
  const Eigen::VectorXd z = run.values("guide.displacement");
  EXPECT_GT(z.minCoeff(), -0.1 - 0.05);
}

// Statics of a bushing: under its weight a body sinks by m g/k and turns by m g a/k_φ (small angles).
TEST(Forces, a_body_on_a_bushing_comes_to_rest_where_its_weight_is_carried) {
  const Recorded run = run_text(R"toml(
[[body]]
name = "block"
mass = 2
inertia = [0.05, 0.05, 0.05]
position = [0.1, 0, 0]
[[force]]
name = "mount"
kind = "bushing"
bodies = ["ground", "block"]
point = [0, 0, 0]
axis = "z"
K = [1e5, 1e5, 2e5, 1e4, 2e4, 1e4]
C = [800, 800, 1500, 60, 60, 60]
[analysis]
end = 1
[solver]
h = 1e-3
)toml");
  // Moment of the weight about +y: the body turns by θ = m g a/K_yy about y, its origin sinks by m g/K_zz + a θ.
  const double weight = 2 * 9.81, a = 0.1, theta = weight * a / 2e4;
  EXPECT_NEAR(run.last("block.position")[2], -weight / 2e5 - a * theta, 1e-8);
  EXPECT_NEAR(2.0 * run.last("block.orientation")[2], theta, 1e-8);
}

// V = ½ (d, φ)ᵀ K (d, φ) of the exact logarithm: a free pair of bodies keeps energy and momentum.
TEST(Forces, two_bodies_on_a_bushing_keep_momentum_and_energy) {
  const std::string text = R"toml(
gravity = [0, 0, 0]
[[body]]
name = "a"
mass = 2
inertia = [0.05, 0.06, 0.07]
angular_velocity = [1, 0, 2]
velocity = [0.2, 0, 0]
[[body]]
name = "b"
mass = 1
inertia = [0.03, 0.04, 0.02]
position = [0.5, 0, 0]
angular_velocity = [-2, 1, 0]
[[force]]
name = "mount"
kind = "bushing"
bodies = ["a", "b"]
point = [0.25, 0, 0]
axis = "z"
K = [300, 200, 100, 3, 2, 1]
[analysis]
end = 2
[solver]
h = 1e-3
)toml";
  const Recorded fine = run_text(text), coarse = run_text(text, {"solver.h=2e-3"});
  const Eigen::Vector3d momentum = 2.0 * fine.last("a.velocity") + fine.last("b.velocity");
  EXPECT_LT((momentum - Eigen::Vector3d(0.4, 0, 0)).norm(), 1e-9);
  EXPECT_LT(fine.summary.energy_drift, 2e-3 * fine.summary.energy_start);
  EXPECT_GT(observed_order(coarse.summary.energy_drift, fine.summary.energy_drift), 2.0 - order_margin);
}

// The stiffer the bushings, the nearer to the ideal mechanism: the stretch is force/stiffness.
TEST(Forces, a_slider_crank_on_bushings_tends_to_the_ideal_one) {
  double gap[2];
  int k = 0;
  for (const char* stiffness : {"parameters.k=1e6", "parameters.k=4e6"}) {
    const Recorded run = run_example("07_stiff_slider_crank/stiff_slider_crank.toml", {stiffness, "parameters.c=800"});
    gap[k++] = run.values("pin_gap").bottomRows(400).maxCoeff();
  }
  EXPECT_LT(gap[0], 4e-4);  // 300 N of inertia force on 1e6 N/m, and the vibration of the start
  EXPECT_NEAR(gap[0] / gap[1], 4.0, 1.0);
}

// A sled braked by friction: the normal force is the reaction of its guide, μ N = μ m g; v = v₀ − μ g t.
TEST(Forces, friction_may_depend_on_the_reaction_of_a_joint) {
  const Recorded run = run_text(R"toml(
[[body]]
name = "sled"
mass = 3
inertia = [1, 1, 1]
velocity = [2, 0, 0]
[[joint]]
name = "rail"
kind = "prismatic"
bodies = ["ground", "sled"]
axis = "x"
[[force]]
name = "friction"
kind = "joint_spring"
joint = "rail"
law = "-0.3*rail.force*tanh(rate/1e-3)"
[analysis]
end = 0.5
[solver]
h = 1e-3
)toml");
  EXPECT_NEAR(run.last_value("rail.displacement_rate"), 2.0 - 0.3 * 9.81 * 0.5, 1e-6);
  EXPECT_NEAR(run.last("rail.reaction_force")[2], 3 * 9.81, 1e-6);
}

}  // namespace
}  // namespace trammel::test_forces
