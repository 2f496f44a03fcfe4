// SPDX-License-Identifier: Apache-2.0
#include <Eigen/Geometry>

#include "compare_frames.h"

// Relative coordinates of joints as unknowns of their own (`coordinate`, `coordinates`): what they are, and that forces
// on them move the machine as forces on the joint do.

namespace trammel::test_carried_coordinates {
namespace {

struct Method {
  const char *name, *settings;
};
const Method methods[] = {{"as_chosen", ""},
                          {"generalized_alpha", "solver.integrator=generalized_alpha"},
                          {"energy_decaying", "solver.integrator=energy_decaying"},
                          {"bdf_index3", "solver={integrator=\"bdf\", formulation=\"index3\"}"},
                          {"bdf_split", "solver={integrator=\"bdf\", formulation=\"coordinate_split\"}"},
                          {"radau", "solver.integrator=radau"},
                          {"bdf_joint", "solver={integrator=\"bdf\", coordinates=\"joint\"}"},
                          {"radau_joint", "solver={integrator=\"radau\", coordinates=\"joint\"}"}};

SetList with(const Method& method, double rtol) {
  SetList settings;
  if (*method.settings) settings.emplace_back(method.settings);
  settings.push_back(set("solver.rtol", rtol));
  settings.push_back(set("solver.atol", 1e-3 * rtol));
  return settings;
}

// Hangs beside the cross of a universal joint whose axes are x of the ground and y of the body; `hinges` are what holds
// it, `springs` what turns it back.
std::string gimbal(std::string hinges, const std::string& alpha, const std::string& beta, double speed) {
  return fmt::format(R"toml(
gravity = [0, 0, -9.81]
[[body]]
name = "bob"
mass = 1.3
inertia = [0.3, 0.2, 0.25]
position = [0.1, 0.05, -0.4]
velocity = [{3}, {4}, {5}]
angular_velocity = [{2}, -0.8, 0]
{0}
[[force]]
name = "first"
kind = "joint_spring"
joint = "{1}"
stiffness = 3
[[force]]
name = "second"
kind = "joint_spring"
joint = "{6}"
stiffness = 1.2
damping = 0.1
[analysis]
end = 1
[output]
interval = 0.05
)toml",
                     replace_once(std::move(hinges), "SPEED", fmt::format("{}", speed)), alpha, speed, -0.8 * -0.4,
                     -speed * -0.4, speed * 0.05 + 0.8 * 0.1, beta);
}
const std::string crossed = R"toml(
[[coordinate]]
name = "alpha"
rate = SPEED
[[coordinate]]
name = "beta"
rate = -0.8
[[joint]]
name = "cross"
kind = "universal"
bodies = ["ground", "bob"]
point = [0, 0, 0]
axis = "x"
axis_b = "y"
coordinates = ["alpha", "beta"]
)toml";
// The cross as a body of next to no mass.
const std::string two_hinges = R"toml(
[[body]]
name = "cross"
mass = 1e-7
inertia = [1e-9, 1e-9, 1e-9]
position = [0, 0, 0]
angular_velocity = [SPEED, 0, 0]
[[joint]]
name = "alpha"
kind = "revolute"
bodies = ["ground", "cross"]
point = [0, 0, 0]
axis = "x"
[[joint]]
name = "beta"
kind = "revolute"
bodies = ["cross", "bob"]
point = [0, 0, 0]
axis = "y"
)toml";

Eigen::Matrix3d rotation(const Eigen::MatrixXd& q, Eigen::Index i) {
  return Eigen::Quaterniond(q(i, 0), q(i, 1), q(i, 2), q(i, 3)).normalized().toRotationMatrix();
}

class CarriedCoordinates : public ::testing::TestWithParam<Method> {};

// R = R_x(α) R_y(β) in every frame, through a whole turn of α; rates are their derivatives: ω = R_yᵀ(β) x α̇ + y β̇.
TEST_P(CarriedCoordinates, of_a_universal_joint_are_the_angles_about_its_two_axes) {
  for (const double speed : {1.5, 25.0}) {
    const Recorded run = run_text(gimbal(crossed, "alpha", "beta", speed), with(GetParam(), 1e-6));
    const Eigen::MatrixXd q = run.values("bob.orientation"), omega = run.values("bob.angular_velocity");
    const Eigen::MatrixXd alpha = run.values("alpha.coordinate"), beta = run.values("beta.coordinate");  // and rates
    double turned = 0.0;
    for (Eigen::Index i = 0; i < q.rows(); ++i) {
      using Eigen::AngleAxisd, Eigen::Vector3d;
      const Eigen::Matrix3d about_y = AngleAxisd(beta(i, 0), Vector3d::UnitY()).toRotationMatrix();
      const Eigen::Matrix3d R = AngleAxisd(alpha(i, 0), Vector3d::UnitX()).toRotationMatrix() * about_y;
      const Vector3d rate = about_y.transpose() * Vector3d::UnitX() * alpha(i, 1) + Vector3d::UnitY() * beta(i, 1);
      EXPECT_LT((R - rotation(q, i)).norm(), 1e-7) << run.times()[static_cast<std::size_t>(i)];
      EXPECT_LT((rate - omega.row(i).transpose()).norm(), 1e-5 * speed) << run.times()[static_cast<std::size_t>(i)];
      turned = std::max(turned, std::abs(alpha(i, 0)));
    }
    EXPECT_GT(turned, speed > 20.0 ? 6.3 : 0.1);
  }
}

// Springs on them do what springs on the two hinges of a cross of 0.1 mg do.
TEST_P(CarriedCoordinates, of_a_universal_joint_move_the_machine_as_two_hinges_with_a_cross_do) {
  const Recorded reference = run_text(gimbal(two_hinges, "alpha", "beta", 1.5),
                                      {"solver.integrator=radau", "solver.rtol=1e-9", "solver.atol=1e-12"});
  const Recorded run = run_text(gimbal(crossed, "alpha", "beta", 1.5), with(GetParam(), 1e-6));
  const auto differ = [&](const char* here, const char* there) {
    const Eigen::MatrixXd expected = reference.values(there);
    return (run.values(here).leftCols(expected.cols()) - expected).cwiseAbs().maxCoeff();
  };
  EXPECT_LT(differ("alpha.coordinate", "alpha.angle"), 2e-5);
  EXPECT_LT(differ("beta.coordinate", "beta.angle"), 2e-5);
  EXPECT_LT(differ("bob.position", "bob.position"), 2e-5);
  EXPECT_LT(differ("bob.velocity", "bob.velocity"), 2e-4);
}

std::string joined(const std::string& kind, const std::string& keys, const std::vector<std::string>& names,
                   const std::string& forces) {
  std::string coordinates;
  for (const std::string& name : names) coordinates += fmt::format("[[coordinate]]\nname = \"{}\"\n", name);
  return fmt::format(R"toml(
gravity = [0.3, -0.2, -9.81]
[[body]]
name = "block"
mass = 2
inertia = [0.1, 0.2, 0.3]
position = [0.2, 0.1, 0.3]
velocity = [0.4, 0.5, 0]
{0}
[[joint]]
name = "j"
kind = "{1}"
bodies = ["ground", "block"]
point = [0.2, 0.1, 0.3]
{2}
{3}
[analysis]
end = 0.4
[output]
interval = 0.04
)toml",
                     coordinates, kind, keys, forces);
}
std::string spring_on(const std::string& joint, const std::string& which, double k) {
  return fmt::format("[[force]]\nname = \"on_{0}_{2}\"\nkind = \"joint_spring\"\njoint = \"{0}\"\n{1}stiffness = {3}\n",
                     joint, which.empty() ? "" : fmt::format("coordinate = \"{}\"\n", which), which, k);
}

TEST_P(CarriedCoordinates, of_other_joints_are_their_angles_and_displacements) {
  struct Case {
    std::string kind, keys;
    std::vector<std::string> names, channels;  // a channel, or a component of the block's position
  };
  const Case cases[] = {
      {"cylindrical", "axis = \"z\"\ncoordinates = [\"p\", \"x\"]", {"p", "x"}, {"j.angle", "j.displacement"}},
      {"screw", "axis = \"z\"\npitch = 0.1\ncoordinate = \"p\"", {"p"}, {"j.angle"}},
      {"planar", "axis = \"z\"\ncoordinates = [\"p\", \"x\", \"y\"]", {"p", "x", "y"}, {"j.angle", "0", "1"}},
      {"point_on_line", "axis = \"x\"\ncoordinate = \"x\"", {"x"}, {"0"}},
      {"point_on_plane", "axis = \"z\"\ncoordinates = [\"x\", \"y\"]", {"x", "y"}, {"0", "1"}}};
  for (const Case& c : cases) {
    SCOPED_TRACE(c.kind);
    std::string forces;
    for (const std::string& name : c.names) forces += spring_on(name, "", 20.0);
    const Recorded run = run_text(joined(c.kind, c.keys, c.names, forces), with(GetParam(), 1e-6));
    double moved = 0.0;
    for (std::size_t k = 0; k < c.names.size(); ++k) {
      const Eigen::VectorXd x = run.values(c.names[k] + ".coordinate").col(0);
      const bool along = c.channels[k].size() == 1;
      const Eigen::MatrixXd all = run.values(along ? "block.position" : c.channels[k]);
      const Eigen::VectorXd there = all.col(along ? std::stoi(c.channels[k]) : 0);
      const double drawn = along ? (c.channels[k] == "0" ? 0.2 : 0.1) : 0.0;
      EXPECT_LT((x - (there.array() - drawn).matrix()).cwiseAbs().maxCoeff(), 1e-8) << c.names[k];
      moved = std::max(moved, x.cwiseAbs().maxCoeff());
    }
    EXPECT_GT(moved, 0.01);
    EXPECT_LT(run.summary.energy_drift, 5e-3);
  }
}

// The same spring on the joint's own coordinate and on what carries it.
TEST(CarriedByJoints, take_forces_as_the_joint_itself_does) {
  const SetList fine{"solver.integrator=radau", "solver.rtol=1e-9", "solver.atol=1e-12"};
  const auto compare = [&](const Recorded& carried, const Recorded& own) {
    for (const char* channel : {"block.position", "block.velocity", "block.orientation", "j.reaction_force"})
      EXPECT_LT((carried.values(channel) - own.values(channel)).cwiseAbs().maxCoeff(), 1e-6) << channel;
  };
  compare(run_text(joined("cylindrical", "axis = \"z\"\ncoordinates = [\"p\", \"x\"]", {"p", "x"},
                          spring_on("p", "", 20.0) + spring_on("x", "", 300.0)),
                   fine),
          run_text(joined("cylindrical", "axis = \"z\"", {},
                          spring_on("j", "angle", 20.0) + spring_on("j", "displacement", 300.0)),
                   fine));
  compare(
      run_text(joined("screw", "axis = \"z\"\npitch = 0.1\ncoordinate = \"p\"", {"p"}, spring_on("p", "", 0.2)), fine),
      run_text(joined("screw", "axis = \"z\"\npitch = 0.1", {}, spring_on("j", "angle", 0.2)), fine));
}

TEST(CarriedByJoints, that_do_not_fit_are_refused_by_name) {
  const auto refusal = [](const std::string& text) {
    try {
      read_study_text(text, "model.toml", {});
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_NE(refusal(joined("cylindrical", "axis = \"z\"\ncoordinates = [\"p\"]", {"p"}, ""))
                .find("has 2 relative coordinates; 'coordinates' names 1"),
            std::string::npos);
  EXPECT_NE(refusal(joined("cylindrical", "axis = \"z\"\ncoordinates = []", {"p"}, "")).find("a list of names"),
            std::string::npos);
  EXPECT_NE(
      refusal(joined("cylindrical", "axis = \"z\"\ncoordinates = [\"p\", \"p\"]", {"p"}, "")).find("already carries"),
      std::string::npos);
  EXPECT_NE(refusal(joined("planar", "axis = \"z\"\ncoordinate = \"p\"\ncoordinates = [\"p\", \"x\", \"y\"]",
                           {"p", "x", "y"}, ""))
                .find("give one of them"),
            std::string::npos);
  EXPECT_NE(refusal(joined("cylindrical", "axis = \"z\"\ncoordinates = [\"p\", \"nobody\"]", {"p"}, "")).find("nobody"),
            std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(Methods, CarriedCoordinates, ::testing::ValuesIn(methods),
                         [](const auto& row) { return row.param.name; });

}  // namespace
}  // namespace trammel::test_carried_coordinates
