// SPDX-License-Identifier: Apache-2.0
#include <complex>

#include "run_model.h"
#include "support/chain.h"
#include "trammel/linalg/dense_decompositions.h"

/// Equilibria, steady motions, and small motions about them.
namespace trammel::test_statics {
namespace {

const SetList statics{"analysis.kind=statics"};

Simulation simulate(const std::string& text, const SetList& settings = {}) {
  return Simulation(read_study_text(text, "model.toml", settings));
}

std::vector<double> frequencies(Simulation& simulation) {
  const EigenModes modes = calc_modes(simulation.linearize({}).motion);
  std::vector<double> omega;
  for (int i = 0; i < modes.values.size(); ++i)
    if (modes.values[i].imag() > 0.0) omega.push_back(modes.values[i].imag());
  return omega;
}

TEST(Statics, a_chain_hangs_straight_down_and_carries_its_weight) {
  const Recorded run = run_example("models/chain.toml", {"analysis.kind=statics", "parameters.N=30"});
  const Eigen::MatrixXd links = run.values("link_29.position");
  EXPECT_NEAR(links(links.rows() - 1, 0), 0.0, 1e-9);
  EXPECT_NEAR(links(links.rows() - 1, 2), -28.5 * 0.1, 1e-9);
  const Eigen::VectorXd reaction = run.last("ball_0.reaction_force");
  const Simulation chain(read_study(example("models/chain.toml"), SetList{"parameters.N=30"}));
  double weight = 0.0;
  for (int f = 1; f < chain.assembly().system->n_frames(); ++f)
    weight += 9.81 * chain.assembly().system->frame_map(f).mass;
  EXPECT_NEAR(reaction.norm(), weight, 1e-8 * weight);
}

const std::string loaded_spring = R"(
gravity = [0, 0, 0]
[parameters]
F = 20
k = 400
d = 0
m = 2
[[body]]
name = "ball"
kind = "particle"
mass = "m"
position = [1, 0, 0]
[[joint]]
name = "guide"
kind = "point_on_line"
bodies = ["ground", "ball"]
point = [1, 0, 0]
axis = "x"
[[force]]
name = "spring"
kind = "spring_damper"
bodies = ["ground", "ball"]
point_a = [0, 0, 0]
point_b = [1, 0, 0]
stiffness = "k"
damping = "d"
[[force]]
name = "pull"
kind = "force"
body = "ball"
force = ["F", 0, 0]
[[measure]]
name = "x"
expression = "ball.x"
)";

TEST(Statics, a_linear_spring_gives_way_in_proportion_to_the_load) {
  const Recorded run = run_text(loaded_spring, {"analysis.kind=statics", "analysis.load_steps=4"});
  ASSERT_EQ(run.times(), (std::vector<double>{0.0, 0.25, 0.5, 0.75, 1.0}));
  for (std::size_t i = 0; i < run.times().size(); ++i)
    EXPECT_NEAR(run.values("ball.position")(static_cast<Eigen::Index>(i), 0), 1.0 + 0.05 * run.times()[i], 1e-12);
}

// Equilibrium of a pendulum on a torsion spring: k φ = m g l cos φ has one root, found by bisection here.
TEST(Statics, relaxation_and_load_steps_find_the_same_equilibrium) {
  const std::string text = R"(
[[body]]
name = "rod"
mass = 3
inertia = [0.01, 0.25, 0.25]
position = [0.5, 0, 0]
[[joint]]
name = "hinge"
kind = "revolute"
bodies = ["ground", "rod"]
point = [0, 0, 0]
axis = "y"
[[force]]
name = "spring"
kind = "joint_spring"
joint = "hinge"
stiffness = 12
)";
  double low = 0.0, high = 1.5;
  for (int i = 0; i < 100; ++i) {
    const double middle = 0.5 * (low + high);
    (12.0 * middle < 3.0 * 9.81 * 0.5 * std::cos(middle) ? low : high) = middle;
  }
  for (const SetList& settings : {statics, SetList{"analysis.kind=statics", "analysis.load_steps=3"}})
    EXPECT_NEAR(std::abs(run_text(text, settings).last_value("hinge.angle")), low, 1e-10);
}

// Two springs of length ℓ₀ form a flat roof of half span 1 and height 0.3 whose top is pushed down: it snaps through.
// The force at the height y is P = 2 k (ℓ₀/ℓ − 1) y with ℓ² = 1 + y², largest where ℓ³ = ℓ₀: P rises, falls below zero
// and rises again.
TEST(Statics, the_path_of_a_roof_that_snaps_through_is_followed) {
  const std::string text = R"(
gravity = [0, 0, 0]
[[body]]
name = "top"
kind = "particle"
mass = 1
position = [0, 0, 0.3]
[[joint]]
name = "guide"
kind = "point_on_line"
bodies = ["ground", "top"]
point = [0, 0, 0.3]
axis = "z"
[[force]]
name = "left"
kind = "spring_damper"
bodies = ["ground", "top"]
point_a = [-1, 0, 0]
point_b = [0, 0, 0.3]
stiffness = 1000
[[force]]
name = "right"
kind = "spring_damper"
bodies = ["ground", "top"]
point_a = [1, 0, 0]
point_b = [0, 0, 0.3]
stiffness = 1000
[[force]]
name = "push"
kind = "force"
body = "top"
force = [0, 0, -40]
)";
  const double l0 = std::sqrt(1.09), y_limit = std::sqrt(std::pow(l0, 2.0 / 3.0) - 1.0);
  const auto force = [&](double y) { return 2000.0 * (l0 / std::sqrt(1.0 + y * y) - 1.0) * y; };
  const Recorded run = run_text(text, {"analysis.kind=statics", "analysis.load_steps=200", "analysis.arc_length=true"});
  ASSERT_TRUE(run.summary.completed) << run.summary.failure;
  const Eigen::VectorXd y = run.values("top.position").col(2), load = run.values("load").col(0);
  for (Eigen::Index i = 0; i < y.size(); ++i) EXPECT_NEAR(40.0 * load[i], force(y[i]), 1e-8);
  EXPECT_NEAR(40.0 * load.maxCoeff(), 40.0, 1e-12);
  EXPECT_NEAR(40.0 * load.head(load.size() / 2).maxCoeff(), force(y_limit), 1e-2 * force(y_limit));
  EXPECT_NEAR(40.0 * load.minCoeff(), -force(y_limit), 1e-2 * force(y_limit));
  EXPECT_LT(y[y.size() - 1], -0.3);
  for (std::size_t i = 1; i < run.times().size(); ++i) EXPECT_GT(run.times()[i], run.times()[i - 1]);
}

TEST(Statics, says_what_nothing_holds) {
  const std::string text = R"(
[[body]]
name = "stone"
mass = 1
inertia = [1, 1, 1]
)";
  Simulation simulation = simulate(text, statics);
  MemoryRecord record;
  const Summary summary = simulation.run(record);
  EXPECT_FALSE(summary.completed);
  EXPECT_NE(summary.failure.find("body 'stone'"), std::string::npos) << summary.failure;
  EXPECT_NE(summary.failure.find("nothing holds"), std::string::npos) << summary.failure;
}

// Pulled by 20 N against 4 N s/m: 5 m/s.
TEST(Statics, a_sledge_is_pulled_steadily_against_its_drag) {
  const std::string text = R"(
gravity = [0, 0, 0]
[[body]]
name = "sledge"
kind = "particle"
mass = 2
velocity = [1, 0, 0]
[[force]]
name = "pull"
kind = "force"
body = "sledge"
force = ["20 - 4*sledge.vx", "-4*sledge.vy", "-4*sledge.vz"]
)";
  const Recorded run = run_text(text, {"analysis.kind=statics", "analysis.steady=[\"sledge\"]"});
  EXPECT_NEAR(run.last("sledge.velocity")[0], 5.0, 1e-10);
  EXPECT_THROW(simulate(text, {"analysis.kind=statics", "analysis.steady=[\"sledgehammer\"]"}), InputError);
}

// Joint coordinates: a wheel driven by 3 N m against 0.5 N m s turns with 6 rad/s, and its spring-held cousin rests.
TEST(Statics, a_driven_wheel_turns_steadily_in_joint_coordinates) {
  const std::string text = R"(
gravity = [0, 0, -9.81]
[[body]]
name = "wheel"
mass = 2
inertia = [0.1, 0.2, 0.1]
[[joint]]
name = "axle"
kind = "revolute"
bodies = ["ground", "wheel"]
point = [0, 0, 0]
axis = "y"
[[force]]
name = "drive"
kind = "torque"
body = "wheel"
torque = [0, "3 - 0.5*axle.angle_rate", 0]
[[body]]
name = "arm"
mass = 1
inertia = [0.01, 0.1, 0.1]
position = [0.4, 1, 0]
[[joint]]
name = "elbow"
kind = "revolute"
bodies = ["ground", "arm"]
point = [0, 1, 0]
axis = "y"
[[force]]
name = "spring"
kind = "joint_spring"
joint = "elbow"
stiffness = 40
[solver]
coordinates = "joint"
)";
  const Recorded run = run_text(text, {"analysis.kind=statics", "analysis.steady=[\"axle\"]"});
  EXPECT_NEAR(run.last_value("axle.angle_rate"), 6.0, 1e-10);
  const double angle = run.last_value("elbow.angle");
  EXPECT_NEAR(40.0 * angle, 9.81 * 0.4 * std::cos(angle), 1e-8);
  Simulation simulation = simulate(text, {"analysis.kind=statics", "analysis.steady=[\"axle\"]"});
  EquilibriumOptions options;
  options.steady = simulation.find_coordinates({"axle"});
  ASSERT_TRUE(simulation.find_equilibrium(options).status.ok());
  const EigenModes modes = calc_modes(simulation.linearize({}).motion);
  ASSERT_EQ(modes.values.size(), 4);
  EXPECT_EQ(modes.zeros, 1);                              // the angle of the wheel
  EXPECT_NEAR(modes.values[1].real(), -0.5 / 0.2, 1e-9);  // its speed
  const double stiffness = 40.0 + 9.81 * 0.4 * std::sin(angle), inertia = 0.1 + 0.16;
  EXPECT_NEAR(std::abs(modes.values[2].imag()), std::sqrt(stiffness / inertia), 1e-8);
}

// The sparse iteration on the equations as they are, infinite eigenvalues included, finds what the dense method finds
// on independent coordinates: damped and free machines, spinning ones, controllers.
TEST(SmallMotions, lowest_modes_of_the_sparse_pencil_are_those_of_the_reduced_matrix) {
  const auto compare = [](Simulation& simulation, int n_modes) {
    const EigenModes all = calc_modes(simulation.linearize({}).motion);
    double acceleration = 0.0;
    const EigenModes lowest = simulation.calc_lowest_modes(n_modes, acceleration);
    EXPECT_EQ(lowest.zeros, all.zeros);
    ASSERT_LE(lowest.values.size(), all.values.size());
    ASSERT_GE(lowest.values.size(), std::min<Eigen::Index>(all.values.size(), all.zeros + n_modes));
    for (Eigen::Index i = all.zeros; i < std::min<Eigen::Index>(lowest.values.size(), all.zeros + n_modes); ++i) {
      EXPECT_LT(std::abs(lowest.values[i] - all.values[i]), 1e-8 * std::abs(all.values[i])) << i;
      EXPECT_LT((lowest.shapes.col(i) - all.shapes.col(i)).norm(), 1e-6 * all.shapes.col(i).norm()) << i;
    }
  };
  for (const char* name : {"02_double_pendulum/double_pendulum.toml", "10_bushing/bushing.toml"}) {
    SCOPED_TRACE(name);
    Study study = read_study(example(name));
    study.solver.coordinates = CoordinateSet::absolute;
    Simulation simulation(study);
    ASSERT_TRUE(simulation.find_equilibrium({}).status.ok());
    compare(simulation, 4);
  }
  Simulation spring = simulate(loaded_spring, {"parameters.d=8"});
  ASSERT_TRUE(spring.find_equilibrium({}).status.ok());
  compare(spring, 2);
  Simulation chain(testing::chain(40));
  ASSERT_TRUE(chain.find_equilibrium({}).status.ok());
  compare(chain, 10);
  Simulation top = simulate(
      "gravity = [0, 0, 0]\n[[body]]\nname = \"disc\"\nmass = 1\ninertia = [2, 2, 3]\n"
      "angular_velocity = [0, 0, 7]\n");
  double acceleration = 0.0;
  const EigenModes wobble = top.calc_lowest_modes(2, acceleration);
  ASSERT_EQ(wobble.zeros, 8);
  EXPECT_NEAR(std::abs(wobble.values[8]), 3.5, 1e-8);
}

// A hanging rope swings with ω = j₀ √(g/ℓ)/2, j₀ the zeros of the Bessel function J₀. 1000 rods are a rope but for the
// compactness of their links, of order 1/N.
TEST(SmallMotions, a_thousand_links_swing_like_a_rope) {
  Simulation chain(testing::chain(1000));
  ASSERT_TRUE(chain.find_equilibrium({}).status.ok());
  double acceleration = 0.0;
  const EigenModes modes = chain.calc_lowest_modes(3, acceleration);
  const double zeros_of_bessel[] = {2.404825557695773, 5.520078110286311, 8.653727912911013};
  for (int i = 0; i < 3; ++i)
    EXPECT_NEAR(std::abs(modes.values[2 * i].imag()), zeros_of_bessel[i] / 2 * std::sqrt(9.81 / 1000.0),
                2e-3 * zeros_of_bessel[i] / 2 * std::sqrt(9.81 / 1000.0));
}

// M θ̈ + K θ = 0 of two hanging rods by hand.
TEST(SmallMotions, a_double_pendulum_has_the_two_frequencies_of_its_matrices) {
  const double m1 = 2700 * 0.05 * 0.05, l1 = 1.0, m2 = 2700 * 0.7 * 0.04 * 0.04, l2 = 0.7, g = 9.81;
  const double i1 = m1 * (l1 * l1 + 0.05 * 0.05) / 12, i2 = m2 * (l2 * l2 + 0.04 * 0.04) / 12;
  Eigen::Matrix2d M, K;
  M << i1 + m1 * l1 * l1 / 4 + m2 * l1 * l1, m2 * l1 * l2 / 2, m2 * l1 * l2 / 2, i2 + m2 * l2 * l2 / 4;
  K << (m1 / 2 + m2) * g * l1, 0, 0, m2 * g * l2 / 2;
  // det(K − ω² M) = a ω⁴ − b ω² + c
  const double a = M.determinant(), b = M(0, 0) * K(1, 1) + K(0, 0) * M(1, 1), c = K.determinant();
  const double root = std::sqrt(b * b - 4 * a * c);
  const std::array<double, 2> squares{2 * c / (b + root), (b + root) / (2 * a)};
  Simulation simulation(read_study(example("02_double_pendulum/double_pendulum.toml")));
  ASSERT_TRUE(simulation.find_equilibrium({}).status.ok());
  const std::vector<double> omega = frequencies(simulation);
  ASSERT_EQ(omega.size(), 2u);
  for (int i = 0; i < 2; ++i) EXPECT_NEAR(omega[i], std::sqrt(squares[i]), 1e-9 * omega[i]);
}

// σ = −ζω₀ ± iω₀ √(1 − ζ²), and the matrices of the linearization.
TEST(SmallMotions, of_a_damped_spring_are_those_of_a_textbook) {
  const double m = 2.0, k = 400.0, d = 8.0;
  Simulation simulation = simulate(loaded_spring, {"parameters.d=8"});
  ASSERT_TRUE(simulation.find_equilibrium({}).status.ok());
  const auto rows = [&](double F) {
    return simulate(loaded_spring, {"parameters.d=8", set("parameters.F", F)})
        .residual_at(simulation.initial(), simulation.state());
  };
  const Eigen::MatrixXd by_input = ((rows(21) - rows(19)) / 2.0).head(simulation.dae().nv());
  const Simulation::Linearized l = simulation.linearize(by_input);
  ASSERT_EQ(l.motion.A.rows(), 2);
  Eigen::Matrix2d A;
  A << 0, 1, -k / m, -d / m;
  EXPECT_LT((l.motion.A - A).norm(), 1e-9);
  EXPECT_LT((l.motion.B - Eigen::Vector2d(0, 1 / m)).norm(), 1e-9);
  EXPECT_LT((l.C - Eigen::RowVector2d(1, 0)).norm(), 1e-9);
  EXPECT_EQ(l.outputs, std::vector<std::string>{"x"});
  EXPECT_NEAR((l.D - l.C * solve_square(l.motion.A, l.motion.B))(0, 0), 1.0 / k, 1e-10);
  const EigenModes modes = calc_modes(l.motion);
  const double omega = std::sqrt(k / m), zeta = d / (2 * std::sqrt(k * m));
  EXPECT_LT(std::abs(modes.values[0] - omega * std::complex<double>(-zeta, std::sqrt(1 - zeta * zeta))), 1e-9);
  EXPECT_NEAR(modes.damping(0), zeta, 1e-10);
  EXPECT_NEAR(modes.frequency(0), omega / (2 * M_PI), 1e-10);
  EXPECT_EQ(modes.zeros, 0);
}

// A free symmetric body that spins: seen from the body its wobble turns with Ω (J₃ − J₁)/J₁, a turned axis with Ω.
TEST(SmallMotions, a_spinning_body_wobbles_with_eulers_frequency) {
  const std::string text = R"(
gravity = [0, 0, 0]
[[body]]
name = "disc"
mass = 1
inertia = [2, 2, 3]
angular_velocity = [0, 0, 7]
)";
  Simulation simulation = simulate(text);
  const Simulation::Linearized l = simulation.linearize({});
  EXPECT_LT(l.largest_acceleration, 1e-12);
  const EigenModes modes = calc_modes(l.motion);
  EXPECT_EQ(modes.zeros, 8);  // three translations and the spin, two zeros each
  const std::vector<double> omega = frequencies(simulation);
  ASSERT_EQ(omega.size(), 2u);
  EXPECT_NEAR(omega[0], 7.0 * (3.0 - 2.0) / 2.0, 1e-9);
  EXPECT_NEAR(omega[1], 7.0, 1e-9);
}

// ω = √(g/l), in both directions.
TEST(SmallMotions, of_a_pendulum_are_those_of_gravity) {
  Simulation simulation(read_study(example("01_pendulum/pendulum.toml")));
  ASSERT_TRUE(simulation.find_equilibrium({}).status.ok());
  for (const double omega : frequencies(simulation)) EXPECT_NEAR(omega, std::sqrt(9.81), 1e-9);
}

}  // namespace
}  // namespace trammel::test_statics
