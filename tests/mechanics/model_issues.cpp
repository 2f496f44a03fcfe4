// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <limits>

#include "trammel/mechanics/model.h"

namespace trammel {
namespace {

BodySpec body(const std::string& name) {
  BodySpec spec;
  spec.name = name;
  spec.mass = 1.0;
  spec.inertia.setIdentity();
  return spec;
}

JointSpec hinge(const std::string& name, const std::string& a, const std::string& b) {
  JointSpec spec;
  spec.name = name;
  spec.body_a = a;
  spec.body_b = b;
  return spec;
}

Model good() {
  Model model;
  model.bodies = {body("rod")};
  model.joints = {hinge("pin", "ground", "rod")};
  return model;
}

// The only issue, named by what it is about since there is no file.
void expect_issue(const Model& model, const std::string& where, const std::string& words) {
  const std::vector<Issue> found = issues(model);
  ASSERT_EQ(found.size(), 1u) << (found.size() > 1 ? found[0].message + " | " + found[1].message : "");
  EXPECT_EQ(found[0].where, where);
  EXPECT_NE(found[0].message.find(words), std::string::npos) << found[0].message;
}

TEST(ModelIssues, are_none_for_a_good_model_built_in_code) { EXPECT_TRUE(issues(good()).empty()); }

TEST(ModelIssues, name_the_entity_when_there_is_no_file) {
  Model model = good();
  model.bodies[0].mass = 0.0;
  expect_issue(model, "body 'rod'", "'mass' is 0 kg");
}

TEST(ModelIssues, find_what_only_code_can_do) {
  Model model = good();
  model.gravity[1] = std::numeric_limits<double>::infinity();
  expect_issue(model, "gravity", "not finite");
  model = good();
  model.bodies[0].orientation *= 1.001;
  expect_issue(model, "body 'rod'", "not a rotation matrix");
  model = good();
  model.bodies[0].position[0] = std::numeric_limits<double>::quiet_NaN();
  expect_issue(model, "body 'rod'", "'position' is not finite");
  model = good();
  model.bodies.push_back(body(""));
  expect_issue(model, "body ''", "no name");
  model = good();
  model.motions.push_back({"drive", {}, "pin", JointCoordinate::automatic, {}, {}});
  expect_issue(model, "motion 'drive'", "either 'function' or 'velocity'");
  model = good();
  ControlSpec control;
  control.name = "c";
  expect_issue((model.controls.push_back(control), model), "control 'c'", "at least one");
}

// Equality in the triangle inequality is a flat body; a little more is nothing real.
TEST(ModelIssues, allow_flat_bodies_and_nothing_flatter) {
  Model model = good();
  model.bodies[0].inertia = Eigen::Vector3d(1, 2, 3).asDiagonal();
  EXPECT_TRUE(issues(model).empty());
  model.bodies[0].inertia(2, 2) = 3.001;
  expect_issue(model, "body 'rod'", "must not be less than the third");
  // The inequality is one of principal moments: turned axes do not hide it.
  Eigen::Matrix3d R;
  R = Eigen::AngleAxisd(0.7, Eigen::Vector3d(1, 2, 3).normalized());
  model.bodies[0].inertia = R * model.bodies[0].inertia * R.transpose();
  expect_issue(model, "body 'rod'", "must not be less than the third");
}

// A body of no extent at all needs three independent rows on its rotation; a hinge beside its centre gives only ω ⟂
// axis and the motion of the centre: together three. A hinge through the centre leaves the turn about its axis.
TEST(ModelIssues, count_the_rows_that_hold_a_point_mass) {
  Model model = good();
  model.bodies[0].inertia.setZero();
  expect_issue(model, "body 'rod'", "no moment of inertia about its axis");
  model.joints[0].point.at = {1.0, 0.0, 0.0};
  EXPECT_TRUE(issues(model).empty());
}

TEST(ModelIssues, know_that_couplers_and_carried_coordinates_hold_a_joint) {
  Model model = good();
  model.bodies[0].inertia = Eigen::Vector3d(1, 1, 0).asDiagonal();  // thin along z, the hinge's axis
  expect_issue(model, "body 'rod'", "[0, 0, 1]");
  Model coupled = model;
  coupled.couplers.push_back({"gear", {}, {{"pin"}}, false, {}});
  EXPECT_TRUE(issues(coupled).empty());
}

TEST(ModelIssues, refuse_a_coordinate_that_two_joints_carry) {
  Model model = good();
  model.coordinates.push_back({"phi", {}, 0.0, 0.0});
  model.bodies.push_back(body("bar"));
  model.joints.push_back(hinge("pin2", "rod", "bar"));
  model.joints[0].coordinate = model.joints[1].coordinate = "phi";
  expect_issue(model, "joint 'pin2'", "already carries that of joint 'pin'");
}

TEST(ModelIssues, refuse_the_angle_of_a_rod_that_has_none) {
  Model model;
  BodySpec bob = body("bob"), other = body("other");
  bob.kind = other.kind = BodyKind::particle;
  bob.position = {0, 0, -1};
  model.bodies = {bob, other};
  model.coordinates.push_back({"phi", {}, 0.0, 0.0});
  JointSpec rod = hinge("link", "ground", "bob");
  rod.kind = JointKind::distance;
  rod.point_b = PointSpec{"bob", Eigen::Vector3d::Zero()};
  rod.axis.direction = Eigen::Vector3d::UnitY();
  rod.coordinate = "phi";
  model.joints = {rod};
  EXPECT_TRUE(issues(model).empty());
  model.joints[0].axis.direction = Eigen::Vector3d::UnitZ();
  expect_issue(model, "joint 'link'", "the rod lies along 'axis' as drawn");
  model.joints[0] = rod;
  model.joints[0].body_a = "other";
  expect_issue(model, "joint 'link'", "'other' is a particle and has none");
}

TEST(ModelIssues, see_circles_through_controls) {
  Model model = good();
  ControlSpec control;
  control.name = "c";
  control.states = {"x"};
  control.rates = {{"m", ""}};
  control.algebraic = {false};
  control.initial = {0.0};
  MeasureSpec measure;
  measure.name = "m";
  measure.expression = {"2*c", ""};
  model.controls = {control};
  model.measures = {measure};
  EXPECT_TRUE(issues(model).empty()) << "a state stands between them";
  model.controls[0].output = {"x + m", ""};
  expect_issue(model, "measure 'm'", "'m' needs 'c' needs 'm'");
}

}  // namespace
}  // namespace trammel
