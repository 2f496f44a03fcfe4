// SPDX-License-Identifier: Apache-2.0
#include "run_model.h"

/// Equilibria of machines in which something turns or runs freely.
namespace trammel::test_statics_free {
namespace {

struct Found {
  EquilibriumReport report;
  std::string told;
  std::vector<Frame<double>> frames;
};

Found find(const std::string& text, const SetList& settings) {
  Simulation simulation(read_study_text(text, "model.toml", settings));
  Found found;
  found.report = simulation.find_equilibrium({});
  found.told = simulation.explain_equilibrium(found.report);
  found.frames = simulation.calc_frames(simulation.initial(), simulation.state());
  return found;
}

const std::vector<std::string> both_coordinates{"solver.coordinates=absolute", "solver.coordinates=joint"};

// A housing on a torsion spring carries a rotor that turns freely about an oblique axis of its own drawing.
const std::string motor = R"(
[parameters]
M = 3
k = 40
eccentricity = 0
[[body]]
name = "housing"
mass = 2
inertia = [0.1, 0.1, 0.1]
[[joint]]
name = "mount"
kind = "revolute"
bodies = ["ground", "housing"]
point = [0, 0, 0]
axis = [0.6, 0.8, 0]
[[force]]
name = "mount_spring"
kind = "joint_spring"
joint = "mount"
stiffness = "k"
[[body]]
name = "rotor"
mass = 1
inertia = [0.02, 0.02, 0.02]
position = [0.06, 0.08, "eccentricity"]
[[joint]]
name = "axle"
kind = "revolute"
bodies = ["housing", "rotor"]
point = [0.06, 0.08, 0]
axis = [0.6, 0.8, 0]
[[force]]
name = "motor"
kind = "torque"
body = "rotor"
torque = ["0.6*M", "0.8*M", 0]
in_body_axes = true
[[force]]
name = "motor_reaction"
kind = "torque"
body = "housing"
torque = ["-0.6*M", "-0.8*M", 0]
in_body_axes = true
)";

// The motor pushes the rotor, and its housing by as much the other way: the housing turns by M/k and stands; nothing
// holds the rotor, and that is what is said, in ten iterations and not after five hundred.
TEST(StaticsFree, a_drive_that_pushes_a_free_rotor_is_named_and_the_rest_is_balanced) {
  for (const std::string& coordinates : both_coordinates)
    for (const double moment : {3.0, -0.01, 20.0}) {
      SCOPED_TRACE(coordinates + fmt::format(", M = {}", moment));
      const Found found = find(motor, {coordinates, fmt::format("parameters.M={}", moment)});
      EXPECT_FALSE(found.report.status.ok());
      EXPECT_TRUE(found.report.unheld_only);
      EXPECT_LT(found.report.iterations, 50);
      EXPECT_NE(found.told.find("nothing holds"), std::string::npos) << found.told;
      EXPECT_NE(found.told.find(coordinates.ends_with("joint") ? "'axle'" : "'rotor'"), std::string::npos)
          << found.told;
      const Eigen::Vector3d axis(0.6, 0.8, 0.0);
      const Eigen::AngleAxisd turned(found.frames[1].R);
      EXPECT_NEAR(turned.angle() * turned.axis().dot(axis), -moment / 40.0, 1e-9);
    }
}

// Without a moment the rotor may stand anywhere; with its mass beside the axle it is held by its weight, also where it
// was drawn level, so that its stiffness there is zero.
TEST(StaticsFree, what_nothing_pushes_or_weight_holds_is_an_equilibrium) {
  for (const std::string& coordinates : both_coordinates) {
    SCOPED_TRACE(coordinates);
    EXPECT_TRUE(find(motor, {coordinates, "parameters.M=0"}).report.status.ok());
    const Found hangs = find(motor, {coordinates, "parameters.M=0", "parameters.eccentricity=0.05"});
    EXPECT_TRUE(hangs.report.status.ok());
    EXPECT_TRUE(hangs.report.unstable.empty());
    EXPECT_NEAR(hangs.frames[2].p.z(), -0.05, 1e-9);
    // M = m g e sin φ with φ from straight down.
    const Found held = find(motor, {coordinates, "parameters.M=0.2", "parameters.eccentricity=-0.05"});
    EXPECT_TRUE(held.report.status.ok()) << held.told;
    EXPECT_NEAR(held.frames[2].p.z(), -0.05 * std::cos(std::asin(0.2 / (9.81 * 0.05))), 1e-9);
  }
}

// A cart on a track with a pendulum drawn at 1 rad and a wheel that turns freely.
const std::string cart = R"toml(
[parameters]
F = 0
[[body]]
name = "cart"
mass = 5
inertia = [1, 1, 1]
[[joint]]
name = "track"
kind = "prismatic"
bodies = ["ground", "cart"]
point = [0, 0, 0]
axis = "x"
[[body]]
name = "bob"
mass = 1
inertia = [0.1, 0.1, 0.1]
position = ["sin(1)", 0, "-cos(1)"]
[[joint]]
name = "hinge"
kind = "revolute"
bodies = ["cart", "bob"]
point = [0, 0, 0]
axis = "y"
[[body]]
name = "wheel"
mass = 1
inertia = [0.1, 0.1, 0.1]
[[joint]]
name = "axle"
kind = "revolute"
bodies = ["bob", "wheel"]
point = ["sin(1)", 0, "-cos(1)"]
axis = "y"
[[force]]
name = "push"
kind = "force"
body = "cart"
force = ["F", 0, 0]
)toml";

TEST(StaticsFree, carts_and_wheels_do_not_keep_a_pendulum_from_hanging) {
  for (const std::string& coordinates : both_coordinates) {
    SCOPED_TRACE(coordinates);
    const Found hangs = find(cart, {coordinates});
    EXPECT_TRUE(hangs.report.status.ok()) << hangs.told;
    EXPECT_NEAR(hangs.frames[2].p.z(), -1.0, 1e-9);
    const Found pushed = find(cart, {coordinates, "parameters.F=10"});
    EXPECT_FALSE(pushed.report.status.ok());
    EXPECT_NEAR(std::abs(pushed.report.unheld_load), 10.0, 1e-6) << pushed.told;
  }
}

// A ball above a floor is not held where it was drawn, and is where it lands: only what fails is asked what holds it.
// Here the floor is there, and beside it a rotor is driven: the rotor is named, the ball lies on the floor.
TEST(StaticsFree, a_ball_that_falls_on_a_floor_is_not_what_nothing_holds) {
  const std::string floor = R"toml(
[[body]]
name = "ball"
shape = { kind = "sphere", radius = 0.1 }
mass = 1
position = [0, 0, 0.13]
[[joint]]
name = "guide"
kind = "prismatic"
bodies = ["ground", "ball"]
point = [0, 0, 0.13]
axis = "z"
[[geometry]]
name = "skin"
kind = "sphere"
body = "ball"
radius = 0.1
[[geometry]]
name = "floor"
kind = "plane"
[[contact]]
name = "rest"
between = ["skin", "floor"]
stiffness = 1e5
[parameters]
M = 0
[[body]]
name = "rotor"
mass = 1
inertia = [0.02, 0.02, 0.02]
position = [3, 0, 0]
[[joint]]
name = "axle"
kind = "revolute"
bodies = ["ground", "rotor"]
point = [3, 0, 0]
axis = "y"
[[force]]
name = "motor"
kind = "torque"
body = "rotor"
torque = [0, "M", 0]
)toml";
  for (const std::string& coordinates : both_coordinates) {
    SCOPED_TRACE(coordinates);
    const Found rests = find(floor, {coordinates});
    EXPECT_TRUE(rests.report.status.ok()) << rests.told;
    EXPECT_NEAR(rests.frames[1].p.z(), 0.1 - 9.81e-5, 1e-9);
    const Found pushed = find(floor, {coordinates, "parameters.M=0.4"});
    EXPECT_FALSE(pushed.report.status.ok());
    EXPECT_NE(pushed.told.find("unheld"), std::string::npos) << pushed.told;
  }
}

// The passenger car at rest stands on its tyres, which do not hold a drive of 60 kN m. Its
// steady motion at 20 m/s is found, with y neutral: rounding must not be taken for a way to go.
TEST(StaticsFree, a_car_stands_and_runs_steadily) {
  const std::string car = example("15_passenger_car/passenger_car.toml");
  const std::string drives = "measure.drive.expression=\"Kv*(V - v_long)\"";  // at rest as well
  for (const std::string& coordinates : both_coordinates) {
    SCOPED_TRACE(coordinates);
    Simulation stands(read_study(car, SetList{coordinates, "parameters.V=0"}));
    EXPECT_TRUE(stands.find_equilibrium({}).status.ok());
    // As drawn, its drive overturns it before anything is in balance.
    Simulation drawn(read_study(car, SetList{coordinates, drives}));
    EXPECT_FALSE(drawn.find_equilibrium({}).status.ok());
  }
  Simulation runs(read_study(car, SetList{"parameters.amplitude=0"}));
  EquilibriumOptions options;
  options.steady = runs.find_coordinates(
      {"chassis.position x", "front_left_axle", "front_right_axle", "rear_left_axle", "rear_right_axle"});
  const EquilibriumReport steady = runs.find_equilibrium(options);
  EXPECT_TRUE(steady.status.ok()) << runs.explain_equilibrium(steady);
  EXPECT_NEAR(runs.initial().v[0], 20.0, 1e-3);
  EXPECT_LT(runs.linearize({}).largest_acceleration, 1e-6);
}

}  // namespace
}  // namespace trammel::test_statics_free
