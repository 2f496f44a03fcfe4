// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <utility>

#include "trammel/dae/iteration_operator.h"
#include "trammel/formulations/first_order.h"
#include "trammel/integrators/axes_choice.h"
#include "trammel/io/model_reader.h"
#include "trammel/simulation/simulation.h"

// Bodies that may spin without changing their equations, and matrices that serve turned machines [TurningAxes].

namespace trammel::test_free_spins {
namespace {

constexpr double rounding =
    1e-9;  // of corrections, beside the largest: matrices with springs of 3e4 N/m and h = 1e-3 s

/// A frame in free flight that carries a wheel of the given inertia by what `holds` it.
Study make_machine(const std::string& inertia, const std::string& holds) {
  return read_study_text(fmt::format(R"(gravity = [0, 0, 0]
[[body]]
name = "frame"
mass = 3
inertia = [0.2, 0.3, 0.4]
position = [0.1, -0.3, 0.2]
velocity = [0.3, 0.1, -0.2]
angular_velocity = [0.4, -0.2, 0.5]
[[body]]
name = "wheel"
mass = 2
inertia = {}
position = [0.4, 0.1, -0.2]
angular_velocity = [0.4, 11, 0.5]
{}
[analysis]
end = 1
[solver]
integrator = "generalized_alpha"
coordinates = "absolute"
)",
                                     inertia, holds),
                         "machine.toml");
}

std::string bushing(const std::string& at) {
  return fmt::format(R"([[force]]
name = "bushing"
kind = "bushing"
bodies = ["frame", "wheel"]
point_a = {{ body = "frame", at = [0.32, 0.45, -0.38] }}
point_b = {{ body = "wheel", at = {} }}
K = [1e4, 2e4, 3e4, 0, 0, 0]
C = [20, 30, 10, 0, 0, 0]
)",
                     at);
}

const std::string wheel = "[0.05, 0.09, 0.05]", ball = "[0.05, 0.05, 0.05]", brick = "[0.05, 0.09, 0.07]";
const std::string on_axle = bushing("[0, 0.05, 0]"), in_middle = bushing("[0, 0, 0]"),
                  beside_axle = bushing("[0.05, 0.05, 0]");
const std::string hinge = R"([[joint]]
name = "axle"
kind = "revolute"
bodies = ["frame", "wheel"]
point = [0.4, 0.15, -0.2]
axis = [0, 1, 0]
)";

const AbsoluteSystem& system_of(const Simulation& simulation) { return *simulation.assembly().system; }
std::span<const FreeSpin> spins_of(const Simulation& simulation) { return system_of(simulation).turning().spins; }

TEST(FreeSpins, are_those_of_wheels_held_on_their_axles_and_of_balls_held_in_their_middle) {
  for (const std::string& holds : {on_axle, in_middle, hinge}) {
    const Simulation simulation(make_machine(wheel, holds));
    ASSERT_EQ(spins_of(simulation).size(), 1u);
    EXPECT_EQ(spins_of(simulation)[0].chart, 1);
    EXPECT_NEAR(std::abs(spins_of(simulation)[0].axis.y()), 1.0, 1e-12);
  }
  const Simulation held_ball(make_machine(ball, in_middle));
  ASSERT_EQ(spins_of(held_ball).size(), 1u);
  EXPECT_TRUE(spins_of(held_ball)[0].axis.isZero());
  for (const auto& [inertia, holds] :
       {std::pair{brick, on_axle}, {wheel, beside_axle}, {ball, on_axle}, {brick, hinge}})
    EXPECT_TRUE(spins_of(Simulation(make_machine(inertia, holds))).empty()) << inertia << holds;
}

/// A point in charts that are centred at it.
struct Place {
  MotionVariables x;
  State state;
};

/// The machine turned as a whole by R, and its wheel by E more in its own axes.
Place turn(const Place& from, const Mat3<double>& R, const Mat3<double>& E, std::span<const WorldVector> rows) {
  Place to = from;
  for (std::size_t body = 0; body < 2; ++body) {
    const Eigen::Index at = 6 * static_cast<Eigen::Index>(body);
    const Mat3<double> own = body == 1 ? E : Mat3<double>(Mat3<double>::Identity());
    to.state.charts[body].R_ref = R * from.state.charts[body].R_ref * own;
    for (Eigen::VectorXd* x : {&to.x.q, &to.x.v, &to.x.a}) {
      x->segment<3>(at) = R * Vec3<double>(x->segment<3>(at));
      x->segment<3>(at + 3) = own.transpose() * Vec3<double>(x->segment<3>(at + 3));
    }
  }
  for (const WorldVector& row : rows) to.x.lam.segment<3>(row.first) = R * Vec3<double>(to.x.lam.segment<3>(row.first));
  return to;
}

/// Corrections by the matrix of another place and by that of the place itself. In all numbers: what a machine that was
/// turned lacks or has in excess shows in some of them.
TEST(FreeSpins, a_matrix_serves_the_machine_turned_or_its_wheel_spun) {
  for (const auto& [inertia, holds] :
       {std::pair{wheel, on_axle}, {wheel, hinge}, {ball, in_middle}, {brick, on_axle}, {brick, hinge}}) {
    const Simulation simulation(make_machine(inertia, holds));
    const AbsoluteSystem& system = system_of(simulation);
    const FirstOrderForm form(system, {});
    Place drawn{simulation.initial(), const_cast<Simulation&>(simulation).state()};
    for (std::size_t c = 0; c < 2; ++c) {
      const Eigen::Index at = system.turning().charts[c];
      drawn.state.charts[c] = recentre(drawn.state.charts[c], drawn.x.q.segment<3>(at));
      drawn.x.q.segment<3>(at).setZero();
    }
    const Mat3<double> one = Mat3<double>::Identity();  // what carries a wheel does not know how its frame spins
    const Mat3<double> R = inertia == brick ? exp_so3(Vec3<double>(0.7, -1.1, 0.4)) : one;
    const Mat3<double> spin = exp_so3(inertia == ball ? Vec3<double>(0.9, -0.3, 1.2) : Vec3<double>(0.0, 1.4, 0.0));
    const Mat3<double> E = inertia == brick ? one : spin;
    const Place turned = turn(drawn, R, E, system.turning().rows);
    InputBuffer inputs;
    system.calc_inputs(0.0, inputs);
    constexpr double h = 1e-3;
    const int n = form.layout().n();
    const auto corrections = [&](const Place& made_at) {  // at `turned`, of one residual
      const std::unique_ptr<Workspace> workspace = form.make_workspace();
      MatrixOperator matrix(form, LinearSolverKind::dense);
      Eigen::VectorXd y(n), yp(n), x(n);
      form.pack(made_at.x, y, yp);
      EXPECT_TRUE(
          matrix.setup({0.0, inputs.view(), y, yp}, made_at.state, {1.0, 1.0 / h}, h, Refresh::linearize, *workspace)
              .ok());
      form.pack(turned.x, y, yp);
      for (int i = 0; i < n; ++i) x[i] = std::sin(2.3 * i + 0.4);
      EXPECT_TRUE(matrix.solve({0.0, inputs.view(), y, yp}, turned.state, x, *workspace).ok());
      return x;
    };
    const Eigen::VectorXd a = corrections(drawn), b = corrections(turned);
    for (const auto& [first, size] : {std::pair{0, form.v0()}, {form.v0(), form.v0()}, {form.lam0(), n - form.lam0()}})
      EXPECT_LE((a - b).segment(first, size).norm(), rounding * b.segment(first, size).norm()) << holds << first;
  }
}

// ---- parts that nothing holds --------------------------------------------------------------------------------------

/// Two bricks, joined by a ball joint, and what holds the first.
bool floats(const std::string& held) {
  const Simulation simulation(read_study_text(fmt::format(R"toml(gravity = [0, 0, -9.81]
[[body]]
name = "a"
mass = 3
inertia = [0.2, 0.3, 0.4]
[[body]]
name = "b"
mass = 2
inertia = [0.1, 0.2, 0.25]
position = [1, 0, 0]
[[joint]]
name = "ball"
kind = "spherical"
bodies = ["a", "b"]
point = [0.5, 0, 0]
{}
[analysis]
end = 1
[solver]
integrator = "generalized_alpha"
coordinates = "absolute"
)toml",
                                                          held),
                                              "machine.toml"));
  return system_of(simulation).turning().floats;
}

TEST(FloatingParts, are_those_that_can_be_moved_in_some_direction_without_a_force) {
  const std::string joint =
      "[[joint]]\nname = \"j\"\nkind = \"{}\"\nbodies = [\"ground\", \"a\"]\npoint = [0, 0, 0]\n{}";
  EXPECT_TRUE(floats(""));
  EXPECT_TRUE(floats(fmt::format(fmt::runtime(joint), "prismatic", "axis = [1, 2, 3]\n")));
  EXPECT_FALSE(floats(fmt::format(fmt::runtime(joint), "spherical", "")));
  EXPECT_FALSE(floats(fmt::format(fmt::runtime(joint), "revolute", "axis = [0, 0, 1]\n")));
  const std::string spring =
      "[[force]]\nname = \"s{0}\"\nkind = \"spring_damper\"\nbodies = [\"ground\", \"a\"]\n"
      "point_a = [{1}, {2}, {3}]\npoint_b = [0, 0, 0]\nstiffness = 10\nfree_length = 0.5\n";
  const auto along = [&](int n, int x, int y, int z) { return fmt::format(fmt::runtime(spring), n, x, y, z); };
  EXPECT_FALSE(floats(along(1, 1, 0, 0)));  // stretched, it pulls back from each side as well
  EXPECT_FALSE(floats(along(1, 1, 0, 0) + along(2, 0, 1, 0) + along(3, 0, 0, 1)));
}

TEST(FloatingParts, are_found_beside_parts_that_are_held) {
  EXPECT_TRUE(
      floats("[[body]]\nname = \"c\"\nmass = 1\ninertia = [1, 1, 1.5]\nposition = [5, 0, 0]\n"
             "[[joint]]\nname = \"held\"\nkind = \"spherical\"\nbodies = [\"ground\", \"c\"]\npoint = [4, 0, 0]\n"));
}

// ---- matrices of one-step methods ----------------------------------------------------------------------------------

/// A sort of matrix that serves `world` or `turning` steps until it is too old: how many are made in n steps.
std::array<int, 2> count_matrices(int world, int turning, int n) {
  AxesChoice choice;
  choice.allow(true);
  std::array<int, 2> count{1, 0};
  for (int step = 0, age = 0; step < n; ++step) {
    if (age == (choice.turns() ? turning : world)) {
      choice.aged();
      ++count[choice.turns()];
      age = 0;
    }
    ++age;
    choice.served();
  }
  return count;
}

TEST(AxesChoice, makes_the_sort_that_serves_longer_and_looks_at_the_other_now_and_then) {
  for (const auto& [world, turning] : {std::pair{3, 40}, {40, 3}, {1, 2}}) {
    const std::array<int, 2> count = count_matrices(world, turning, 10000);
    const int better = count[turning > world], other = count[turning < world];
    EXPECT_GT(other, better / 20);
    EXPECT_LT(other, better / 10);
  }
  AxesChoice choice;  // of a machine that has nothing to turn
  for (int i = 0; i < 40; ++i) {
    choice.served();
    choice.aged();
    EXPECT_FALSE(choice.turns());
  }
}

/// A top of 5 kg that spins about its point with 30 rad/s, in steps of a hundredth of a turn.
TEST(AxesChoice, lets_one_matrix_serve_a_spinning_top_for_many_turns) {
  Study study = read_study_text(R"toml(gravity = [0, 0, -9.81]
[[body]]
name = "top"
mass = 5
inertia = [0.8, 0.8, 1.5]
position = [0, 0.6, 0.8]
orientation = { axis_angle = { axis = "x", angle = -0.6435011087932844 } }
angular_velocity = [0, 0, 30]
[[joint]]
name = "tip"
kind = "spherical"
bodies = ["ground", "top"]
point = [0, 0, 0]
[analysis]
end = 1
[solver]
integrator = "generalized_alpha"
coordinates = "absolute"
h = 0.002
)toml",
                                "top.toml");
  Simulation simulation(std::move(study));
  MemoryRecord recorded;
  const Summary summary = simulation.run(recorded);
  EXPECT_TRUE(summary.completed);
  EXPECT_EQ(summary.steps, 500);
  EXPECT_LT(summary.linearizations, 25);
}

}  // namespace
}  // namespace trammel::test_free_spins
