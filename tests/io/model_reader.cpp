// SPDX-License-Identifier: Apache-2.0
#include "trammel/io/model_reader.h"
#include "places.h"

#include <cmath>
#include <filesystem>
#include <fstream>
#include <numbers>

#include "model_text.h"

namespace trammel::test_model_reader {
namespace {

constexpr double pi = std::numbers::pi;
constexpr double eps = 1e-14;

TEST(ModelReader, reads_a_plain_model) {
  const Study study = read(pendulum);
  const Model& model = study.model;
  EXPECT_EQ(model.title, "pendulum");
  EXPECT_EQ(model.gravity, Eigen::Vector3d(0, 0, -9.81));
  EXPECT_EQ(model.parameters.at("m"), 6.0);
  ASSERT_EQ(model.bodies.size(), 1u);
  EXPECT_EQ(model.bodies[0].name, "rod");
  EXPECT_EQ(model.bodies[0].mass, 6.0);
  EXPECT_EQ(model.bodies[0].inertia.diagonal(), Eigen::Vector3d(0.1, 2, 2));
  EXPECT_EQ(model.bodies[0].position, Eigen::Vector3d(1, 0, 0));
  ASSERT_EQ(model.joints.size(), 1u);
  EXPECT_EQ(model.joints[0].kind, JointKind::revolute);
  EXPECT_EQ(model.joints[0].body_a, "ground");
  EXPECT_EQ(model.joints[0].body_b, "rod");
  EXPECT_EQ(model.joints[0].axis.direction, Eigen::Vector3d::UnitY());
  EXPECT_EQ(study.analysis.end, 2.0);
  EXPECT_EQ(study.solver.h, 1e-3);
  EXPECT_EQ(study.text, pendulum);
}

TEST(ModelReader, remembers_where_everything_stands) {
  const BodySpec body = read(pendulum).model.bodies[0];
  EXPECT_EQ(body.source.at("mass"), place_of(pendulum, "\"m\"\n"));
  EXPECT_EQ(body.source.at("velocity"), place_of(pendulum, "[[body]]"));
}

TEST(ModelReader, evaluates_parameters_in_the_order_of_their_dependence) {
  const std::string chain = "[parameters]\na = \"2*b\"\nb = \"c + 1\"\nc = 3";
  const Study study = read(replaced(pendulum, "[parameters]", chain));
  EXPECT_EQ(study.model.parameters.at("a"), 8.0);
}

TEST(ModelReader, reads_inertia_as_three_six_or_nine_numbers) {
  const auto inertia = [](const std::string& text) {
    return read(replaced(pendulum, "[0.1, 2, 2]", text)).model.bodies[0].inertia;
  };
  Eigen::Matrix3d J;
  J << 2, 0.1, 0.2, 0.1, 3, 0.3, 0.2, 0.3, 4;
  EXPECT_EQ(inertia("[2, 3, 4, 0.1, 0.2, 0.3]"), J);
  EXPECT_EQ(inertia("[[2, 0.1, 0.2], [0.1, 3, 0.3], [0.2, 0.3, 4]]"), J);
}

TEST(ModelReader, reads_every_form_of_orientation) {
  // A quarter turn about z, four times.
  Eigen::Matrix3d R;
  R << 0, -1, 0, 1, 0, 0, 0, 0, 1;
  for (const std::string text :
       {"rotation = [[0, -1, 0], [1, 0, 0], [0, 0, 1]]", "quaternion = [\"sqrt(0.5)\", 0, 0, \"sqrt(0.5)\"]",
        "axis_angle = {axis = \"z\", angle = \"pi/2\"}",
        "euler = {sequence = \"zxz\", angles = [\"pi/4\", 0, \"pi/4\"]}",
        "orientation = {axis_angle = {axis = [0, 0, 2], angle = \"pi/2\"}}"}) {
    const Study study =
        read(replaced(pendulum, "position =", text + "\nangular_velocity_world = [1, 2, 3]\nposition ="));
    EXPECT_LT((study.model.bodies[0].orientation - R).norm(), eps) << text;
    EXPECT_LT((study.model.bodies[0].angular_velocity - Eigen::Vector3d(2, -1, 3)).norm(), 10 * eps) << text;
  }
  // The order of Euler's angles: R = Rx(a) Ry(b) carries z to (sin b, −sin a cos b, cos a cos b).
  const Study study =
      read(replaced(pendulum, "position =", "euler = {sequence = \"xyz\", angles = [0.3, 0.5, 0]}\nposition ="));
  const Eigen::Vector3d z(std::sin(0.5), -std::sin(0.3) * std::cos(0.5), std::cos(0.3) * std::cos(0.5));
  EXPECT_LT((study.model.bodies[0].orientation.col(2) - z).norm(), eps);
}

TEST(ModelReader, computes_mass_properties_of_shapes) {
  const auto body = [](const std::string& mass, const std::string& shape) {
    return read(replaced(replaced(pendulum, "mass = \"m\"", mass), "inertia = [0.1, 2, 2]", "shape = " + shape))
        .model.bodies[0];
  };
  const BodySpec box = body("", "{kind = \"box\", size = [1, 2, 3], density = 10}");
  EXPECT_DOUBLE_EQ(box.mass, 60.0);
  EXPECT_LT((box.inertia.diagonal() - Eigen::Vector3d(65, 50, 25)).norm(), 1e-12);
  const BodySpec tube =
      body("mass = 12", "{kind = \"cylinder\", radius = 2, inner_radius = 1, length = 3, axis = \"x\"}");
  EXPECT_LT((tube.inertia.diagonal() - Eigen::Vector3d(30, 24, 24)).norm(), 1e-12);
  const BodySpec ball = body("", "{kind = \"sphere\", radius = 2, density = 3}");
  EXPECT_DOUBLE_EQ(ball.mass, 32.0 * pi);
  EXPECT_LT((ball.inertia.diagonal() - Eigen::Vector3d::Constant(1.6 * 32.0 * pi)).norm(), 1e-11);
  const BodySpec rod = body("mass = 12", "{kind = \"rod\", length = 2, axis = \"x\"}");
  EXPECT_LT((rod.inertia.diagonal() - Eigen::Vector3d(0, 4, 4)).norm(), 1e-12);
}

TEST(ModelReader, lets_planar_bodies_be_short) {
  const Study study = read(R"toml(
[[body]]
name = "bar"
kind = "planar"
normal = "y"
mass = 1
inertia = 3
angular_velocity = 5
axis_angle = {axis = "y", angle = 0.4}
firm = ["position"]
[[joint]]
name = "pin"
kind = "revolute"
body_b = "bar"
point = {body = "bar", at = [1, 0, 0]}
)toml");
  const BodySpec& bar = study.model.bodies[0];
  EXPECT_EQ(bar.kind, BodyKind::planar);
  EXPECT_EQ(bar.plane_normal, Eigen::Vector3d::UnitY());
  EXPECT_NEAR(bar.plane_normal.dot(bar.orientation * bar.inertia * bar.orientation.transpose() * bar.plane_normal), 3.0,
              eps);
  EXPECT_LT((bar.orientation * bar.angular_velocity - Eigen::Vector3d(0, 5, 0)).norm(), 10 * eps);
  EXPECT_TRUE(bar.firm_position);
  EXPECT_FALSE(bar.firm_velocity);
  EXPECT_EQ(study.model.joints[0].axis.direction, Eigen::Vector3d::UnitY());
  EXPECT_EQ(study.model.joints[0].point.body, "bar");
}

TEST(ModelReader, reads_couplers_in_every_form) {
  const std::string two = pendulum + R"toml(
[[body]]
name = "wheel"
kind = "rigid"
mass = 1
inertia = [1, 1, 1]
[[joint]]
name = "axle"
kind = "cylindrical"
bodies = ["wheel"]
point = [0, 0, 0]
axis = "-z"
)toml";
  const auto coupler = [&](const std::string& text) { return read(two + text).model.couplers.at(0); };
  const CouplerSpec terms = coupler(R"toml([[coupler]]
name = "c"
terms = [{joint = "hinge", factor = 2}, {joint = "axle", coordinate = "displacement", factor = -3}]
value = "sin(t)"
)toml");
  ASSERT_EQ(terms.terms.size(), 2u);
  EXPECT_EQ(terms.terms[0].name, "hinge");
  EXPECT_EQ(terms.terms[0].factor, 2.0);
  EXPECT_EQ(terms.terms[1].coordinate, JointCoordinate::displacement);
  EXPECT_EQ(terms.terms[1].factor, -3.0);
  EXPECT_EQ(terms.value.text, "sin(t)");
  EXPECT_FALSE(terms.velocity_level);
  const CouplerSpec speed = read(pendulum + R"toml([[joint]]
name = "c"
kind = "speed_coupler"
joints = ["hinge"]
factors = [4]
value = 2
)toml")
                                .model.couplers.at(0);
  EXPECT_TRUE(speed.velocity_level);
  EXPECT_EQ(speed.terms[0].factor, 4.0);
  const CouplerSpec gear = read(replaced(two, "cylindrical", "revolute") + R"toml([[joint]]
name = "c"
kind = "gear"
joints = ["hinge", "axle"]
ratio = -3
)toml")
                               .model.couplers.at(0);
  EXPECT_EQ(gear.terms[0].factor, 1.0);
  EXPECT_EQ(gear.terms[1].factor, 3.0);
}

TEST(ModelReader, reads_motions_from_formulas_rates_and_tables) {
  const auto motion = [](const std::string& text) {
    return read(pendulum + "[[motion]]\nname = \"drive\"\njoint = \"hinge\"\n" + text).model.motions.at(0);
  };
  EXPECT_EQ(motion("function = \"L*sin(t)\"").function.text, "L*sin(t)");
  EXPECT_EQ(motion("velocity = 3").velocity.text, "3");
  EXPECT_EQ(
      motion("table = \"my profile\"\n[[table]]\nname = \"my profile\"\nx = [0, 1]\ny = [0, \"2*L\"]").function.text,
      "table('my profile', t)");
}

TEST(ModelReader, reads_forces_of_every_kind) {
  const std::string start = pendulum + "[[force]]\nname = \"f\"\n";
  const auto force = [&](const std::string& text) { return read(start + text).model.forces.at(0); };
  const ForceSpec push =
      force("kind = \"force\"\nbody = \"rod\"\nforce = [1, \"2*t\", \"rod.vx\"]\nin_body_axes = true");
  EXPECT_EQ(push.body_b, "rod");
  EXPECT_EQ(push.point_b.body, "rod");
  EXPECT_EQ(push.components[0].text, "1");
  EXPECT_EQ(push.components[1].text, "2*t");
  EXPECT_TRUE(push.in_body_axes);
  const ForceSpec torque = force("kind = \"torque\"\nbody = \"rod\"\ntorque = [0, \"-hinge.angle_rate\", 0]");
  EXPECT_EQ(torque.components[1].text, "-hinge.angle_rate");
  const ForceSpec spring = force(
      "kind = \"spring_damper\"\npoint_a = [0, 0, 1]\npoint_b = {body = \"rod\", at = [1, 0, 0]}\nstiffness = 10\n"
      "damping = 2\npreload = 3\nfree_length = 0.5");
  EXPECT_EQ(spring.body_a, "ground");
  EXPECT_EQ(spring.body_b, "rod");
  EXPECT_EQ(spring.stiffness, 10.0);
  EXPECT_EQ(spring.damping, 2.0);
  EXPECT_EQ(spring.preload, 3.0);
  EXPECT_EQ(spring.free_value, 0.5);
  const ForceSpec law =
      force("kind = \"torsion_spring\"\nbodies = [\"rod\"]\naxis = \"y\"\nlaw = \"-3*angle^3 - 0.1*rate\"");
  EXPECT_EQ(law.law.text, "-3*angle^3 - 0.1*rate");
  const ForceSpec bushing = force(
      "kind = \"bushing\"\nbodies = [\"rod\"]\npoint = [1, 0, 0]\nK = [1, 2, 3, 4, 5, 6]\n"
      "angles = \"printed\"");
  EXPECT_EQ(bushing.K(5, 5), 6.0);
  EXPECT_EQ(bushing.K(5, 4), 0.0);
  EXPECT_EQ(bushing.C, Eigen::MatrixXd::Zero(6, 6));
  EXPECT_EQ(bushing.angles, BushingAngles::printed);
  const ForceSpec joint = force("kind = \"joint_spring\"\njoint = \"hinge\"\nstiffness = 4\nfree_value = 0.1");
  EXPECT_EQ(joint.joint, "hinge");
  EXPECT_EQ(joint.free_value, 0.1);
  const ForceSpec limit = force("kind = \"joint_limit\"\njoint = \"hinge\"\nlower = -1\nstiffness = 1e4");
  EXPECT_EQ(limit.lower, -1.0);
  EXPECT_FALSE(limit.upper);
}

TEST(ModelReader, reduces_every_control_to_states_and_rates) {
  const Model model = read(pendulum + R"toml(
[[control]]
name = "smooth"
kind = "filter"
input = "hinge.angle"
time_constant = 0.5
initial = 3
[[control]]
name = "servo"
kind = "pid"
input = "1 - hinge.angle"
kp = 10
ki = 2
kd = 4
derivative_time = 0.25
[[control]]
name = "tank"
kind = "ode"
states = ["level", "flow"]
rates = ["-flow", "level - 2*flow"]
algebraic = [false, true]
initial = [1, 0.5]
output = "3*flow"
)toml")
                          .model;
  ASSERT_EQ(model.controls.size(), 3u);
  EXPECT_EQ(model.controls[0].rates[0].text, "((hinge.angle) - filtered)/(0.5)");
  EXPECT_EQ(model.controls[0].initial[0], 3.0);
  EXPECT_EQ(model.controls[1].states.size(), 2u);
  EXPECT_EQ(model.controls[1].rates[0].text, "1 - hinge.angle");
  EXPECT_EQ(model.controls[1].output.text,
            "(10)*(1 - hinge.angle) + (2)*integral + (4)*((1 - hinge.angle) - filtered)/(0.25)");
  EXPECT_TRUE(model.controls[2].algebraic[1]);
  EXPECT_EQ(model.controls[2].initial[1], 0.5);
  EXPECT_EQ(model.controls[2].output.text, "3*flow");
}

TEST(ModelReader, reads_options) {
  const Study study = read(replaced(pendulum, "h = 1e-3", R"toml(integrator = "hht"
alpha = -0.2
rtol = 1e-6
redundant = "drop"
linear_solver = "dense"
[solver.scaling]
kind = "physical"
k_ave = 1e5
rho = 1
[output]
every_step = true
file = "here.h5")toml"));
  EXPECT_EQ(study.solver.integrator, Integrator::hht);
  EXPECT_EQ(study.solver.one_step.alpha, -0.2);
  EXPECT_FALSE(study.solver.h);
  EXPECT_EQ(study.solver.redundant, RedundancyPolicy::drop);
  EXPECT_EQ(study.solver.scaling.k_ave, 1e5);
  EXPECT_FALSE(study.solver.scaling.m_ave);
  EXPECT_EQ(study.solver.scaling.rho, 1.0);
  EXPECT_EQ(study.output.every_step, true);
  EXPECT_EQ(study.output.file, "here.h5");
}

TEST(ModelReader, accepts_the_whole_models_of_its_documentation) {
  std::ifstream file(places::source_dir().string() + "/docs/model_file.md");
  std::string line, block;
  bool inside = false;
  int models = 0;
  while (std::getline(file, line)) {
    if (line == "```toml") {
      inside = true;
      block.clear();
    } else if (inside && line == "```") {
      inside = false;
      const bool whole = block.rfind("title", 0) == 0 || block.rfind("[parameters]", 0) == 0;
      if (!whole) continue;
      ++models;
      EXPECT_NO_THROW(read(block)) << block;
    } else if (inside) {
      block += line + "\n";
    }
  }
  EXPECT_EQ(models, 2);
}

TEST(ModelReader, cannot_read_a_file_that_is_not_there) {
  EXPECT_THROW(read_study("no/such/model.toml"), IoError);
  EXPECT_THROW(read_study(std::filesystem::temp_directory_path()), IoError);
}

}  // namespace
}  // namespace trammel::test_model_reader
