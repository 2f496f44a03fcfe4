// SPDX-License-Identifier: Apache-2.0
#include "trammel/mechanics/signals.h"

#include <gtest/gtest.h>

#include <numbers>

namespace trammel {
namespace {

Model machine() {
  Model model;
  model.parameters = {{"k", 3.0}};
  model.bodies.resize(2);
  model.bodies[0].name = "rod";
  model.bodies[1].name = "left wheel";
  model.bodies[1].kind = BodyKind::particle;
  model.joints.resize(3);
  model.joints[0].name = "pin";
  model.joints[1].name = "tube";
  model.joints[1].kind = JointKind::cylindrical;
  model.joints[2].name = "ball";
  model.joints[2].kind = JointKind::spherical;
  model.motions.resize(1);
  model.motions[0].name = "drive";
  model.coordinates.resize(1);
  model.coordinates[0].name = "phi";
  model.controls.resize(1);
  model.controls[0].name = "servo";
  model.controls[0].states = {"x", "y"};
  model.measures.resize(3);
  model.measures[0].name = "height";
  model.measures[1].name = "gap";
  model.measures[1].kind = MeasureKind::distance;
  model.measures[2].name = "tip";
  model.measures[2].kind = MeasureKind::point;
  model.forces.resize(4);
  model.forces[0].name = "spring";
  model.forces[0].kind = ForceKind::spring_damper;
  model.forces[1].name = "twist";
  model.forces[1].kind = ForceKind::torsion_spring;
  model.forces[2].name = "hold";
  model.forces[2].kind = ForceKind::joint_spring;
  model.forces[2].joint = "pin";
  model.forces[3].name = "push";
  model.tables.resize(1);
  model.tables[0].name = "cam";
  return model;
}

using Path = std::vector<std::string>;

Signal signal(const Path& path, const FormulaScope& scope = {}) {
  const ResolvedPath resolved = resolve(machine(), scope, path);
  if (const std::string* text = std::get_if<std::string>(&resolved)) ADD_FAILURE() << *text;
  const Signal* found = std::get_if<Signal>(&resolved);
  return found == nullptr ? Signal{SignalKind::time, -1, -1} : *found;
}

void expect_unknown(const Path& path, const std::string& words, const FormulaScope& scope = {}) {
  const ResolvedPath resolved = resolve(machine(), scope, path);
  const std::string* text = std::get_if<std::string>(&resolved);
  ASSERT_NE(text, nullptr) << path[0];
  EXPECT_NE(text->find(words), std::string::npos) << *text;
}

TEST(Signals, every_path_of_the_table_has_its_meaning) {
  EXPECT_EQ(signal({"t"}), (Signal{SignalKind::time, 0, 0}));
  EXPECT_EQ(signal({"rod", "y"}), (Signal{SignalKind::body_position, 0, 1}));
  EXPECT_EQ(signal({"left wheel", "vz"}), (Signal{SignalKind::body_velocity, 1, 2}));
  EXPECT_EQ(signal({"rod", "wx"}), (Signal{SignalKind::body_angular_velocity, 0, 0}));
  EXPECT_EQ(signal({"pin", "angle"}), (Signal{SignalKind::joint_angle, 0, 0}));
  EXPECT_EQ(signal({"pin", "angle_rate"}), (Signal{SignalKind::joint_angle_rate, 0, 0}));
  EXPECT_EQ(signal({"tube", "displacement"}), (Signal{SignalKind::joint_displacement, 1, 0}));
  EXPECT_EQ(signal({"tube", "displacement_rate"}), (Signal{SignalKind::joint_displacement_rate, 1, 0}));
  EXPECT_EQ(signal({"ball", "fz"}), (Signal{SignalKind::joint_force, 2, 2}));
  EXPECT_EQ(signal({"ball", "mx"}), (Signal{SignalKind::joint_moment, 2, 0}));
  EXPECT_EQ(signal({"pin", "force"}), (Signal{SignalKind::joint_force_norm, 0, 0}));
  EXPECT_EQ(signal({"pin", "moment"}), (Signal{SignalKind::joint_moment_norm, 0, 0}));
  EXPECT_EQ(signal({"drive", "effort"}), (Signal{SignalKind::motion_effort, 0, 0}));
  EXPECT_EQ(signal({"phi"}), (Signal{SignalKind::coordinate_value, 0, 0}));
  EXPECT_EQ(signal({"phi", "rate"}), (Signal{SignalKind::coordinate_rate, 0, 0}));
  EXPECT_EQ(signal({"servo"}), (Signal{SignalKind::control_output, 0, 0}));
  EXPECT_EQ(signal({"servo", "y"}), (Signal{SignalKind::state, 0, 1}));
  EXPECT_EQ(signal({"height"}), (Signal{SignalKind::measure, 0, 0}));
  EXPECT_EQ(signal({"gap"}), (Signal{SignalKind::measure, 1, 0}));
  EXPECT_EQ(signal({"gap", "rate"}), (Signal{SignalKind::measure_rate, 1, 0}));
  EXPECT_EQ(signal({"tip", "z"}), (Signal{SignalKind::point_position, 2, 2}));
  EXPECT_EQ(signal({"tip", "vx"}), (Signal{SignalKind::point_velocity, 2, 0}));
  EXPECT_EQ(signal({"spring", "length"}), (Signal{SignalKind::spring_length, 0, 0}));
  EXPECT_EQ(signal({"spring", "length_rate"}), (Signal{SignalKind::spring_length_rate, 0, 0}));
  EXPECT_EQ(signal({"twist", "angle"}), (Signal{SignalKind::spring_length, 1, 0}));
  EXPECT_EQ(std::get<double>(resolve(machine(), {}, {"k"})), 3.0);
  EXPECT_EQ(std::get<double>(resolve(machine(), {}, {"pi"})), std::numbers::pi);
}

TEST(Signals, the_place_of_a_formula_gives_names_of_its_own) {
  FormulaScope control;
  control.control = 0;
  EXPECT_EQ(signal({"y"}, control), (Signal{SignalKind::state, 0, 1}));
  expect_unknown({"y"}, "nothing in the model is called 'y'");
  FormulaScope law;
  law.force = 0;
  EXPECT_EQ(signal({"length"}, law), (Signal{SignalKind::spring_length, 0, 0}));
  EXPECT_EQ(signal({"rate"}, law), (Signal{SignalKind::spring_length_rate, 0, 0}));
  law.force = 1;
  EXPECT_EQ(signal({"angle"}, law), (Signal{SignalKind::spring_length, 1, 0}));
  expect_unknown({"displacement"}, "not of 'displacement'", law);
  law.force = 2;
  EXPECT_EQ(signal({"angle"}, law), (Signal{SignalKind::joint_angle, 0, 0}));
  EXPECT_EQ(signal({"rate"}, law), (Signal{SignalKind::joint_angle_rate, 0, 0}));
  expect_unknown({"length"}, "nothing in the model is called 'length'");
}

TEST(Signals, what_moves_is_closed_to_functions_of_time) {
  FormulaScope time;
  time.time_only = true;
  EXPECT_EQ(signal({"t"}, time), (Signal{SignalKind::time, 0, 0}));
  EXPECT_TRUE(std::holds_alternative<double>(resolve(machine(), time, {"k"})));
  expect_unknown({"rod", "x"}, "depends on the motion", time);
  expect_unknown({"height"}, "'height' is a measure", time);
}

TEST(Signals, wrong_paths_say_what_would_be_right) {
  expect_unknown({"rdo", "x"}, "did you mean 'rod'?");
  expect_unknown({"rod"}, "rod.x");
  expect_unknown({"rod", "xx"}, "body 'rod' has no 'xx'");
  expect_unknown({"rod", "x", "y"}, "no parts of its own");
  expect_unknown({"left wheel", "wx"}, "particle 'left wheel' has no 'wx'");
  expect_unknown({"ball", "angle"}, "joint 'ball' has no 'angle'");
  expect_unknown({"pin", "displacement"}, "joint 'pin' has no 'displacement'");
  expect_unknown({"tip"}, "tip.x");
  expect_unknown({"height", "rate"}, "use 'height' alone");
  expect_unknown({"push", "x"}, "force 'push' has no 'x'. It has 'fx'");
  expect_unknown({"cam"}, "table(cam, x)");
  expect_unknown({"k", "x"}, "'k' is a parameter");
  expect_unknown({"ground", "x"}, "never moves");
  expect_unknown({"servo", "z"}, "It has 'x' and 'y'");
}

TEST(JointCoordinates, are_those_of_the_kind) {
  EXPECT_EQ(only_coordinate(JointKind::revolute), JointCoordinate::angle);
  EXPECT_EQ(only_coordinate(JointKind::prismatic), JointCoordinate::displacement);
  EXPECT_EQ(only_coordinate(JointKind::cylindrical), JointCoordinate::automatic);
  EXPECT_EQ(only_coordinate(JointKind::spherical), JointCoordinate::automatic);
  EXPECT_FALSE(has_coordinate(JointKind::cylindrical, JointCoordinate::automatic));
  EXPECT_TRUE(has_coordinate(JointKind::cylindrical, JointCoordinate::angle));
  EXPECT_FALSE(has_coordinate(JointKind::spherical, JointCoordinate::angle));
}

}  // namespace
}  // namespace trammel
